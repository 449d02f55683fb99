"""Numbers that cannot be: what must hold between the scores of any run. Where it does not, a measure is broken.

Pure. What is reported names measures and rules, never a topic.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np

from evaluation import Evaluation, Floats, Measure, Qrels, parse_measure

# Two sums of one thing in another order differ by far less, and a wrong measure by far more.
TOLERANCE = 1e-9


class Rule(StrEnum):
    """What a broken score breaks."""

    RANGE = "outside-0-1"
    MONOTONE = "falls-with-the-cutoff"
    ONE_RELEVANT = "differs-with-one-relevant"
    SUCCESS = "success-below-recall"
    WHOLE = "not-a-whole-count"
    SLICES = "slices-do-not-add-up"


@dataclass(frozen=True, slots=True)
class Alarm:
    """A rule and the measure, or the two, that break it."""

    rule: Rule
    measure: str

    def __str__(self) -> str:
        return f"{self.measure} {self.rule}"


def alarms(scored: Evaluation, qrels: Qrels, *, relevant_from: int = 1) -> tuple[Alarm, ...]:
    """Return every rule that an evaluation over all topics of the gold breaks; none for an evaluation that is right.

    Checked on every topic: values in [0, 1]; R@k and Success@k do not fall with k; AP = RR at one cutoff where one
    document is relevant; Success@k ≥ R@k; P@k · k is whole. And that the slices of an axis on which every topic has one
    value, weighted by their topics, give the mean over all.
    """
    names = scored.scores.measure_names
    values = {parse_measure(name): row for name, row in zip(names, scored.scores.values, strict=True)}
    n_relevant = np.add.reduceat((qrels.grades >= relevant_from).astype(np.int64), qrels.starts[:-1])
    found = [
        *_out_of_range(scored),
        *_falling(values),
        *_unlike_twins(values, is_one=n_relevant == 1),
        *_uncounted(values),
        *_wrong_sums(scored, {measure.name for measure in values}),
    ]
    return tuple(dict.fromkeys(found))


def _out_of_range(scored: Evaluation) -> Iterator[Alarm]:
    for table in (scored.scores, scored.group_scores):
        for place, name in enumerate(table.measure_names if table is not None else ()):
            if table is not None and not _all_in_range(table.values[place]):
                yield Alarm(Rule.RANGE, name)
    cells = [scored.means, *scored.macro.values()]
    cells += [piece.values for pieces in scored.slices.values() for piece in pieces.values()]
    for cell in cells:
        for name, value in cell.items():
            if not _all_in_range(np.array(value)):
                yield Alarm(Rule.RANGE, name)


def _all_in_range(values: Floats) -> bool:
    # a comparison with NaN is false
    return bool(((values >= -TOLERANCE) & (values <= 1 + TOLERANCE)).all())


def _falling(values: Mapping[Measure, Floats]) -> Iterator[Alarm]:
    for kind in ("R", "Success"):
        cut = sorted((m for m in values if m.kind == kind and m.cutoff), key=lambda measure: measure.cutoff or 0)
        for shallow, deep in pairwise(cut):
            if (values[deep] < values[shallow] - TOLERANCE).any():
                yield Alarm(Rule.MONOTONE, f"{shallow.name} > {deep.name}")


def _unlike_twins(values: Mapping[Measure, Floats], *, is_one: np.ndarray) -> Iterator[Alarm]:
    """Compare measures of one cutoff: AP with RR where one document is relevant, Success with R everywhere."""
    by_name = {(measure.kind, measure.cutoff): (measure.name, row) for measure, row in values.items()}
    for (kind, cutoff), (name, row) in by_name.items():
        other = {"AP": "RR", "Success": "R"}.get(kind)
        if other is None or (other, cutoff) not in by_name:
            continue
        twin, twin_row = by_name[other, cutoff]
        if kind == "AP" and (np.abs(row - twin_row)[is_one] > TOLERANCE).any():
            yield Alarm(Rule.ONE_RELEVANT, f"{name} ≠ {twin}")
        if kind == "Success" and (row < twin_row - TOLERANCE).any():
            yield Alarm(Rule.SUCCESS, f"{name} < {twin}")


def _uncounted(values: Mapping[Measure, Floats]) -> Iterator[Alarm]:
    for measure, row in values.items():
        if measure.kind == "P" and measure.cutoff is not None:
            counts = row * measure.cutoff
            if not (np.abs(counts - np.round(counts)) <= TOLERANCE * measure.cutoff).all():
                yield Alarm(Rule.WHOLE, measure.name)


def _wrong_sums(scored: Evaluation, topic_measures: set[str]) -> Iterator[Alarm]:
    for axis, pieces in scored.slices.items():
        # a topic has at least one value on each axis
        if sum(piece.n_topics for piece in pieces.values()) != scored.n_topics:
            continue
        for name in topic_measures:
            whole = sum(piece.n_topics * piece.values[name] for piece in pieces.values()) / scored.n_topics
            if not abs(whole - scored.means[name]) <= TOLERANCE:
                yield Alarm(Rule.SLICES, f"{name} along {axis}")
