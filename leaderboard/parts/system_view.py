"""The page of a system: its rows on all boards and the history of its versions. Finished HTML."""

import re
from html import escape
from urllib.parse import urlencode

from data.task import in_language
from leaderboard.parts import blocks
from leaderboard.parts.form_view import run_type_label, weights_label
from leaderboard.parts.progress_view import moment
from leaderboard.submissions import RunType
from leaderboard.texts import Texts, format_number, format_params, format_score
from leaderboard.views import Entry, SystemView
from leaderboard.visit import Visit

BOARD_HEADS = ("system.task", "system.measure", "system.score", "system.rank", "system.answered", "system.published")
HISTORY_HEADS = (
    *("system.version", "system.task", "system.measure", "system.score"),
    *("system.published", "system.submission"),
)


def facts(view: SystemView, words: Texts) -> list[str]:
    """Return what its owner says of the system in its latest submission, each fact as finished HTML."""
    form = view.history[0].submission.form
    told = []
    if form.run_type != RunType.UNSPECIFIED:
        told.append(escape(run_type_label(form.run_type, words)))
    if form.params_millions:
        label = escape(words.get("submission.about_params"))
        told.append(f"{label} <b>{escape(format_params(form.params_millions, words.lang))}</b>")
    if form.open_weights is not None:
        label = escape(words.get("submission.about_weights"))
        told.append(f"{label} <b>{escape(weights_label(form.open_weights, words))}</b>")
    if form.link:
        told.append(blocks.outside_link(form.link))
    return told


def badges(view: SystemView, words: Texts) -> str:
    """Return the words above the title: sample, baseline."""
    latest = view.history[0].submission
    told = []
    if latest.is_sample:
        told.append(blocks.badge(words.get("common.sample"), title=words.get("system.sample")))
    if latest.is_baseline:
        told.append(blocks.badge(words.get("system.baseline")))
    return " ".join(told)


def content(view: SystemView, visit: Visit) -> str:
    """Return the table of its rows on boards, then the table of all that it published."""
    words = visit.words
    boards = blocks.table(
        [words.get(key) for key in BOARD_HEADS],
        [_board_row(entry, visit) for entry in view.entries],
        caption=words.get("system.boards_caption"),
        numbers={2, 3, 4},
    )
    history = blocks.table(
        [words.get(key) for key in HISTORY_HEADS],
        [_history_row(entry, visit) for entry in view.history],
        caption=words.get("system.history_caption"),
        numbers={3},
    )
    on_boards = f"<h2>{escape(words.get('system.boards'))}</h2>{boards}" if view.entries else ""
    badges_of_rows = _badge_offer(view, visit)
    return blocks.block(f"{on_boards}<h2>{escape(words.get('system.history'))}</h2>{history}{badges_of_rows}")


def missing(visit: Visit) -> str:
    """Return what stands where no public system has this address."""
    words = visit.words
    return blocks.block(
        blocks.empty(words.get("system.not_found"), blocks.button(words.get("common.go_home"), visit.link("")))
    )


def _badge_offer(view: SystemView, visit: Visit) -> str:
    """Return a badge and its Markdown for each board that the system stands on; "" where there is none."""
    if not view.entries:
        return ""
    words = visit.words
    kept = f"?{urlencode({'lang': visit.lang})}"
    offers = []
    for entry in view.entries:
        picture = f"badge/{view.system_id}/{entry.task.id}.svg{kept}"
        said = words.get("embed.badges_link", name=view.name, task=in_language(entry.task.name, visit.lang))
        text = re.sub(r"([\\`*_\[\]<>])", r"\\\1", said)
        link = f"{visit.site}/system?{urlencode({'id': view.system_id})}"
        snippet = f"[![{text}]({visit.site}/{picture})]({link})"
        image = f'<img src="./{escape(picture)}" alt="{escape(said)}" height="22" loading="lazy">'
        offers.append(f'<details class="q-fold"><summary>{image}</summary>{blocks.copy_box(snippet, words)}</details>')
    return (
        f"<h2>{escape(words.get('embed.badges'))}</h2><p>{escape(words.get('embed.badges_how'))}</p>{''.join(offers)}"
    )


def _board_row(entry: Entry, visit: Visit) -> list[str]:
    words, lang = visit.words, visit.lang
    rank = ""
    if entry.rank is not None:
        place, of = (format_number(number, lang) for number in entry.rank)
        rank = words.get("system.rank_of", rank=place, of=of)
    answered = ""
    if entry.sheet is not None:
        answered = words.get(
            "system.answered_value",
            answered=format_number(entry.sheet.n_answered, lang),
            topics=format_number(entry.sheet.n_topics, lang),
        )
    return [
        _task_link(entry, visit),
        escape(entry.task.primary.heading),
        f"<strong>{escape(format_score(entry.score, lang))}</strong>",
        escape(rank),
        escape(answered),
        _published(entry),
    ]


def _history_row(entry: Entry, visit: Visit) -> list[str]:
    words = visit.words
    version = entry.submission.form.version
    shown = escape(version) if version else f'<span class="q-muted">{escape(words.get("system.version_none"))}</span>'
    if entry.is_on_board:
        shown += f" {blocks.badge(words.get('system.on_board'), is_strong=True)}"
    href = visit.link("submission", id=entry.submission.id)
    return [
        shown,
        _task_link(entry, visit),
        escape(entry.task.primary.heading),
        escape(format_score(entry.score, visit.lang)),
        _published(entry),
        f'<a href="{escape(href)}">{escape(words.get("system.open"))}</a>',
    ]


def _task_link(entry: Entry, visit: Visit) -> str:
    return f'<a href="{escape(visit.link(entry.task.id))}">{escape(in_language(entry.task.name, visit.lang))}</a>'


def _published(entry: Entry) -> str:
    return moment(entry.submission.published_at) if entry.submission.published_at else ""
