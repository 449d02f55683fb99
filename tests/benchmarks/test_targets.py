"""The verdicts of the bench follow from what was measured, and from nothing else."""

from benchmarks.targets import GROWING, OURS, WARM, Figures, rows


def figures(wall_s: float, peak_mib: float = 100, n_lines: int = 1_000_000) -> Figures:
    return Figures(wall_s, wall_s, peak_mib, n_lines)


def verdicts(found: dict[tuple[str, str], Figures]) -> dict[str, list[str]]:
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows(found)]
    return {name: rest for name, *rest in cells}


def test_target_at_its_limit_is_reached_and_above_it_is_not() -> None:
    at = verdicts({("L", OURS): figures(2.9), ("L", "pytrec_eval"): figures(10)})
    above = verdicts({("L", OURS): figures(3.0), ("L", "pytrec_eval"): figures(10)})

    assert at["L, whole process / pytrec_eval"] == ["0.29", "0.29", "yes"]
    assert above["L, whole process / pytrec_eval"] == ["0.29", "0.30", "**no**"]


def test_what_was_not_measured_is_left_out() -> None:
    assert verdicts({}) == {}
    assert set(verdicts({(file, WARM): figures(1) for file in GROWING})) == {
        "dearest / cheapest line of any length, warm"
    }


def test_memory_of_scattered_lines_is_told_with_and_without_the_process() -> None:
    found = verdicts(
        {("L", OURS): figures(1, 250, 7_000_000), ("L-scattered", OURS): figures(1, 250 + 7 * 40, 7_000_000)}
    )

    assert found["scattered beyond grouped, MiB a million lines"] == ["45", "40", "yes"]
    assert found["scattered with all of the process, MiB a million lines"] == ["45", "76", "**no**"]
    assert found["grouped, peak MiB"] == ["256", "250", "yes"]


def test_packed_file_is_compared_with_the_plain_one() -> None:
    found = verdicts({("L", OURS): figures(2), ("L-gzip", OURS): figures(2.4)})

    assert found["L-gzip / L, whole process"] == ["1.25", "1.20", "yes"]
