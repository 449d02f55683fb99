"""Read a TREC run in one pass over its bytes: a report of every fault and notice, and the ranks of judged documents.

Plain Python. It may not look at judgements for anything but the hits, so a report never depends on gold.
"""

import sys
from collections.abc import Collection, Mapping, Sequence
from typing import BinaryIO

from evaluation.containers import TextSource
from evaluation.errors import RunFormatError
from evaluation.faultlog import FaultLog
from evaluation.lines import HASH, N_FIELDS, is_clean, is_decimal, log_bad_bytes, log_bad_fields, log_wrong_width
from evaluation.ranking import Ranked, Rows, rank
from evaluation.runreport import Pass, RankedTopics, collect_hits, make_report
from evaluation.types import Limits, Qrels, RunReading

HEADER_BYTES = 64 * 1024
_MAX_TAGS = 100
_INFINITY = float("inf")
_LIMITS = Limits()


def read_run(
    stream: BinaryIO,
    *,
    topics: Sequence[str] | None = None,
    qrels: Qrels | None = None,
    depth: int | None = None,
    remove_identical: bool = False,
    documents: Collection[str] | None = None,
    limits: Limits = _LIMITS,
) -> RunReading:
    """Read a run, plain or gzip, and say everything about it. Never raises on content.

    Args:
        stream: bytes of the file.
        topics: ids of the task's topics (public); others are ignored and counted. Default: the topics of `qrels`; with
            neither, every topic of the file counts.
        qrels: judgements; with them, an accepted run has `hits`, aligned to the topics of the qrels.
        depth: documents kept a topic; more are cut, more than ten times as many are refused.
        remove_identical: drop a document whose id is the topic id before ranking.
        documents: ids of the collection (public); others are counted and stay not relevant.
        limits: what the file may cost.
    """
    known = topics if topics is not None else qrels.topic_ids if qrels is not None else None
    reader = _RunReader(known, qrels, depth, remove_identical, documents, limits)
    source = TextSource(stream, limits)
    try:
        for offset, block in source.blocks():
            reader.take(block, offset)
    except RunFormatError as refusal:
        reader.log.add_refusal(refusal.code, refusal.facts)
    except _TooMuch:
        pass
    ranked = reader.close()
    report = make_report(reader.result(ranked, source))
    hits = collect_hits(ranked, qrels) if qrels is not None and report.accepted else None
    return RunReading(report, hits)


class _TooMuch(Exception):
    """The file is refused and not read any further."""


class _RunReader:
    """The state of one pass: the open topic, the rows of all topics, counts and faults."""

    def __init__(
        self,
        topics: Sequence[str] | None,
        qrels: Qrels | None,
        depth: int | None,
        remove_identical: bool,
        documents: Collection[str] | None,
        limits: Limits,
    ) -> None:
        self.log = FaultLog(limits.faults)
        self.topics = topics
        self.depth = depth
        self.remove_identical = remove_identical
        self.documents = None if documents is None else frozenset(document.encode() for document in documents)
        self.limits = limits
        self.known = None if topics is None else frozenset(topic.encode() for topic in topics)
        self.gold = {} if qrels is None else {topic.encode(): index for index, topic in enumerate(qrels.topic_ids)}
        self.qrels = qrels
        self.max_documents = sys.maxsize if depth is None else 10 * depth
        self.rows: dict[bytes, Rows] = {}
        self.foreign: dict[bytes, int] = {}
        self.n_second_column = 0
        self.second_column_line: int | None = None
        self.tags: dict[bytes, None] = {}
        self.header: list[bytes] = []
        self.header_bytes = 0
        self.open_topic: bytes | None = None
        self.open_rows: Rows | None = None
        self.n_lines = 0
        self.refused_topics: set[bytes] = set()

    def take(self, block: bytes, offset: int) -> None:
        """Read the whole lines of a block that begins at `offset` of the file."""
        lines = block.split(b"\n")
        if not lines[-1]:
            lines.pop()
        n_left = self.limits.lines - self.n_lines
        has_more, lines = len(lines) > n_left, lines[:n_left]
        if not is_clean(block) or max(map(len, lines), default=0) > self.limits.line_bytes:
            lines = self._screened(lines, offset)
        self._read(lines)
        if has_more:
            self.log.add("too_many_lines", self.n_lines + 1, limit=self.limits.lines)
            raise _TooMuch

    def close(self) -> Mapping[bytes, Ranked]:
        """Finish every topic that is not finished yet; returns all of them, in the order of the file."""
        for topic, rows in self.rows.items():
            if rows.ranked is None:
                self._finish(topic, rows)
        return {topic: rows.ranked for topic, rows in self.rows.items() if rows.ranked is not None}

    def result(self, ranked: Mapping[bytes, Ranked], source: TextSource) -> Pass:
        """Hand over what the pass found."""
        return Pass(
            log=self.log,
            ranked=RankedTopics.of(ranked),
            foreign=self.foreign,
            topics=self.topics,
            documents=self.documents,
            depth=self.depth,
            n_lines=self.n_lines,
            size_bytes=source.size_bytes,
            unpacked_bytes=source.unpacked_bytes,
            has_byte_order_mark=source.has_byte_order_mark,
            n_second_column=self.n_second_column,
            second_column_line=self.second_column_line,
            tags=tuple(self.tags),
            header=b"\n".join(self.header).decode() if self.header and self.header_bytes <= HEADER_BYTES else None,
        )

    def _screened(self, lines: list[bytes], offset: int) -> list[bytes]:
        """Log the lines with bad bytes and blank them."""
        screened = []
        for number, raw in enumerate(lines, self.n_lines + 1):
            is_bad = log_bad_bytes(self.log, raw, number, offset, self.limits)
            screened.append(b"" if is_bad else raw)
            offset += len(raw) + 1
        return screened

    def _read(self, lines: list[bytes]) -> None:
        """Read clean lines. The one loop over every line, so names are local and rare cases are elsewhere."""
        max_id, max_documents = self.limits.id_bytes, self.max_documents
        open_topic, rows, tag_before = self.open_topic, self.open_rows, None
        for number, line in enumerate(lines, self.n_lines + 1):
            fields = line.split()
            if len(fields) != N_FIELDS or line[0] == HASH:
                self._take_odd_line(line, fields, number)
                continue
            topic, second, document, place, score, tag = fields
            value = float(score) if is_decimal(score) else _INFINITY
            if not -_INFINITY < value < _INFINITY or len(document) > max_id or len(topic) > max_id:
                log_bad_fields(self.log, fields, number, self.limits)
                continue
            if second != b"Q0":
                self.n_second_column += 1
                self.second_column_line = self.second_column_line or number
            if tag != tag_before:
                tag_before = tag
                if len(self.tags) < _MAX_TAGS:
                    self.tags[tag] = None
            if topic != open_topic:
                open_topic, rows = topic, self._open(topic, number)
            if rows is None:
                continue
            seen = rows.lines
            if document in seen:
                self._refuse_duplicate(topic, document, number, seen[document])
            elif len(seen) >= max_documents:
                self._refuse_depth(topic, number)
            else:
                seen[document] = number
                rows.scores.append(value)
                rows.ranks.append(place)
        self.open_topic, self.open_rows = open_topic, rows
        self.n_lines += len(lines)

    def _take_odd_line(self, line: bytes, fields: list[bytes], number: int) -> None:
        if not line.startswith(b"#"):
            if fields:
                log_wrong_width(self.log, fields, line, number)
        elif self.open_topic is None and self.header_bytes <= HEADER_BYTES:
            text = line.rstrip(b"\r")[1:].removeprefix(b" ")
            self.header_bytes += len(text) + 1
            self.header.append(text)

    def _open(self, topic: bytes, number: int) -> Rows | None:
        """Turn to another topic, finishing the one that was open; returns None for a topic that is not known."""
        if self.open_topic is not None and (left := self.rows.get(self.open_topic)) and not left.is_scattered:
            self._finish(self.open_topic, left)
            left.pack()
        self.open_topic = topic
        if self.known is not None and topic not in self.known:
            self.foreign.setdefault(topic, number)
            rows = None
        elif (rows := self.rows.get(topic)) is None:
            rows = self.rows[topic] = Rows()
        elif rows.ranked is not None:
            rows.reopen()
        if len(self.rows) + len(self.foreign) > self.limits.topics:
            self.n_lines = number
            self.log.add("too_many_topics", number, "topic", topic, limit=self.limits.topics)
            raise _TooMuch
        return rows

    def _finish(self, topic: bytes, rows: Rows) -> None:
        gold = self.gold.get(topic)
        judged = {} if gold is None or self.qrels is None else self.qrels.judged(gold)
        identical = topic if self.remove_identical else None
        rows.ranked = rank(rows, judged, depth=self.depth, identical=identical, collection=self.documents)

    def _refuse_duplicate(self, topic: bytes, document: bytes, number: int, first_line: int) -> None:
        facts = {"topic": topic, "document": document}
        self.log.add("duplicate_document", number, "document", document, first_line=first_line, **facts)

    def _refuse_depth(self, topic: bytes, number: int) -> None:
        if topic not in self.refused_topics:
            self.refused_topics.add(topic)
            limit, depth = self.max_documents, self.depth or 0
            self.log.add("too_many_documents", number, "topic", topic, topic=topic, limit=limit, depth=depth)
