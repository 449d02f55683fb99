"""Read a TREC run: the one entry, whichever reader does the work."""

from collections.abc import Collection, Sequence
from typing import BinaryIO

from evaluation.trec import read_plain
from evaluation.types import Limits, Qrels, RunReading, RunRules

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
    return read_plain(stream, RunRules(topics, qrels, depth, remove_identical, documents, limits))
