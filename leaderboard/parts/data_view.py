"""What a submitter needs before writing a run: where the data are, what an id looks like, and how a line is built.

Finished HTML from a task card, public facts about the gold and one line of the example run; no gold.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from data.task import Task, in_language
from leaderboard.parts import blocks
from leaderboard.submissions import GoldFacts
from leaderboard.texts import Texts, format_bytes, format_number

FIELDS = ("topic", "q0", "document", "rank", "score", "tag")
FALLBACK_LINE = ("q1", "Q0", "doc7", "1", "12.5", "my-system")


@dataclass(frozen=True, slots=True)
class Kit:
    """What can be handed to a submitter of a task; addresses are relative to the site.

    `example_line` holds the six fields of the first line of the example run; `closed` is a sentence if nothing can be
    submitted at present, and `login_href` leads to the login where that would help.
    """

    task: Task
    facts: GoldFacts | None
    example_line: Sequence[str] | None
    example_href: str | None
    board_href: str
    closed: str | None
    login_href: str = ""


def data_card(kit: Kit, words: Texts) -> str:
    """Return the card "Get the data": version, topics, depth, one topic id and document id, downloads."""
    task, source = kit.task, kit.task.source
    entries = [
        ("submit.data_topics", _topics(kit, words)),
        ("submit.data_depth", escape(words.count("submit.data_depth", task.depth))),
        ("submit.data_topic_example", _code(_example_topic(kit))),
        ("submit.data_document_example", _code(_example_document(kit))),
        ("submit.data_gold", escape(words.get(f"submit.data_gold_{_gold_kind(kit)}"))),
        ("submit.data_version", escape(source.data_version or words.get("submit.data_version_none"))),
        ("submit.data_licence", escape(source.licence)),
    ]
    told = "".join(f"<div><dt>{escape(words.get(key))}</dt><dd>{value}</dd></div>" for key, value in entries if value)
    return (
        f'<section class="q-block q-data" aria-label="{escape(words.get("submit.data_title"))}">'
        f"<h3>{escape(words.get('submit.data_title'))}</h3>"
        f"<p>{escape(in_language(task.summary, words.lang))}</p>{_closed(kit, words)}"
        f"<dl>{told}</dl>{_links(kit, words)}</section>"
    )


def help_panel(kit: Kit, words: Texts, *, max_upload_bytes: int, max_unpacked_bytes: int) -> str:
    """Return the help at the side: the line column by column, limits, what is hidden, three frequent faults."""
    task, lang = kit.task, words.lang
    limits = [
        words.get("submit.help_limit_upload", size=format_bytes(max_upload_bytes, lang)),
        words.get("submit.help_limit_unpacked", size=format_bytes(max_unpacked_bytes, lang)),
        words.get("submit.help_limit_depth", depth=format_number(task.depth, lang)),
        words.get("submit.help_limit_missing"),
    ]
    hidden = [words.get("submit.help_hidden_gold"), words.get("submit.help_hidden_run")]
    if task.gold == "sealed":
        hidden.append(words.get("submit.help_hidden_sealed"))
    faults = [words.get(f"submit.help_fault_{name}") for name in ("columns", "twice", "ids")]
    return (
        f'<aside class="q-block q-help"><details open><summary>{escape(words.get("submit.help_title"))}</summary>'
        f"{_line_table(kit, words)}"
        f"{_list(words.get('submit.help_faults'), faults)}"
        f"{_list(words.get('submit.help_limits'), limits)}"
        f"{_list(words.get('submit.help_hidden'), hidden)}</details></aside>"
    )


def _line_table(kit: Kit, words: Texts) -> str:
    line = kit.example_line or FALLBACK_LINE
    shown = " ".join(f'<span class="q-field">{escape(field)}</span>' for field in line)
    rows = "".join(
        f'<tr><th scope="row">{escape(words.get(f"submit.help_{name}"))}</th><td><code>{escape(field)}</code> '
        f"{escape(words.get(f'submit.help_{name}_text'))}</td></tr>"
        for name, field in zip(FIELDS, line, strict=True)
    )
    column, meaning = escape(words.get("submit.help_column")), escape(words.get("submit.help_meaning"))
    return (
        f'<p>{escape(words.get("submit.help_intro"))}</p><pre class="q-line" tabindex="0">{shown}</pre>'
        f'<table class="q-columns"><thead class="q-hidden"><tr><th scope="col">{column}</th>'
        f'<th scope="col">{meaning}</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def _list(title: str, sentences: Sequence[str]) -> str:
    told = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f"<h3>{escape(title)}</h3><ul>{told}</ul>"


def _closed(kit: Kit, words: Texts) -> str:
    if not kit.closed:
        return ""
    if kit.login_href:
        button = f"<p>{blocks.login_button(words, kit.login_href)}</p>"
        return f'<div class="q-notice"><p>{escape(kit.closed)}</p>{button}</div>'
    title = escape(words.get("submit.closed_title"))
    return f'<div class="q-notice is-error"><p><strong>{title}</strong></p><p>{escape(kit.closed)}</p></div>'


def _links(kit: Kit, words: Texts) -> str:
    links = []
    if kit.example_href:
        label = escape(words.get("submit.data_example_run"))
        links.append(f'<a class="q-button" href="{escape(kit.example_href)}" download>{label}</a>')
    if kit.task.source.data_url:
        links.append(blocks.outside_link(kit.task.source.data_url, words.get("submit.data_source")))
    if kit.task.source.paper:
        links.append(blocks.outside_link(kit.task.source.paper, words.get("submit.data_paper")))
    links.append(f'<a href="{escape(kit.board_href)}">{escape(words.get("submit.data_board"))}</a>')
    return f'<p class="q-data-links">{"".join(links)}</p>'


def _topics(kit: Kit, words: Texts) -> str:
    return escape(format_number(kit.facts.n_topics, words.lang)) if kit.facts else ""


def _gold_kind(kit: Kit) -> str:
    if kit.facts is None:
        return "none"
    return "sample" if kit.facts.is_sample else kit.facts.kind


def _example_topic(kit: Kit) -> str:
    if kit.facts and kit.facts.example_topic_id:
        return kit.facts.example_topic_id
    return kit.example_line[0] if kit.example_line else ""


def _example_document(kit: Kit) -> str:
    return kit.task.source.example_document or (kit.example_line[2] if kit.example_line else "")


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>" if text else ""
