"""From what one pass over a run found to its report and its hits.

Pure: counts and rankings in, report out. The sentences themselves are in `messages`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

from evaluation.faultlog import FaultLog, shown
from evaluation.ranking import TIE_CUTOFF, Ranked
from evaluation.types import Hits, Ints, Notice, Qrels, RunReport

_N_TAGS = 5


@dataclass(frozen=True, slots=True)
class RankedTopics:
    """What all topics of a run gave, one entry a topic in the order in which the file names them first.

    The columns mean what the fields of `Ranked` mean; `unknown_example` is that of the first topic that has one.
    """

    ids: Sequence[bytes]
    n_documents: Ints
    n_kept: Ints
    n_identical: Ints
    n_tied_pairs: Ints
    crosses: Ints
    largest_tie: Ints
    n_unknown: Ints
    n_unreadable_ranks: Ints
    rank_disagrees: Ints
    has_distinct_scores: Ints
    scores_grow: Ints
    unknown_example: bytes

    @classmethod
    def of(cls, ranked: Mapping[bytes, Ranked]) -> "RankedTopics":
        """Turn topics into columns."""
        topics = tuple(ranked.values())
        columns = {
            field.name: np.array([getattr(topic, field.name) for topic in topics], dtype=np.int64)
            for field in fields(cls)
            if field.name not in ("ids", "unknown_example")
        }
        example = next((topic.unknown_example for topic in topics if topic.n_unknown), b"")
        return cls(ids=tuple(ranked), unknown_example=example, **columns)


@dataclass(frozen=True, slots=True)
class Pass:
    """Everything that one pass over a run found; `topics` and `documents` are the public lists it was read against.

    `foreign` maps a foreign topic to its first line, `n_second_column` counts lines whose second column is not Q0.
    """

    log: FaultLog
    ranked: RankedTopics
    foreign: Mapping[bytes, int]
    topics: Sequence[str] | None
    documents: frozenset[bytes] | None
    depth: int | None
    n_lines: int
    size_bytes: int
    unpacked_bytes: int
    has_byte_order_mark: bool
    n_second_column: int
    second_column_line: int | None
    tags: Sequence[bytes]
    header: str | None


def make_report(run: Pass) -> RunReport:
    """Judge the whole file, then sum it up."""
    _log_faults_of_the_file(run)
    sizes = run.ranked.n_documents
    return RunReport(
        accepted=not run.log,
        n_lines=run.n_lines,
        n_topics=len(run.ranked.ids),
        n_foreign_topics=len(run.foreign),
        n_documents_min=int(sizes.min()) if len(sizes) else 0,
        n_documents_max=int(sizes.max(initial=0)),
        size_bytes=run.size_bytes,
        unpacked_bytes=run.unpacked_bytes,
        faults=run.log.faults(),
        more_faults=dict(run.log.more),
        notices=tuple(_notices(run)),
        tags=tuple(shown(tag) for tag in run.tags[:_N_TAGS]),
        n_tied_topics=int(np.count_nonzero(run.ranked.n_tied_pairs)),
        header=run.header,
    )


def collect_hits(topics: Mapping[bytes, Ranked], qrels: Qrels) -> Hits:
    """Gather the hits of all topics into columns, in gold order."""
    ranked = [topics.get(topic.encode()) for topic in qrels.topic_ids]
    sizes = [0 if topic is None else len(topic.hits) for topic in ranked]
    rows = np.array([hit for topic in ranked if topic is not None for hit in topic.hits], dtype=np.int64).reshape(-1, 4)
    return Hits(
        topic=np.repeat(np.arange(len(sizes), dtype=np.int32), sizes),
        rank=rows[:, 0].copy(),
        grade=rows[:, 1].copy(),
        first=rows[:, 2].copy(),
        last=rows[:, 3].copy(),
        retrieved=np.array([0 if topic is None else topic.n_kept for topic in ranked], dtype=np.int64),
    )


def _log_faults_of_the_file(run: Pass) -> None:
    """Log what only the whole file can show: nothing in it, or nothing of this task."""
    if not run.ranked.ids and not run.foreign:
        if not run.log:
            run.log.add("no_lines")
        return
    if not run.ranked.ids:
        example = next(iter(run.foreign))
        expected = run.topics[0] if run.topics else ""
        run.log.add("no_known_topic", None, "topic", example, n_topics=len(run.foreign), expected=expected.encode())
        return
    if run.documents is not None and np.array_equal(run.ranked.n_unknown, run.ranked.n_documents):
        known = min(run.documents, default=b"")
        run.log.add("no_known_document", None, "document", run.ranked.unknown_example, expected=known)


def _notices(run: Pass) -> Iterator[Notice]:
    if run.has_byte_order_mark:
        yield Notice("byte_order_mark", 1, 1)
    if run.foreign:
        topic, line = next(iter(run.foreign.items()))
        yield Notice("foreign_topics", len(run.foreign), line, {"example": shown(topic)})
    if run.topics is not None and run.ranked.ids:
        answered = frozenset(run.ranked.ids)
        missing = [topic for topic in run.topics if topic.encode() not in answered]
        if missing:
            example = shown(missing[0].encode())
            yield Notice("missing_topics", len(missing), None, {"n_expected": len(run.topics), "example": example})
    yield from _notices_on_documents(run)
    yield from _notices_on_order(run)
    if run.n_second_column:
        yield Notice("second_column", run.n_second_column, run.second_column_line)
    if len(run.tags) > 1:
        names = ", ".join(shown(tag) for tag in run.tags[:_N_TAGS]) + (", …" if len(run.tags) > _N_TAGS else "")
        yield Notice("several_tags", len(run.tags), None, {"example": names})


def _notices_on_documents(run: Pass) -> Iterator[Notice]:
    topics = run.ranked
    n_cut = int(np.count_nonzero(topics.n_kept < topics.n_documents - topics.n_identical))
    if n_cut:
        yield Notice("depth_cut", n_cut, None, {"depth": run.depth or 0})
    n_identical = int(topics.n_identical.sum())
    if n_identical:
        yield Notice("identical_removed", n_identical)
    n_unknown = int(topics.n_unknown.sum())
    if n_unknown:
        yield Notice("unknown_documents", n_unknown, None, {"example": shown(topics.unknown_example)})


def _notices_on_order(run: Pass) -> Iterator[Notice]:
    topics = run.ranked
    tied = topics.n_tied_pairs > 0
    if tied.any():
        facts = {
            "cutoff": TIE_CUTOFF,
            "n_pairs": int(topics.n_tied_pairs.sum()),
            "n_crossing": int(topics.crosses.sum()),
            "largest": int(topics.largest_tie[tied].max()),
        }
        yield Notice("ties", int(tied.sum()), None, facts)
    disagreeing = np.flatnonzero(topics.rank_disagrees)
    if len(disagreeing):
        yield Notice("rank_disagrees", len(disagreeing), None, {"example": shown(topics.ids[disagreeing[0]])})
    n_unreadable = int(topics.n_unreadable_ranks.sum())
    if n_unreadable:
        yield Notice("rank_unreadable", n_unreadable)
    n_growing = int(topics.scores_grow.sum())
    if n_growing * 2 > int(topics.has_distinct_scores.sum()):
        yield Notice("scores_grow", n_growing)
