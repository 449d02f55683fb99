"""From what one pass over a run found to its report and its hits.

Pure: counts and rankings in, report out. The sentences themselves are in `messages`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.faultlog import FaultLog, shown
from evaluation.ranking import TIE_CUTOFF, Ranked
from evaluation.types import Hits, Notice, Qrels, RunReport

_N_TAGS = 5


@dataclass(frozen=True, slots=True)
class Pass:
    """Everything that one pass over a run found; `topics` and `documents` are the public lists it was read against.

    `foreign` maps a foreign topic to its first line, `n_second_column` counts lines whose second column is not Q0.
    """

    log: FaultLog
    ranked: Mapping[bytes, Ranked]
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
    sizes = [ranked.n_documents for ranked in run.ranked.values()]
    return RunReport(
        accepted=not run.log,
        n_lines=run.n_lines,
        n_topics=len(run.ranked),
        n_foreign_topics=len(run.foreign),
        n_documents_min=min(sizes, default=0),
        n_documents_max=max(sizes, default=0),
        size_bytes=run.size_bytes,
        unpacked_bytes=run.unpacked_bytes,
        faults=run.log.faults(),
        more_faults=dict(run.log.more),
        notices=tuple(_notices(run)),
        tags=tuple(shown(tag) for tag in run.tags[:_N_TAGS]),
        n_tied_topics=sum(1 for ranked in run.ranked.values() if ranked.n_tied_pairs),
        header=run.header,
    )


def collect_hits(run: Pass, qrels: Qrels) -> Hits:
    """Gather the hits of all topics into columns, in gold order."""
    ranked = [run.ranked.get(topic.encode()) for topic in qrels.topic_ids]
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
    if not run.ranked and not run.foreign:
        if not run.log:
            run.log.add("no_lines")
        return
    if not run.ranked:
        example = next(iter(run.foreign))
        expected = run.topics[0] if run.topics else ""
        run.log.add("no_known_topic", None, "topic", example, n_topics=len(run.foreign), expected=expected.encode())
        return
    if run.documents is None:
        return
    if all(ranked.n_unknown == ranked.n_documents for ranked in run.ranked.values()):
        example = next(iter(run.ranked.values())).unknown_example
        run.log.add("no_known_document", None, "document", example, expected=min(run.documents, default=b""))


def _notices(run: Pass) -> Iterator[Notice]:
    if run.has_byte_order_mark:
        yield Notice("byte_order_mark", 1, 1)
    if run.foreign:
        topic, line = next(iter(run.foreign.items()))
        yield Notice("foreign_topics", len(run.foreign), line, {"example": shown(topic)})
    if run.topics is not None and run.ranked:
        missing = [topic for topic in run.topics if topic.encode() not in run.ranked]
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
    topics = run.ranked.values()
    n_cut = sum(1 for ranked in topics if ranked.n_kept < ranked.n_documents - ranked.n_identical)
    if n_cut:
        yield Notice("depth_cut", n_cut, None, {"depth": run.depth or 0})
    n_identical = sum(ranked.n_identical for ranked in topics)
    if n_identical:
        yield Notice("identical_removed", n_identical)
    unknown = [ranked for ranked in topics if ranked.n_unknown]
    if unknown:
        facts = {"example": shown(unknown[0].unknown_example)}
        yield Notice("unknown_documents", sum(ranked.n_unknown for ranked in unknown), None, facts)


def _notices_on_order(run: Pass) -> Iterator[Notice]:
    topics = run.ranked.values()
    tied = [ranked for ranked in topics if ranked.n_tied_pairs]
    if tied:
        facts = {
            "cutoff": TIE_CUTOFF,
            "n_pairs": sum(ranked.n_tied_pairs for ranked in tied),
            "n_crossing": sum(ranked.crosses for ranked in tied),
            "largest": max(ranked.largest_tie for ranked in tied),
        }
        yield Notice("ties", len(tied), None, facts)
    disagreeing = [topic for topic, ranked in run.ranked.items() if ranked.rank_disagrees]
    if disagreeing:
        yield Notice("rank_disagrees", len(disagreeing), None, {"example": shown(disagreeing[0])})
    n_unreadable = sum(ranked.n_unreadable_ranks for ranked in topics)
    if n_unreadable:
        yield Notice("rank_unreadable", n_unreadable)
    n_growing = sum(ranked.scores_grow for ranked in topics)
    if n_growing * 2 > sum(ranked.has_distinct_scores for ranked in topics):
        yield Notice("scores_grow", n_growing)
