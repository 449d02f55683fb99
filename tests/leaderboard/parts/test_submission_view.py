"""The page of a submission in each of its states, for its owner and for everybody."""

import pytest

from leaderboard.parts.submission_view import details, hint, missing, next_steps, outcome, sentence, status
from leaderboard.submissions import Actor, Visibility
from leaderboard.texts import texts
from leaderboard.views import SubmissionView
from leaderboard.visit import Visit
from tests.builders import a_form, a_run, at, some_facts
from tests.leaderboard.hall import OWNER, TOPICS, Hall

EN = texts("en")
VISIT = Visit.of("submission", {})
HOSTILE = '"><img src=x onerror=alert(1)>\u202e'


def seen(hall: Hall, submission_id: str, key: str | None = OWNER) -> SubmissionView:
    view = hall.board.submission(submission_id, key)
    assert view is not None
    return view


def test_private_submission_is_called_private(hall: Hall) -> None:
    receipt = hall.hand_in()

    shown = status(seen(hall, receipt.submission_id), at(1), EN)

    assert ">private<" in shown
    assert f"Submission {receipt.submission_id}" in shown


def test_outcome_is_empty_until_there_is_a_score(hall: Hall) -> None:
    receipt = hall.hand_in()
    assert outcome(seen(hall, receipt.submission_id), EN) == ""

    hall.score(receipt.submission_id, 0.5)

    view = seen(hall, receipt.submission_id)
    assert "0.500" in outcome(view, EN)
    assert sentence(view, EN) == "Scored: nDCG@10 0.500."


def test_published_row_says_that_it_stands_on_the_board(hall: Hall) -> None:
    receipt = hall.publish()
    hall.make_boards()

    view = seen(hall, receipt.submission_id, None)

    assert "This is the submission that stands on the board for BM25 tuned." in status(view, at(1), EN)
    assert "rank 1 of 1" in outcome(view, EN)
    assert "system?id=" in details(view, VISIT)


def test_older_version_says_that_another_one_stands_on_the_board(hall: Hall) -> None:
    older = hall.publish(0.5)
    hall.publish(0.4, minutes=5)
    hall.make_boards()

    assert "Another submission stands on the board" in status(seen(hall, older.submission_id, None), at(9), EN)


def test_page_of_a_row_says_that_the_board_is_being_made_until_it_is(hall: Hall) -> None:
    older, newer = hall.publish(0.5), hall.publish(0.4, minutes=5)
    hall.make_boards()
    hall.store.heartbeat("worker-0", hall.now)
    hall.desk.mark(older.submission_id, OWNER)

    before = [status(seen(hall, one.submission_id, None), at(9), EN) for one in (older, newer)]
    hall.make_boards()
    after = [status(seen(hall, one.submission_id, None), at(9), EN) for one in (older, newer)]

    assert all("The board is being made anew." in shown and "on the board" not in shown for shown in before)
    assert "This is the submission that stands on the board" in after[0]
    assert "Another submission stands on the board" in after[1]


def test_board_that_waits_for_a_worker_says_so(hall: Hall) -> None:
    receipt = hall.publish()

    assert "as soon as the scoring process is back" in status(seen(hall, receipt.submission_id, None), at(1), EN)


def test_row_of_another_gold_does_not_speak_of_another_submission(hall: Hall) -> None:
    receipt = hall.publish()
    hall.store.publish_gold(some_facts(version="2026.2"), TOPICS, at(1))
    hall.make_boards()

    assert "on the board" not in status(seen(hall, receipt.submission_id, None), at(2), EN)


def test_place_that_a_row_would_take_is_not_told_while_its_board_is_made(hall: Hall) -> None:
    hall.publish(0.9, "Other")
    hall.make_boards()
    receipt = hall.publish(0.5)

    view = seen(hall, receipt.submission_id)

    assert "The board is being made anew." in status(view, at(1), EN) or view.is_paused
    assert "rank" not in outcome(view, EN)
    hall.make_boards()
    assert "rank 2 of 2" in outcome(seen(hall, receipt.submission_id), EN)


def test_held_submission_shows_no_score_to_its_owner(hall: Hall) -> None:
    receipt = hall.publish(0.5)
    hall.store.move_visibility(receipt.submission_id, Visibility.HELD, Actor.HOST, at(1))

    view = seen(hall, receipt.submission_id)

    assert outcome(view, EN) == ""
    assert sentence(view, EN) == "Done"
    assert "0.500" not in details(view, VISIT)


def test_failure_is_one_sentence_with_the_number(hall: Hall) -> None:
    receipt = hall.hand_in()
    hall.store.fail(receipt.submission_id, "time-limit", {}, at(1))

    shown = status(seen(hall, receipt.submission_id), at(2), EN)

    assert "Scoring took longer than the time limit." in shown
    assert f"tell the host this number: {receipt.submission_id}" in shown


def test_failure_of_an_unknown_kind_still_has_a_sentence(hall: Hall) -> None:
    receipt = hall.hand_in()
    hall.store.fail(receipt.submission_id, "of-tomorrow", {}, at(1))

    assert "an error of ours (of-tomorrow)" in status(seen(hall, receipt.submission_id), at(2), EN)


@pytest.mark.parametrize(
    ("change", "note"), [("withdraw", "Taken off the board"), ("delete", "The run file was deleted")]
)
def test_what_is_taken_back_says_so_and_has_no_rank(hall: Hall, change: str, note: str) -> None:
    receipt = hall.publish()
    hall.make_boards()
    getattr(hall.desk, change)(receipt.submission_id, OWNER)
    hall.make_boards()

    view = seen(hall, receipt.submission_id)

    assert note in status(view, at(1), EN)
    assert "would take rank" not in outcome(view, EN)


def test_cancelled_submission_is_not_called_an_error_of_ours(hall: Hall) -> None:
    receipt = hall.hand_in()
    hall.desk.withdraw(receipt.submission_id, OWNER)

    assert "could not be scored" not in status(seen(hall, receipt.submission_id), at(1), EN)


def test_private_link_is_shown_to_whom_it_is_given(hall: Hall) -> None:
    view = seen(hall, hall.hand_in().submission_id)

    assert "Private link" in next_steps(view, VISIT, "./submission?id=a&key=b")
    assert "Private link" not in next_steps(view, VISIT, "")


def test_owner_is_told_what_publishing_means_when_it_is_possible(hall: Hall) -> None:
    receipt = hall.hand_in()
    assert hint(seen(hall, receipt.submission_id), EN) == ""

    hall.score(receipt.submission_id)

    assert "Publishing puts the row on the board" in hint(seen(hall, receipt.submission_id), EN)


def test_details_leave_out_what_was_not_said(hall: Hall) -> None:
    receipt = hall.hand_in(form=a_form("Plain"))

    shown = details(seen(hall, receipt.submission_id), VISIT)

    assert ">Note<" not in shown
    assert ">Licence of the run<" not in shown
    assert "nobody but the owner" in shown


def test_links_keep_the_language() -> None:
    assert "lang=fr" in missing(Visit.of("submission", {"lang": "fr"}))


def test_nothing_that_a_submitter_wrote_is_markup(hall: Hall) -> None:
    form = a_form(
        "Hostile", version="1", note='<script>alert(1)</script>\n"quoted"', licence="<b>", training_note="<i>"
    )
    receipt = hall.hand_in(a_run(TOPICS, tag="<img/src=x>"), form)
    hall.score(receipt.submission_id)
    view = seen(hall, receipt.submission_id)

    shown = status(view, at(1), EN) + outcome(view, EN) + details(view, VISIT) + next_steps(view, VISIT, HOSTILE)

    assert not [tag for tag in ("<script", "<b>", "<i>", "<img") if tag in shown]
    assert "&lt;script&gt;" in shown
