"""What is to mend in a form, and the row as it will look."""

import math

import pytest

from leaderboard.parts.form_view import ToMend, problem_sentence, row_preview, summary, with_label
from leaderboard.submissions import FieldProblem, SystemForm, check_form
from leaderboard.texts import LANGUAGES, texts
from tests.builders import a_form

EN = texts("en")
HOSTILE = "<img src=x onerror=alert(1)>"


def test_summary_is_an_alert_that_takes_focus_and_leads_to_the_fields() -> None:
    told = summary([ToMend("field-name", "Name: too short"), ToMend("field-link", "Link: no")], EN)

    assert 'role="alert" tabindex="-1"' in told
    assert "2 things to mend" in told
    assert 'href="#field-name" data-q-go="field-name"' in told


def test_nothing_to_mend_is_nothing_to_show() -> None:
    assert summary([], EN) == ""


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    "form",
    [
        a_form(""),
        a_form("x"),
        a_form("x" * 90),
        a_form("=SUM(A1)"),
        a_form(HOSTILE),
        a_form("Bаse"),
        a_form("a\u200bb"),
        a_form("--", version="-1"),
        a_form(link="http://example.org"),
        a_form(link="https://user:pass@example.org"),
        a_form(link="https://localhost"),
        a_form(link="https://exa mple.org"),
        a_form(params_millions=-1.0),
        a_form(params_millions=math.inf),
        a_form(params_millions="many"),
        a_form(open_weights="maybe"),
        a_form(run_type="guess", training="all"),
        a_form(note="n" * 900),
        SystemForm(name=7),  # type: ignore[arg-type]
    ],
    ids=lambda form: repr(form.name)[:24],
)
def test_every_problem_of_a_form_has_a_sentence_in_every_language(lang: str, form: SystemForm) -> None:
    problems = check_form(form)

    sentences = [problem_sentence(problem, texts(lang)) for problem in problems]

    assert sentences
    assert not [said for said, problem in zip(sentences, problems, strict=True) if said == problem.code or "{" in said]


def test_sentence_names_its_field() -> None:
    assert with_label("name", "too short", texts("fr")) == "Nom du système\u202f: too short"
    assert with_label("no_such_field", "odd", EN) == "odd"


def test_unknown_code_is_shown_rather_than_an_error() -> None:
    assert problem_sentence(FieldProblem("name", "of-tomorrow"), EN) == "of-tomorrow"


def test_preview_shows_the_row_with_the_score_left_open() -> None:
    form = a_form("My retriever", version="2.0", params_millions=7100.0, open_weights=True, run_type="reranker")

    row = row_preview(form, "IRSC", EN, answered=(418, 1420))

    for shown in ("The row as it will stand on the board of IRSC", "My retriever", "2.0", "7.1 B", "Reranker"):
        assert shown in row
    assert "418 of 1,420" in row
    assert "after scoring" in row
    assert "open weights" in row


def test_preview_bears_whatever_is_typed() -> None:
    form = a_form(HOSTILE, version=HOSTILE, params_millions="<b>", run_type=HOSTILE, training=HOSTILE)

    row = row_preview(form, HOSTILE, EN)

    assert "<img" not in row
    assert "&lt;img src=x onerror=alert(1)&gt;" in row
    assert "n/a" in row


@pytest.mark.parametrize("params", [math.nan, math.inf, -3.0, 0.0])
def test_preview_of_an_impossible_size_shows_none(params: float) -> None:
    assert "n/a" in row_preview(a_form(params_millions=params), "IRSC", EN)
