"""One topic of a run: its rows while they are read, and its ranking once they are complete.

The order is by score as a 64-bit float, then by document id, both descending; the rank column and the order of lines
never matter. Nothing here knows lines, files or measures.
"""

import re
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter

from evaluation.lines import is_rank

_are_ranks = re.compile(rb"[+-]?[0-9]{1,9}(?: [+-]?[0-9]{1,9})*").fullmatch  # see lines.is_rank
TIE_CUTOFF = 10  # ties are reported where they reach into the first ten
Hit = tuple[int, int, int, int]  # rank, grade, best and worst rank that an equal score allows


@dataclass(frozen=True, slots=True)
class Ranked:
    """What a complete topic gives. Counts are of documents before the depth cut, `n_kept` after it.

    `n_tied_pairs` counts pairs of equal scores that reach into the first TIE_CUTOFF; `crosses` says whether one of
    these ties decides who is inside; `largest_tie` is over the whole topic (0 without ties).
    """

    hits: tuple[Hit, ...]
    n_documents: int
    n_kept: int
    n_identical: int
    n_tied_pairs: int
    crosses: bool
    largest_tie: int
    n_unknown: int
    unknown_example: bytes
    n_unreadable_ranks: int
    rank_disagrees: bool
    has_distinct_scores: bool
    scores_grow: bool


class Rows:
    """The rows of one topic in the order of the file: documents with their line, scores, rank column as written.

    A topic that is left is packed to compact columns, since most files never come back to it.
    """

    __slots__ = ("_packed", "is_scattered", "lines", "ranked", "ranks", "scores")

    def __init__(self) -> None:
        self.lines: dict[bytes, int] = {}
        self.scores: list[float] = []
        self.ranks: list[bytes] = []
        self.ranked: Ranked | None = None
        self.is_scattered = False
        self._packed: tuple[bytes, array[int], array[float], bytes] | None = None

    def pack(self) -> None:
        """Give up the lists for about 40 bytes a row."""
        ids, lines = b"\n".join(self.lines), array("q", self.lines.values())
        self._packed = (ids, lines, array("d", self.scores), b"\n".join(self.ranks))
        self.lines, self.scores, self.ranks = {}, [], []

    def reopen(self) -> None:
        """Take the lists back for good, because the file has more rows of this topic and may go on like that."""
        self.ranked = None
        self.is_scattered = True
        if self._packed is None:
            return
        ids, lines, scores, ranks = self._packed
        self._packed = None
        self.lines = dict(zip(ids.split(b"\n"), lines, strict=True)) if lines else {}
        self.scores = scores.tolist()
        self.ranks = ranks.split(b"\n") if lines else []


def rank(
    rows: Rows,
    judged: Mapping[bytes, int],
    *,
    depth: int | None = None,
    identical: bytes | None = None,
    collection: frozenset[bytes] | None = None,
) -> Ranked:
    """Rank a topic: drop the document `identical` if there, order, cut at `depth`, look up the judged documents.

    Documents outside `collection`, where it is given, are counted and stay.
    """
    unknown = rows.lines.keys() - collection if collection is not None else frozenset()
    order = sorted(zip(rows.scores, rows.lines, rows.ranks, strict=True), reverse=True)
    if identical is not None and identical in rows.lines:
        order = [row for row in order if row[1] != identical]
    scores = [row[0] for row in order]
    ties = _ties(scores)
    disagrees, grows, n_unreadable = _rank_column(scores, [row[2] for row in order])
    inside = [(first, last) for first, last in ties if first <= TIE_CUTOFF]
    return Ranked(
        hits=_hits([row[1] for row in order], judged, ties, len(order[:depth])),
        n_documents=len(rows.lines),
        n_kept=len(order[:depth]),
        n_identical=len(rows.lines) - len(order),
        n_tied_pairs=sum((last - first + 1) * (last - first) // 2 for first, last in inside),
        crosses=any(last > TIE_CUTOFF for _, last in inside),
        largest_tie=max((last - first + 1 for first, last in ties), default=0),
        n_unknown=len(unknown),
        unknown_example=min(unknown, default=b""),
        n_unreadable_ranks=n_unreadable,
        rank_disagrees=disagrees,
        has_distinct_scores=len(scores) > 1 and scores[0] != scores[-1],
        scores_grow=grows,
    )


def _ties(scores: list[float]) -> list[tuple[int, int]]:
    """First and last rank of every group of equal scores with at least two members."""
    if len(set(scores)) == len(scores):
        return []
    ties: list[tuple[int, int]] = []
    for place in [place for place, (one, two) in enumerate(pairwise(scores), 1) if one == two]:
        first = ties.pop()[0] if ties and ties[-1][1] == place else place
        ties.append((first, place + 1))
    return ties


def _hits(
    documents: list[bytes], judged: Mapping[bytes, int], ties: list[tuple[int, int]], n_kept: int
) -> tuple[Hit, ...]:
    """Find the judged documents that are kept, and those below that share a score with a kept one."""
    if not judged:
        return ()
    end = next((last for first, last in ties if first <= n_kept < last), n_kept)
    hits = [(place, judged[document]) for place, document in enumerate(documents[:end], 1) if document in judged]
    span = {place: tie for tie in ties for place in range(tie[0], min(tie[1], end) + 1)}
    return tuple((place, grade, *span.get(place, (place, place))) for place, grade in hits)


def _rank_column(scores: list[float], written: list[bytes]) -> tuple[bool, bool, int]:
    """Compare the rank column with the order by score: (disagrees, runs the other way throughout, unreadable ranks)."""
    if not _are_ranks(b" ".join(written)):
        return False, False, len(written) - sum(1 for field in written if is_rank(field))
    ranks = list(map(int, written))
    # equal scores may have their ranks in any order
    if (in_order := sorted(ranks)) == ranks or in_order == [
        place for _, place in sorted(zip([-score for score in scores], ranks, strict=True))
    ]:
        return False, False, 0
    disagrees, grows, highest, lowest = False, True, None, None
    for _, group in groupby(zip(scores, ranks, strict=True), key=itemgetter(0)):
        here = [place for _, place in group]
        if highest is not None and lowest is not None:
            disagrees = disagrees or min(here) < highest
            grows = grows and max(here) < lowest
        highest = max(here) if highest is None else max(highest, *here)
        lowest = min(here)
    return disagrees, grows and disagrees, 0
