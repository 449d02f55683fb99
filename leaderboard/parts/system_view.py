"""The page of a system: its rows on all boards and the history of its versions. Finished HTML."""

import re
from collections.abc import Sequence
from html import escape
from urllib.parse import urlencode

from data.task import Task, in_language
from leaderboard.parts import blocks
from leaderboard.parts.compare_view import address as compare_address
from leaderboard.parts.form_view import run_type_label, weights_label
from leaderboard.parts.progress_view import moment
from leaderboard.parts.standouts import Standout, standouts
from leaderboard.parts.sureness import interval
from leaderboard.submissions import RunType
from leaderboard.texts import Texts, format_gap, format_number, format_params, format_score
from leaderboard.views import Entry, SystemView
from leaderboard.visit import Visit

BOARD_HEADS = (
    *("system.task", "system.measure", "system.score", "system.rank"),
    *("system.topics", "system.answered", "system.published"),
)
SLICE_HEADS = ("system.slice", "system.topics", "system.score", "system.median", "system.difference")
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
        [*(words.get(key) for key in BOARD_HEADS), words.get("system.compare")],
        [_board_row(entry, visit) for entry in view.entries],
        caption=words.get("system.boards_caption"),
        numbers={2, 3, 4, 5},
    )
    history = blocks.table(
        [words.get(key) for key in HISTORY_HEADS],
        [_history_row(entry, visit) for entry in view.history],
        caption=words.get("system.history_caption"),
        numbers={3},
    )
    on_boards = f"<h2>{escape(words.get('system.boards'))}</h2>{boards}" if view.entries else ""
    badges_of_rows = _badge_offer(view, visit)
    versions = f"<h2>{escape(words.get('system.history'))}</h2>{history}"
    return blocks.block(f"{on_boards}{_standouts(view, words)}{versions}{badges_of_rows}")


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
    row, board = entry.row or {}, entry.board or {}
    answered = ""
    if entry.sheet is not None:
        answered = words.get(
            "system.answered_value",
            answered=format_number(entry.sheet.n_answered, lang),
            topics=format_number(entry.sheet.n_topics, lang),
        )
    ends = (row.get("intervals") or [None])[0]
    return [
        _task_link(entry, visit),
        escape(entry.task.primary.heading),
        f"<strong>{escape(format_score(entry.score, lang, entry.digits))}</strong>{_range(ends, entry.digits, words)}",
        escape(_rank(entry, row.get("rank_interval"), words)),
        escape(format_number(board["topics"], lang) if board else ""),
        escape(answered),
        _published(entry),
        _compare_link(entry, visit),
    ]


def _rank(entry: Entry, possible: Sequence[int] | None, words: Texts) -> str:
    if entry.rank is None:
        return ""
    place, of = (format_number(number, words.lang) for number in entry.rank)
    if possible is None or possible[0] == possible[1]:
        return words.get("system.rank_of", rank=place, of=of)
    low, high = (format_number(number, words.lang) for number in possible)
    return words.get("system.rank_range", rank=place, low=low, high=high, of=of)


def _range(ends: Sequence[float] | None, digits: int, words: Texts) -> str:
    told = interval(ends, words, digits)
    return f' <span class="q-range">{escape(told)}</span>' if told else ""


def _compare_link(entry: Entry, visit: Visit) -> str:
    """Return a link to the comparison of a row with others; "" where nothing is compared: sealed gold, a lone row."""
    board = entry.board
    if board is None or board["gold"]["kind"] != "open" or len(board["rows"]) < 2:
        return ""
    return blocks.button(
        visit.words.get("system.compare"), compare_address(visit, entry.task.id, [entry.submission.id])
    )


def _standouts(view: SystemView, words: Texts) -> str:
    """Return for each board the slices where the system is most above and most below the median system."""
    told = "".join(_standouts_of(entry, words) for entry in view.entries)
    if not told:
        return ""
    lead = escape(words.get("system.standouts_lead"))
    return f'<h2>{escape(words.get("system.standouts"))}</h2><p class="q-muted">{lead}</p>{told}'


def _standouts_of(entry: Entry, words: Texts) -> str:
    if entry.board is None or entry.row is None:
        return ""
    above, below = standouts(entry.board, entry.row)
    if not above and not below:
        return ""
    name = in_language(entry.task.name, words.lang)
    tables = "".join(
        _standout_table(found, words.get(key, task=name), entry.task, words)
        for found, key in ((above, "system.above"), (below, "system.below"))
        if found
    )
    return f'<h3>{escape(name)}</h3><div class="q-slice-grid">{tables}</div>'


def _standout_table(found: Sequence[Standout], caption: str, task: Task, words: Texts) -> str:
    lang = words.lang
    rows = [
        [
            escape(_slice_name(one, task, words)),
            escape(format_number(one.n_topics, lang)),
            f"{escape(format_score(one.score, lang, one.digits))}{_range(one.ends, one.digits, words)}",
            escape(format_score(one.median, lang, one.digits)),
            escape(format_gap(one.gap, lang, one.digits)),
        ]
        for one in found
    ]
    return blocks.table([words.get(key) for key in SLICE_HEADS], rows, caption=caption, numbers={1, 2, 3, 4})


def _slice_name(one: Standout, task: Task, words: Texts) -> str:
    axis = task.axis(one.axis_id)
    value = task.label(axis.id, one.value_id, words.lang)
    return words.labelled(in_language(axis.name, words.lang), value) if len(task.axes) > 1 else value


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
        escape(format_score(entry.score, visit.lang, entry.digits)),
        _published(entry),
        f'<a href="{escape(href)}">{escape(words.get("system.open"))}</a>',
    ]


def _task_link(entry: Entry, visit: Visit) -> str:
    return f'<a href="{escape(visit.link(entry.task.id))}">{escape(in_language(entry.task.name, visit.lang))}</a>'


def _published(entry: Entry) -> str:
    return moment(entry.submission.published_at) if entry.submission.published_at else ""
