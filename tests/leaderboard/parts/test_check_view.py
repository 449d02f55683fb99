"""The report of a check: a green line, or every fault with line, text found and cure; nothing of the file is markup."""

from io import BytesIO
from typing import Any

import pytest

from evaluation import Fault, Limits, RunReport, messages, read_run
from leaderboard.parts.check_view import check_panel, fault_sentence, refusal, stored_notices, summary_line
from leaderboard.texts import LANGUAGES, texts
from tests.builders import a_run

EN = texts("en")
# the host alone meets the faults of judgements and topic tables, on the command line
HOST_FAULTS = ("qrels_empty", "qrels_fields", "qrels_no_heading", "grade_", "topics_", "topic_without_")
RUN_FAULTS = [code for code in messages.FAULTS if not code.startswith(HOST_FAULTS)]
FACTS: dict[str, Any] = {
    **{"n_fields": 5, "n_bytes": 10, "limit": 200, "byte": "0xff", "offset": 7, "size": 300, "depth": 1000},
    **{
        "kind": "a zip archive",
        "n_topics": 2,
        "expected": "t1",
        "document": "d1",
        "topic": "t1",
        "first_line": 3,
        "n_read": 9,
    },
    **{"count": 4, "example": "t9", "n_expected": 9, "cutoff": 10, "n_pairs": 5, "largest": 3, "n_crossing": 2},
}


def report_of(run: bytes, **options: Any) -> RunReport:
    return read_run(BytesIO(run), **options).report


def five_columns(n: int) -> bytes:
    return "".join(f"t1 Q0 d{line} {line} 1.0\n" for line in range(1, n + 1)).encode()


def test_accepted_file_gets_the_green_line() -> None:
    report = report_of(a_run(("t1", "t2"), n_documents=3), topics=("t1", "t2"))

    line = summary_line(report, 2, EN)

    assert line == f"2 of 2 topics · 3 documents each · 6 lines · no tied scores · {report.size_bytes} B"


def test_green_line_writes_numbers_as_the_language_does() -> None:
    run = a_run(tuple(f"t{number}" for number in range(1200)), n_documents=2)

    line = summary_line(report_of(run), None, texts("fr"))

    assert line.startswith("1\u202f200 requêtes · 2 documents chacune · 2\u202f400 lignes")


def test_remarks_do_not_block() -> None:
    panel = check_panel(report_of(a_run(("t1",)), topics=("t1", "t2")), 2, EN)

    assert "is-accepted" in panel
    assert 'role="alert"' not in panel
    assert "1 remark; it does not stop you" in panel
    assert "Topics of this task without an answer: 1 of 2" in panel


def test_forty_faults_show_twenty_five_with_their_lines_and_count_the_rest() -> None:
    panel = check_panel(report_of(five_columns(40)), None, EN)

    assert 'role="alert"' in panel
    assert "The file has 40 faults and cannot be scored" in panel
    assert f">Lines {', '.join(str(line) for line in range(1, 26))}<" in panel
    assert "and 15 more of this kind" in panel


def test_what_is_the_same_is_said_once() -> None:
    panel = check_panel(report_of(five_columns(40)), None, EN)

    assert panel.count("Columns found: 5") == 1
    assert panel.count("Write six columns") == 1
    assert panel.count("<li ") == 1
    assert "t1 Q0 d1 1 1.0" in panel


def test_faults_of_a_kind_that_differ_are_each_told_under_one_cure() -> None:
    run = "".join(f"t1 Q0 d{n} {n} {score} t\n" for n, score in enumerate(("low", "high", "low"), 1)).encode()

    panel = check_panel(report_of(run), None, EN)

    assert ">Lines 1, 3<" in panel
    assert ">Line 2<" in panel
    assert panel.count("Write the score as in 12,") == 1
    assert panel.count("<li ") == 1


@pytest.mark.parametrize("lang", LANGUAGES)
def test_line_numbers_are_listed_as_the_language_does(lang: str) -> None:
    expected = {"en": "Lines 1, 2", "fr": "Lignes 1, 2", "zh": "第 1、2 行"}

    assert expected[lang] in check_panel(report_of(five_columns(2)), None, texts(lang))


def test_faults_of_several_kinds_are_counted_by_kind() -> None:
    nan = "".join(f"t2 Q0 e{line} {line} nan tag\n" for line in range(1, 4)).encode()

    panel = check_panel(report_of(five_columns(30) + nan), None, EN)

    assert "and 5 more of this kind" in panel
    assert "and 3 more: score not finite" in panel


def test_fault_says_what_was_found_and_what_to_do() -> None:
    panel = check_panel(report_of(b"t1 Q0 d1 1 0,9 tag\n"), None, EN)

    assert "found 0,9" in panel
    assert "Write the score with a point" in panel


def test_wrong_task_names_the_one_that_fits() -> None:
    report = report_of(a_run(("x1",)), topics=("t1",))

    panel = check_panel(report, 1, EN, fitting=["Alloprof: <pages>"])

    assert "looks made for another task: Alloprof: &lt;pages&gt;." in panel


def test_a_header_is_said_to_have_filled_fields() -> None:
    report = report_of(a_run())

    assert "header filled in" in check_panel(report, None, EN, has_header_form=True)
    assert "header filled in" not in check_panel(report, None, EN)


@pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", '"><img/src=x>', "&lt;b&gt;", "\u202egnp.exe"])
def test_text_of_the_file_is_never_markup(hostile: str) -> None:
    run = f"{hostile} Q0 {hostile} 1 {hostile} t\nt1 Q0 d 1 1\n{hostile} Q0 {hostile} 1 1.0 t\n".encode()

    panel = check_panel(report_of(run, topics=("t1",)), 1, EN, fitting=[hostile])

    assert "<script" not in panel
    assert "<img" not in panel
    assert "<b>" not in panel


def test_sentences_of_a_refusal_are_escaped() -> None:
    assert "<b>" not in refusal(["<b>no</b>"], EN)
    assert 'role="alert"' in refusal(["no"], EN)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("code", RUN_FAULTS)
def test_every_fault_of_a_run_is_said_in_every_language(lang: str, code: str) -> None:
    assert texts(lang).has(f"faults.fault_{code}")

    message, fix = fault_sentence(Fault(code, 12, "score", "x", FACTS), texts(lang))

    assert message
    assert fix
    assert "{" not in message + fix


def test_remarks_kept_in_the_books_are_said_again() -> None:
    kept = [
        {"code": "missing_topics", "count": 2, "line": None, "facts": {"n_expected": 9, "example": "<t1>"}},
        {"code": "of-another-time", "count": 1, "line": None, "facts": {}},
        {"code": "ties"},
    ]

    told = stored_notices(kept, EN)

    assert told.count("<li>") == 1
    assert "2 of 9 (for example &lt;t1&gt;)" in told


def test_bomb_is_refused_in_a_sentence() -> None:
    panel = check_panel(report_of(five_columns(40), limits=Limits(size=100)), None, EN)

    assert "more than 100 bytes" in panel
