"""The words: complete in three languages, each used, and written as the language writes."""

import json
import re
import string
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from leaderboard.texts import (
    LANGUAGES,
    choose_language,
    format_bytes,
    format_date,
    format_gap,
    format_moment,
    format_number,
    format_params,
    format_score,
    format_span,
    mark,
    texts,
    translate_marks,
)

HALL = Path(__file__).resolve().parents[2] / "leaderboard"
NARROW = "\u202f"
SECTIONS = sorted(texts("en").sections)


def fields(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


def source() -> str:
    files = [
        path for ending in ("*.py", "*.js") for path in sorted(HALL.rglob(ending)) if "migrations" not in path.parts
    ]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


SOURCE = source()
# "section.key" in full, or what stands before a brace in f"section.prefix_{…}"
WHOLE = set(re.findall(r"""["'`]([a-z]+\.[a-z0-9_]+)["'`]""", SOURCE))
PREFIXES = set(re.findall(r"""["'`]([a-z]+\.[a-z0-9_]*)\{""", SOURCE))
# where only the section stands before the brace, the key is a word in quotes nearby, perhaps with a number behind it
OPEN_SECTIONS = {prefix.rstrip(".") for prefix in PREFIXES if prefix.endswith(".")}
DOUBLY_OPEN_SECTIONS = set(re.findall(r"""["']([a-z]+)\.\{\w+\}_\{""", SOURCE))
QUOTED = set(re.findall(r"""["']([a-z0-9_]+)["']""", SOURCE))
# the browser gets the section of the table whole and names its words itself
IN_SCRIPTS = set(re.findall(r"\bwords\.([a-z_]+)", SOURCE))
SCRIPT_PREFIXES = set(re.findall(r"words\[`([a-z_]+)\$\{", SOURCE))


def is_used(section: str, key: str) -> bool:
    name = f"{section}.{key}"
    if {name, re.sub(r"_(one|many)$", "", name)} & WHOLE:
        return True
    if any(name.startswith(prefix) for prefix in PREFIXES if not prefix.endswith(".")):
        return True
    if section in OPEN_SECTIONS and {key, re.sub(r"_\d+$", "", key)} & QUOTED:
        return True
    if section in DOUBLY_OPEN_SECTIONS and any(key.startswith(f"{word}_") for word in QUOTED):
        return True
    return section == "table" and (key in IN_SCRIPTS or any(key.startswith(prefix) for prefix in SCRIPT_PREFIXES))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_has_the_same_keys(lang: str) -> None:
    keys = {section: set(words) for section, words in texts(lang).sections.items()}

    assert keys == {section: set(words) for section, words in texts("en").sections.items()}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("section", SECTIONS)
def test_every_language_has_the_same_placeholders(lang: str, section: str) -> None:
    english = texts("en").section(section)

    found = {key: fields(sentence) for key, sentence in texts(lang).section(section).items()}

    assert found == {key: fields(sentence) for key, sentence in english.items()}


@pytest.mark.parametrize("section", SECTIONS)
def test_every_key_is_used(section: str) -> None:
    assert [key for key in texts("en").section(section) if not is_used(section, key)] == []


def test_every_key_that_is_asked_for_exists() -> None:
    asked = set(re.findall(r"""(?:words\.get|mark)\(\s*"([a-z]+\.[a-z0-9_]+)\"""", SOURCE))
    counted = set(re.findall(r"""words\.count\(\s*"([a-z]+\.[a-z0-9_]+)\"""", SOURCE))
    asked |= {f"{key}_{number}" for key in counted for number in ("one", "many")}

    assert sorted(key for key in asked if not texts("en").has(key)) == []


@pytest.mark.parametrize("section", SECTIONS)
def test_french_has_a_narrow_space_before_high_marks_and_inside_quotes(section: str) -> None:
    wrong = {
        key: sentence
        for key, sentence in texts("fr").section(section).items()
        if re.search(rf"[^\S{NARROW}][;?!%»]|[^\S{NARROW}]:(?!/)|«[^{NARROW}]", sentence)
    }

    assert wrong == {}


@pytest.mark.parametrize("section", SECTIONS)
def test_no_sentence_is_left_in_english(section: str) -> None:
    """A French or Chinese sentence of several words that equals the English one was forgotten."""
    english: Mapping[str, str] = texts("en").section(section)

    same = [
        key
        for lang in ("fr", "zh")
        for key, sentence in texts(lang).section(section).items()
        if sentence == english[key] and len(re.findall(r"[A-Za-z]{2,}", re.sub(r"\{\w+\}", "", sentence))) > 2
    ]

    assert same == []


@pytest.mark.parametrize(
    ("asked", "accepted", "lang"),
    [
        ("fr", "en", "fr"),
        (None, "zh-Hans-CN,zh;q=0.9,en;q=0.8", "zh"),
        (None, "de-DE,fr;q=0.5", "fr"),
        ("xx", "fr", "fr"),
        (None, "", "en"),
        ("<script>", "*", "en"),
    ],
)
def test_language_is_the_asked_one_else_the_browsers_else_english(asked: str | None, accepted: str, lang: str) -> None:
    assert choose_language(asked, accepted) == lang


def test_count_chooses_the_form_of_the_language() -> None:
    assert [texts("en").count("task.topics", n) for n in (0, 1, 1200)] == ["0 topics", "1 topic", "1,200 topics"]
    assert [texts("fr").count("task.topics", n) for n in (0, 1, 1200)] == [
        "0 requête",
        "1 requête",
        f"1{NARROW}200 requêtes",
    ]


@pytest.mark.parametrize(("lang", "said"), [("en", "A: 1"), ("fr", f"A{NARROW}: 1"), ("zh", "A：1")])
def test_colon_is_that_of_the_language(lang: str, said: str) -> None:
    assert texts(lang).labelled("A", "1") == said


def test_unknown_key_and_missing_field_are_errors() -> None:
    with pytest.raises(KeyError):
        texts("en").get("task.no_such_key")
    with pytest.raises(KeyError):
        texts("en").get("table.count", n=1)


def test_value_with_braces_is_inserted_as_it_is() -> None:
    assert texts("en").get("common.not_found", path="{0.__class__}").count("{0.__class__}") == 1


def test_marks_are_replaced_and_safe_inside_a_script() -> None:
    body = f'{{"label":"{mark("card.x.y")}","other":"{mark("table.rank")}"}}'

    found = json.loads(translate_marks(body, "fr", {"card.x.y": 'a "b" \\ </script>'}))

    assert found == {"label": 'a "b" \\ </script>', "other": "Rang"}
    assert "</script>" not in translate_marks(body, "fr", {"card.x.y": "</script>"})


def test_numbers_are_written_as_the_language_writes_them() -> None:
    assert format_number(1234567.5, "en", 1) == "1,234,567.5"
    assert format_number(1234567.5, "fr", 1) == f"1{NARROW}234{NARROW}567,5"
    assert [format_score(value, "fr") for value in (0.8124, 1.0, None)] == ["0,812", "1,000", "—"]


def test_differences_have_a_sign_unless_they_round_to_nothing() -> None:
    assert [format_gap(value, "en") for value in (0.0214, -0.0214, 0.0004, -0.0004)] == [
        "+0.021",
        "−0.021",
        "0.000",
        "0.000",
    ]
    assert format_gap(-0.5, "fr", 1) == "−0,5"


@pytest.mark.parametrize(
    ("millions", "english", "french"),
    [
        (None, "n/a", "n.c."),
        (0.5, "0.5 M", f"0,5{NARROW}M"),
        (33, "33 M", f"33{NARROW}M"),
        (568, "568 M", f"568{NARROW}M"),
        (7100, "7.1 B", f"7,1{NARROW}Md"),
        (175000, "175 B", f"175{NARROW}Md"),
    ],
)
def test_parameters_carry_their_unit(millions: float | None, english: str, french: str) -> None:
    assert (format_params(millions, "en"), format_params(millions, "fr")) == (english, french)


def test_sizes_use_the_largest_unit_that_fits() -> None:
    assert [format_bytes(size, "en") for size in (0, 999, 1500, 268_435_456)] == ["0 B", "999 B", "1.5 kB", "268 MB"]
    assert format_bytes(1500, "fr") == f"1,5{NARROW}ko"


def test_days_and_moments_are_in_universal_time() -> None:
    late = datetime(2026, 11, 30, 23, 30, tzinfo=timezone(timedelta(hours=-2)))

    assert format_date(late, "fr") == "2026-12-01"
    assert format_moment(datetime(2026, 11, 30, 14, 5, tzinfo=UTC), "en") == "2026-11-30 14:05 UTC"


def test_spans_show_two_units() -> None:
    assert [format_span(s, "en") for s in (0, 40, 312, 18720)] == ["0 s", "40 s", "5 min 12 s", "5 h 12 min"]
    assert format_span(312, "zh") == "5分钟 12秒"


def test_languages_of_strangers_are_not_kept() -> None:
    assert all(texts(f"any word of a stranger {n}") is texts("en") for n in range(3))
