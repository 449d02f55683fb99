"""Every fault of every generated file is found at its line, and nothing else is found or raised."""

import io
import random
from collections.abc import Callable

import pytest

from evaluation import RunReport, read_run
from evaluation.messages import RUN_FAULTS
from tests.malformed.generator import CLASSES, Broken, Good, make

SEEDS = range(25)
# a cut gzip file may end in half a line, and a file with too many faults has these too
NOT_ALONE = {"gzip_truncated", "too_large", "too_many_faults"}


def report(broken: Broken) -> RunReport:
    return read_run(io.BytesIO(broken.raw), **broken.options).report


def test_there_are_many_classes_and_files(record_property: Callable[[str, object], None]) -> None:
    record_property("classes", len(CLASSES))
    record_property("files", len(CLASSES) * len(SEEDS))
    assert len(CLASSES) >= 60
    assert len(CLASSES) * len(SEEDS) >= 2000


def test_every_code_of_a_run_has_a_class() -> None:
    assert {make(name, 0).code for name in CLASSES} == set(RUN_FAULTS)


@pytest.mark.parametrize("name", CLASSES)
def test_fault_is_found_at_its_line(name: str) -> None:
    for seed in SEEDS:
        broken = make(name, seed)

        found = report(broken)

        faults = [(fault.code, fault.line) for fault in found.faults]
        assert not found.accepted
        assert (broken.code, broken.line) in faults, f"seed {seed}"
        if broken.code not in NOT_ALONE:
            assert len(faults) == 1, f"seed {seed}"
        if broken.column:
            assert found.faults[0].column == broken.column
        assert all(fault.message and fault.fix and fault.to_json() for fault in found.faults)


def test_good_runs_have_no_fault() -> None:
    for seed in range(200):
        found = report(Broken(Good(random.Random(seed)).text(), ""))

        assert (found.accepted, found.faults) == (True, ())


def test_several_faults_of_one_file_are_all_found() -> None:
    of_lines = [name for name in CLASSES if make(name, 0).line is not None and not make(name, 0).options]
    for seed in range(300):
        chance = random.Random(seed)
        parts, expected, n_lines = [], [], 0
        for number, name in enumerate(chance.sample(of_lines, chance.randrange(2, 10))):
            # other topics in each part, so that no part repeats another
            broken = make(name, seed, [f"{number}-{topic}" for topic in "abcd"])
            raw = broken.raw if broken.raw.endswith(b"\n") else broken.raw + b"\n"
            parts.append(raw)
            expected.append((broken.code, n_lines + (broken.line or 0)))
            n_lines += raw.count(b"\n")

        found = report(Broken(b"".join(parts), ""))

        assert [(fault.code, fault.line) for fault in found.faults] == expected, f"seed {seed}"


def test_cutting_or_flipping_bytes_never_raises() -> None:
    for seed in range(1500):
        chance = random.Random(seed)
        raw = bytearray(make(chance.choice(list(CLASSES)), seed % 7).raw[:20_000])
        for _ in range(chance.randrange(1, 6)):
            if raw:
                raw[chance.randrange(len(raw))] = chance.randrange(256)
        raw = raw[: chance.randrange(len(raw) + 1)]

        found = report(Broken(bytes(raw), ""))

        assert found.accepted == (not found.faults)
