"""The cards of the home page say what one can do with a task, not what one would wish."""

from data.cards import load_catalogue
from leaderboard.parts.home_view import cards
from leaderboard.settings import SHIPPED_TASKS
from leaderboard.texts import texts
from leaderboard.views import HomeCard
from tests.builders import some_facts

TASK = load_catalogue([SHIPPED_TASKS])["irsc"]


def card(*, has_gold_here: bool) -> str:
    facts = some_facts("irsc") if has_gold_here else None
    found = HomeCard(task=TASK, facts=facts, leader=None, n_systems=0, digits=3, updated_at=None)
    return cards([found], {"irsc": "./irsc"}, {}, texts("en"))


def test_task_whose_gold_is_not_here_says_that_uploads_are_closed() -> None:
    told = card(has_gold_here=False)

    assert "uploads are closed" in told
    assert "No system yet" not in told
    assert "0 systems" not in told


def test_task_without_a_system_invites_one() -> None:
    assert "No system yet" in card(has_gold_here=True)
