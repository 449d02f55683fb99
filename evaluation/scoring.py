"""Gold × hits × measures → a value a topic, then means, macro means, groups and slices.

Every topic of the gold counts everywhere; one without an answer scores 0. Rounding is never done here.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.errors import GoldError, MissingGroups, RunContentError, UnknownAxis
from evaluation.measures import ROBUSTNESS, Judged, Measure, parse_measure, score_topics
from evaluation.types import Floats, GroupScores, Ints, Notice, Qrels, RunReading, Slice, TopicScores, TopicTable


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of one run. Mappings are keyed by the measure names as asked, axes and values in order of appearance.

    `notices` are about the gold (topics without a relevant document, rows without a judgement).
    """

    scores: TopicScores
    group_scores: GroupScores | None
    n_topics: int
    n_answered: int
    means: Mapping[str, float]
    macro: Mapping[str, Mapping[str, float]]
    slices: Mapping[str, Mapping[str, Slice]]
    notices: tuple[Notice, ...] = ()

    def to_json(self, *, per_topic: bool = False) -> dict[str, Any]:
        """Return plain values at full precision; with `per_topic` also every topic and group."""
        plain: dict[str, Any] = {
            "topics": self.n_topics,
            "answered": self.n_answered,
            "means": dict(self.means),
            "macro": {axis: dict(values) for axis, values in self.macro.items()},
            "slices": {
                axis: {value: _slice_json(piece) for value, piece in pieces.items()}
                for axis, pieces in self.slices.items()
            },
        }
        if per_topic:
            plain["per_topic"] = _rows_json(self.scores.measure_names, self.scores.topic_ids, self.scores.values)
            if self.group_scores is not None:
                groups = self.group_scores
                plain["per_group"] = _rows_json(groups.measure_names, groups.group_ids, groups.values)
        return plain


def evaluate(
    qrels: Qrels,
    reading: RunReading,
    measures: Sequence[str],
    *,
    topics: TopicTable | None = None,
    axes: Sequence[str] = (),
    relevant_from: int = 1,
    only: Collection[str] | None = None,
) -> Evaluation:
    """Score a run that was read against these judgements.

    Args:
        qrels: the gold; `reading` must have been made with it.
        reading: an accepted run.
        measures: names; every result is keyed by them as given.
        topics: attributes and groups; rows without a judgement are ignored and counted.
        axes: attributes to slice by.
        relevant_from: the lowest grade that is relevant; nDCG uses the grades themselves.
        only: count these gold topics and no other.

    Raises UnknownMeasure, UnknownAxis, MissingGroups (a group measure without groups), RunContentError (a refused run),
    and GoldError for a run that was read without these judgements, or where a topic of the gold has no row, or no
    group, and one is needed.
    """
    parsed = [parse_measure(name) for name in dict.fromkeys(measures)]
    if not reading.report.accepted:
        raise RunContentError("run_refused", {"n_faults": len(reading.report.faults) + reading.report.n_more})
    if reading.hits is None or len(reading.hits.retrieved) != qrels.n_topics:
        raise GoldError("gold_mismatch")
    table = check_table(qrels.topic_ids, topics, parsed, axes)
    judged = Judged.of(qrels, reading.hits, relevant_from)
    kept = _kept(qrels.topic_ids, only)
    values = {measure.name: score_topics(measure.base or measure, judged)[kept] for measure in parsed}
    groups = _numbered([table.groups[index] for index in kept]) if table is not None and table.groups else None
    pieces = {axis: _pieces([table.axes[axis][index] for index in kept]) for axis in axes} if table is not None else {}
    slices = {
        axis: {value: _slice(parsed, values, groups, places) for value, places in parts.items()}
        for axis, parts in pieces.items()
    }
    whole = _slice(parsed, values, groups, np.arange(len(kept)))
    return Evaluation(
        scores=_topic_scores(parsed, values, [qrels.topic_ids[index] for index in kept]),
        group_scores=_group_scores(parsed, values, groups),
        n_topics=len(kept),
        n_answered=int(np.count_nonzero(reading.hits.retrieved[kept])),
        means=whole.values,
        macro={axis: _macro(parsed, list(parts.values())) for axis, parts in slices.items()},
        slices=slices,
        notices=_notices(qrels, judged, topics, kept),
    )


def check_table(
    topic_ids: Sequence[str], topics: TopicTable | None, measures: Sequence[Measure], axes: Sequence[str]
) -> TopicTable | None:
    """Return the rows of the gold's topics in gold order, or None where neither an axis nor a group is used.

    Raises UnknownAxis, MissingGroups and GoldError as `evaluate` does.
    """
    known = () if topics is None else tuple(topics.axes)
    for axis in axes:
        if axis not in known:
            raise UnknownAxis(axis, known)
    group_measure = next((measure for measure in measures if measure.is_group), None)
    if group_measure is not None and (topics is None or topics.groups is None):
        raise MissingGroups(group_measure.name)
    if topics is None or not (axes or group_measure):
        return None
    rows = frozenset(topics.topic_ids)
    if missing := [topic_id for topic_id in topic_ids if topic_id not in rows]:
        raise GoldError("topic_without_row", {"count": len(missing), "example": missing[0]})
    table = topics.aligned(topic_ids)
    if group_measure is not None and table.groups is not None and not all(table.groups):
        missing = [topic_id for topic_id, group in zip(topic_ids, table.groups, strict=True) if not group]
        raise GoldError("topic_without_group", {"count": len(missing), "example": missing[0]})
    return table


def robustness(values: Floats, group: Ints) -> Floats:
    """Find the lowest value of each group: `group` numbers the group of each topic from 0; shape (n_groups,).

    Robustness@k of InstructIR is the plain mean of these minima of nDCG@k.
    """
    lowest = np.full(int(group.max(initial=-1)) + 1, np.inf)
    np.minimum.at(lowest, group, values)
    return lowest


def group_means(values: Floats, group: Ints) -> Floats:
    """Average each group; shapes as for `robustness`."""
    return np.bincount(group, weights=values) / np.bincount(group)


def mean(values: Floats) -> float:
    """Average values, added in order as trec_eval does; 0 of nothing."""
    if not len(values):
        return 0.0
    return float(np.bincount(np.zeros(len(values), dtype=np.int64), weights=values)[0] / len(values))


@dataclass(frozen=True, slots=True)
class _Groups:
    """The group of each topic as a number, and the names in order of appearance."""

    ids: tuple[str, ...]
    number: Ints


def _numbered(names: Sequence[str]) -> _Groups:
    ids = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return _Groups(tuple(ids), np.array([ids[name] for name in names], dtype=np.int64))


def _kept(topic_ids: Sequence[str], only: Collection[str] | None) -> Ints:
    wanted = frozenset(topic_ids) if only is None else frozenset(only)
    return np.array([index for index, topic_id in enumerate(topic_ids) if topic_id in wanted], dtype=np.int64)


def _pieces(values: Sequence[tuple[str, ...]]) -> dict[str, Ints]:
    """Value → places of its topics; a topic with several values is in each of them."""
    places: dict[str, list[int]] = {}
    for place, several in enumerate(values):
        for value in several:
            places.setdefault(value, []).append(place)
    return {value: np.array(found, dtype=np.int64) for value, found in places.items()}


def _per_group(measure: Measure, values: Floats, group: Ints) -> Floats:
    return robustness(values, group) if measure.kind == ROBUSTNESS else group_means(values, group)


def _slice(measures: Sequence[Measure], values: Mapping[str, Floats], groups: _Groups | None, places: Ints) -> Slice:
    """Average over the topics at these places; a group that is split counts with its topics that are here."""
    has_group_measure = any(measure.is_group for measure in measures)
    group = None
    if groups is not None and has_group_measure:
        _, group = np.unique(groups.number[places], return_inverse=True)
    means = {}
    for measure in measures:
        here = values[measure.name][places]
        means[measure.name] = mean(_per_group(measure, here, group) if measure.is_group and group is not None else here)
    n_groups = None if group is None else int(group.max(initial=-1)) + 1
    return Slice(n_topics=len(places), n_groups=n_groups, values=means)


def _macro(measures: Sequence[Measure], slices: Sequence[Slice]) -> dict[str, float]:
    return {measure.name: mean(np.array([piece.values[measure.name] for piece in slices])) for measure in measures}


def _topic_scores(measures: Sequence[Measure], values: Mapping[str, Floats], topic_ids: Sequence[str]) -> TopicScores:
    names = tuple(measure.name for measure in measures if not measure.is_group)
    columns = np.array([values[name] for name in names], dtype=np.float64).reshape(len(names), len(topic_ids))
    return TopicScores(names, tuple(topic_ids), columns)


def _group_scores(
    measures: Sequence[Measure], values: Mapping[str, Floats], groups: _Groups | None
) -> GroupScores | None:
    wanted = [measure for measure in measures if measure.is_group]
    if groups is None or not wanted:
        return None
    columns = [_per_group(measure, values[measure.name], groups.number) for measure in wanted]
    return GroupScores(tuple(measure.name for measure in wanted), groups.ids, np.array(columns))


def _notices(qrels: Qrels, judged: Judged, topics: TopicTable | None, kept: Ints) -> tuple[Notice, ...]:
    notices = []
    without = kept[judged.relevant[kept] == 0]
    if len(without):
        facts = {"example": qrels.topic_ids[without[0]]}
        notices.append(Notice("topics_without_relevant", len(without), None, facts))
    if topics is not None:
        gold = frozenset(qrels.topic_ids)
        idle = [topic_id for topic_id in topics.topic_ids if topic_id not in gold]
        if idle:
            notices.append(Notice("rows_without_judgement", len(idle), None, {"example": idle[0]}))
    return tuple(notices)


def _slice_json(piece: Slice) -> dict[str, Any]:
    groups = {} if piece.n_groups is None else {"groups": piece.n_groups}
    return {"topics": piece.n_topics, **groups, **piece.values}


def _rows_json(names: Sequence[str], ids: Sequence[str], values: Floats) -> dict[str, dict[str, float]]:
    return {key: dict(zip(names, column, strict=True)) for key, column in zip(ids, values.T.tolist(), strict=True)}
