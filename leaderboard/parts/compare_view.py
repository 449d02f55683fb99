"""The comparison of rows of a board: which ones, what was found in words, their scores side by side. Finished HTML.

Functions of a board revision, an answer's JSON and words; no database, no request, no gold.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import Any

from leaderboard.comparisons import MOST_SYSTEMS
from leaderboard.parts import blocks
from leaderboard.parts.charts_forest import draw_forest
from leaderboard.parts.charts_pairs import draw_pairs
from leaderboard.parts.drawing import legend_mark
from leaderboard.parts.table import Board, Labels, mean_words
from leaderboard.texts import Texts, format_gap, format_number, format_score
from leaderboard.visit import Visit

N_NEAR = 3

Row = Mapping[str, Any]
Answer = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """Rows of one board in the order of the address, the reference first; `rows` has those that stand there."""

    board: Board
    labels: Labels
    rows: Sequence[Row]

    @property
    def ids(self) -> list[str]:
        """Submission ids, the reference first."""
        return [row["id"] for row in self.rows]

    def names(self) -> dict[str, str]:
        """Return the system's name by submission id."""
        return {row["id"]: row["name"] for row in self.rows}


def address(visit: Visit, task_id: str, ids: Sequence[str]) -> str:
    """Return the address of a comparison; commas stay readable."""
    return visit.link("compare", task=task_id, ids=",".join(ids)).replace("%2C", ",")


def title(asked: Asked, words: Texts) -> str:
    """Return the page's title: who is compared, and on which board."""
    names = [row["name"] for row in asked.rows]
    if len(names) < 2:
        return words.get("compare.title")
    others = words.get("compare.comma").join(names[1:])
    systems = words.get("compare.against", first=names[0], others=others)
    return words.get("compare.title_of", systems=systems, task=asked.labels.task)


def tasks(names: Mapping[str, str], visit: Visit) -> str:
    """Return the boards that one can choose from, by task id."""
    entries = "".join(
        f'<li><a href="{escape(visit.link("compare", task=task_id))}">{escape(name)}</a></li>'
        for task_id, name in names.items()
    )
    return blocks.block(f"<h2>{escape(visit.words.get('compare.choose_task'))}</h2><ul>{entries}</ul>")


def chooser(asked: Asked, visit: Visit) -> str:
    """Return the compared systems, each with what can be done with it, and the form that adds or replaces one."""
    words = visit.words
    lines = "".join(_chosen(asked, place, visit) for place in range(len(asked.rows)))
    chosen = f'<ol class="q-chosen" aria-label="{escape(words.get("compare.chosen"))}">{lines}</ol>' if lines else ""
    return blocks.block(f'<section class="q-chooser">{chosen}{_form(asked, visit)}{_near(asked, visit)}</section>')


def invitation(asked: Asked, words: Texts) -> str:
    """Say what to choose next, where there are fewer than two systems."""
    key = "compare.choose_second" if asked.rows else "compare.choose_first"
    return blocks.block(f"<p>{escape(words.get(key))}</p>")


def refusal(code: str, asked: Asked | None, visit: Visit, *, is_known: bool = True) -> str:
    """Say why nothing is compared and what can be done; `is_known` is False where the address names unknown rows."""
    words = visit.words
    actions = ""
    if asked is not None and len(asked.rows) > 1 and code not in ("wrong-number", "same-system"):
        label = words.get("compare.again" if is_known else "compare.rest")
        actions = f"<p>{blocks.button(label, address(visit, asked.board['task'], asked.ids))}</p>"
    return blocks.block(blocks.notice(words.get(f"compare.no_{code}")) + actions)


def working(words: Texts, *, is_paused: bool, is_late: bool) -> str:
    """Say that the answer is on its way, or why it is not."""
    key = "compare.paused" if is_paused else "compare.too_long" if is_late else "compare.working"
    kind = "" if is_paused or is_late else " is-working"
    return blocks.block(f'<p class="q-notice{kind}">{escape(words.get(key))}</p>')


def verdicts(asked: Asked, answer: Answer, words: Texts) -> str:
    """Return what was found in one sentence for each other system, in the order of the address."""
    places = {one: place for place, one in enumerate(answer["others"])}
    told = "".join(
        f'<li class="q-series-{series + 1}">{legend_mark(series)}<span>'
        f"{escape(verdict(asked, answer, places[one], words))}</span></li>"
        for series, one in enumerate(asked.ids[1:])
    )
    return blocks.block(f'<ul class="q-verdicts">{told}</ul>')


def verdict(asked: Asked, answer: Answer, place: int, words: Texts) -> str:
    """Say how one other system stands to the reference: by how much, how sure, and in how many slices."""
    names, found = asked.names(), answer["headlines"][place]
    other, reference = names[answer["others"][place]], names[answer["reference"]]
    gap, digits = found["difference"], asked.board["digits"]
    if found["interval"] is None:
        units = words.count(f"compare.units_{answer['unit']}", answer["n_units"])
        shown = format_gap(gap, words.lang, digits)
        return words.get("compare.few", first=other, second=reference, gap=shown, n=units)
    low, high = found["interval"]
    better, worse = found["n_clear_better"], found["n_clear_worse"]
    if found["clear"]:
        score = partial(format_score, lang=words.lang, digits=digits)
        if gap < 0:
            other, reference, gap, low, high, better, worse = reference, other, -gap, -high, -low, worse, better
        key, said = "better", {"gap": score(gap), "interval": _ends([score(low), score(high)], words)}
    else:
        signed = partial(format_gap, lang=words.lang, digits=digits)
        key, said = "open", {"gap": signed(gap), "interval": _ends([signed(low), signed(high)], words)}
    said |= {"first": other, "second": reference}
    if not found["n_slices"]:
        return words.get(f"compare.alone_{key}", **said)
    counts = {"better": better, "worse": worse, "n": found["n_slices"]}
    numbers = {name: format_number(count, words.lang) for name, count in counts.items()}
    is_mixed = bool(worse or (key == "open" and better))
    slices = (
        words.get("compare.slices_both", **numbers)
        if is_mixed
        else words.get("compare.slices", clear=numbers["better"], n=numbers["n"])
    )
    return words.get(f"compare.said_{key}", **said, slices=slices)


def figures(asked: Asked, answer: Answer, visit: Visit) -> str:
    """Return the forest plot, the scores side by side, the dumbbell where there is a second measure, and links."""
    words = visit.words
    own = {**asked.board, "rows": asked.rows}
    whole = visit.link(asked.board["task"], pin=",".join(asked.ids)).replace("%2C", ",")
    forest = draw_forest(asked.board, answer, asked.names(), asked.ids[1:], asked.labels, words, whole)
    link = f"{visit.site}/{address(replace(visit, asked=None), asked.board['task'], asked.ids).removeprefix('./')}"
    json = f"./comparisons/{asked.board['task']}.json?ids={','.join(asked.ids)}"
    links = (
        f"<h2>{escape(words.get('compare.link'))}</h2>{blocks.copy_box(link, words)}"
        f'<p><a href="{escape(json)}">{escape(words.get("compare.json"))}</a> · '
        f'<a href="{escape(visit.link("about"))}#compare">{escape(words.get("compare.how"))}</a></p>'
    )
    return forest + _scores(asked, words) + draw_pairs(own, asked.labels, words) + blocks.block(links)


def _ends(ends: Sequence[str], words: Texts) -> str:
    low, high = ends
    return words.get("charts.interval", low=low, high=high)


def _chosen(asked: Asked, place: int, visit: Visit) -> str:
    """Return the line of one compared system."""
    words, row, task_id = visit.words, asked.rows[place], asked.board["task"]
    name, ids = row["name"], asked.ids
    score = format_score(row["scores"][0], words.lang, asked.board["digits"])
    ends = (row.get("intervals") or [None])[0]
    if ends is not None:
        score += f" {_ends([format_score(end, words.lang, asked.board['digits']) for end in ends], words)}"
    rank = words.get("compare.rank", rank=format_number(row["rank"], words.lang))
    rest = [one for one in ids if one != row["id"]]
    actions = [_action("remove", name, address(visit, task_id, rest), words)]
    mark = blocks.badge(words.get("compare.reference"), is_strong=True)
    if place:
        actions.insert(0, _action("make_reference", name, address(visit, task_id, [row["id"], *rest]), words))
        mark = f'<span class="q-series-{place}">{legend_mark(place - 1)}</span>' if place < MOST_SYSTEMS else ""
    link = f'<a href="{escape(visit.link("system", id=row["system"]))}">{escape(name)}</a> {escape(row["version"])}'
    return (
        f'<li><span class="q-chosen-mark">{mark}</span><span class="q-chosen-name">{link}</span>'
        f'<span class="q-muted q-small">{escape(rank)} · {escape(score)}</span>'
        f'<span class="q-chosen-do">{"".join(actions)}</span></li>'
    )


def _action(key: str, name: str, href: str, words: Texts) -> str:
    said, label = (escape(words.get(f"compare.{kind}_{key}", name=name)) for kind in ("do", "of"))
    return f'<a class="q-button" rel="nofollow" href="{escape(href)}" aria-label="{label}">{said}</a>'


def _form(asked: Asked, visit: Visit) -> str:
    """Return the form that adds a system or puts it in the place of another; it needs no script."""
    words, ids = visit.words, asked.ids
    options = "".join(
        f'<option value="{escape(row["id"])}">{row["rank"]}. {escape(row["name"])}</option>'
        for row in asked.board["rows"]
        if row["id"] not in ids
    )
    if not options:
        return ""
    places = [("", words.get("compare.as_more"))] if len(ids) < MOST_SYSTEMS else []
    places += [(row["id"], words.get("compare.in_place", name=row["name"])) for row in asked.rows]
    where = "".join(f'<option value="{escape(value)}">{escape(label)}</option>' for value, label in places)
    hidden = {"task": asked.board["task"], "ids": ",".join(ids), "lang": visit.asked or ""}
    kept = "".join(
        f'<input type="hidden" name="{name}" value="{escape(value)}">' for name, value in hidden.items() if value
    )
    place = f'<label>{escape(words.get("compare.place"))} <select name="for">{where}</select></label>' if ids else ""
    return (
        f'<form class="q-compare-form" action="./compare" method="get" data-q-compare>{kept}'
        f'<label>{escape(words.get("compare.add"))} <select name="add">{options}</select></label>{place}'
        f'<button class="q-button">{escape(words.get("compare.go"))}</button>'
        f'<a class="q-button" href="{escape(visit.link(asked.board["task"]))}">{escape(words.get("compare.board"))}</a>'
        "</form>"
    )


def _near(asked: Asked, visit: Visit) -> str:
    """Return the systems nearest in rank to the only one chosen, ready to be compared with it."""
    if len(asked.rows) != 1:
        return ""
    rows = list(asked.board["rows"])
    own = asked.ids[0]
    at = next(place for place, row in enumerate(rows) if row["id"] == own)
    near = sorted((place for place in range(len(rows)) if place != at), key=lambda place: abs(place - at))[:N_NEAR]
    buttons = "".join(
        blocks.button(rows[place]["name"], address(visit, asked.board["task"], [own, rows[place]["id"]]))
        for place in sorted(near)
    )
    label = escape(visit.words.get("compare.near"))
    return f'<p class="q-near"><span>{label}</span>{buttons}</p>' if buttons else ""


def _scores(asked: Asked, words: Texts) -> str:
    """Return the ranking score overall and the same measure in every shown slice, the best of a line in bold."""
    board, labels = asked.board, asked.labels
    first = board["columns"][0]
    at = board["measures"].index(first["measure"])
    mean = mean_words(first["mean"], labels, words)
    overall = words.get("compare.overall_of", overall=words.get("compare.overall"), mean=mean)
    lines = [(overall, board["topics"], [row["scores"][0] for row in asked.rows])]
    for axis in board["axes"]:
        for place, value in enumerate(axis["values"]):
            if value["enough"]:
                cells = [(row["slices"].get(axis["id"]) or [])[place] for row in asked.rows]
                axis_name = labels.axes.get(axis["id"], axis["id"])
                name = words.labelled(axis_name, labels.value(axis["id"], value["id"]))
                lines.append((name, value["topics"], [None if cell is None else cell[at] for cell in cells]))
    rows = [
        [escape(name), format_number(n, words.lang), *_best_in_bold(scores, board["digits"], words)]
        for name, n, scores in lines
    ]
    head = [words.get("compare.slice"), words.get("charts.topics"), *(row["name"] for row in asked.rows)]
    caption = words.get("compare.scores_caption", measure=labels.heading(first["measure"]))
    table = blocks.table(head, rows, caption=caption, numbers=range(1, len(head)))
    return blocks.block(f"<h2>{escape(words.get('compare.scores'))}</h2>{table}")


def _best_in_bold(scores: Sequence[float | None], digits: int, words: Texts) -> list[str]:
    known = {score for score in scores if score is not None}
    best = max(known) if len(known) > 1 else None
    shown = (format_score(score, words.lang, digits) for score in scores)
    return [
        f"<b>{text}</b>" if score == best and score is not None else text
        for text, score in zip(shown, scores, strict=True)
    ]
