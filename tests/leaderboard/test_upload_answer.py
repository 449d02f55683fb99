"""An uploader is told a name, not a place; what goes wrong is said in our words. The application inside is Gradio's."""

import json
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from leaderboard.upload_answer import UploadAnswer
from tests.leaderboard.asgi import ask

FOLDER = Path("/srv/somewhere/uploads")


def around(answer: Response) -> ASGIApp:
    async def upload(request: Request) -> Response:
        return answer

    routes = [Route(path, upload, methods=["GET", "POST"]) for path in ("/gradio_api/upload", "/gradio_api/run/x")]
    return UploadAnswer(Starlette(routes=routes), FOLDER, 2_000_000)


def test_answer_names_the_upload_below_its_folder() -> None:
    answer = ask(around(JSONResponse([f"{FOLDER}/{'a' * 64}/my run.run"])), "/gradio_api/upload", method="POST")

    assert json.loads(answer.body) == [f"{'a' * 64}/my run.run"]
    assert answer.headers["content-length"] == str(len(answer.body))


@pytest.mark.parametrize(
    ("lang", "sentence"), [("en", "The upload is larger than 2.0 MB."), ("fr", "2,0"), ("zh", "2.0 MB")]
)
def test_too_big_is_said_in_the_language_of_the_page(lang: str, sentence: str) -> None:
    site = around(PlainTextResponse("File size exceeded maximum allowed size", 413))

    answer = ask(site, "/gradio_api/upload", method="POST", headers={"referer": f"http://x/submit?lang={lang}"})

    assert answer.status == 413
    assert sentence in answer.text
    assert "File size exceeded" not in answer.text


def test_other_refusals_quote_nothing() -> None:
    answer = ask(around(PlainTextResponse("no /srv/x", 400)), "/gradio_api/upload", method="POST")

    assert (answer.status, answer.text) == (400, "This request was refused.")


def test_other_answers_pass_as_they_are() -> None:
    said = JSONResponse([f"{FOLDER}/x"])

    assert json.loads(ask(around(said), "/gradio_api/run/x", method="POST").body) == [f"{FOLDER}/x"]
    assert json.loads(ask(around(said), "/gradio_api/upload").body) == [f"{FOLDER}/x"]
