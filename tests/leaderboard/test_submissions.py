import math
from string import Formatter
from typing import Any

import pytest

from leaderboard.store import Store
from leaderboard.submissions import (
    FieldProblem,
    SystemForm,
    check_form,
    clean_form,
    submission_id,
    system_id,
    without_keys,
)
from leaderboard.texts import LANGUAGES, texts
from tests.builders import NOON, a_form, a_sheet, a_submission


def codes(form: SystemForm) -> dict[str, str]:
    return {problem.field: problem.code for problem in check_form(form)}


def test_full_form_has_no_problem() -> None:
    form = a_form(
        "BM25 tuned",
        version="2026-01",
        link="https://example.org/x",
        params_millions=568,
        open_weights=True,
        run_type="reranker",
        training="training-part",
        training_note="MS MARCO",
        licence="CC-BY-4.0",
        run_is_public=True,
        note="two\nlines",
    )

    assert check_form(form) == ()


PROBLEMS: list[tuple[dict[str, Any], str]] = [
    ({"name": ""}, "required"),
    ({"name": " "}, "required"),
    ({"name": "x"}, "name-too-short"),
    ({"name": "x" * 81}, "text-too-long"),
    ({"name": "x" * 1_000_000}, "text-too-long"),
    ({"name": "ab\u202e"}, "hidden-character"),
    ({"name": "=a1"}, "name-formula"),
    ({"name": "a<b"}, "name-character"),
    ({"name": "Вб25a"}, "name-two-scripts"),
    ({"name": "--"}, "name-formula"),
    ({"name": "()"}, "name-no-letter"),
    ({"name": 7}, "not-text"),
    ({"version": "=1"}, "name-formula"),
    ({"version": "v" * 41}, "text-too-long"),
    ({"version": "1\n2"}, "hidden-character"),
    ({"link": "http://example.org"}, "link-not-https"),
    ({"link": "https://a b.org"}, "link-malformed"),
    ({"link": "https://me:you@example.org"}, "link-credentials"),
    ({"link": "https://localhost"}, "link-host"),
    ({"params_millions": math.nan}, "not-a-number"),
    ({"params_millions": math.inf}, "not-a-number"),
    ({"params_millions": "568"}, "not-a-number"),
    ({"params_millions": True}, "not-a-number"),
    ({"params_millions": 0}, "number-out-of-range"),
    ({"params_millions": -1}, "number-out-of-range"),
    ({"params_millions": 1e12}, "number-out-of-range"),
    ({"params_millions": 10**400}, "number-out-of-range"),
    ({"open_weights": "yes"}, "not-yes-no"),
    ({"run_is_public": None}, "not-yes-no"),
    ({"run_type": "magic"}, "unknown-choice"),
    ({"training": ""}, "unknown-choice"),
    ({"training_note": "x" * 301}, "text-too-long"),
    ({"licence": "x" * 81}, "text-too-long"),
    ({"note": "x" * 501}, "text-too-long"),
    ({"note": "a\u200bb"}, "hidden-character"),
    ({"note": ["list"]}, "not-text"),
]


@pytest.mark.parametrize(("fields", "code"), PROBLEMS)
def test_problem_is_named_by_field_and_code(fields: dict[str, Any], code: str) -> None:
    assert codes(a_form(**fields)) == {next(iter(fields)): code}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("fields", "_code"), PROBLEMS)
def test_each_problem_has_a_sentence_in_each_language(fields: dict[str, Any], _code: str, lang: str) -> None:
    [problem] = check_form(a_form(**fields))

    sentence = texts(lang).sections["form"][f"problem_{problem.code.replace('-', '_')}"]

    placeholders = {name for _, name, _, _ in Formatter().parse(sentence) if name}
    assert placeholders <= set(problem.facts)


def test_value_of_a_wrong_type_hides_no_other_problem() -> None:
    found = check_form(a_form("", version=3, link="ftp://x", params_millions="many"))

    assert [(problem.field, problem.code) for problem in found] == [
        ("name", "required"),
        ("version", "not-text"),
        ("link", "link-not-https"),
        ("params_millions", "not-a-number"),
    ]


def test_all_problems_are_listed_in_the_order_of_the_form() -> None:
    found = check_form(a_form("", link="ftp://x", params_millions=-1, note="\u202e"))

    assert [problem.field for problem in found] == ["name", "link", "params_millions", "note"]


def test_facts_are_small_enough_for_a_page() -> None:
    [problem] = check_form(a_form(run_type="x" * 10_000))

    assert problem == FieldProblem("run_type", "unknown-choice", {"found": "x" * 40})


def test_cleaning_tidies_every_text_and_keeps_lines_of_the_note() -> None:
    form = clean_form(a_form("  ＢＭ  25 ", version=" 1 ", note=" a  b \r\n\r\n c "))

    assert (form.name, form.version, form.note) == ("BM 25", "1", "a b\n\nc")


def test_cleaning_twice_changes_nothing() -> None:
    form = clean_form(a_form("ﬁ ﷺ  ２", note="x\u3000y\n z"))

    assert clean_form(form) == form


def test_id_follows_file_task_owner_system_and_version() -> None:
    form = a_form("BM25", version="1")
    same = submission_id("toy", "aa", "owner", a_form("bm-25".replace("-", ""), version="1", note="other words"))
    others = {
        submission_id("other", "aa", "owner", form),
        submission_id("toy", "bb", "owner", form),
        submission_id("toy", "aa", "somebody", form),
        submission_id("toy", "aa", "owner", a_form("BM26", version="1")),
        submission_id("toy", "aa", "owner", a_form("BM25", version="2")),
        submission_id("toy", "aa", "owner", form, edition=1),
    }

    assert submission_id("toy", "aa", "owner", form) == same
    assert len(others | {same}) == 7


def test_system_belongs_to_its_owner() -> None:
    assert system_id("one", "BM25") == system_id("one", "bm 25".replace(" ", ""))
    assert system_id("one", "BM25") != system_id("two", "BM25")


def test_sheet_gives_each_mean_and_none_for_what_it_lacks() -> None:
    sheet = a_sheet(0.5, evaluation={"means": {"R@10": 0.25}, "macro": {"kind": {"R@10": 0.75}}})

    assert sheet.value("R@10", "topics") == 0.25
    assert sheet.value("R@10", "macro:kind") == 0.75
    assert sheet.value("R@10", "macro:grade") is None
    assert sheet.value("AP", "topics") is None


def test_submission_for_a_page_holds_and_prints_no_key(books: Store) -> None:
    submission, _ = books.add_submission(a_submission(), NOON)

    shown = without_keys(submission)

    assert (shown.owner_hash, shown.link_hash) == ("", "")
    assert submission.owner_hash not in repr(submission)
