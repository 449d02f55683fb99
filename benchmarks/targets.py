"""What the reader is to reach, judged by what was measured in one run of the bench.

    | target | at most | measured | reached |

Pure: figures in, table rows out. A target whose programs or files were not measured is left out.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

OURS, WARM = "ours", "ours, warm"
GROWING = ("XL-0.1", "XL-1", "XL-7", "XL")  # files of one shape, by million lines
HEADING = ("| target | at most | measured | reached |", "|---|---|---|---|")


@dataclass(frozen=True, slots=True)
class Figures:
    """What one program took on one file; the memory of a warm program is that of its whole process."""

    wall_s: float
    cpu_s: float
    peak_mib: float
    n_lines: int


Measured = Mapping[tuple[str, str], Figures]  # by file and program


@dataclass(frozen=True, slots=True)
class Target:
    """A number that is to stay at or below a limit; `value` raises KeyError where something was not measured."""

    name: str
    limit: float
    value: Callable[[Measured], float]


def wall(file: str, program: str, reference: str, reference_file: str = "") -> Callable[[Measured], float]:
    """Compare wall times."""
    return lambda found: found[file, program].wall_s / found[reference_file or file, reference].wall_s


def flatness(found: Measured) -> float:
    """Compare the dearest line with the cheapest as a file grows, warm."""
    costs = [found[file, WARM] for file in GROWING]
    per_line = [one.wall_s / one.n_lines for one in costs]
    return max(per_line) / min(per_line)


def grouped_peak(found: Measured) -> float:
    """Take the most memory that a grouped file needed."""
    return max(found["L", OURS].peak_mib, found.get(("XL", OURS), found["L", OURS]).peak_mib)


def scattered_growth(found: Measured) -> float:
    """Take the memory that lines cost where they are scattered, beyond the same lines grouped; a million lines."""
    scattered = found["L-scattered", OURS]
    return (scattered.peak_mib - found["L", OURS].peak_mib) / scattered.n_lines * 1e6


def scattered_whole(found: Measured) -> float:
    """Take the same with everything that the process holds."""
    return found["L-scattered", OURS].peak_mib / found["L-scattered", OURS].n_lines * 1e6


TARGETS = (
    Target("L, whole process / trec_eval", 0.45, wall("L", OURS, "trec_eval")),
    Target("L, warm / trec_eval", 0.30, wall("L", WARM, "trec_eval")),
    Target("M, warm / trec_eval", 0.34, wall("M", WARM, "trec_eval")),
    Target("L-scattered, whole process / trec_eval", 0.45, wall("L-scattered", OURS, "trec_eval")),
    Target("XL, whole process / trec_eval", 0.30, wall("XL", OURS, "trec_eval")),
    Target("L, whole process / pytrec_eval", 0.29, wall("L", OURS, "pytrec_eval")),
    Target("L, whole process / ir_measures", 0.18, wall("L", OURS, "ir_measures")),
    Target("L-gzip / L, whole process", 1.25, wall("L-gzip", OURS, OURS, "L")),
    Target("grouped, peak MiB", 256, grouped_peak),
    Target("scattered beyond grouped, MiB a million lines", 45, scattered_growth),
    Target("scattered with all of the process, MiB a million lines", 45, scattered_whole),
    Target("dearest / cheapest line of any length, warm", 1.30, flatness),
)


def rows(found: Measured) -> Iterator[str]:
    """Yield a table row for each target that can be judged."""
    for target in TARGETS:
        try:
            value = target.value(found)
        except KeyError:
            continue
        verdict = "yes" if value <= target.limit else "**no**"
        digits = 0 if target.limit > 10 else 2
        yield f"| {target.name} | {target.limit:.{digits}f} | {value:.{digits}f} | {verdict} |"
