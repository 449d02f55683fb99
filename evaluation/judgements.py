"""Read judgements: four TREC columns, or three tab columns under a heading.

Faults raise here, since a host reads judgements and must mend them; nothing about runs or measures enters.
"""

import re
from array import array
from typing import BinaryIO

import numpy as np

from evaluation.containers import TextSource
from evaluation.errors import QrelsFormatError, RunFormatError
from evaluation.faultlog import FaultLog
from evaluation.lines import HASH, is_clean, is_integer, log_bad_bytes
from evaluation.types import Limits, Qrels, QrelsReading

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
    """The state of one pass; judgement j has `grades[j]` and was first written on `lines[j]`."""

    def __init__(self, limits: Limits) -> None:
        self.log = FaultLog(limits.faults)
        self.limits = limits
        self.topics: dict[bytes, dict[bytes, int]] = {}
        self.grades = array("q")
        self.lines = array("q")
        self.width = 4
        self.has_heading = False
        self.is_first = True
        self.n_lines = 0
        self.n_repeats = 0

    def take(self, block: bytes, offset: int) -> None:
        """Read the whole lines of a block that begins at `offset` of the file."""
        lines = block.removesuffix(b"\n").split(b"\n")
        is_short = max(map(len, lines)) <= self.limits.line_bytes
        if is_short and self.n_lines + len(lines) <= self.limits.lines and is_clean(block):
            self._take_clean(lines)
            return
        for raw in lines:
            self.n_lines += 1
            if self.n_lines > self.limits.lines:
                raise RunFormatError("too_many_lines", {"line": self.n_lines, "limit": self.limits.lines})
            if not log_bad_bytes(self.log, raw, self.n_lines, offset, self.limits):
                self._take_line(raw)
            offset += len(raw) + 1

    def result(self) -> QrelsReading:
        """Turn what was read into columns."""
        order = [place for documents in self.topics.values() for place in documents.values()]
        ids = [document for documents in self.topics.values() for document in documents]
        qrels = Qrels(
            topic_ids=tuple(topic.decode() for topic in self.topics),
            starts=np.concatenate(([0], np.cumsum([len(documents) for documents in self.topics.values()]))),
            doc_ids=b"".join(ids),
            doc_starts=np.concatenate(([0], np.cumsum([len(document) for document in ids]))),
            grades=np.array(self.grades, dtype=np.int64)[order],
        )
        return QrelsReading(qrels, self.n_lines, self.n_repeats, self.has_heading)

    def _take_clean(self, lines: list[bytes]) -> None:
        """Read lines without bad bytes. The one loop over every line, so the rare cases are elsewhere."""
        end, max_id, topics, grades = self.n_lines + len(lines), self.limits.id_bytes, self.topics, self.grades
        topic_before, documents = b"", {}
        for number, raw in enumerate(lines, self.n_lines + 1):
            fields = raw.split()
            grade = _COMMON_GRADES.get(fields[-1]) if len(fields) == self.width else None
            if grade is None or self.is_first or raw[0] == HASH or len(raw) > max_id:
                self.n_lines = number
                self._take_line(raw)
                continue
            topic, document = fields[0], fields[-2]
            if topic != topic_before:
                topic_before, documents = topic, topics.setdefault(topic, {})
            if document not in documents:
                documents[document] = len(grades)
                grades.append(grade)
                self.lines.append(number)
            else:
                self.n_lines = number
                self._take_judgement(topic, document, fields[-1])
        self.n_lines = end

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
        documents = self.topics.setdefault(topic, {})
        place = documents.setdefault(document, len(self.grades))
        if place == len(self.grades):
            self.grades.append(int(grade))
            self.lines.append(number)
        elif self.grades[place] == int(grade):
            self.n_repeats += 1
        else:
            facts = {"first_line": self.lines[place], "first_grade": self.grades[place], "grade": int(grade)}
            self.log.add("grade_conflict", number, "document", document, topic=topic, document=document, **facts)
