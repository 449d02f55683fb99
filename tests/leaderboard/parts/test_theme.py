"""Tokens: every colour is a pair, and every pair that meets on a page has enough contrast in both themes."""

import re
from pathlib import Path

import pytest

from leaderboard.parts import assets
from leaderboard.parts.theme import contrast, gradio_variables, tokens

PARTS = Path(assets.__file__).parent
TEXT_ON_GROUND = [
    *((text, ground) for text in ("text", "muted", "accent") for ground in ("page", "surface", "raised")),
    ("text", "heat"),
    ("text", "accent-soft"),
    ("accent", "accent-soft"),
    ("accent-strong", "surface"),
    ("accent-strong", "page"),
    ("on-accent", "accent"),
    ("on-accent", "accent-strong"),
    ("error", "page"),
    ("error", "surface"),
    ("error", "error-soft"),
    ("text", "error-soft"),
    ("success", "page"),
    ("success", "surface"),
    ("success", "success-soft"),
    ("text", "success-soft"),
]
GRAPHIC_ON_GROUND = [
    *((f"series-{number}", "surface") for number in (1, 2, 3, 4)),
    ("control-line", "page"),
    ("control-line", "surface"),
    ("accent", "surface"),
    ("accent", "page"),
]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), TEXT_ON_GROUND)
def test_text_stands_out_at_four_and_a_half_to_one(text: str, ground: str, theme: int) -> None:
    assert contrast(tokens()[text][theme], tokens()[ground][theme]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("mark", "ground"), GRAPHIC_ON_GROUND)
def test_marks_and_controls_stand_out_at_three_to_one(mark: str, ground: str, theme: int) -> None:
    assert contrast(tokens()[mark][theme], tokens()[ground][theme]) >= 3


def test_contrast_of_black_on_white_is_21_and_of_equals_1() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#123456", "#123456") == 1


def test_gradio_wears_tokens_that_exist() -> None:
    used = set(re.findall(r"var\(--q-([a-z0-9-]+)\)", " ".join(gradio_variables().values())))

    assert used - set(tokens()) == set()


def test_every_token_that_a_sheet_uses_is_defined() -> None:
    css = assets.stylesheet().body.decode()
    defined = set(re.findall(r"(--q-[a-z0-9-]+):", css))

    assert set(re.findall(r"var\((--q-[a-z0-9-]+)", css)) - defined == set()


@pytest.mark.parametrize("name", assets.STYLES)
def test_colours_are_written_in_the_tokens_alone(name: str) -> None:
    css = re.sub(r"/\*.*?\*/", "", (PARTS / name).read_text(encoding="utf-8"), flags=re.DOTALL)

    assert re.findall(r"#[0-9a-fA-F]{3,8}\b(?=[;, )])|\brgba?\(|\bhsla?\(", css) == []


def test_nothing_is_fetched_from_elsewhere() -> None:
    """Only two outside names stand in the scripts, neither of which is asked: SVG's, and the page around a Space."""
    assert re.findall(rb"https?://|@import|url\(", assets.stylesheet().body) == []
    named = set(re.findall(rb"https?://[^\"'`\s]*|@import|url\(", assets.script().body))
    assert named == {b"http://www.w3.org/2000/svg", b"https://huggingface.co"}


def test_name_of_an_asset_follows_its_text() -> None:
    assert re.fullmatch(r"hall\.[0-9a-f]{12}\.css", assets.stylesheet().name)
    assert assets.stylesheet().name != assets.script().name
