"""Plain routes: health, the board as machines read it, example runs, style sheet and script."""

import json
from pathlib import Path

import pytest
from starlette.applications import Starlette

from leaderboard.hall import Hall as Doors
from leaderboard.parts import assets
from leaderboard.routes import plain_routes
from tests.leaderboard.asgi import ask
from tests.leaderboard.hall import Hall


@pytest.fixture
def app(hall: Hall) -> Starlette:
    hall.publish(0.5)
    hall.make_boards()
    doors = Doors(hall.intake, hall.desk, hall.board, None, hall.clock)  # type: ignore[arg-type]
    return Starlette(routes=plain_routes(doors))


def test_health_answers(app: Starlette) -> None:
    assert json.loads(ask(app, "/healthz").body)["status"] == "ok"


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
