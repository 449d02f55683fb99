"""The home page's pieces: a card a task, the latest submissions, how it works. Finished HTML, all escaped."""

from collections.abc import Mapping, Sequence
from html import escape

from data.task import in_language
from leaderboard.parts import blocks
from leaderboard.parts.task_view import gold_badge
from leaderboard.texts import Texts, format_date, format_number, format_score
from leaderboard.views import Entry, HomeCard

STEPS = ("check", "queue", "result")


def cards(found: Sequence[HomeCard], links: Mapping[str, str], n_elsewhere: Mapping[str, int], words: Texts) -> str:
    """Return a card for each task.

    Args:
        found: cards in the order of the home page.
        links: address of a task's page by task id.
        n_elsewhere: how many systems a page of published numbers lists, by task id.
        words: the reader's language.
    """
    told = "".join(f"<li>{_card(card, links, n_elsewhere, words)}</li>" for card in found)
    return blocks.block(f'<h2>{escape(words.get("home.benchmarks"))}</h2><ul class="q-cards">{told}</ul>')


def latest(entries: Sequence[Entry], links: Mapping[str, str], digits: Mapping[str, int], words: Texts) -> str:
    """Return the submissions that were published last.

    Args:
        entries: latest first.
        links: address of a submission's page by its id.
        digits: decimals that a board shows, by task id.
        words: the reader's language.
    """
    if not entries:
        return ""
    head = [words.get(f"home.latest_{key}") for key in ("system", "task", "score", "rank", "day")]
    rows = []
    for entry in entries:
        one = entry.submission
        sample = f" {blocks.badge(words.get('common.sample'))}" if one.is_sample else ""
        rows.append(
            [
                f'<a href="{escape(links[one.id])}">{escape(one.form.name)}</a> {escape(one.form.version)}{sample}',
                escape(in_language(entry.task.name, words.lang)),
                format_score(entry.score, words.lang, digits[entry.task.id]),
                format_number(entry.rank[0], words.lang) if entry.rank else "—",
                format_date(one.published_at or one.submitted_at, words.lang),
            ]
        )
    table = blocks.table(head, rows, caption=words.get("home.latest_caption"), numbers={2, 3, 4})
    return blocks.block(f"<h2>{escape(words.get('home.latest'))}</h2>{table}")


def how_it_works(words: Texts) -> str:
    """Return the three steps from a file to a row."""
    told = "".join(
        f"<li><b>{escape(words.get(f'home.step_{step}'))}</b><p>{escape(words.get(f'home.step_{step}_text'))}</p></li>"
        for step in STEPS
    )
    return blocks.block(f'<h2>{escape(words.get("home.how"))}</h2><ol class="q-steps">{told}</ol>')


def _card(card: HomeCard, links: Mapping[str, str], n_elsewhere: Mapping[str, int], words: Texts) -> str:
    task = card.task
    badges = gold_badge(task, words)
    if card.is_sample:
        badges += " " + blocks.badge(words.get("common.sample"), title=words.get("common.sample_hint"))
    facts = [escape(words.count("task.topics", card.n_topics))] if card.n_topics else []
    if task.languages:
        facts.append(escape(words.get("home.languages", list=", ".join(task.languages))))
    if task.has_gold and card.facts is not None:
        facts.append(escape(words.count("task.systems", card.n_systems)))
    elif n_elsewhere.get(task.id):
        facts.append(escape(words.count("task.systems", n_elsewhere[task.id])))
    told = "".join(f"<li>{fact}</li>" for fact in facts)
    return (
        f'<article class="q-card"><p class="q-card-over"><span>{escape(task.benchmark)} {escape(task.version)}</span>'
        f'<span class="q-badges">{badges}</span></p>'
        f'<h3><a href="{escape(links[task.id])}">{escape(in_language(task.name, words.lang))}</a></h3>'
        f'<p class="q-muted">{escape(in_language(task.summary, words.lang))}</p>'
        f'<ul class="q-facts">{told}</ul>{_leader(card, words)}</article>'
    )


def _leader(card: HomeCard, words: Texts) -> str:
    if not card.task.has_gold:
        return f'<p class="q-leader q-muted">{escape(words.get("home.elsewhere"))}</p>'
    if card.leader is None:
        sentence = "home.no_leader" if card.facts is not None else "home.no_gold"
        return f'<p class="q-leader q-muted">{escape(words.get(sentence))}</p>'
    score = format_score(card.leader.score, words.lang, card.digits)
    return (
        f'<p class="q-leader"><span><span class="q-hidden">{escape(words.get("home.leader"))}</span>'
        f'<span aria-hidden="true" class="q-muted">1</span> {escape(card.leader.name)}</span>'
        f'<span><b>{score}</b> <span class="q-muted">{escape(card.task.primary.heading)}</span></span></p>'
    )
