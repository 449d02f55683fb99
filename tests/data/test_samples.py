import io
import time
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from data.gold import Gold, GoldSource, open_gold
from data.lint import slice_sizes
from data.samples import SampleRun, sample_runs, write_public_files, write_sample_gold
from data.task import Task
from evaluation import Evaluation, RunReading, TopicTable, evaluate, read_run
from tests.data.makers import shipped

TASK_IDS = ("irsc", "instructir", "alloprof-pages", "alloprof-questions", "alloprof-both", "sample-sealed")
STEP = 0.02  # of the primary measure, between one system and the next

every_task = pytest.mark.parametrize("task_id", TASK_IDS)


@cache
def a_sample(task_id: str) -> tuple[Task, Gold, tuple[SampleRun, ...]]:
    task = shipped(task_id)
    with TemporaryDirectory() as folder:
        write_sample_gold(task, Path(folder))
        gold = open_gold(task, GoldSource(folder))
    return task, gold, sample_runs(task, gold)


def a_reading(task: Task, gold: Gold, content: bytes) -> RunReading:
    stream = io.BytesIO(content)
    return read_run(stream, qrels=gold.qrels, depth=task.depth, remove_identical=task.remove_identical)


@cache
def evaluations(task_id: str) -> tuple[Evaluation, ...]:
    task, gold, runs = a_sample(task_id)
    axes = [axis.id for axis in task.axes]
    return tuple(
        evaluate(
            gold.qrels,
            a_reading(task, gold, run.bytes),
            task.measure_names,
            topics=gold.topics,
            axes=axes,
            only=gold.live_ids,
        )
        for run in runs
    )


def primary(task: Task, evaluation: Evaluation) -> float:
    return (evaluation.macro[task.macro_axis] if task.macro_axis else evaluation.means)[task.primary.name]


def shown_topics(gold: Gold) -> TopicTable:
    return gold.topics if gold.live_ids is None else gold.topics.subset(gold.live_ids)


@every_task
def test_sample_gold_has_at_least_three_hundred_topics_and_says_that_it_is_a_sample(task_id: str) -> None:
    _, gold, _ = a_sample(task_id)

    assert gold.qrels.n_topics >= 300
    assert gold.is_sample


@every_task
def test_every_slice_of_every_axis_shows_a_number(task_id: str) -> None:
    task, gold, _ = a_sample(task_id)

    least = max(20, task.limits.min_slice_topics)
    small = [
        (axis.id, value)
        for axis in task.axes
        for value, size in slice_sizes(shown_topics(gold), axis).items()
        if size.n_topics < least
    ]
    assert small == []


@every_task
def test_every_value_of_the_card_has_topics_and_no_other_value_appears(task_id: str) -> None:
    task, gold, _ = a_sample(task_id)

    found = [tuple(slice_sizes(shown_topics(gold), axis)) for axis in task.axes]

    assert found == [axis.order for axis in task.axes]


@every_task
def test_host_has_nothing_to_mend_in_sample_gold(task_id: str) -> None:
    _, gold, _ = a_sample(task_id)

    assert gold.notices == ()


def test_sealed_sample_has_halves_of_equal_size_and_a_hundred_live_topics_a_pair_of_values() -> None:
    task, gold, _ = a_sample("sample-sealed")
    live = shown_topics(gold)

    pairs = list(zip(*(live.axes[axis.id] for axis in task.axes), strict=True))

    assert len(gold.live_ids or ()) == len(gold.sealed_ids or ()) == 600
    assert [pairs.count(pair) for pair in sorted(set(pairs))] == [100] * 6


def test_sealed_sample_stays_within_the_share_of_live_gold_that_its_quota_can_read() -> None:
    task, gold, _ = a_sample("sample-sealed")

    n_numbers = len(task.measures) * (1 + sum(len(axis.order) for axis in task.axes))

    assert n_numbers * task.limits.total * 0.2 / len(gold.live_ids or ()) <= 0.05


def test_groups_of_the_instructions_have_six_to_ten_topics() -> None:
    _, gold, _ = a_sample("instructir")
    groups = gold.topics.groups or ()

    sizes = tuple((str(groups.count(group)),) for group in groups)

    assert gold.topics.axes["group_size"] == sizes
    assert {size for (size,) in sizes} == {"6", "7", "8", "9", "10"}


def test_some_pupils_have_two_grades_or_two_subjects() -> None:
    _, gold, _ = a_sample("alloprof-pages")

    several = [sum(len(values) == 2 for values in gold.topics.axes[axis]) for axis in ("grade", "level", "subject")]

    assert min(several) >= 1


@every_task
def test_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path: Path, task_id: str) -> None:
    task, gold, runs = a_sample(task_id)
    folders = [write_sample_gold(task, tmp_path / name, seed) for name, seed in (("a", 1), ("b", 1), ("c", 2))]

    one, same, other = ([path.read_bytes() for path in sorted(folder.iterdir())] for folder in folders)

    assert one == same
    assert one != other
    assert runs == sample_runs(task, gold)


@every_task
def test_six_runs_are_accepted_and_read_as_written(task_id: str) -> None:
    task, gold, runs = a_sample(task_id)
    reports = [a_reading(task, gold, run.bytes).report for run in runs]

    notices = {notice.code for report in reports for notice in report.notices}

    assert [report.accepted for report in reports] == [True] * 6
    assert notices <= {"missing_topics", "identical_removed"}


@every_task
def test_each_system_is_clearly_better_than_the_one_before(task_id: str) -> None:
    task, _, _ = a_sample(task_id)
    scores = [primary(task, evaluation) for evaluation in evaluations(task_id)]

    steps = [after - before for before, after in pairwise(scores)]

    assert min(steps) >= STEP


@every_task
def test_systems_are_weak_on_different_slices(task_id: str) -> None:
    task, _, _ = a_sample(task_id)

    def weakest(evaluation: Evaluation) -> str:
        slices = evaluation.slices[task.axes[0].id]
        return min(slices, key=lambda value: slices[value].values[task.primary.name])

    assert len({weakest(evaluation) for evaluation in evaluations(task_id)}) >= 3


def test_one_system_leaves_some_topics_out() -> None:
    answered = [evaluation.n_answered / evaluation.n_topics for evaluation in evaluations("irsc")]

    assert [share < 1 for share in answered] == [False, True, False, False, False, False]


def test_names_say_sample_and_the_first_is_the_baseline() -> None:
    _, _, runs = a_sample("irsc")

    assert [run.name.split()[0] for run in runs] == ["Sample"] * 6
    assert (runs[0].name, [run.is_baseline for run in runs]) == (
        "Sample BM25",
        [True, False, False, False, False, False],
    )


def test_systems_differ_in_what_their_owners_say() -> None:
    _, _, runs = a_sample("irsc")

    assert len({run.name for run in runs}) == 6
    assert {run.run_type for run in runs} == {"first-stage", "reranker", "fusion"}
    assert {run.open_weights for run in runs} == {True, False, None}
    assert None in {run.params_millions for run in runs}


@every_task
def test_public_files_list_the_topics_and_hold_a_run_that_is_accepted(tmp_path: Path, task_id: str) -> None:
    task, gold, _ = a_sample(task_id)

    folder = write_public_files(task, tmp_path)

    reading = a_reading(task, gold, (folder / "example.run").read_bytes())
    scores = evaluate(gold.qrels, reading, [task.primary.name], only=gold.live_ids)
    assert (folder / "topics.txt").read_text(encoding="utf-8").split("\n")[:-1] == list(gold.qrels.topic_ids)
    assert reading.report.accepted
    assert 0.05 < scores.means[task.primary.name] < 0.5


def test_all_samples_are_made_in_three_seconds(tmp_path: Path) -> None:
    began = time.process_time()

    for task_id in TASK_IDS:
        task = shipped(task_id)
        write_sample_gold(task, tmp_path)
        write_public_files(task, tmp_path / "public")
        sample_runs(task, open_gold(task, GoldSource(str(tmp_path))))

    assert time.process_time() - began < 3
