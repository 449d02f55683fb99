"""Read the topic table: one flat JSON object a line, with the topic's id, its group, and its attributes.

Which attributes mean something is a task's business, not this room's.
"""

import json
import re
from collections.abc import Sequence
from io import BytesIO
from typing import Any, BinaryIO

from evaluation.containers import CHUNK
from evaluation.errors import TopicsFormatError
from evaluation.faultlog import FaultLog
from evaluation.types import Limits, TopicTable

UNSPECIFIED = "unspecified"  # the slice of topics that have no value on an axis
_LIMITS = Limits()
_LINE_BYTES = CHUNK
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")  # JSON can escape it, UTF-8 cannot write it


def read_topics(stream: BinaryIO, limits: Limits = _LIMITS) -> TopicTable:
    """Read JSON lines with `topic_id`, optional `group`, and for each axis a value or a list of values.

    A topic without a value on an axis gets the one value `unspecified`; numbers and true or false are taken as they are
    written in JSON. Raises TopicsFormatError with the line of every fault.
    """
    log = FaultLog(limits.faults)
    rows: dict[str, dict[str, Any]] = {}
    lines: dict[str, int] = {}
    for number, raw in enumerate(iter(lambda: stream.readline(_LINE_BYTES), b""), 1):
        row = _row(log, raw.removeprefix(b"\xef\xbb\xbf"), number)
        if row is None:
            continue
        topic_id = row.pop("topic_id")
        if topic_id in rows:
            log.add(
                "topics_repeated", number, "topic_id", topic_id.encode(), topic=topic_id, first_line=lines[topic_id]
            )
        rows[topic_id] = row
        lines[topic_id] = number
    if not log and not rows:
        log.add("topics_empty")
    if log:
        raise TopicsFormatError(log.faults(), log.more)
    return _table(rows)


def read_topic_ids(stream: BinaryIO) -> tuple[str, ...]:
    """Read the ids of a task's topics: a topic table, or plain text with one id a line (blank and # lines are skipped).

    Raises TopicsFormatError as `read_topics` does, or when there is no id or a line is not UTF-8.
    """
    text = stream.read()
    if text.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return read_topics(BytesIO(text)).topic_ids
    log = FaultLog(_LIMITS.faults)
    ids: dict[str, None] = {}
    for number, raw in enumerate(text.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        topic_id = raw.strip()
        if not topic_id or topic_id.startswith(b"#"):
            continue
        try:
            ids[topic_id.decode()] = None
        except UnicodeDecodeError:
            log.add("topics_not_utf8", number, "topic_id", topic_id)
    if not ids and not log:
        log.add("topics_empty")
    if log:
        raise TopicsFormatError(log.faults(), log.more)
    return tuple(ids)


def _row(log: FaultLog, raw: bytes, number: int) -> dict[str, Any] | None:
    """Check one line; returns its attributes as tuples of texts, with `topic_id` and `group` as texts."""
    if not raw.strip():
        return None
    try:
        row = json.loads(raw)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        log.add("topics_not_object", number, found=raw.strip())
        return None
    topic_id = _texts(row.pop("topic_id", None))
    if topic_id is None or len(topic_id) != 1:
        log.add("topics_without_id", number, "topic_id", raw.strip())
        return None
    group = _texts(row.pop("group", None))
    checked: dict[str, Any] = {"topic_id": topic_id[0], "group": (group or ("",))[0]}
    for axis, value in row.items():
        checked[axis] = _texts(value)
        if checked[axis] is None:
            log.add("topics_bad_value", number, axis, json.dumps(value).encode())
    if group is None or len(group) > 1:
        log.add("topics_bad_value", number, "group", raw.strip())
    return checked


def _texts(value: Any) -> tuple[str, ...] | None:
    """Read a value or a list of values as texts, each once; None where something else stands."""
    values: Sequence[Any] = value if isinstance(value, list) else (value,)
    texts: dict[str, None] = {}
    for one in values:
        if isinstance(one, bool | int | float):
            texts[json.dumps(one)] = None
        elif isinstance(one, str) and not _LONE_SURROGATE.search(one):
            if one:
                texts[one] = None
        elif one is not None:
            return None
    return tuple(texts)


def _table(rows: dict[str, dict[str, Any]]) -> TopicTable:
    groups = tuple(row.pop("group") for row in rows.values())
    axes = dict.fromkeys(axis for row in rows.values() for axis in row)
    return TopicTable(
        topic_ids=tuple(rows),
        groups=groups if any(groups) else None,
        axes={axis: tuple(row.get(axis) or (UNSPECIFIED,) for row in rows.values()) for axis in axes},
    )
