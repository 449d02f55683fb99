"""The page of a system: one row a board, every public version, nothing else."""

from leaderboard.parts.system_view import badges, content, facts
from leaderboard.texts import texts
from leaderboard.views import SystemView
from leaderboard.visit import Visit
from tests.builders import a_form, a_run
from tests.leaderboard.hall import TOPICS, Hall

EN = texts("en")
VISIT = Visit.of("system", {})


def system_of(hall: Hall, submission_id: str) -> SystemView:
    submission = hall.store.submission(submission_id)
    assert submission is not None
    view = hall.board.system(submission.system_id)
    assert view is not None
    return view


def test_rows_and_history_tell_versions_apart(hall: Hall) -> None:
    older = hall.publish(0.5)
    hall.publish(0.4, minutes=5)
    hall.make_boards()

    shown = content(system_of(hall, older.submission_id), VISIT)

    assert shown.count("on the board</span>") == 1
    assert "1 of 1" in shown
    assert "<strong>0.400</strong>" in shown
    assert ">0.500<" in shown


def test_private_versions_are_not_listed(hall: Hall) -> None:
    public = hall.publish(0.5)
    hidden = hall.hand_in(a_run(TOPICS, tag="another"), a_form(version="secret"))
    hall.make_boards()

    shown = content(system_of(hall, public.submission_id), VISIT)

    assert "secret" not in shown
    assert hidden.submission_id not in shown


def test_facts_come_from_the_latest_submission(hall: Hall) -> None:
    form = a_form("Big", link="https://example.org/paper", params_millions=7100.0, open_weights=True, run_type="fusion")
    receipt = hall.hand_in(form=form)
    hall.score(receipt.submission_id)
    hall.desk.publish(receipt.submission_id, receipt.link_key)

    told = " ".join(facts(system_of(hall, receipt.submission_id), EN))

    assert "Fusion" in told
    assert "7.1 B" in told
    assert 'href="https://example.org/paper" rel="nofollow noopener"' in told


def test_sample_and_baseline_are_marked(hall: Hall) -> None:
    receipt = hall.hand_in(is_sample=True, is_baseline=True)
    hall.score(receipt.submission_id)

    told = badges(system_of(hall, receipt.submission_id), EN)

    assert ">sample<" in told
    assert ">baseline<" in told


def test_badge_is_offered_for_each_board_as_markdown_that_a_name_cannot_break(hall: Hall) -> None:
    receipt = hall.publish(0.5, name="Big_model (x) 7B")
    hall.make_boards()
    view = system_of(hall, receipt.submission_id)

    shown = content(view, Visit.of("system", {}, {"host": "example.org"}))

    address = f"badge/{view.system_id}/toy.svg?lang=en"
    assert f'<img src="./{address}"' in shown
    assert r"[![Big\_model (x) 7B on " in shown
    assert f"](http://example.org/{address})](http://example.org/system?id={view.system_id})" in shown
