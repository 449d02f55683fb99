"""Six simulated systems of clearly different strength, made from the sample judgements: they show nothing real."""

import builtins
import random
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from data.gold import Gold
from data.task import Task
from evaluation import Qrels, TopicTable

N_DOCUMENTS = 40
SEED = 2026

# the rank of a relevant document is SPAN ** (u ** skill) for a uniform u: the higher the skill, the nearer to 1
SPAN = 200.0
# nearer where the worst topic of a group counts, or that measure would be 0 for all but the strongest
SPAN_IN_GROUPS = 30.0
WEAK, STRONG = 0.45, 1.7


@dataclass(frozen=True, slots=True)
class SampleRun:
    """A run in TREC format (`bytes`) with what its made-up owner would say about the system."""

    name: str
    version: str
    params_millions: float | None
    open_weights: bool | None
    is_baseline: bool
    run_type: str
    bytes: builtins.bytes


@dataclass(frozen=True, slots=True)
class _System:
    """A simulated system; `weak` and `strong` are (axis, value) by number, taken modulo what the card has."""

    name: str
    params_millions: float | None
    open_weights: bool | None
    run_type: str
    skill: float
    weak: tuple[tuple[int, int], ...]
    strong: tuple[tuple[int, int], ...] = ()
    share_missing: float = 0.0

    @property
    def tag(self) -> str:
        return self.name.lower().replace(" ", "-")


SYSTEMS = (
    _System("Sample BM25", None, None, "first-stage", 0.8, weak=((0, 4), (1, 2)), strong=((0, 2),)),
    _System("Sample Dense S", 33.0, True, "first-stage", 1.7, weak=((0, 1), (1, 1)), share_missing=0.03),
    _System("Sample Dense L", 335.0, True, "first-stage", 2.6, weak=((0, 2), (2, 3)), strong=((0, 4),)),
    _System("Sample Hybrid", 110.0, True, "fusion", 4.2, weak=((0, 0), (1, 2)), strong=((2, 1),)),
    _System("Sample Closed API", None, False, "first-stage", 6.5, weak=((0, 3), (2, 5)), strong=((1, 1),)),
    _System("Sample Reranker 7B", 7240.0, True, "reranker", 13.0, weak=((0, 1), (2, 0))),
)
EXAMPLE = _System("Example", None, None, "unspecified", 0.7, weak=((0, 0),), share_missing=0.01)


def sample_runs(task: Task, gold: Gold, seed: int = SEED) -> tuple[SampleRun, ...]:
    """Return one run of each simulated system, weakest first; the same gold and seed give the same bytes."""
    return tuple(
        SampleRun(
            name=system.name,
            version="1.0",
            params_millions=system.params_millions,
            open_weights=system.open_weights,
            is_baseline=system is SYSTEMS[0],
            run_type=system.run_type,
            bytes=_run(task, gold.qrels, gold.topics, system, seed),
        )
        for system in SYSTEMS
    )


def example_run(task: Task, qrels: Qrels, topics: TopicTable, seed: int = SEED) -> bytes:
    """Return the run of a weak simulated system, for somebody who wants to try the form."""
    return _run(task, qrels, topics, EXAMPLE, seed)


def _run(task: Task, qrels: Qrels, topics: TopicTable, system: _System, seed: int) -> bytes:
    chance = random.Random(f"{seed}/{task.id}/{system.name}")
    shared = random.Random(f"{seed}/{task.id}/topics")
    judged = [
        {document.decode(): grade for document, grade in qrels.judged(index).items()} for index in range(qrels.n_topics)
    ]
    pool = sorted({document for documents in judged for document in documents})
    shared.shuffle(pool)
    pool += pool[: 2 * N_DOCUMENTS]
    span = SPAN_IN_GROUPS if task.has_groups else SPAN
    factors = _skill_factors(task, topics, system)
    tails = [f" {rank} {20 / (rank + 3):.4f} {system.tag}\n" for rank in range(1, N_DOCUMENTS + 1)]
    lines: list[str] = []
    for index, topic_id in enumerate(qrels.topic_ids):
        # a topic is as hard for every system: from half to twice the skill
        skill = system.skill * factors[index] * 2 ** (2 * shared.random() - 1)
        places = _places(judged[index], span, skill, chance)
        first = int(chance.random() * (len(pool) - 2 * N_DOCUMENTS))
        others = iter(pool[first : first + 2 * N_DOCUMENTS])
        ranking = _ranking(places, others, unwanted={topic_id, *places.values()})
        if task.remove_identical:
            ranking = [topic_id, *ranking[:-1]]
        if chance.random() >= system.share_missing:
            lines.extend([f"{topic_id} Q0 {document}{tail}" for document, tail in zip(ranking, tails, strict=True)])
    return "".join(lines).encode()


def _places(judged: Mapping[str, int], span: float, skill: float, chance: random.Random) -> dict[int, str]:
    """Give each relevant document a place from 0 by chance and skill."""
    places: dict[int, str] = {}
    for document, grade in judged.items():
        if grade > 0:
            place = int(span ** (chance.random() ** skill)) - 1
            while place in places:
                place += 1
            places[place] = document
    return places


def _ranking(places: Mapping[int, str], others: Iterator[str], *, unwanted: Collection[str]) -> list[str]:
    """Fill up with documents of other topics around those that have a place."""
    fillers = (document for document in others if document not in unwanted)
    return [places[place] if place in places else next(fillers) for place in range(N_DOCUMENTS)]


def _skill_factors(task: Task, topics: TopicTable, system: _System) -> list[float]:
    factors = [1.0] * len(topics.topic_ids)
    for slices, factor in ((system.weak, WEAK), (system.strong, STRONG)):
        for axis_number, value_number in slices:
            if not task.axes:
                continue
            axis = task.axes[axis_number % len(task.axes)]
            value = axis.order[value_number % len(axis.order)]
            for index, values in enumerate(topics.axes[axis.id]):
                if value in values:
                    factors[index] *= factor
    return factors
