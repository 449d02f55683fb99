"""What pages and scripts send becomes a form, whatever it is."""

import pytest

from leaderboard.pages.reading import FIELDS, fill_empty, read_fields, read_object, read_params, write_fields
from leaderboard.submissions import SystemForm, check_form
from tests.builders import a_form


@pytest.mark.parametrize(
    ("typed", "millions"),
    [
        ("568", 568.0),
        ("568 M", 568.0),
        ("7.1B", 7100.0),
        ("7,1 Md", 7100.0),
        (" 0.5 b ", 500.0),
        ("22k", 0.022),
        ("", None),
        (None, None),
    ],
)
def test_size_is_read_in_millions_or_with_a_unit(typed: str | None, millions: float | None) -> None:
    assert read_params(typed) == pytest.approx(millions)


@pytest.mark.parametrize("typed", ["many", "1,000", "-3", "1e3", "7 T", "0x10", "٣", "1.2.3"])
def test_what_is_no_size_comes_back_to_be_refused(typed: str) -> None:
    form = a_form(params_millions=read_params(typed))

    assert [problem.code for problem in check_form(form)] == ["not-a-number"]


def test_inputs_that_nobody_touched_are_an_empty_form() -> None:
    blank = write_fields(SystemForm(name=""))

    assert read_fields(blank) == SystemForm(name="")


def test_form_goes_through_the_inputs_unchanged() -> None:
    form = a_form(
        version="2", link="https://example.org", params_millions=7100.0, open_weights=False, run_is_public=True
    )

    assert read_fields(write_fields(form)) == form


def test_header_fills_only_what_is_empty() -> None:
    typed = write_fields(a_form("Mine", open_weights=True))
    found = a_form("From the file", version="abc123", run_type="reranker")

    filled = read_fields(fill_empty(typed, found))

    assert filled == a_form("Mine", version="abc123", run_type="reranker", open_weights=True)


def test_script_names_the_fields_that_it_knows() -> None:
    form, problems = read_object({"name": "My retriever", "version": "1.0"})

    assert form == a_form("My retriever", version="1.0")
    assert problems == ()


@pytest.mark.parametrize("given", [None, [], "name", 7])
def test_script_must_give_an_object(given: object) -> None:
    form, problems = read_object(given)

    assert form is None
    assert [problem.code for problem in problems] == ["not-an-object"]


def test_unknown_field_of_a_script_is_named() -> None:
    form, problems = read_object({"nam": "x"})

    assert form is None
    assert [(problem.code, problem.facts["found"]) for problem in problems] == [("unknown-field", "nam")]


def test_every_field_has_its_place() -> None:
    assert FIELDS[0] == "name"
    assert len(write_fields(SystemForm(name=""))) == len(FIELDS)
