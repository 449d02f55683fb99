"""The reliability page shows what was measured, also what failed, and nothing else."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from leaderboard.measured import read_measured
from leaderboard.pages import reliability
from leaderboard.texts import LANGUAGES, texts
from leaderboard.visit import Visit
from tests.leaderboard.hall import Hall
from tests.measure import FIGURES, summed

REPORT = """<testsuites><testsuite>
<testcase name="a"><properties><property name="kills" value="2"/><property name="seconds" value="1.25"/></properties>
</testcase>
<testcase name="b"><properties><property name="kills" value="1"/></properties><failure/></testcase>
<testcase name="c"><properties><property name="kills" value="9"/></properties><skipped/></testcase>
</testsuite></testsuites>"""


def test_every_published_figure_has_its_command_and_was_whole() -> None:
    figures = read_measured()

    assert set(figures) <= set(FIGURES)
    for name, figure in figures.items():
        assert figure["command"] == f"python -m pytest {FIGURES[name]}"
        assert int(figure["tests"]) > 0
        for path in str(FIGURES[name]).split()[:1]:
            assert (Path(__file__).resolve().parents[2] / path).exists()


def test_counts_are_summed_over_the_tests_that_ran_and_failures_stay_visible() -> None:
    found = summed(list(ElementTree.fromstring(REPORT).iter("testcase")))

    assert found == {"tests": 2, "failed": 1, "skipped": 1, "kills": 3, "seconds": 1.2}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_page_shows_every_figure_with_its_command(hall: Hall, lang: str) -> None:
    told = reliability.draw(hall, Visit.of("reliability", {"lang": lang}))  # type: ignore[arg-type]

    for figure in read_measured().values():
        assert str(figure["command"]) in told
    assert "{" not in told


@pytest.mark.parametrize("lang", LANGUAGES)
def test_failed_check_is_shown(lang: str) -> None:
    figure = {"command": "x", "on": "2026-12-01", "tests": 4, "failed": 1, "skipped": 0, "seconds": 3.5}

    row = reliability.row("restart", figure, texts(lang))

    assert row[1] == texts(lang).get("reliability.checks_value", passed="3", tests="4")


def test_missing_file_is_no_figure(tmp_path: Path) -> None:
    assert read_measured(tmp_path / "none.toml") == {}


@pytest.mark.parametrize("state", ["open", "away", "refused"])
def test_page_says_how_queue_and_archive_do(hall: Hall, state: str) -> None:
    hall.store.archive.set_state(state, hall.now, setting="ARCHIVE_TOKEN" if state == "refused" else None)

    told = reliability.draw(hall, Visit.of("reliability", {"lang": "en"}))  # type: ignore[arg-type]

    assert texts("en").get("method.health_1", n="0") in told
    assert texts("en").get(f"reliability.archive_{state}", n=str(hall.store.archive.lag()[0])) in told
    assert "ARCHIVE_TOKEN" not in told
