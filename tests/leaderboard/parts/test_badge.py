"""The badge: safe text, no wider than needed, in the reader's language."""

from xml.etree import ElementTree

from leaderboard.parts.badge import badge
from leaderboard.texts import texts
from tests.leaderboard.parts.boards import HOSTILE

SVG = "{http://www.w3.org/2000/svg}"


def test_badge_says_board_rank_and_score() -> None:
    drawn = ElementTree.fromstring(badge("IRSC", 2, 1048, 0.83219, 3, texts("fr")))

    assert [text.text for text in drawn.iter(f"{SVG}text")] == ["IRSC", "n°\u202f2 sur 1\u202f048 · 0,832"]


def test_markup_in_a_name_is_text_and_a_long_name_is_cut() -> None:
    drawn = ElementTree.fromstring(badge(HOSTILE * 3, 1, 1, None, 3, texts("en")))

    shown = next(drawn.iter(f"{SVG}text")).text or ""
    assert shown.startswith("<img src=x")
    assert shown.endswith("…")
    assert [child.tag for child in drawn.iter() if child.tag.endswith("img")] == []


def test_wide_characters_get_their_room() -> None:
    narrow, wide = (
        ElementTree.fromstring(badge(name, 1, 1, 0.5, 3, texts("en"))) for name in ("abcdefgh", "检索检索检索检索")
    )

    assert int(wide.attrib["width"]) > int(narrow.attrib["width"]) + 30
