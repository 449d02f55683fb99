"""The English of the scales, and that the reader's languages say the same about the same facts."""

import ast
import string
import tomllib
from pathlib import Path

import pytest

from evaluation import Fault, Notice, QrelboardError, RunFormatError, messages
from evaluation.faultlog import FaultLog, shown

ROOT = Path(__file__).resolve().parent.parent.parent
LANGUAGES = ("en", "fr", "zh")


def texts(lang: str) -> dict[str, str]:
    path = ROOT / "leaderboard" / "texts" / lang / "faults.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def english() -> dict[str, str]:
    sentences = {}
    for code, words in messages.RUN_FAULTS.items():
        sentences[f"fault_{code}"], sentences[f"fix_{code}"] = words
    return sentences | {f"notice_{code}": sentence for code, sentence in messages.RUN_NOTICES.items()}


def placeholders(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


def codes_in_the_source() -> set[str]:
    """Every text in the package that is a code: those that are noted, raised or carried by a notice."""
    codes = set()
    for path in (ROOT / "evaluation").glob("*.py"):
        if path.name != "messages.py":
            tree = ast.parse(path.read_text(encoding="utf-8"))
            codes |= {
                node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
            }
    return codes


def test_texts_in_english_are_those_of_the_scales() -> None:
    written = texts("en")

    assert {key: written.get(key) for key in english()} == english()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_language_has_every_code_and_no_other(lang: str) -> None:
    keys = {key for key in texts(lang) if key.startswith(("fault_", "fix_", "notice_"))}

    assert keys == set(english())


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_language_uses_the_same_facts(lang: str) -> None:
    sentences = texts(lang)

    assert {key: placeholders(sentences[key]) for key in english()} == {
        key: placeholders(sentence) for key, sentence in english().items()
    }


def test_every_code_is_used_and_no_code_has_two_meanings() -> None:
    assert set(messages.FAULTS) | set(messages.NOTICES) <= codes_in_the_source()
    assert not set(messages.FAULTS) & set(messages.NOTICES)
    assert not set(messages.FAULTS) & set(messages.ERRORS)


def test_message_begins_with_the_line_and_fills_in_the_facts() -> None:
    fault = Fault("duplicate_document", 7, "document", "a", {"document": "a{line}", "topic": "q1", "first_line": 2})

    assert fault.message == "Line 7: Document a{line} stands twice in topic q1, first on line 2."
    assert fault.to_json() == {
        "code": "duplicate_document",
        "line": 7,
        "column": "document",
        "found": "a",
        "message": fault.message,
        "fix": "Keep one line for each document of a topic.",
    }


def test_notice_fills_in_its_count() -> None:
    notice = Notice("depth_cut", 3, None, {"depth": 10})

    assert notice.message == "Topics with more than 10 documents: 3. Only the first 10 by score count."
    assert notice.to_json() == {"code": "depth_cut", "count": 3, "line": None, "message": notice.message}


def test_errors_carry_code_and_facts_and_say_them_in_english() -> None:
    known, foreign, plain = (
        RunFormatError("too_large", {"limit": 5}),
        QrelboardError("x", {"a": 1}),
        QrelboardError("y"),
    )

    assert str(known) == "The file has more than 5 bytes when unpacked."
    assert (known.code, dict(known.facts)) == ("too_large", {"limit": 5})
    assert (str(foreign), str(plain), str(QrelboardError("z", None, "why"))) == ("x: a = 1", "y", "why")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"plain", "plain"),
        (b"a\tb\x00", "a\\tb\\x00"),
        (b"\xff\xfe", "\\xff\\xfe"),
        ("雾 é".encode(), "雾 é"),
        ("\u202e\u200b\u00a0".encode(), "\\u202e\\u200b\\xa0"),
        (b"x" * 80, "x" * 80),
        (b"x" * 81, "x" * 79 + "…"),
        ("雾".encode() * 200, "雾" * 79 + "…"),
        (b"\x00" * 100, "\\x00" * 19 + "\\x0…"),
    ],
)
def test_foreign_bytes_are_shown_cut_and_escaped(raw: bytes, expected: str) -> None:
    assert shown(raw) == expected
    assert len(shown(raw)) <= 80


def test_log_keeps_the_lowest_lines_in_order() -> None:
    log = FaultLog(2)
    for line in (9, None, 5, 7, 3, 5):
        log.add("control_byte" if line else "gzip_truncated", line)

    assert [fault.line for fault in log.faults()] == [3, 5, None]
    assert dict(log.more) == {"control_byte": 3}
    assert log
    assert not FaultLog(2)
