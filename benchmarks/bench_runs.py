"""Measure how fast runs are read and scored, beside the programs of the field, on files of our own making.

    python benchmarks/bench_runs.py --files S M --repeats 3 --write docs/performance.md

Every program is a process of its own; all take turns on each file, so that what else the machine does meets all of
them. Printed are medians: wall and processor seconds, their ratios to the reference (C trec_eval where it is on the
PATH, else pytrec_eval; ours where there is neither), processor time a line, the peak memory, and the wall time of the
fastest turn; below, which targets this run reached, judged by each program's fastest turn, since a clock that goes up
and down can only slow a program. On a busy machine the processor's ratios are the ones to read. Programs that are not
installed are left out, and slow ones on large files.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import targets
from make_runs import Shape
from targets import GROWING, WARM, Figures

ROOT = Path(__file__).resolve().parent.parent
CONTENDERS = ROOT / "benchmarks" / "contenders.py"
MAKE_RUNS = ROOT / "benchmarks" / "make_runs.py"
MARK = "<!-- the table below is written by make bench -->"
SMALL = ("S",)  # ranx is run on these only


@dataclass(frozen=True, slots=True)
class File:
    """A made-up run of so many topics and lines a topic."""

    shape: Shape
    packed: bool = False

    @property
    def n_lines(self) -> int:
        return self.shape.topics * self.shape.depth


FILES = {
    "S": File(Shape(1_000)),
    "M": File(Shape(10_000)),
    "M-mixed": File(Shape(10_000, order="mixed")),
    "M-scattered": File(Shape(10_000, order="scattered")),
    "M-long": File(Shape(10_000, digits=17)),
    "L": File(Shape(70_000)),
    "L-scattered": File(Shape(70_000, order="scattered")),
    "L-gzip": File(Shape(70_000), packed=True),
    "XL": File(Shape(50_000, depth=1_000)),
    # how XL begins: what a line costs as a file of the same shape grows
    "XL-0.1": File(Shape(100, depth=1_000)),
    "XL-1": File(Shape(1_000, depth=1_000)),
    "XL-7": File(Shape(7_000, depth=1_000)),
}
TURNS = (("L", "L-gzip"), GROWING)  # files that are compared with each other


@dataclass(slots=True)
class Program:
    """One program, how to call it, and what was measured on the file at hand."""

    name: str
    command: Sequence[str]
    wall_s: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)
    peak_mib: list[float] = field(default_factory=list)


def programs(file: str, others: str, qrels: Path, run: Path) -> Iterator[Program]:
    """Yield what can be run here, the reference first; `others` is the interpreter that has the other programs."""
    paths = [str(qrels), str(run)]
    contender = [others, str(CONTENDERS)]
    is_part = file in GROWING[:-1]
    has_reference = run.suffix != ".gz" and not is_part
    if has_reference and (trec_eval := shutil.which("trec_eval")):
        measures = [part for name in ("ndcg_cut.10", "map", "recall.10", "P.10", "recip_rank") for part in ("-m", name)]
        yield Program("trec_eval", [trec_eval, "-c", "-q", *measures, *paths])
    if has_reference and file != "XL" and has_module(others, "pytrec_eval"):
        yield Program("pytrec_eval", [*contender, "pytrec_eval", *paths])
    measures = [part for name in ("nDCG@10", "AP", "R@10", "P@10", "RR") for part in ("-m", name)]
    if not is_part:
        yield Program("ours", [sys.executable, "-m", "evaluation", "score", *paths, *measures])
    yield Program(WARM, [sys.executable, str(CONTENDERS), "ours_warm", *paths])
    if has_reference and file in ("S", "M", "L") and has_module(others, "ir_measures"):
        yield Program("ir_measures", [*contender, "ir_measures", *paths])
    if file in SMALL and has_module(others, "ranx"):
        yield Program("ranx", [*contender, "ranx", *paths])


def has_module(python: str, name: str) -> bool:
    """Say whether an interpreter can import a module."""
    return subprocess.run([python, "-c", f"import {name}"], capture_output=True, check=False).returncode == 0


def write(file: File, stem: Path) -> tuple[Path, Path]:
    """Write a run and its judgements, in a process of its own: a child's peak memory begins with that of its parent."""
    shape = [f"--{name}={value}" for name, value in asdict(file.shape).items()]
    command = [sys.executable, str(MAKE_RUNS), str(stem), *shape, *(["--gzip"] if file.packed else [])]
    run, qrels = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return Path(run), Path(qrels)


def measure(program: Program) -> None:
    """Run a program once, to its end."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(program.command, cwd=ROOT, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{program.name} failed with exit status {process.returncode}")
        cpu_s = usage.ru_utime + usage.ru_stime
        output.seek(0)
        if program.name == WARM:
            inside = json.load(output)
            wall_s, cpu_s = inside["wall_s"], inside["cpu_s"]
    program.wall_s.append(wall_s)
    program.cpu_s.append(cpu_s)
    program.peak_mib.append(usage.ru_maxrss / 1024)


def batches(names: Sequence[str]) -> list[list[str]]:
    """Group files that are compared with each other, so that their programs take turns."""
    first = {name: next((files[0] for files in TURNS if name in files), name) for name in names}
    return [[name for name in names if first[name] == head] for head in dict.fromkeys(first.values())]


def measured(names: Sequence[str], others: str, folder: Path, repeats: int) -> Iterator[tuple[str, Program]]:
    """Measure all programs on the files of one batch, in turn; yields each with its file."""
    contenders = []
    for name in names:
        run, qrels = write(FILES[name], folder / name)
        contenders += [(name, program) for program in programs(name, others, qrels, run)]
    for _ in range(repeats):
        for _, program in contenders:
            measure(program)
    for path in folder.iterdir():
        path.unlink()
    yield from contenders


def row(name: str, program: Program, reference: Program) -> str:
    """Lay out the medians of one program beside those of the reference."""
    found, base = (figures(name, one, statistics.median) for one in (program, reference))
    cells = (
        f"{found.wall_s:.2f}",
        f"{found.wall_s / base.wall_s:.2f}",
        f"{found.cpu_s:.2f}",
        f"{found.cpu_s / base.cpu_s:.2f}",
        f"{found.cpu_s / found.n_lines * 1e9:.0f}",
        "" if program.name == WARM else f"{found.peak_mib:.0f}",
        f"{min(program.wall_s):.2f}",
    )
    return "| " + " | ".join((name, program.name, *cells)) + " |"


def figures(name: str, program: Program, one_of: Callable[[list[float]], float]) -> Figures:
    """Take one value of all turns, the median or the least."""
    return Figures(*map(one_of, (program.wall_s, program.cpu_s, program.peak_mib)), FILES[name].n_lines)


def main() -> None:
    """Measure, print the tables, and keep them where asked."""
    parser = argparse.ArgumentParser(description="Measure how fast runs are read and scored.")
    parser.add_argument("--files", nargs="+", choices=FILES, default=["S", "M"], metavar="FILE", help=", ".join(FILES))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--others", default=sys.executable, help="interpreter that has the other programs")
    parser.add_argument("--write", type=Path, help="page that takes the tables below its mark")
    given = parser.parse_args()
    lines = [
        "| file | program | wall s | ratio | processor s | ratio | ns a line | peak MiB | fastest s |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    found: dict[tuple[str, str], Figures] = {}
    with tempfile.TemporaryDirectory() as folder:
        for names in batches(given.files):
            references: dict[str, Program] = {}
            for name, program in measured(names, given.others, Path(folder), given.repeats):
                found[name, program.name] = figures(name, program, min)
                lines.append(row(name, program, references.setdefault(name, program)))
                print(lines[-1], flush=True)
    verdicts = ["", *targets.HEADING, *targets.rows(found)]
    print("\n".join(verdicts))
    if given.write:
        above, mark, _ = given.write.read_text(encoding="utf-8").partition(MARK)
        command = f'`make bench FILES="{" ".join(given.files)}"`, {given.repeats} turns; targets by the fastest.'
        page = "\n".join([f"{above}{mark or MARK}", "", command, "", *lines, *verdicts])
        given.write.write_text(page + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
