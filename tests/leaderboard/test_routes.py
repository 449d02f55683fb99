"""Plain routes: health, the board as machines read it, example runs, style sheet and script."""

import gzip
import json
from datetime import timedelta
from pathlib import Path

import pytest
from starlette.applications import Starlette

from leaderboard.downloads import topic_scores_file
from leaderboard.gate import Caps, Gate
from leaderboard.hall import Hall as Doors
from leaderboard.parts import assets
from leaderboard.rates import Rate, Rates
from leaderboard.routes import plain_routes
from tests.builders import NOON, a_form, a_run
from tests.leaderboard.asgi import ask
from tests.leaderboard.hall import TOPICS, Hall


@pytest.fixture
def app(hall: Hall) -> Starlette:
    hall.publish(0.5)
    hall.make_boards()
    doors = Doors(hall.intake, hall.desk, hall.board, None, hall.clock, None)  # type: ignore[arg-type]
    return Starlette(routes=plain_routes(doors))


def test_health_answers(app: Starlette) -> None:
    answer = ask(app, "/healthz")

    said = json.loads(answer.body)
    assert (answer.status, said["database"], said["queue"]) == (200, "ok", {"waiting": 0, "oldest_at": None})
    assert (said["status"], said["worker"]) == ("degraded", {"alive": False, "heard_at": None})  # there is no worker


def test_board_is_the_text_of_the_revision(app: Starlette, hall: Hall) -> None:
    answer = ask(app, "/boards/toy.json")

    revision = hall.board.revision("toy")
    assert revision is not None
    assert answer.text == revision.body
    assert answer.headers["etag"] == f'"{revision.etag}"'
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("known", ['"{}"', 'W/"{}"', '"older", "{}"', "*"])
def test_unchanged_board_is_not_sent_again(app: Starlette, hall: Hall, known: str) -> None:
    revision = hall.board.revision("toy")
    assert revision is not None

    answer = ask(app, "/boards/toy.json", headers={"if-none-match": known.format(revision.etag)})

    assert (answer.status, answer.body) == (304, b"")


def test_changed_board_is_sent_whole(app: Starlette) -> None:
    assert ask(app, "/boards/toy.json", headers={"if-none-match": '"older"'}).status == 200


def test_board_of_an_unknown_task_is_not_found(app: Starlette) -> None:
    assert ask(app, "/boards/nothing.json").status == 404


def test_past_board_is_found_by_number_and_by_day(app: Starlette, hall: Hall) -> None:
    first = hall.board.revision("toy")
    assert first is not None
    hall.publish(0.9, "Later system", minutes=3 * 24 * 60)
    hall.make_boards()

    assert ask(app, "/boards/toy.json", query="rev=1").text == first.body
    assert ask(app, "/boards/toy.json", query=f"on={NOON:%Y-%m-%d}").text == first.body
    assert ask(app, "/boards/toy.json", query="rev=2").text == ask(app, "/boards/toy.json").text
    assert ask(app, "/boards/toy.json", query="on=2999-01-01").text == ask(app, "/boards/toy.json").text


@pytest.mark.parametrize(
    "asked", ["rev=9", "rev=-1", "rev=x", "rev=", "rev=1e3", "on=2001-01-01", "on=yesterday", "on="]
)
def test_board_that_never_was_is_not_the_present_one(app: Starlette, asked: str) -> None:
    answer = ask(app, "/boards/toy.json", query=asked)

    assert answer.status == 404
    assert "rows" not in answer.text


def test_axis_of_a_board_comes_alone_and_an_unknown_one_changes_nothing(app: Starlette, hall: Hall) -> None:
    whole = json.loads(ask(app, "/boards/toy.json").body)
    axis = whole["axes"][0]["id"]

    part = ask(app, "/boards/toy.json", query=f"by={axis}", headers={"accept-encoding": "gzip"})

    board = json.loads(gzip.decompress(part.body))
    assert [list(row["slices"]) for row in board["rows"]] == [[axis] for _ in whole["rows"]]
    assert board["columns"] == whole["columns"]
    assert part.headers["etag"] == ask(app, "/boards/toy.json").headers["etag"]
    assert json.loads(ask(app, "/boards/toy.json", query="by=../x").body) == whole


def test_board_is_packed_where_the_reader_takes_it(app: Starlette, hall: Hall) -> None:
    answer = ask(app, "/boards/toy.json", headers={"accept-encoding": "br, gzip"})

    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["vary"] == "Accept-Encoding"


def test_example_run_is_a_download_of_plain_text(app: Starlette, hall: Hall) -> None:
    path: Path = hall.catalogue["toy"].folder / "example.run"
    path.write_text("t1 Q0 d1 1 1.0 x\n", encoding="utf-8")

    answer = ask(app, "/examples/toy.run")

    assert answer.text == "t1 Q0 d1 1 1.0 x\n"
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert 'filename="toy.example.run"' in answer.headers["content-disposition"]


@pytest.mark.parametrize("path", ["/examples/other.run", "/examples/..%2f..%2fcard.run"])
def test_missing_example_run_is_not_found(app: Starlette, path: str) -> None:
    assert ask(app, path).status == 404


def test_style_and_script_may_be_kept_for_ever_under_a_name_that_changes(app: Starlette) -> None:
    for asset in (assets.stylesheet(), assets.script()):
        answer = ask(app, f"/look/{asset.name}")
        assert answer.body == asset.body
        assert "immutable" in answer.headers["cache-control"]
    assert ask(app, "/look/hall.000000000000.css").status == 404


def test_run_file_is_handed_to_its_owner_and_to_all_only_where_the_owner_said_so(app: Starlette, hall: Hall) -> None:
    run = a_run(TOPICS)
    shut = hall.hand_in(run, a_form("Closed run"))
    shown = hall.hand_in(run, a_form("Open run", run_is_public=True))
    for receipt in (shut, shown):
        hall.score(receipt.submission_id)
        hall.desk.publish(receipt.submission_id, receipt.link_key)

    assert ask(app, f"/runs/{shut.submission_id}.run").status == 404
    assert ask(app, f"/runs/{shut.submission_id}.run", query="key=wrong").status == 404
    assert ask(app, f"/runs/{shut.submission_id}.run", query=f"key={shut.link_key}").body == run
    assert ask(app, f"/runs/{shown.submission_id}.run").body == run
    hall.desk.keep_private(shown.submission_id, shown.link_key)
    assert ask(app, f"/runs/{shown.submission_id}.run").status == 404
    hall.desk.delete(shown.submission_id, shown.link_key)
    assert ask(app, f"/runs/{shown.submission_id}.run", query=f"key={shown.link_key}").status == 404


def test_packed_run_is_handed_out_as_it_came_and_named_so(app: Starlette, hall: Hall) -> None:
    packed = gzip.compress(a_run(TOPICS), mtime=0)
    receipt = hall.hand_in(packed)

    answer = ask(app, f"/runs/{receipt.submission_id}.run", query=f"key={receipt.link_key}")

    assert answer.body == packed
    assert answer.headers["content-disposition"].endswith('.run.gz"')
    assert answer.headers["cache-control"] == "private, no-store"


def test_scores_by_topic_need_the_key(app: Starlette, hall: Hall) -> None:
    receipt = hall.publish(0.6, name="With scores")
    folder = hall.folder / "topic-scores"
    folder.mkdir(exist_ok=True)
    topic_scores_file(folder, receipt.submission_id).write_text("topic,nDCG@10\nt1,0.5\n", encoding="utf-8")

    assert ask(app, f"/scores/{receipt.submission_id}.csv").status == 404
    answer = ask(app, f"/scores/{receipt.submission_id}.csv", query=f"key={receipt.link_key}")
    assert answer.text == "topic,nDCG@10\nt1,0.5\n"


def test_badge_tells_rank_and_score_until_the_board_changes(app: Starlette, hall: Hall) -> None:
    row = json.loads(ask(app, "/boards/toy.json").body)["rows"][0]

    answer = ask(app, f"/badge/{row['system']}/toy.svg")
    known = ask(app, f"/badge/{row['system']}/toy.svg", headers={"if-none-match": answer.headers["etag"]})
    french = ask(app, f"/badge/{row['system']}/toy.svg", query="lang=fr")

    assert answer.headers["content-type"] == "image/svg+xml"
    assert "#1 of 1 · 0.500" in answer.text
    assert (known.status, known.body) == (304, b"")
    assert "0,500" in french.text
    hall.publish(0.7, name="Better", minutes=3)
    hall.make_boards()
    changed = ask(app, f"/badge/{row['system']}/toy.svg", headers={"if-none-match": answer.headers["etag"]})
    assert "#2 of 2 · 0.500" in changed.text


@pytest.mark.parametrize("path", ["/badge/nobody/toy.svg", "/badge/nobody/nothing.svg", "/badge/%3Cb%3E/toy.svg"])
def test_badge_of_nobody_is_not_found(app: Starlette, path: str) -> None:
    answer = ask(app, path)

    assert answer.status == 404
    assert "<" not in answer.text


def test_comparison_is_accepted_then_answered_without_scores_of_topics(app: Starlette, hall: Hall) -> None:
    hall.publish(0.7, "Other one")
    hall.make_boards()
    revision = hall.board.revision("toy")
    assert revision is not None
    address, ids = "/comparisons/toy.json", [row["id"] for row in json.loads(revision.body)["rows"]]

    first = ask(app, address, query=f"ids={','.join(ids)}")
    (question,) = hall.store.comparisons_asked(9)
    hall.store.answer_comparison(question, {"overall": [], "losses": [["secret"]]}, hall.now)
    second = ask(app, address, query=f"ids={','.join(ids)}")

    assert (first.status, first.headers["retry-after"], json.loads(first.body)) == (202, "2", {"state": "asked"})
    assert (second.status, json.loads(second.body)) == (200, {"state": "answered", "overall": []})


@pytest.mark.parametrize(
    ("address", "ids", "status", "code"),
    [
        ("toy", "a", 400, "wrong-number"),
        ("toy", "", 400, "wrong-number"),
        ("toy", "a,b,c,d,e,f", 400, "wrong-number"),
        ("toy", "a,a", 400, "same-system"),
        ("toy", "a,b", 404, "not-on-board"),
        ("bare", "a,b", 404, "no-board"),
        ("never", "a,b", 404, "no-board"),
    ],
)
def test_what_cannot_be_compared_has_a_status_and_a_code(
    app: Starlette, address: str, ids: str, status: int, code: str
) -> None:
    answer = ask(app, f"/comparisons/{address}.json", query=f"ids={ids}")

    assert (answer.status, json.loads(answer.body)) == (status, {"error": code})


def test_refused_comparison_may_be_asked_again_in_a_minute(app: Starlette, hall: Hall) -> None:
    hall.publish(0.7, "Other one")
    hall.make_boards()
    revision = hall.board.revision("toy")
    assert revision is not None
    query = f"ids={','.join(row['id'] for row in json.loads(revision.body)['rows'])}"
    ask(app, "/comparisons/toy.json", query=query)
    (question,) = hall.store.comparisons_asked(9)
    hall.store.refuse_comparison(question, "scores-missing", hall.now)

    refused = ask(app, "/comparisons/toy.json", query=query)
    hall.now += timedelta(minutes=2)
    again = ask(app, "/comparisons/toy.json", query=query)

    assert (refused.status, refused.headers["retry-after"]) == (503, "60")
    assert json.loads(refused.body) == {"error": "scores-missing"}
    assert (again.status, json.loads(again.body)) == (202, {"state": "asked"})


def test_one_address_asks_only_so_many_new_comparisons_and_others_go_on(hall: Hall) -> None:
    hall.publish(0.5)
    for number in range(3):
        hall.publish(0.6 + number / 10, f"Other {number}")
    hall.make_boards()
    revision = hall.board.revision("toy")
    assert revision is not None
    ids = [row["id"] for row in json.loads(revision.body)["rows"]]
    rates = Rates(1, rates={"question": Rate(2, 0.001)})
    doors = Doors(hall.intake, hall.desk, hall.board, None, hall.clock, None, rates)  # type: ignore[arg-type]
    gate = Gate(Starlette(routes=plain_routes(doors)), Caps(1000), rates=rates)

    def status(first: int, second: int, sender: str = "192.0.2.7") -> int:
        query = f"ids={ids[first]},{ids[second]}"
        return ask(gate, "/comparisons/toy.json", query=query, headers={"X-Forwarded-For": sender}).status

    assert [status(0, 1), status(0, 2), status(0, 3), status(0, 1)] == [202, 202, 503, 202]
    assert status(0, 3, "192.0.2.8") == 202
