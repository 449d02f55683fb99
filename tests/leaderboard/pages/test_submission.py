"""The submission page's handlers: who sees what, who may do what, and when one stops asking."""

import dataclasses
from datetime import timedelta
from typing import Any

import pytest

from leaderboard.hall import Hall as Doors
from leaderboard.intake import Receipt
from leaderboard.keys import link_key
from leaderboard.pages.submission import ACTIONS, change, draw, find, head, interval_s, is_settled, moves
from leaderboard.quota import QuotaRule
from leaderboard.submissions import Progress, Visibility
from leaderboard.visit import Visit
from tests.builders import a_form, at, some_facts
from tests.leaderboard.hall import OWNER, TOPICS, Hall

STRANGER = "s" * 43
# places in what `draw` returns
STATUS, LIVE, OUTCOME, BUTTONS, NEXT, DETAILS = 0, 1, 2, 3, 5, 6


def visit(submission_id: str, key: str = "") -> Visit:
    return Visit.of("submission", {"id": submission_id, **({"key": key} if key else {})})


def buttons(shown: list[Any]) -> set[str]:
    updates = shown[7 : 7 + len(ACTIONS)]
    return {name for name, update in zip(ACTIONS, updates, strict=True) if update["visible"]}


def timer(shown: list[Any]) -> Any:
    return shown[-2]


def test_private_submission_looks_like_none_without_a_key(site: Doors, hall: Hall) -> None:
    receipt = hall.hand_in()

    unknown = draw(site, visit("0" * 24), "")
    private = draw(site, visit(receipt.submission_id), "")
    stranger = draw(site, visit(receipt.submission_id, "wrong"), STRANGER)

    assert private[:7] == unknown[:7] == stranger[:7]
    assert "no public submission under this address" in private[STATUS]
    assert buttons(private) == set()
    assert not timer(private)["active"]


def test_link_key_and_browsers_key_both_open_it(site: Doors, hall: Hall) -> None:
    receipt = hall.hand_in()

    for address, owner in ((visit(receipt.submission_id, receipt.link_key), ""), (visit(receipt.submission_id), OWNER)):
        shown = draw(site, address, owner)

        assert "Waiting" in shown[STATUS]
        assert buttons(shown) == {"withdraw", "delete"}
        assert f"key={link_key(OWNER, receipt.submission_id)}" in shown[NEXT]


def test_owner_may_have_the_scores_by_topic_with_either_key_and_a_stranger_not(site: Doors, hall: Hall) -> None:
    receipt = hall.publish()
    hall.make_boards()
    file = f"./scores/{receipt.submission_id}.csv"
    number = receipt.submission_id

    own = [draw(site, visit(number, receipt.link_key), ""), draw(site, visit(number), OWNER)]
    strange = [draw(site, visit(number), ""), draw(site, visit(number, "wrong"), STRANGER)]

    assert all(f"{file}?key={receipt.link_key}" in shown[DETAILS] for shown in own)
    assert not any(file in shown[DETAILS] for shown in strange)


def test_public_submission_is_seen_by_all_and_changed_by_nobody_else(site: Doors, hall: Hall) -> None:
    receipt = hall.publish()
    hall.make_boards()

    shown = draw(site, visit(receipt.submission_id), STRANGER)

    assert "0.500" in shown[OUTCOME]
    assert buttons(shown) == set()
    assert "Private link" not in shown[NEXT]
    assert OWNER not in "".join(str(part) for part in shown)


def test_scored_submission_can_be_published_once_it_is_scored(site: Doors, hall: Hall) -> None:
    receipt = hall.hand_in()
    assert "publish" not in buttons(draw(site, visit(receipt.submission_id), OWNER))

    hall.score(receipt.submission_id)

    assert buttons(draw(site, visit(receipt.submission_id), OWNER)) == {"publish", "withdraw", "delete"}


def test_publishing_puts_the_row_on_the_board(site: Doors, hall: Hall) -> None:
    receipt = hall.hand_in()
    hall.score(receipt.submission_id)

    said = change(site, visit(receipt.submission_id, receipt.link_key), "", "publish")
    hall.make_boards()

    assert 'role="status"' in said
    assert "Published" in said
    revision = hall.board.revision("toy")
    assert revision is not None
    assert receipt.submission_id in revision.body


@pytest.mark.parametrize("name", ACTIONS)
@pytest.mark.parametrize("owner", ["", STRANGER, "x" * 10_000])
def test_nobody_changes_what_is_not_theirs(site: Doors, hall: Hall, name: str, owner: str) -> None:
    public, private = hall.publish(), hall.hand_in(minutes=9)

    said = [change(site, visit(receipt.submission_id, "wrong"), owner, name) for receipt in (public, private)]
    said.append(change(site, visit("unknown"), owner, name))

    assert all('role="alert"' in one and "Only the owner" in one for one in said)
    stored = [hall.store.submission(receipt.submission_id) for receipt in (public, private)]
    assert [one.visibility for one in stored if one] == [Visibility.PUBLIC, Visibility.PRIVATE]


def test_owner_goes_through_all_moves(site: Doors, hall: Hall) -> None:
    receipt = hall.publish()
    hall.make_boards()
    address = visit(receipt.submission_id)

    said = []
    for name in ("keep_private", "publish", "withdraw", "delete"):
        said.append(change(site, address, OWNER, name))
        hall.make_boards()

    assert all('role="status"' in one for one in said)
    stored = hall.store.submission(receipt.submission_id)
    assert stored is not None
    assert stored.visibility is Visibility.DELETED
    assert not hall.runs.exists(stored.run_sha256)
    assert buttons(draw(site, address, OWNER)) == set()


def test_move_that_came_too_late_is_explained(site: Doors, hall: Hall) -> None:
    receipt = hall.publish()
    hall.desk.withdraw(receipt.submission_id, OWNER)

    said = change(site, visit(receipt.submission_id), OWNER, "publish")

    assert 'role="alert"' in said
    assert "not possible any more" in said


def test_older_version_can_be_put_on_the_board_again(site: Doors, hall: Hall) -> None:
    older = hall.publish(0.6)
    newer = hall.publish(0.4, minutes=5)
    hall.make_boards()
    assert "mark" not in buttons(draw(site, visit(newer.submission_id), OWNER))
    assert "mark" in buttons(draw(site, visit(older.submission_id), OWNER))

    change(site, visit(older.submission_id), OWNER, "mark")
    hall.make_boards()

    assert "mark" not in buttons(draw(site, visit(older.submission_id), OWNER))
    assert "mark" in buttons(draw(site, visit(newer.submission_id), OWNER))


def test_page_asks_again_until_it_is_settled_and_slower_with_time(site: Doors, hall: Hall) -> None:
    receipt = hall.hand_in()
    hall.store.heartbeat("worker-0", hall.now)
    view, _ = find(site, visit(receipt.submission_id), OWNER)
    assert view is not None

    ages = (1, 59, 61, 599, 601)
    waits = [interval_s(view, at(0) + timedelta(seconds=age)) for age in ages]

    assert waits == [2, 2, 5, 5, 15]
    assert not is_settled(view)
    hall.score(receipt.submission_id)
    assert not timer(draw(site, visit(receipt.submission_id), OWNER))["active"]


@pytest.mark.parametrize("name", ["publish", "mark"])
def test_page_asks_again_until_the_board_has_followed_a_change(site: Doors, hall: Hall, name: str) -> None:
    older = hall.publish(0.6)
    address = visit(older.submission_id)
    if name == "publish":
        hall.desk.keep_private(older.submission_id, OWNER)
    else:
        hall.publish(0.4, minutes=5)
    hall.make_boards()
    hall.store.heartbeat("worker-0", hall.now)
    assert not timer(draw(site, address, OWNER))["active"]

    change(site, address, OWNER, name)
    changed = draw(site, address, OWNER)
    hall.make_boards()
    followed = draw(site, address, OWNER, old_stamp=changed[-1])

    assert timer(changed)["active"]
    assert "The board is being made anew." in changed[STATUS]
    assert "mark" not in buttons(changed)
    assert not timer(followed)["active"]
    assert "This is the submission that stands on the board" in followed[STATUS]
    assert "rank 1 of 1" in followed[OUTCOME]


def test_page_that_waits_for_a_worker_asks_seldom(site: Doors, hall: Hall) -> None:
    receipt = hall.publish()

    view, _ = find(site, visit(receipt.submission_id), OWNER)

    assert view is not None
    assert not is_settled(view)
    assert interval_s(view, hall.now) == 15


def test_unchanged_page_is_left_as_it_is(site: Doors, hall: Hall) -> None:
    receipt = hall.hand_in()
    address = visit(receipt.submission_id)
    stamp = draw(site, address, OWNER)[-1]

    again = draw(site, address, OWNER, old_stamp=stamp)
    hall.score(receipt.submission_id)
    scored = draw(site, address, OWNER, old_stamp=stamp)

    assert again[OUTCOME] == again[DETAILS] == {"__type__": "update"}
    assert "0.500" in scored[OUTCOME]
    assert scored[LIVE] == "Scored: nDCG@10 0.500."


def test_open_question_stays_open_while_it_can_be_answered(site: Doors, hall: Hall) -> None:
    receipt = hall.hand_in()
    address = visit(receipt.submission_id)
    stamp = draw(site, address, OWNER)[-1]
    hall.score(receipt.submission_id)

    polled = draw(site, address, OWNER, old_stamp=stamp)[-4:-2]
    after_a_change = draw(site, address, OWNER)[-4:-2]

    assert [update.get("visible") for update in polled] == [None, None]
    assert [update["visible"] for update in after_a_change] == [False, False]


def against(receipt: Receipt, rival: str, key: str = "") -> Visit:
    query = {"id": receipt.submission_id, "key": key or receipt.link_key, "against": rival}
    return Visit.of("submission", query)


def test_owner_chooses_a_row_and_gets_the_topics_where_the_run_loses_most(site: Doors, hall: Hall) -> None:
    rival = hall.publish(0.9, "Rival")
    mine = hall.hand_in(form=a_form("Mine"), minutes=1)
    hall.score(mine.submission_id, 0.4)
    hall.make_boards()
    hall.store.heartbeat("worker-0", hall.now)
    address = against(mine, rival.submission_id)

    asked = draw(site, address, "")
    [question] = hall.store.comparisons_asked(9)
    lost = [{"topic": "<t1>", "reference": 1.0, "value": 0.25}]
    hall.store.answer_comparison(question, {"measure": "nDCG@10", "losses": [lost]}, hall.now)
    answered = draw(site, address, "", old_stamp=asked[-1])

    assert timer(asked)["active"]
    assert "it takes a second or two" in asked[DETAILS]
    assert not timer(answered)["active"]
    row = '<th scope="row">&lt;t1&gt;</th><td class="is-number">0.250</td></tr>'
    assert row in answered[DETAILS]
    assert "1.000" not in answered[DETAILS].partition('id="losses"')[2]
    assert f'<option value="{rival.submission_id}" selected>' in answered[DETAILS]


def test_run_that_loses_nowhere_says_so(site: Doors, hall: Hall) -> None:
    rival, mine = hall.publish(0.2, "Rival"), hall.publish(0.9, "Mine")
    hall.make_boards()
    draw(site, against(mine, rival.submission_id), "")
    [question] = hall.store.comparisons_asked(9)
    hall.store.answer_comparison(question, {"measure": "nDCG@10", "losses": [[]]}, hall.now)

    assert "no topic where this run is below Rival" in draw(site, against(mine, rival.submission_id), "")[DETAILS]


def test_losses_are_for_the_owner_alone(site: Doors, hall: Hall) -> None:
    rival, mine = hall.publish(0.9, "Rival"), hall.publish(0.4, "Mine")
    hall.make_boards()

    shown = draw(site, against(mine, rival.submission_id, "wrong"), STRANGER)

    assert "Where it loses most" not in shown[DETAILS]
    assert hall.store.comparisons_asked(9) == []


def test_row_that_cannot_be_compared_is_explained(site: Doors, hall: Hall) -> None:
    mine = hall.publish(0.4, "Mine")
    hall.publish(0.9, "Rival")
    hall.make_boards()

    shown = draw(site, against(mine, "gone"), "")

    assert "does not stand on the board any more" in shown[DETAILS]
    assert not timer(shown)["active"]


def test_sealed_gold_offers_no_losses(site: Doors, hall: Hall) -> None:
    mine = hall.publish(0.4, "Mine")
    hall.publish(0.9, "Rival")
    hall.store.publish_gold(some_facts(kind="sealed", n_live=2), TOPICS, at(1))
    hall.make_boards()

    assert "Where it loses most" not in draw(site, visit(mine.submission_id, mine.link_key), "")[DETAILS]


def test_served_title_keeps_a_private_name_to_its_owner(site: Doors, hall: Hall) -> None:
    receipt = hall.hand_in()

    closed, opened = (head(site, visit(receipt.submission_id, key)) for key in ("", receipt.link_key))

    assert closed.title == "Submission"
    assert "BM25 tuned" not in closed.intro
    assert opened.title == "BM25 tuned on Toy task"
    assert closed.is_private
    assert opened.is_private


def test_address_of_any_shape_is_borne(site: Doors) -> None:
    for query in ({}, {"id": "x" * 9999, "key": "\0"}, {"id": "<b>", "key": "é" * 300}, {"id": "' OR 1=1"}):
        shown = draw(site, Visit.of("submission", query), "\ud800")

        assert "no public submission" in shown[STATUS]


@pytest.mark.parametrize("progress", list(Progress))
def test_strangers_have_no_moves(site: Doors, hall: Hall, progress: Progress) -> None:
    receipt = hall.publish()

    view, _ = find(site, visit(receipt.submission_id), STRANGER)

    assert view is not None
    assert moves(view) == frozenset()


def test_owner_alone_sees_what_is_left_of_the_quota(site: Doors, hall: Hall) -> None:
    hall.set_quota(QuotaRule())
    strict = dataclasses.replace(site, intake=hall.intake)
    receipt = hall.publish()

    own = [
        draw(strict, visit(receipt.submission_id), OWNER),
        draw(strict, visit(receipt.submission_id, receipt.link_key), ""),
    ]
    strange = draw(strict, visit(receipt.submission_id), STRANGER)

    assert all("2 of 3 submissions left today." in str(drawn) for drawn in own)
    assert "submissions left" not in str(strange)


def test_failed_job_is_counted_no_more(site: Doors, hall: Hall) -> None:
    hall.set_quota(QuotaRule())
    receipt = hall.hand_in()

    hall.store.fail(receipt.submission_id, "crashed", {}, hall.now)

    drawn = draw(dataclasses.replace(site, intake=hall.intake), visit(receipt.submission_id), OWNER)
    assert "3 of 3 submissions left today." in str(drawn)
    assert "nothing is charged" in str(drawn)


def test_key_that_does_not_fit_is_told_on_a_public_page_and_nowhere_else(site: Doors, hall: Hall) -> None:
    public, private = hall.publish(0.9, "Shown"), hall.hand_in(form=a_form("Kept"))
    told = "The key in this address opens nothing here."

    assert told in head(site, visit(public.submission_id, "wrong")).intro
    assert told not in head(site, visit(public.submission_id, public.link_key)).intro
    assert told not in head(site, visit(public.submission_id, "")).intro
    assert head(site, visit(private.submission_id, "wrong")) == head(site, visit("0" * 24, "wrong"))
