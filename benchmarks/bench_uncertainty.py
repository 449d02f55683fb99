"""Time the intervals, the table of all pairs and the paired test; simulate what they claim.

    python -m benchmarks.bench_uncertainty                  both, about five minutes
    python -m benchmarks.bench_uncertainty --only speed     beside scipy, ranx and statsmodels where they are installed
    python -m benchmarks.bench_uncertainty --only claims --repeats 500

Speed is of 100 systems × 10,000 topics; scipy and ranx do one system or one pair a call and are timed on that.
"""

import argparse
import importlib
import math
import resource
import time
from collections.abc import Callable, Iterator
from types import ModuleType

import numpy as np

from evaluation.paired import compare, holm, randomisation_p_values
from evaluation.resampling import Statistic, resample, robustness_statistic, topic_statistic, units_of
from evaluation.uncertainty import Separation, intervals, separate

N_SYSTEMS, N_TOPICS, N_RESAMPLES = 100, 10_000, 10_000
# For the simulated tables; a critical value from 1,000 resamples is noisy, but not biased enough to matter for a rate.
N_SIMULATED = 1000
N_RUNS = 5
UNITS = 100


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", choices=["speed", "claims"])
    arguments.add_argument("--repeats", type=int, default=2000, help="simulated data sets a row")
    options = arguments.parse_args()
    if options.only != "claims":
        show("Speed, median (fastest) of five", ("what", "seconds", "of what"), speed())
    if options.only != "speed":
        n = options.repeats
        show(f"Coverage of 95% intervals, {n} data sets", ("values", "units", "covered", "93–97%"), coverage(n))
        title = f"False verdicts about equal systems, {n} data sets, {UNITS} units"
        show(title, ("values", "systems", "separable from 1st", "any pair", "≤ 6% + 2 errors"), false_verdicts(n))
        show(f"All rank intervals right at once, {n} data sets", ("systems", "held", "≥ 95% − 2 errors"), ranks(n))


def show(title: str, heading: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> None:
    print(f"\n## {title}\n\n| {' | '.join(heading)} |\n|{'---|' * len(heading)}", flush=True)
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def speed() -> Iterator[tuple[str, ...]]:
    values = np.clip(equal_systems("graded", N_SYSTEMS, N_TOPICS, np.random.default_rng(0)), 0, 1)
    statistic = topic_statistic(values, units_of(N_TOPICS))
    before_mib = peak_mib()
    (found,) = resample([statistic], seed=1)

    def board() -> None:
        (again,) = resample([statistic], seed=1)
        intervals(again)
        separate(again)

    differences = values[1:] - values[0]
    p_values = np.random.default_rng(1).random(14 * 99)
    yield "intervals of all and max-T of 4,950 pairs", seconds(board), "target 1.5"
    yield "… the table of pairs alone", seconds(lambda: separate(found)), "resamples given"
    yield "one against 99, randomisation", seconds(lambda: randomisation_p_values(differences, seed=1)), "target 0.25"
    yield "one against 99, with intervals", seconds(lambda: compare(found, reference=0, seed=1)), "resamples given"
    yield "Holm of 1,386 p-values", seconds(lambda: holm(p_values)), ""
    yield "memory above the values", f"{peak_mib() - before_mib:.0f} MiB", "peak of the process"
    if stats := installed("scipy.stats"):
        yield "scipy bootstrap, percentile", seconds(lambda: scipy_bootstrap(stats, values[0]), 1), "one system (× 100)"
        yield "scipy permutation_test", seconds(lambda: scipy_permutation(stats, values), 1), "one pair (× 99)"
    if ranx := installed("ranx.statistical_tests"):
        fisher = ranx.fisher_randomization_test
        fisher(values[0], values[1], 10, 0.01, 1)
        yield (
            "ranx Fisher, compiled",
            seconds(lambda: fisher(values[0], values[1], 10_000, 0.01, 1), 1),
            "one pair (× 99)",
        )
    if multitest := installed("statsmodels.stats.multitest"):
        yield "statsmodels Holm", seconds(lambda: multitest.multipletests(p_values, method="holm")), "1,386 p-values"


def coverage(n: int) -> Iterator[tuple[str, ...]]:
    """Cover the true mean in n data sets, the rows of one matrix: they share the resamples, not the values."""
    for name, statistic, truth in known_means(n, np.random.default_rng(11)):
        (found,) = resample([statistic], seed=2)
        bounds = intervals(found).bounds
        assert bounds is not None
        share = float(np.mean((bounds.low <= truth) & (truth <= bounds.high)))
        yield name, str(statistic.n_units), f"{share:.1%}", "yes" if 0.93 <= share <= 0.97 else "NO"


def known_means(n: int, chance: np.random.Generator) -> Iterator[tuple[str, Statistic, float]]:
    for n_topics in (100, 400):
        units = units_of(n_topics)
        for a, b in ((0.2, 1.8), (0.5, 0.5), (2.0, 3.0), (1.8, 0.2)):
            values = chance.beta(a, b, (n, n_topics))
            yield f"graded, mean {a / (a + b):.1f}", topic_statistic(values, units), a / (a + b)
        for share in (0.1, 0.5, 0.9):
            values = (chance.random((n, n_topics)) < share).astype(np.float64)
            yield f"0 or 1, mean {share}", topic_statistic(values, units), share
        # a fifth of the topics answered, at rank 1, 2, 3 … with 30% each: reciprocal rank
        rank = chance.geometric(0.3, (n, n_topics))
        values = np.where((chance.random((n, n_topics)) < 0.2) & (rank <= 10), 1 / rank, 0)
        truth = 0.2 * sum(0.3 * 0.7 ** (k - 1) / k for k in range(1, 11))
        yield f"RR@10, mean {truth:.2f}", topic_statistic(values, units), truth
    groups = np.repeat(np.arange(UNITS), chance.integers(6, 11, UNITS))
    for mean in (0.1, 0.5, 0.9):
        own = np.clip(chance.beta(2 * mean, 2 - 2 * mean, (n, UNITS)), 1e-6, 1 - 1e-6)[:, groups]
        values = chance.beta(4 * own, 4 - 4 * own)
        yield f"groups of 6–10, mean {mean}", topic_statistic(values, units_of(len(groups), groups)), mean
    values = chance.random((n, 4 * UNITS))
    yield "Robustness of groups of 4", robustness_statistic(values, units_of(4 * UNITS, np.arange(4 * UNITS) // 4)), 0.2


def false_verdicts(n: int) -> Iterator[tuple[str, ...]]:
    for kind in ("graded", "RR@10", "graded, groups"):
        for n_systems in (10, 30, 100):
            chance = np.random.default_rng(21)
            n_leader = n_any = 0
            for repeat in range(n):
                table = simulated(kind, equal_systems(kind, n_systems, UNITS, chance), repeat)
                n_leader += bool(table.is_better[table.estimates.argmax()].any())
                n_any += bool(table.is_better.any())
            allowed = 0.06 + 2 * math.sqrt(0.06 * 0.94 / n)
            yield (
                kind,
                str(n_systems),
                f"{n_leader / n:.1%}",
                f"{n_any / n:.1%}",
                "yes" if n_any / n <= allowed else "NO",
            )


def ranks(n: int) -> Iterator[tuple[str, ...]]:
    """Neighbours are 0.004 apart where a difference has a standard error of 0.014, so that many are near ties."""
    for n_systems in (10, 30):
        chance = np.random.default_rng(22)
        truth = np.arange(1, n_systems + 1)
        n_held = 0
        for repeat in range(n):
            shared, own = chance.normal(0, 0.1, (1, UNITS)), chance.normal(0, 0.1, (n_systems, UNITS))
            table = simulated("graded", 0.6 - 0.004 * truth[:, None] + shared + own, repeat)
            n_held += bool(((table.best_ranks <= truth) & (truth <= table.worst_ranks)).all())
        allowed = 0.95 - 2 * math.sqrt(0.95 * 0.05 / n)
        yield str(n_systems), f"{n_held / n:.1%}", "yes" if n_held / n >= allowed else "NO"


def simulated(kind: str, values: np.ndarray, seed: int) -> Separation:
    n_topics = values.shape[1]
    units = units_of(n_topics, np.arange(n_topics) // 7) if kind.endswith("groups") else units_of(n_topics)
    (found,) = resample([topic_statistic(values, units)], seed=seed, n_resamples=N_SIMULATED)
    table = separate(found)
    assert table is not None
    return table


def equal_systems(kind: str, n_systems: int, n_units: int, chance: np.random.Generator) -> np.ndarray:
    """Systems of one true mean that find the same topics hard; seven topics a unit where the kind has groups."""
    hard = np.clip(chance.beta(0.6, 1.0, (1, n_units)), 0.01, 0.99)
    if kind == "RR@10":
        rank = chance.geometric(np.broadcast_to(hard, (n_systems, n_units)))
        return np.where(rank <= 10, 1 / rank, 0)
    own = np.clip(hard + chance.normal(0, 0.1, (n_systems, n_units)), 0.01, 0.99)
    if kind == "graded, groups":
        own = np.repeat(own, 7, axis=1)
    return chance.beta(4 * own, 4 - 4 * own)


def scipy_bootstrap(stats: ModuleType, values: np.ndarray) -> None:
    stats.bootstrap((values,), np.mean, method="percentile", n_resamples=N_RESAMPLES, batch=200)


def scipy_permutation(stats: ModuleType, values: np.ndarray) -> None:
    def difference(one: np.ndarray, other: np.ndarray, axis: int) -> np.ndarray:
        return np.mean(one - other, axis=axis)

    options = {"permutation_type": "samples", "vectorized": True, "n_resamples": N_RESAMPLES, "batch": 200}
    stats.permutation_test((values[0], values[1]), difference, **options)


def seconds(work: Callable[[], object], n_runs: int = N_RUNS) -> str:
    taken = []
    for _ in range(n_runs):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    digits = 4 if min(taken) < 0.01 else 2
    return f"{np.median(taken):.{digits}f} ({min(taken):.{digits}f})"


def peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def installed(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"| {name} | – | not installed |")
        return None


if __name__ == "__main__":
    main()
