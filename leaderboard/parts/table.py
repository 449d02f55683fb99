"""The board as one JSON text for the browser, its caption, and the plain table for readers without scripts.

Functions of a board revision and words; no database, no request, no gold.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from html import escape
from typing import Any

from leaderboard.parts import blocks
from leaderboard.parts.board_text import short_text
from leaderboard.texts import Texts, format_date, format_number, format_params, format_score

Board = Mapping[str, Any]
PLAIN_ROWS = 10
MOST_WHOLE = 100


@dataclass(frozen=True, slots=True)
class Labels:
    """Words that come from the task's card, in the reader's language.

    `axes`: name by axis id; `values`: label by axis id and value; `measures`: definition by measure name; `headings`:
    the name that the benchmark's readers know, by measure name.
    """

    task: str
    axes: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    measures: Mapping[str, str] = field(default_factory=dict)
    headings: Mapping[str, str] = field(default_factory=dict)

    def value(self, axis_id: str, value: str) -> str:
        """Return the label of a value of an axis, the value itself where the card has none."""
        return self.values.get(axis_id, {}).get(value, value)

    def heading(self, measure: str) -> str:
        """Return what a column of this measure is called."""
        return self.headings.get(measure, measure)


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses that the board points to: `system` with SYSTEM where the id goes, `compare` with IDS where the rows go.

    `example` and `compare` may be empty: no example run, no comparison of rows.
    """

    system: str
    submit: str
    example: str = ""
    compare: str = ""


def payload(body: str, labels: Labels, words: Texts, links: Links, *, is_past: bool = False) -> str:
    """Return the JSON text that `table.js` draws: the revision's own text and the words around it.

    Of a long board the slices, and the scores at full precision, come later from the board's own address, when a reader
    asks for a breakdown or a file.
    """
    board = json.loads(body)
    is_whole = len(board["rows"]) <= MOST_WHOLE
    shown = body if is_whole else short_text(body)
    whole = f"./boards/{board['task']}.json" + (f"?rev={board['revision']}" if is_past else "")
    around = {
        "caption": caption(board, labels, words),
        "labels": {
            "axes": dict(labels.axes),
            "values": {axis["id"]: dict(labels.values.get(axis["id"], {})) for axis in board["axes"]},
            "measures": dict(labels.measures),
            "headings": dict(labels.headings),
            "means": {column["mean"]: mean_words(column["mean"], labels, words) for column in board["columns"]},
        },
        "lang": words.lang,
        "links": asdict(links),
        "whole": "" if is_whole else whole,
        "words": dict(words.section("table")),
    }
    return f'{{"board":{shown},{json.dumps(around, ensure_ascii=False)[1:]}'


def caption(board: Board, labels: Labels, words: Texts) -> str:
    """Return the sentence over the board: task, measure and mean, topics, gold version, when it was made."""
    first = board["columns"][0]
    said = words.get(
        "table.caption",
        task=labels.task,
        measure=first["label"] or first["measure"],
        mean=mean_words(first["mean"], labels, words),
        topics=format_number(board["topics"], words.lang),
        gold=gold_words(board, words),
        date=format_date(made_at(board), words.lang),
        direction=words.get("common.higher_is_better"),
    )
    resolution = (board.get("uncertainty") or {}).get("resolution")
    if resolution is None:
        return said
    decided = words.get("table.resolution", value=format_score(resolution, words.lang, board["digits"]))
    return said + ("" if words.lang == "zh" else " ") + decided


def gold_words(board: Board, words: Texts) -> str:
    """Return the gold version as people read it: "sample", or the version and the start of its fingerprint."""
    gold = board["gold"]
    if gold["is_sample"]:
        return words.get("common.sample")
    mark = str(gold["fingerprint"] or "")
    return f"{gold['version']} · {mark[:13]}" if mark else str(gold["version"])


def mean_words(mean: str, labels: Labels, words: Texts) -> str:
    """Say how a column's measure is averaged."""
    if mean.startswith("macro:"):
        axis = mean.removeprefix("macro:")
        return words.get("table.mean_macro", axis=labels.axes.get(axis, axis).lower())
    return words.get("table.mean_groups" if mean == "groups" else "table.mean_topics")


def made_at(board: Board) -> datetime:
    """Return the moment in which the revision was made."""
    return datetime.fromisoformat(board["made_at"])


def system_link(row: Mapping[str, Any], system: str, attributes: str = "") -> str:
    """Return the name of a row as a link to its system, and without one where the system is not public any more."""
    name = escape(row["name"])
    if row.get("is_gone"):
        return name
    return f'<a href="{escape(system.replace("SYSTEM", row["system"]))}"{attributes}>{name}</a>'


def plain_table(board: Board, labels: Labels, words: Texts, links: Links) -> str:
    """Return the first rows as a plain table, for readers without scripts and for crawlers. "" if there is no row."""
    rows = board["rows"][:PLAIN_ROWS]
    if not rows:
        return ""
    columns = board["columns"]
    head = [words.get("table.system"), words.get("table.rank"), *(c["label"] or c["measure"] for c in columns)]
    head += [words.get("table.params")]
    cells = [
        [
            f"{system_link(row, links.system)} {escape(row['version'])}",
            format_number(row["rank"], words.lang),
            *(format_score(score, words.lang, board["digits"]) for score in row["scores"]),
            escape(format_params(row["params_millions"], words.lang)),
        ]
        for row in rows
    ]
    told = words.get("table.plain_top", n=format_number(len(rows), words.lang), caption=caption(board, labels, words))
    numbers = range(1, len(head))
    return blocks.table(head, cells, caption=told, numbers=numbers)
