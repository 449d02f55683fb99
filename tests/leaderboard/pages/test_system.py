"""The system page: what is public of a system, and a plain not-found for the rest."""

from leaderboard.hall import Hall as Doors
from leaderboard.pages.system import draw, head
from leaderboard.visit import Visit
from tests.leaderboard.hall import Hall


def test_public_system_has_its_name_as_title_and_its_rows_for_readers_without_scripts(site: Doors, hall: Hall) -> None:
    receipt = hall.publish()
    hall.make_boards()
    submission = hall.store.submission(receipt.submission_id)
    assert submission is not None
    visit = Visit.of("system", {"id": submission.system_id})

    made = head(site, visit)

    assert (made.title, made.status) == ("BM25 tuned", 200)
    assert made.fallback == draw(site, visit)
    assert "Toy task" in made.fallback


def test_system_without_anything_public_is_not_found(site: Doors, hall: Hall) -> None:
    submission = hall.store.submission(hall.hand_in().submission_id)
    assert submission is not None

    for system_id in (submission.system_id, "<b>", ""):
        visit = Visit.of("system", {"id": system_id})
        made = head(site, visit)

        assert made.status == 404
        assert "BM25" not in made.intro + draw(site, visit)
