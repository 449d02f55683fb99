"""The page of a system: one row a board, every public version, nothing else."""

from dataclasses import replace
from typing import Any

from leaderboard.parts.system_view import badges, content, facts
from leaderboard.texts import texts
from leaderboard.views import SystemView
from leaderboard.visit import Visit
from tests.builders import NOON, a_form, a_run, some_facts
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


def board_with(view: SystemView, **fields: Any) -> SystemView:
    """The same page with other numbers in the row and the board of its one entry."""
    [entry] = view.entries
    assert entry.board is not None
    row_fields = {key: fields.pop(key) for key in ("intervals", "rank_interval") if key in fields}
    rows = [{**row, **row_fields} if row["id"] == entry.submission.id else row for row in entry.board["rows"]]
    return replace(view, entries=(replace(entry, board={**entry.board, "rows": rows, **fields}),))


def test_row_tells_interval_possible_ranks_and_topics(hall: Hall) -> None:
    receipt = hall.publish(0.5)
    hall.publish(0.6, "Other")
    hall.make_boards()
    view = board_with(system_of(hall, receipt.submission_id), intervals=[[0.45, 0.55], None], rank_interval=[1, 2])

    shown = content(view, VISIT)

    assert '<strong>0.500</strong> <span class="q-range">[0.450, 0.550]</span>' in shown
    assert ">2 (1–2) of 2<" in shown
    assert '<th scope="col" class=is-number>Topics</th>' in shown
    assert f"compare?task=toy&amp;ids={receipt.submission_id}" in shown


def test_lone_row_and_sealed_board_offer_no_comparison(hall: Hall) -> None:
    receipt = hall.publish(0.5)
    hall.make_boards()
    assert "compare?" not in content(system_of(hall, receipt.submission_id), VISIT)

    hall.publish(0.6, "Other")
    hall.make_boards()
    view = system_of(hall, receipt.submission_id)

    assert "compare?" in content(view, VISIT)
    assert "compare?" not in content(board_with(view, gold={"kind": "sealed"}), VISIT)


def test_slices_far_from_the_median_system_are_told_for_both_sides(hall: Hall) -> None:
    best = hall.publish(0.9, "Best")
    for value in (0.5, 0.4):
        hall.publish(value, f"System {value}")
    worst = hall.publish(0.1, "Worst")
    hall.make_boards()

    shown = [content(system_of(hall, one.submission_id), VISIT) for one in (best, worst)]

    assert "Toy task: most above the median system" in shown[0]
    assert "Toy task: most below the median system" in shown[1]
    assert ">+0.450<" in shown[0]
    assert ">−0.350<" in shown[1]


def test_sealed_numbers_have_the_digits_of_their_board_everywhere(hall: Hall) -> None:
    receipt = hall.publish(0.8)
    hall.store.publish_gold(some_facts(kind="sealed", n_topics=300, n_live=150), TOPICS, NOON)
    hall.make_boards()
    view = system_of(hall, receipt.submission_id)

    shown = content(view, VISIT)

    [entry] = view.entries
    assert entry.board is not None
    assert entry.digits == entry.board["digits"] == 2
    assert shown.count("0.80<") == 2
    assert "0.800" not in shown


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
