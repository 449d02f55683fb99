"""The forest plot: marks where the numbers are, filled where a difference is clear, in the reader's signs."""

import re
from typing import Any

import pytest

from leaderboard.parts.charts_forest import draw_forest
from leaderboard.parts.table import Labels
from leaderboard.texts import LANGUAGES, texts

NARROW = "\u202f"
BOARD: dict[str, Any] = {
    "task": "toy",
    "made_at": "2026-12-01T00:00:00Z",
    "gold": {"kind": "open", "is_sample": True, "version": "1", "fingerprint": ""},
    "topics": 400,
    "digits": 3,
}
LABELS = Labels("Toy", axes={"kind": "Kind"}, values={"kind": {"easy": "Easy ones"}})
NAMES = {"a": "Alpha", "b": "Beta", "c": "<b>Gamma</b>"}


def a_cell(difference: float, *, clear: bool | None = True) -> dict[str, Any]:
    if clear is None:
        return {"difference": difference, "interval": None, "p": None, "p_holm": None, "clear": None}
    p = 0.0002 if clear else 0.4
    return {
        "difference": difference,
        "interval": [difference - 0.01, difference + 0.01],
        "p": p,
        "p_holm": p,
        "clear": clear,
    }


def an_answer(*overall: dict[str, Any], slices: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {
        "measure": "nDCG@10",
        "mean": "topics",
        "unit": "topic",
        "n_units": 400,
        "n_comparisons": len(overall),
        "reference": "a",
        "others": ["b", "c"][: len(overall)],
        "overall": list(overall),
        "slices": slices or [],
    }


def drawn(answer: dict[str, Any], lang: str = "en") -> str:
    return draw_forest(BOARD, answer, NAMES, answer["others"], LABELS, texts(lang), "./toy")


def wide(told: str) -> str:
    found = re.search(r"<svg[^>]*is-wide.*?</svg>", told, flags=re.DOTALL)
    assert found
    return found.group()


def x_of(path: str) -> float:
    found = re.search(r"translate\(([\d.]+)", path)
    assert found
    return float(found.group(1))


def test_better_systems_lie_right_of_zero_and_worse_ones_left() -> None:
    told = wide(drawn(an_answer(a_cell(0.05), a_cell(-0.05))))

    zero = re.search(r'd="M([\d.]+) [^"]*" class="q-zero"', told)
    assert zero
    first, second = re.findall(r'<path d="[^"]*" transform="[^"]*" class="q-mark[^>]*>', told)
    assert x_of(second) < float(zero.group(1)) < x_of(first)


def test_only_clear_differences_are_filled() -> None:
    told = wide(drawn(an_answer(a_cell(0.05), a_cell(0.002, clear=False))))

    assert re.findall(r'class="(q-mark [^"]*)"', told) == ["q-mark q-series-1", "q-mark q-series-2 is-plain"]


def test_difference_without_verdict_has_no_whisker() -> None:
    told = wide(drawn(an_answer(a_cell(0.05, clear=None))))

    assert "q-whisker" not in told
    assert "is-plain" in told


def test_slices_without_verdict_are_left_out() -> None:
    slices = [
        {"axis": "kind", "value": "easy", "topics": 300, "others": [a_cell(0.1)]},
        {"axis": "kind", "value": "hard", "topics": 12, "others": None},
    ]

    told = drawn(an_answer(a_cell(0.05), slices=slices))

    assert "Easy ones" in told
    assert "hard" not in told
    assert wide(told).count("q-mark") == 2


@pytest.mark.parametrize(
    ("lang", "gap", "p"),
    [("en", "+0.050", "&lt; 0.001"), ("fr", "+0,050", f"&lt;{NARROW}0,001"), ("zh", "+0.050", "&lt; 0.001")],
)
def test_numbers_have_a_sign_and_the_languages_mark(lang: str, gap: str, p: str) -> None:
    told = drawn(an_answer(a_cell(0.05)), lang)

    assert f'<td class="is-number">{gap}</td>' in told
    assert p.replace(NARROW, " ") in told.replace(NARROW, " ")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_names_are_text_in_every_form(lang: str) -> None:
    told = drawn(an_answer(a_cell(0.05), a_cell(0.1)), lang)

    assert "&lt;b&gt;Gamma" in told
    assert "<b>Gamma" not in told
