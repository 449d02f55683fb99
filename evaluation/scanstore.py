"""Make the columns of the scanner for one pass, and give them room as the file asks for it.

Ids that hold a zero byte cannot stand in a run, so they are kept as empty ones, which match nothing.
"""

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from evaluation import scanner
from evaluation.oddlines import MAX_TAGS
from evaluation.scanstate import (
    ID_WORDS,
    PADDING,
    SHELF_WORDS,
    Bytes,
    Chain,
    Ints,
    Judgement,
    Late,
    Odd,
    Row,
    Run,
    Slots,
    State,
    Topic,
    Words,
)
from evaluation.types import Qrels, RunRules

MAX_ID_BYTES = 8 * (ID_WORDS - 2)
_NO_LIMIT = 2**62
_N_ROWS = 4096  # to begin with, and so on
_N_ODD = 4096
_NO_LINE = np.iinfo(np.int64).max
Scalar = TypeVar("Scalar", bound=np.generic)


class Text:
    """A buffer for a block, the same memory twice: as bytes and as words of eight."""

    def __init__(self) -> None:
        self.words: Words = np.zeros(0, dtype=np.uint64)
        self.read: Bytes = self.words.view(np.uint8)

    def fill(self, raw: bytes) -> "Text":
        """Copy bytes to the beginning, with zeros behind them."""
        if len(self.read) < len(raw) + PADDING:
            self.words = np.zeros((len(raw) + PADDING) // 8 + 1, dtype=np.uint64)
            self.read = self.words.view(np.uint8)
        self.read[: len(raw)] = np.frombuffer(raw, dtype=np.uint8)
        self.read[len(raw) : len(raw) + PADDING] = 0
        return self


def id_at(words: Words, place: int) -> bytes:
    """Return the id whose words begin at this place."""
    return words[place : place + ID_WORDS].tobytes().partition(b"\0")[0]


def tags_of(run: Run) -> list[bytes]:
    """Return the different tags, in the order of the file."""
    places = np.sort(run.tag_slots[run.tag_slots > 0])
    return [
        run.tags[place + 1 : end].tobytes().rstrip(b"\0")
        for place, end in pairwise([*places, run.state[State.TAGS_END]])
    ]


class Store:
    """The columns of one pass, as `run`."""

    def __init__(self, rules: RunRules, known: Sequence[bytes] | None, collection: Collection[bytes] | None) -> None:
        # hash() of bytes is keyed anew in each process
        secret = (hash(b"documents of a run") % 2**62) | 1
        n_rows, n_faults = _N_ROWS, rules.limits.faults
        topic_ids, topic_places, topic_slots = _list_of(known or (), secret, n_more=_N_ROWS)
        n_topics = len(topic_slots) // 2
        judged, judgements, topics = _topics(known or (), n_topics, rules.qrels)
        chains = np.zeros((n_topics, len(Chain)), dtype=np.int64)
        chains[: len(topic_places), Chain.ID] = topic_places
        documents, _, document_slots = _list_of(() if collection is None else list(collection), secret)
        self.run = Run(
            state=_state(rules, known, collection, secret),
            powers=np.array([float(10**power) for power in range(scanner.EXACT_POWERS + 1)]),
            scores=np.zeros(n_rows, dtype=np.float64),
            rows=np.zeros((n_rows, len(Row)), dtype=np.int64),
            order=np.zeros(n_rows, dtype=np.int64),
            spare=np.zeros(n_rows, dtype=np.int64),
            documents=np.zeros(4 * n_rows, dtype=np.uint64),
            document_slots=np.zeros(2 * n_rows, dtype=np.int32),
            topics=topics,
            chains=chains,
            topic_ids=topic_ids,
            topic_slots=topic_slots,
            tags=np.zeros((MAX_TAGS + 2) * (rules.limits.line_bytes // 8 + 3), dtype=np.uint64),
            tag_slots=np.zeros(4 * _power_of_two(MAX_TAGS), dtype=np.int32),
            judgements=judgements,
            judged=judged,
            collection=documents,
            collection_slots=document_slots,
            shelves=np.zeros(8 * SHELF_WORDS, dtype=np.uint64),
            odd=np.zeros((_N_ODD, len(Odd)), dtype=np.int64),
            late=np.full((n_faults, len(Late)), _NO_LINE, dtype=np.int64),
            late_ids=np.zeros((n_faults + 1) * ID_WORDS, dtype=np.uint64),
        )
        self.run.state[State.TOPICS_END] = len(topic_ids) - (_N_ROWS + 1) * ID_WORDS

    @property
    def seen_topics(self) -> Ints:
        """The topics of the file, in the order of their first lines."""
        first_line = self.run.topics[:, Topic.FIRST_LINE]
        seen = np.flatnonzero(first_line)
        return seen[np.argsort(first_line[seen])]

    def make_room(self) -> None:
        """Enlarge what the next line might not fit into."""
        run, state = self.run, self.run.state
        if state[State.N_ROWS] >= len(run.scores):
            self._hold_rows(2 * len(run.scores))
        if state[State.DOCUMENTS_END] > len(run.documents) - ID_WORDS:
            self.run = self.run._replace(documents=_grown(run.documents, 2 * len(run.documents)))
        if state[State.N_TOPICS] >= len(run.topics):
            slots = np.zeros(2 * len(run.topic_slots), dtype=np.int32)
            places = run.chains[: state[State.N_TOPICS], Chain.ID].copy()
            scanner.index(run.topic_ids, slots, places, state[State.SECRET])
            topics, chains = (_grown(columns, 2 * len(columns)) for columns in (run.topics, run.chains))
            self.run = self.run._replace(topics=topics, chains=chains, topic_slots=slots)
        if state[State.TOPICS_END] > len(run.topic_ids) - ID_WORDS:
            self.run = self.run._replace(topic_ids=_grown(run.topic_ids, 2 * len(run.topic_ids)))
        if state[State.SHELVES_END] > len(run.shelves) - 4 * SHELF_WORDS:
            # in place, since a copy would take as much memory again; nobody else knows this array
            n_shelves = len(run.shelves) // SHELF_WORDS
            run.shelves.resize((n_shelves + n_shelves // 32 + 4096) * SHELF_WORDS, refcheck=False)

    def make_room_for_shelves(self) -> None:
        """Enlarge the rows so that those of the largest topic on the shelves fit."""
        n_words = int(self.run.chains[:, Chain.N_WORDS].max(initial=0))
        self._hold_rows(_power_of_two(n_words // 3 + 1))
        if n_words >= len(self.run.documents):
            self.run = self.run._replace(documents=np.zeros(n_words + 1, dtype=np.uint64))

    def clear_shelves(self) -> None:
        """Give up the shelves, most of what a scattered file takes, before the report is made."""
        self.run = self.run._replace(shelves=np.zeros(0, dtype=np.uint64))

    def _hold_rows(self, n_rows: int) -> None:
        run = self.run
        if n_rows > len(run.scores):
            self.run = run._replace(
                scores=_grown(run.scores, n_rows),
                rows=_grown(run.rows, n_rows),
                order=np.zeros(n_rows, dtype=np.int64),
                spare=np.zeros(n_rows, dtype=np.int64),
                document_slots=np.zeros(2 * n_rows, dtype=np.int32),
            )


def _state(rules: RunRules, known: Sequence[bytes] | None, collection: Collection[bytes] | None, secret: int) -> Ints:
    state = np.zeros(len(State), dtype=np.int64)
    state[State.DEPTH] = _NO_LIMIT if rules.depth is None else rules.depth
    state[State.MAX_DOCUMENTS] = min(rules.max_documents, _NO_LIMIT)
    state[State.MAX_ROWS] = max(_N_ROWS, 2 * min(rules.max_documents, _NO_LIMIT // 2))
    state[State.ID_BYTES] = rules.limits.id_bytes
    state[State.LINE_BYTES] = rules.limits.line_bytes
    state[State.MAX_TOPICS] = rules.limits.topics
    state[State.MAX_TAGS] = MAX_TAGS
    state[State.N_KNOWN] = _NO_LIMIT if known is None else len(known)
    state[State.REMOVES_IDENTICAL] = rules.remove_identical
    state[State.HAS_COLLECTION] = collection is not None
    state[State.SECRET] = secret
    state[State.N_TOPICS] = len(known or ())
    state[State.OPEN_TOPIC] = -1
    state[State.DOCUMENTS_END] = state[State.TAGS_END] = 1
    state[State.SHELVES_END] = SHELF_WORDS
    return state


def _topics(known: Sequence[bytes], size: int, qrels: Qrels | None) -> tuple[Words, Ints, Ints]:
    """Return the judged documents as a list of ids, the judgements, and `size` topics, the known ones first."""
    topics = np.zeros((size, len(Topic)), dtype=np.int64)
    if qrels is None:
        return np.zeros(1, dtype=np.uint64), np.zeros((0, len(Judgement)), dtype=np.int64), topics
    row = {topic: number for number, topic in enumerate(known)}
    rows = np.array([row.get(topic_id.encode(), -1) for topic_id in qrels.topic_ids], dtype=np.int64)
    is_known = rows >= 0
    topics[rows[is_known], Topic.JUDGEMENTS] = qrels.starts[:-1][is_known]
    topics[rows[is_known], Topic.JUDGEMENTS_END] = qrels.starts[1:][is_known]
    judgements = np.zeros((qrels.n_judgements, len(Judgement)), dtype=np.int64)
    judged, judgements[:, Judgement.DOCUMENT] = _enlisted(qrels.doc_ids, qrels.doc_starts)
    return judged, judgements, topics


def _list_of(ids: Sequence[bytes], secret: int, *, n_more: int = 0) -> tuple[Words, Ints, Slots]:
    """Return a list of ids with room for more of them, the places of its entries, and its slots."""
    starts = np.cumsum([0, *map(len, ids)], dtype=np.int64)
    words, places = _enlisted(b"".join(ids), starts, (n_more + 1) * ID_WORDS)
    slots = np.zeros(2 * _power_of_two(len(ids) + n_more), dtype=np.int32)
    scanner.index(words, slots, places, secret)
    return words, places, slots


def _enlisted(raw: bytes, starts: Ints, n_free: int = 0) -> tuple[Words, Ints]:
    """Return a list of ids with some words free behind it, and the places of its entries."""
    if b"\0" in raw:
        ids = [raw[start:end] for start, end in pairwise(starts.tolist())]
        kept = [b"" if b"\0" in one else one for one in ids]
        raw, starts = b"".join(kept), np.cumsum([0, *map(len, kept)], dtype=np.int64)
    places = np.zeros(len(starts) - 1, dtype=np.int64)
    words = np.zeros(1 + int((np.diff(starts) // 8 + 2).sum()) + n_free, dtype=np.uint64)
    scanner.enlist(Text().fill(raw).words, starts.astype(np.int64), words, places)
    return words, places


def _grown(column: NDArray[Scalar], size: int) -> NDArray[Scalar]:
    """Copy a column into one of `size` entries, zero where nothing was."""
    larger = np.zeros((size, *column.shape[1:]), dtype=column.dtype)
    larger[: len(column)] = column
    return larger


def _power_of_two(at_least: int) -> int:
    return 1 << max(at_least - 1, 15).bit_length()
