"""The fast reader of TREC runs: the compiled scanner, and around it what needs words or the whole file.

Gives exactly what the plain reader gives. Importing this module imports numba.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields
from io import BytesIO
from itertools import compress
from typing import BinaryIO, NamedTuple

import numpy as np

from evaluation import scanner
from evaluation.ahead import ReadAhead
from evaluation.containers import TextSource
from evaluation.errors import RunFormatError
from evaluation.oddlines import OddLines
from evaluation.runreport import Pass, RankedTopics, make_report
from evaluation.scanstate import ID_WORDS, PADDING, Chain, Judgement, Late, State, Topic
from evaluation.scanstore import MAX_ID_BYTES, Store, Text, id_at, tags_of
from evaluation.types import Hits, Limits, Qrels, RunReading, RunRules

N_AHEAD = 4  # blocks of about 1 MiB that wait to be scanned


class Block(NamedTuple):
    """Whole lines, where they begin in the unpacked file, and the meters of the source at that time."""

    offset: int
    lines: bytes
    size_bytes: int
    unpacked_bytes: int


def read_compiled(stream: BinaryIO, rules: RunRules) -> RunReading:
    """Read a run as `evaluation.read_run` says.

    A stream that cannot go back to its beginning is taken for scattered from the start, which costs memory. Raises
    ValueError for limits beyond what a row has room for.
    """
    if rules.limits.id_bytes > MAX_ID_BYTES or rules.limits.line_bytes >= PADDING:
        raise ValueError(f"the compiled reader takes ids of {MAX_ID_BYTES} bytes and lines below {PADDING} at most")
    beginning = stream.tell() if stream.seekable() else None
    with np.errstate(over="ignore"):  # hashes overflow by design, and the scanner says so when it is not compiled
        with suppress(_TopicCameBackError):
            return _read(stream, rules, is_scattered=beginning is None)
        stream.seek(beginning or 0)
        return _read(stream, rules, is_scattered=True)


class _TopicCameBackError(Exception):
    """The file is scattered, so it has to be read again from its beginning."""


def warm() -> None:
    """Compile the scanner, or load what was compiled before, so that the first run does not wait for it.

    Takes seconds on an empty cache: call it at the start of a process, outside any request.
    """
    qrels = Qrels.of({"q1": {"a": 1}})
    rules = RunRules(None, qrels, None, remove_identical=True, documents=["a"], limits=Limits())
    lines = (b"q1 Q0 a 1 2.5 t", b"q2 Q0 b 1 1e-30 t", b"q1 Q0 b 2 1 t")
    for chosen in (lines[:2], lines):
        read_compiled(BytesIO(b"\n".join(chosen)), rules)


def _read(stream: BinaryIO, rules: RunRules, *, is_scattered: bool) -> RunReading:
    source = TextSource(stream, rules.limits)
    reader = _Reader(rules, is_scattered=is_scattered)
    stopped_at: Block | None = None
    try:
        with ReadAhead(_blocks(source), N_AHEAD) as blocks:
            for block in blocks:
                if reader.has_had_enough(block):
                    stopped_at = block
                    break
    except RunFormatError as refusal:
        reader.odd.log.add_refusal(refusal.code, refusal.facts)
    reader.close()
    meters = stopped_at or source  # the source may be ahead of us
    report = make_report(
        reader.result(meters.size_bytes, meters.unpacked_bytes, has_byte_order_mark=source.has_byte_order_mark)
    )
    hits = reader.hits(rules.qrels) if rules.qrels is not None and report.accepted else None
    return RunReading(report, hits)


def _blocks(source: TextSource) -> Iterator[Block]:
    for offset, lines in source.blocks():
        yield Block(offset, lines, source.size_bytes, source.unpacked_bytes)


class _Reader:
    """One pass: the scanner's columns, and the lines that it put aside."""

    def __init__(self, rules: RunRules, *, is_scattered: bool) -> None:
        known, documents = rules.known_topics, rules.documents
        self.odd = OddLines(rules)
        self._rules = rules
        self._known = None if known is None else list(dict.fromkeys(topic.encode() for topic in known))
        self._documents = None if documents is None else frozenset(document.encode() for document in documents)
        self._store = Store(rules, self._known, self._documents)
        self._state = self._store.run.state
        self._state[State.IS_SCATTERED] = is_scattered
        self._text = Text()
        self._edges = np.zeros(12, dtype=np.int64)

    def has_had_enough(self, block: Block) -> bool:
        """Read whole lines, and say whether the file is beyond a limit and not read any further."""
        lines, has_more = self._within_limit(block.lines)
        text, stop = self._text.fill(lines), len(lines)
        self._state[State.POSITION] = 0
        # control bytes and long lines are found by the scanner, which takes all other bytes for letters
        is_screened = b"\x7f" in lines or not (lines.isascii() or _is_utf8(lines))
        if is_screened:
            stop = self._screen(stop, block.offset)
        status = scanner.NEEDS_ROOM
        while status != scanner.END_OF_BLOCK:
            status = scanner.scan(self._store.run, text.read, text.words, stop, self._edges)
            self._read_odd_lines()
            if status == scanner.NEEDS_ROOM:
                self._store.make_room()
            elif status == scanner.TOPIC_CAME_BACK:
                raise _TopicCameBackError
            elif status == scanner.BAD_BYTES:
                if is_screened:
                    raise RuntimeError("the scanner refuses a line that the rules accept")
                is_screened, stop = True, self._screen(stop, block.offset)
            elif status == scanner.TOO_MANY_TOPICS:
                self._screen(stop, block.offset)
                self.odd.refuse_topics(self._topic_id(self._state[State.OPEN_TOPIC]), int(self._state[State.N_LINES]))
                return True
        if has_more:
            self.odd.refuse_lines(int(self._state[State.N_LINES]) + 1)
        elif self.odd.are_too_many:
            self.odd.refuse_rest(int(self._state[State.N_LINES]))
        return has_more or self.odd.are_too_many

    def close(self) -> None:
        """Finish the topics that are still open, and log what only complete topics show."""
        open_topics = self._store.seen_topics
        if self._state[State.IS_SCATTERED]:
            self._store.make_room_for_shelves()
        else:
            open_topics = open_topics[open_topics == self._state[State.OPEN_TOPIC]]
        scanner.finish_all(self._store.run, open_topics[open_topics < self._state[State.N_KNOWN]])
        self._store.clear_shelves()
        self._log_late_faults()

    def result(self, size_bytes: int, unpacked_bytes: int, *, has_byte_order_mark: bool) -> Pass:
        """Hand over what the pass found."""
        run, state = self._store.run, self._state
        seen = self._store.seen_topics
        is_known = seen < state[State.N_KNOWN]
        ids = [self._topic_id(topic) for topic in seen.tolist()]
        first_lines = run.topics[seen, Topic.FIRST_LINE].tolist()
        columns = {
            field.name: run.topics[seen[is_known], Topic[field.name.upper()]]
            for field in fields(RankedTopics)
            if field.name not in ("ids", "unknown_example")
        }
        return Pass(
            log=self.odd.log,
            ranked=RankedTopics(
                ids=list(compress(ids, is_known)),
                unknown_example=id_at(run.late_ids, len(run.late) * ID_WORDS),
                **columns,
            ),
            foreign=dict(compress(zip(ids, first_lines, strict=True), ~is_known)),
            topics=self._rules.known_topics,
            documents=self._documents,
            depth=self._rules.depth,
            n_lines=int(state[State.N_LINES]),
            size_bytes=size_bytes,
            unpacked_bytes=unpacked_bytes,
            has_byte_order_mark=has_byte_order_mark,
            n_second_column=int(state[State.N_SECOND_COLUMN]),
            second_column_line=int(state[State.SECOND_COLUMN_LINE]) or None,
            tags=tags_of(run),
            header=self.odd.header,
        )

    def hits(self, qrels: Qrels) -> Hits:
        """Gather the judged documents that were retrieved."""
        run = self._store.run
        owner = np.repeat(np.arange(qrels.n_topics, dtype=np.int32), np.diff(qrels.starts))
        ranks = run.judgements[:, Judgement.RANK]
        found = np.flatnonzero(ranks)
        found = found[np.lexsort((ranks[found], owner[found]))]
        judged = np.flatnonzero(run.topics[:, Topic.JUDGEMENTS_END])
        retrieved = np.zeros(qrels.n_topics, dtype=np.int64)
        retrieved[owner[run.topics[judged, Topic.JUDGEMENTS]]] = run.topics[judged, Topic.N_KEPT]
        return Hits(
            topic=owner[found],
            rank=ranks[found],
            grade=qrels.grades[found],
            first=run.judgements[found, Judgement.FIRST_TIED],
            last=run.judgements[found, Judgement.LAST_TIED],
            retrieved=retrieved,
        )

    def _within_limit(self, lines: bytes) -> tuple[bytes, bool]:
        """End the lines with a line feed, cut them at the limit of lines, and say whether any were cut off."""
        lines = lines if lines.endswith(b"\n") else lines + b"\n"
        n_left = self._rules.limits.lines - int(self._state[State.N_LINES])
        if len(lines) <= n_left:  # there are no more lines than bytes
            return lines, False
        ends = np.flatnonzero(np.frombuffer(lines, dtype=np.uint8) == ord("\n"))
        return (lines, False) if len(ends) <= n_left else (lines[: ends[n_left - 1] + 1] if n_left else b"", True)

    def _screen(self, stop: int, offset: int) -> int:
        """Log the lines with bad bytes from here to the end of the block, and empty them; returns the new end."""
        start, number, read = int(self._state[State.POSITION]), int(self._state[State.N_LINES]) + 1, self._text.read
        lines = read[start:stop].tobytes().split(b"\n")[:-1]
        kept = b"".join(line + b"\n" for line in self.odd.screen(lines, number, offset + start))
        read[start:stop] = 0
        read[start : start + len(kept)] = np.frombuffer(kept, dtype=np.uint8)
        return start + len(kept)

    def _read_odd_lines(self) -> None:
        for line, start, stop in self._store.run.odd[: self._state[State.N_ODD]].tolist():
            # the scanner puts lines with # aside only above the rows
            self.odd.take(self._text.read[start : stop - 1].tobytes(), line, is_above_rows=True)
        self._state[State.N_ODD] = 0
        self._state[State.SKIPS_HEADER] = self.odd.header_is_full

    def _topic_id(self, topic: int) -> bytes:
        if self._known is not None and topic < len(self._known):
            return self._known[topic]
        return id_at(self._store.run.topic_ids, int(self._store.run.chains[topic, Chain.ID]) + 1)

    def _log_late_faults(self) -> None:
        """Log the repeats and the topics that are too deep; those that were not kept are only counted."""
        late, ids = self._store.run.late, self._store.run.late_ids
        n_left = [int(self._state[State.N_DUPLICATES]), int(self._state[State.N_TOO_DEEP])]
        for place in np.argsort(late[:, Late.LINE])[: sum(n_left)].tolist():
            kind, topic, line, first_line = late[place].tolist()
            n_left[kind] -= 1
            if kind == scanner.DUPLICATE:
                self.odd.refuse_duplicate(self._topic_id(topic), id_at(ids, place * ID_WORDS), line, first_line)
            else:
                self.odd.refuse_depth(self._topic_id(topic), line)
        more = zip(("duplicate_document", "too_many_documents"), n_left, strict=True)
        self.odd.log.add_more({code: count for code, count in more if count})


def _is_utf8(lines: bytes) -> bool:
    try:
        lines.decode()
    except UnicodeDecodeError:
        return False
    return True
