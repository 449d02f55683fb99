"""The plain reader of TREC runs: one pass over the bytes, a report of every fault and notice, and the hits.

Plain Python. It may not look at judgements for anything but the hits, so a report never depends on gold.
"""

from collections.abc import Mapping
from typing import BinaryIO

from evaluation.containers import TextSource
from evaluation.errors import RunFormatError
from evaluation.lines import HASH, N_FIELDS, is_clean, is_decimal
from evaluation.oddlines import MAX_TAGS, OddLines
from evaluation.ranking import Ranked, Rows, rank
from evaluation.runreport import Pass, RankedTopics, collect_hits, make_report
from evaluation.types import RunReading, RunRules

_INFINITY = float("inf")


def read_plain(stream: BinaryIO, rules: RunRules) -> RunReading:
    """Read a run as `evaluation.read_run` says."""
    reader = _RunReader(rules)
    source = TextSource(stream, rules.limits)
    try:
        for offset, block in source.blocks():
            reader.take(block, offset)
    except RunFormatError as refusal:
        reader.odd.log.add_refusal(refusal.code, refusal.facts)
    except _TooMuch:
        pass
    ranked = reader.close()
    report = make_report(reader.result(ranked, source))
    hits = collect_hits(ranked, rules.qrels) if rules.qrels is not None and report.accepted else None
    return RunReading(report, hits)


class _TooMuch(Exception):
    """The file is refused and not read any further."""


class _RunReader:
    """The state of one pass: the open topic, the rows of all topics, counts and faults."""

    def __init__(self, rules: RunRules) -> None:
        known, documents, qrels = rules.known_topics, rules.documents, rules.qrels
        self.rules = rules
        self.odd = OddLines(rules)
        self.documents = None if documents is None else frozenset(document.encode() for document in documents)
        self.known = None if known is None else frozenset(topic.encode() for topic in known)
        self.gold = {} if qrels is None else {topic.encode(): index for index, topic in enumerate(qrels.topic_ids)}
        self.rows: dict[bytes, Rows] = {}
        self.foreign: dict[bytes, int] = {}
        self.n_second_column = 0
        self.second_column_line: int | None = None
        self.tags: dict[bytes, None] = {}
        self.open_topic: bytes | None = None
        self.open_rows: Rows | None = None
        self.n_lines = 0
        self.refused_topics: set[bytes] = set()

    def take(self, block: bytes, offset: int) -> None:
        """Read the whole lines of a block that begins at `offset` of the file."""
        lines = block.split(b"\n")
        if not lines[-1]:
            lines.pop()
        n_left = self.rules.limits.lines - self.n_lines
        has_more, lines = len(lines) > n_left, lines[:n_left]
        if not is_clean(block) or max(map(len, lines), default=0) > self.rules.limits.line_bytes:
            lines = self.odd.screen(lines, self.n_lines + 1, offset)
        self._read(lines)
        if has_more:
            self.odd.refuse_lines(self.n_lines + 1)
            raise _TooMuch
        if self.odd.are_too_many:
            self.odd.refuse_rest(self.n_lines)
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
            log=self.odd.log,
            ranked=RankedTopics.of(ranked),
            foreign=self.foreign,
            topics=self.rules.known_topics,
            documents=self.documents,
            depth=self.rules.depth,
            n_lines=self.n_lines,
            size_bytes=source.size_bytes,
            unpacked_bytes=source.unpacked_bytes,
            has_byte_order_mark=source.has_byte_order_mark,
            n_second_column=self.n_second_column,
            second_column_line=self.second_column_line,
            tags=tuple(self.tags),
            header=self.odd.header,
        )

    def _read(self, lines: list[bytes]) -> None:
        """Read clean lines. The one loop over every line, so names are local and rare cases are elsewhere."""
        max_id, max_documents = self.rules.limits.id_bytes, self.rules.max_documents
        open_topic, rows, tag_before = self.open_topic, self.open_rows, None
        for number, line in enumerate(lines, self.n_lines + 1):
            fields = line.split()
            if len(fields) != N_FIELDS or line[0] == HASH:
                self.odd.take(line, number, is_above_rows=open_topic is None)
                continue
            topic, second, document, place, score, tag = fields
            value = float(score) if is_decimal(score) else _INFINITY
            if not -_INFINITY < value < _INFINITY or len(document) > max_id or len(topic) > max_id:
                self.odd.take(line, number, is_above_rows=open_topic is None)
                continue
            if second != b"Q0":
                self.n_second_column += 1
                self.second_column_line = self.second_column_line or number
            if tag != tag_before:
                tag_before = tag
                if len(self.tags) < MAX_TAGS:
                    self.tags[tag] = None
            if topic != open_topic:
                open_topic, rows = topic, self._open(topic, number)
            if rows is None:
                continue
            seen = rows.lines
            if document in seen:
                self.odd.refuse_duplicate(topic, document, number, seen[document])
            elif len(seen) >= max_documents:
                if topic not in self.refused_topics:
                    self.refused_topics.add(topic)
                    self.odd.refuse_depth(topic, number)
            else:
                seen[document] = number
                rows.scores.append(value)
                rows.ranks.append(place)
        self.open_topic, self.open_rows = open_topic, rows
        self.n_lines += len(lines)

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
        if len(self.rows) + len(self.foreign) > self.rules.limits.topics:
            self.n_lines = number
            self.odd.refuse_topics(topic, number)
            raise _TooMuch
        return rows

    def _finish(self, topic: bytes, rows: Rows) -> None:
        gold = self.gold.get(topic)
        judged = {} if gold is None or self.rules.qrels is None else self.rules.qrels.judged(gold)
        identical = topic if self.rules.remove_identical else None
        rows.ranked = rank(rows, judged, depth=self.rules.depth, identical=identical, collection=self.documents)
