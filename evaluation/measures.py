"""The measures: names as the field writes them, and for each a function from hits to one value a topic.

Every value is bit-equal to trec_eval's where it has the measure: `math.log2`, and sums in rank order (`np.bincount`
adds in order, `np.sum` does not). Groups, slices and means are not decided here.
"""

import difflib
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from evaluation.errors import UnknownMeasure
from evaluation.types import Floats, Hits, Ints, Qrels


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure as asked for: `name` is the spelling of the asker, `kind` the known one without its cutoff.

    `base` is the measure that a group measure takes from each topic.
    """

    name: str
    kind: str
    cutoff: int | None = None
    base: "Measure | None" = None

    @property
    def is_group(self) -> bool:
        """Whether it is computed over groups of topics."""
        return self.base is not None

    @property
    def canonical(self) -> str:
        """The name as this package writes it."""
        if self.kind == GROUP_MEAN and self.base is not None:
            return f"{GROUP_MEAN}({self.base.canonical})"
        return self.kind if self.cutoff is None else f"{self.kind}@{self.cutoff}"

    @property
    def trec_name(self) -> str:
        """The name that trec_eval prints, or ours where it has no such measure."""
        plain, cut = _TREC_NAMES.get(self.kind, ("", ""))
        if self.cutoff is None:
            return plain or self.canonical
        return f"{cut}_{self.cutoff}" if cut else self.canonical


@dataclass(frozen=True, slots=True)
class Judged:
    """What a topic measure is computed from: hits sorted by (topic, rank), and counts a topic.

    `ideal_topic`, `ideal_rank` and `ideal_gain` are the judgements of each topic from the highest grade down;
    `relevant` counts the documents of a topic with a grade of at least `relevant_from`.
    """

    n_topics: int
    topic: Ints
    rank: Ints
    gain: Floats
    is_relevant: np.ndarray[tuple[int], np.dtype[np.bool_]]
    retrieved: Ints
    relevant: Ints
    ideal_topic: Ints
    ideal_rank: Ints
    ideal_gain: Floats

    @classmethod
    def of(cls, qrels: Qrels, hits: Hits, relevant_from: int = 1) -> "Judged":
        """Prepare the columns; a document is relevant from this grade on, gains are the grades and never negative."""
        n_topics = qrels.n_topics
        owner = np.repeat(np.arange(n_topics), np.diff(qrels.starts))
        order = np.lexsort((-qrels.grades, owner))
        is_kept = hits.rank <= hits.retrieved[hits.topic]
        grade = hits.grade[is_kept]
        return cls(
            n_topics=n_topics,
            topic=hits.topic[is_kept].astype(np.int64),
            rank=hits.rank[is_kept],
            gain=np.maximum(grade, 0).astype(np.float64),
            is_relevant=grade >= relevant_from,
            retrieved=hits.retrieved,
            relevant=np.bincount(owner[qrels.grades >= relevant_from], minlength=n_topics),
            ideal_topic=owner,
            ideal_rank=np.arange(len(owner)) - qrels.starts[owner] + 1,
            ideal_gain=np.maximum(qrels.grades[order], 0).astype(np.float64),
        )


Score = Callable[[Judged, int], Floats]
ROBUSTNESS, GROUP_MEAN = "Robustness", "GroupMean"
_NO_CUTOFF = 2**62
_MAX_CUTOFF = 1_000_000_000


def parse_measure(name: str) -> Measure:
    """Read a name such as `nDCG@10`, `RR`, `Robustness@10` or `GroupMean(nDCG@10)`.

    Capitals do not matter, and `MAP`, `MRR`, `Recall@k`, `Precision@k` and trec_eval's names are understood too; the
    measure keeps the name as asked. Raises UnknownMeasure with the nearest known name.
    """
    asked = name.strip()
    if match := _GROUP_MEAN(asked):
        base = parse_measure(match[1])
        if not base.is_group:
            return Measure(asked, GROUP_MEAN, None, base)
    if match := _NAME(asked) or _TREC_NAME(asked):
        kind = _ALIASES.get(match[1].lower(), "")
        cutoff = int(match[2]) if match[2] else None
        if kind == ROBUSTNESS and cutoff is not None:
            return Measure(asked, kind, cutoff, Measure(f"nDCG@{cutoff}", "nDCG", cutoff))
        if kind in (_WITH_CUTOFF if cutoff is not None else _WITHOUT_CUTOFF) and (cutoff or 0) <= _MAX_CUTOFF:
            return Measure(asked, kind, cutoff)
    raise UnknownMeasure(asked[:80], _nearest(asked))


def score_topics(measure: Measure, judged: Judged) -> Floats:
    """Score every topic of the gold: shape (n_topics,), values in [0, 1], 0 where nothing relevant was found."""
    cutoff = _NO_CUTOFF if measure.cutoff is None else measure.cutoff
    return _SCORES[measure.kind](judged, cutoff)


def discounts(ranks: Ints) -> Floats:
    """Compute log2(rank + 1) as trec_eval's C library does; numpy's own may differ in the last bit."""
    distinct, place = np.unique(ranks, return_inverse=True)
    return np.array([math.log2(rank + 1) for rank in distinct.tolist()], dtype=np.float64)[place]


def _ndcg(judged: Judged, cutoff: int) -> Floats:
    """Normalised discounted cumulative gain (Järvelin and Kekäläinen 2002) as trec_eval has it.

    The gain is the grade itself, the discount log2(rank + 1), the ideal is made of all judgements of the topic.
    """
    return _ratio(_dcg(judged, cutoff), _ideal(judged, np.full(judged.n_topics, cutoff)))


def _ndcg_recipe(judged: Judged, _: int) -> Floats:
    """Alloprof's published recipe: the ideal is cut at the list's length, so one right document of three gives 1."""
    return _ratio(_dcg(judged, _NO_CUTOFF), _ideal(judged, judged.retrieved))


def _average_precision(judged: Judged, cutoff: int) -> Floats:
    """Average precision; divides by all relevant documents also with a cutoff (trec_eval's map_cut)."""
    topic, rank = judged.topic[judged.is_relevant], judged.rank[judged.is_relevant]
    n_before = np.searchsorted(topic, topic, side="left")
    so_far = np.arange(len(topic)) - n_before + 1
    inside = rank <= cutoff
    return _ratio(_add(judged, topic[inside], so_far[inside] / rank[inside]), judged.relevant)


def _recall(judged: Judged, cutoff: int) -> Floats:
    """Share of all relevant documents that are in the first k."""
    return _ratio(_n_relevant(judged, cutoff), judged.relevant)


def _precision(judged: Judged, cutoff: int) -> Floats:
    """Relevant documents in the first k, divided by k also where fewer were retrieved."""
    return _n_relevant(judged, cutoff) / cutoff


def _reciprocal_rank(judged: Judged, cutoff: int) -> Floats:
    """1 / rank of the first relevant document, 0 when there is none (within the cutoff, where one is given)."""
    first = _first_relevant(judged)
    return np.where(first <= cutoff, 1.0 / first, 0.0)


def _reciprocal_rank_recipe(judged: Judged, _: int) -> Floats:
    """Alloprof's published recipe: 1 / (n + 1) when none of the n documents is relevant, so 1 for an empty list."""
    return 1.0 / np.minimum(_first_relevant(judged), judged.retrieved + 1)


def _success(judged: Judged, cutoff: int) -> Floats:
    """1 where at least one relevant document is in the first k, else 0."""
    return np.where(_first_relevant(judged) <= cutoff, 1.0, 0.0)


def _judged_share(judged: Judged, cutoff: int) -> Floats:
    """Share of the first k documents that have a judgement; of all that were retrieved, where that is fewer than k."""
    inside = judged.rank <= cutoff
    n_judged = np.bincount(judged.topic[inside], minlength=judged.n_topics).astype(np.float64)
    return _ratio(n_judged, np.minimum(judged.retrieved, cutoff))


def _add(judged: Judged, topic: Ints, values: Floats) -> Floats:
    """Add values to their topics, one after another."""
    return np.bincount(topic, weights=values, minlength=judged.n_topics).astype(np.float64)


def _dcg(judged: Judged, cutoff: int) -> Floats:
    inside = judged.rank <= cutoff
    return _add(judged, judged.topic[inside], judged.gain[inside] / discounts(judged.rank[inside]))


def _ideal(judged: Judged, cutoffs: Ints) -> Floats:
    inside = (judged.ideal_rank <= cutoffs[judged.ideal_topic]) & (judged.ideal_gain > 0)
    gains = judged.ideal_gain[inside] / discounts(judged.ideal_rank[inside])
    return _add(judged, judged.ideal_topic[inside], gains)


def _n_relevant(judged: Judged, cutoff: int) -> Floats:
    inside = judged.is_relevant & (judged.rank <= cutoff)
    return np.bincount(judged.topic[inside], minlength=judged.n_topics).astype(np.float64)


def _first_relevant(judged: Judged) -> Ints:
    """Rank of the first relevant document of each topic, beyond every cutoff where there is none."""
    first = np.full(judged.n_topics, _NO_CUTOFF + 1, dtype=np.int64)
    topic, rank = judged.topic[judged.is_relevant], judged.rank[judged.is_relevant]
    first[topic[::-1]] = rank[::-1]
    return first


def _ratio(part: Floats, whole: Floats | Ints) -> Floats:
    """Divide, with 0 where the whole is 0."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=np.asarray(whole) > 0)


_SCORES: Mapping[str, Score] = {
    "nDCG": _ndcg,
    "AP": _average_precision,
    "R": _recall,
    "P": _precision,
    "RR": _reciprocal_rank,
    "Success": _success,
    "Judged": _judged_share,
    "RR(recipe)": _reciprocal_rank_recipe,
    "nDCG(recipe)": _ndcg_recipe,
}
_WITHOUT_CUTOFF = frozenset({"nDCG", "AP", "RR", "RR(recipe)", "nDCG(recipe)"})
_WITH_CUTOFF = frozenset({"nDCG", "AP", "RR", "R", "P", "Success", "Judged"})
_ALIASES: Mapping[str, str] = {
    **{kind.lower(): kind for kind in (*_SCORES, ROBUSTNESS)},
    "map": "AP",
    "mrr": "RR",
    "recall": "R",
    "precision": "P",
    "hit": "Success",
    "ndcg_cut": "nDCG",
    "map_cut": "AP",
    "recip_rank": "RR",
}
# kind → trec_eval's name without a cutoff, and its name before _k
_TREC_NAMES: Mapping[str, tuple[str, str]] = {
    "nDCG": ("ndcg", "ndcg_cut"),
    "AP": ("map", "map_cut"),
    "R": ("", "recall"),
    "P": ("", "P"),
    "RR": ("recip_rank", ""),
    "Success": ("", "success"),
}
_NAME = re.compile(r"([A-Za-z_]+(?:\(recipe\))?)(?:@([1-9][0-9]*))?", re.ASCII | re.IGNORECASE).fullmatch
_TREC_NAME = re.compile(r"(ndcg_cut|map_cut|recall|P|success)[_.]([1-9][0-9]*)", re.ASCII | re.IGNORECASE).fullmatch
_LETTERS = re.compile(r"[^a-z_]")
_CUTOFF = re.compile(r"[@_]([1-9][0-9]{0,8})\)?$", re.ASCII).search
_GROUP_MEAN = re.compile(r"GroupMean\((.*)\)", re.IGNORECASE).fullmatch


def _nearest(name: str) -> str:
    """Find the known name that looks most like this one; where it wants a cutoff, the one asked for or 10."""
    stem = _LETTERS.split(name[:80].lower(), maxsplit=1)[0]
    kind = _ALIASES.get(difflib.get_close_matches(stem, [*_ALIASES, "groupmean"], n=1, cutoff=0.0)[0])
    asked = _CUTOFF(name)
    cutoff = asked[1] if asked else "10"
    if kind is None:
        return f"{GROUP_MEAN}(nDCG@{cutoff})"
    wants_cutoff = "@" in name or kind not in _WITHOUT_CUTOFF
    return f"{kind}@{cutoff}" if wants_cutoff and kind in (*_WITH_CUTOFF, ROBUSTNESS) else kind
