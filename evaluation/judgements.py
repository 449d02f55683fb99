"""Read judgements: four TREC columns, or three tab columns under a heading.

Faults raise here, since a host reads judgements and must mend them; nothing about runs or measures enters.
"""

import re
from array import array
from collections.abc import Iterable
from itertools import pairwise
from typing import BinaryIO, cast

import numpy as np

from evaluation.containers import TextSource
from evaluation.errors import QrelsFormatError, RunFormatError
from evaluation.faultlog import FaultLog
from evaluation.lines import is_clean, is_integer, log_bad_bytes
from evaluation.types import Limits, Qrels, QrelsReading

LF, BLANK = b"\n "
MAX_GRADE = 1_000_000_000
_LIMITS = Limits()
_COMMON_GRADES = {b"%d" % grade: grade for grade in range(-1, 10)}
_TREC_LAYOUT = "4 (topic 0 document grade)"
_HEADED_LAYOUT = "3 as in the heading (topic, document, grade)"
_is_heading = re.compile(rb"[A-Za-z_][^\t ]*\t+[A-Za-z_][^\t ]*\t+[A-Za-z_]+\s*").fullmatch


def read_qrels(stream: BinaryIO, limits: Limits = _LIMITS) -> QrelsReading:
    """Read judgements, plain or gzip. Topics are in the order of their first judgement.

    An exact repeat is dropped and counted. Raises QrelsFormatError with all faults (one pair with two grades, a grade
    that is not a whole number, a line of another width, another container), each with its line.
    """
    reader = _QrelsReader(limits)
    try:
        for offset, block in TextSource(stream, limits).blocks():
            reader.take(block, offset)
    except RunFormatError as refusal:
        reader.log.add_refusal(refusal.code, refusal.facts)
    if not reader.log and not reader.topics:
        reader.log.add("qrels_empty")
    if reader.log:
        raise QrelsFormatError(reader.log.faults(), reader.log.more)
    return reader.result()


class _QrelsReader:
    """The state of one pass; judgement j has `grades[j]` and was first written on `lines[j]`.

    The documents of a topic map to their judgements. Where a topic was read in one go they wait packed, as the first of
    its judgements and the ids in order, until the file comes back to it, which few files do.
    """

    def __init__(self, limits: Limits) -> None:
        self.log = FaultLog(limits.faults)
        self.limits = limits
        self.topics: dict[bytes, dict[bytes, int] | tuple[int, bytes]] = {}
        self.grades = array("q")
        self.lines = array("q")
        self.width = 4
        self.has_heading = False
        self.is_first = True
        self.n_lines = 0
        self.n_repeats = 0

    def take(self, block: bytes, offset: int) -> None:
        """Read the whole lines of a block that begins at `offset` of the file."""
        if self._take_tidy(block):
            return
        for raw in block.removesuffix(b"\n").split(b"\n"):
            self.n_lines += 1
            if self.n_lines > self.limits.lines:
                raise RunFormatError("too_many_lines", {"line": self.n_lines, "limit": self.limits.lines})
            if not log_bad_bytes(self.log, raw, self.n_lines, offset, self.limits):
                self._take_line(raw)
            offset += len(raw) + 1

    def result(self) -> QrelsReading:
        """Turn what was read into columns."""
        ids, sizes, firsts = [], [], []
        for documents in self.topics.values():
            first, joined = documents if isinstance(documents, tuple) else (0, _joined(documents))
            ids.append(joined)
            sizes.append(joined.count(b"\n"))
            firsts.append(first)
        starts = np.concatenate(([0], np.cumsum(sizes)))
        order = np.repeat(np.array(firsts) - starts[:-1], sizes) + np.arange(starts[-1])
        for number, documents in enumerate(self.topics.values()):
            if isinstance(documents, dict):
                order[starts[number] : starts[number + 1]] = list(documents.values())
        text = b"".join(ids)
        ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == LF)
        qrels = Qrels(
            topic_ids=tuple(topic.decode() for topic in self.topics),
            starts=starts,
            doc_ids=text.replace(b"\n", b""),
            doc_starts=np.concatenate(([0], ends - np.arange(len(ends)))),
            grades=np.array(self.grades, dtype=np.int64)[order],
        )
        return QrelsReading(qrels, self.n_lines, self.n_repeats, self.has_heading)

    def _take_tidy(self, block: bytes) -> bool:
        """Read a block of nothing but usual judgements, all of its fields at once; says whether it is one."""
        text = np.frombuffer(block, dtype=np.uint8)
        gaps = np.flatnonzero(text <= BLANK)
        ends = gaps[self.width - 1 :: self.width]
        if not len(ends) or len(gaps) % self.width or self.n_lines + len(ends) > self.limits.lines:
            return False
        sizes = np.diff(gaps, prepend=-1) - 1
        longest = min(self.limits.id_bytes, self.limits.line_bytes // 8)  # so that no line is too long
        if sizes.min() < 1 or sizes.max() > longest or block.count(b"\n") != len(ends) or (text[ends] != LF).any():
            return False
        if block.startswith(b"#") or b"\n#" in block or not is_clean(block):
            return False
        fields = block.split()
        grades = [_COMMON_GRADES.get(grade) for grade in fields[self.width - 1 :: self.width]]
        if None in grades:
            return False
        self.is_first = False
        self._take_columns(fields[:: self.width], fields[self.width - 2 :: self.width], cast(list[int], grades))
        return True

    def _take_columns(self, topics: list[bytes], documents: list[bytes], grades: list[int]) -> None:
        """Read judgements that stand line by line below each other: all at once where all topics are new."""
        begins = [0, *(place for place, (one, two) in enumerate(pairwise(topics), 1) if one != two), len(topics)]
        n_old = begins[1] if topics[0] in self.topics else 0  # the block before ended in the midst of a topic
        spans = [(start, stop) for start, stop in pairwise(begins) if start >= n_old]
        opened = [topics[start] for start, _ in spans]
        parts = [documents[start:stop] for start, stop in spans]
        is_new = len(set(opened)) == len(opened) and self.topics.keys().isdisjoint(opened)
        if not is_new or any(len(set(part)) < len(part) for part in parts):
            n_old, parts = len(topics), []
        for place in range(n_old):
            self.n_lines += 1
            self._judge(topics[place], documents[place], grades[place])
        if parts:
            first = len(self.grades) - n_old
            for (start, _), topic, part in zip(spans, opened, parts, strict=True):
                self.topics[topic] = first + start, _joined(part)
            self.grades.extend(grades[n_old:])
            self.lines.extend(range(self.n_lines + 1, self.n_lines + len(topics) - n_old + 1))
            self.n_lines += len(topics) - n_old

    def _documents(self, topic: bytes) -> dict[bytes, int]:
        documents = self.topics.setdefault(topic, {})
        if isinstance(documents, tuple):
            first, joined = documents
            documents = self.topics[topic] = {one: place for place, one in enumerate(joined.split(), first)}
        return documents

    def _take_line(self, raw: bytes) -> None:
        fields = raw.split()
        if not fields or raw.startswith(b"#"):
            return
        is_first, self.is_first = self.is_first, False
        if is_first and _is_heading(raw):
            self.width, self.has_heading = 3, True
            return
        if len(fields) != self.width:
            code = "qrels_no_heading" if len(fields) == 3 else "qrels_fields"
            expected = _HEADED_LAYOUT if self.has_heading else _TREC_LAYOUT
            self.log.add(code, self.n_lines, found=raw, n_fields=len(fields), expected=expected)
            return
        self._take_judgement(fields[0], fields[-2], fields[-1])

    def _take_judgement(self, topic: bytes, document: bytes, grade: bytes) -> None:
        number = self.n_lines
        for column, value in (("topic", topic), ("document", document)):
            if len(value) > self.limits.id_bytes:
                self.log.add("id_too_long", number, column, value, size=len(value), limit=self.limits.id_bytes)
                return
        if not is_integer(grade):
            self.log.add("grade_not_integer", number, "grade", grade)
            return
        if len(grade) > 20 or abs(int(grade)) > MAX_GRADE:
            self.log.add("grade_out_of_range", number, "grade", grade, limit=MAX_GRADE)
            return
        self._judge(topic, document, int(grade))

    def _judge(self, topic: bytes, document: bytes, grade: int) -> None:
        documents = self._documents(topic)
        place = documents.setdefault(document, len(self.grades))
        if place == len(self.grades):
            self.grades.append(grade)
            self.lines.append(self.n_lines)
        elif self.grades[place] == grade:
            self.n_repeats += 1
        else:
            facts = {"first_line": self.lines[place], "first_grade": self.grades[place], "grade": grade}
            self.log.add("grade_conflict", self.n_lines, "document", document, topic=topic, document=document, **facts)


def _joined(ids: Iterable[bytes]) -> bytes:
    return b"\n".join([*ids, b""])
