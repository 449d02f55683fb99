"""Press events of a small site and print the answers. A process of its own: Gradio leaves event loops open."""

import json

import gradio as gr
from gradio.routes import App
from starlette.middleware import Middleware

from leaderboard.gate import Caps, Gate
from leaderboard.pages.uploads import Site
from leaderboard.rates import Rate, Rates
from tests.leaderboard.asgi import ask

LOOK, CHOOSE, FAIL = range(3)


def a_site() -> App:
    """A page with three events: one that reads a run, one that reads none, and one that fails."""
    rates = Rates(rates={"run": Rate(2, 0.1), "event": Rate(100, 1)}, clock=lambda: 0.0)
    demo = Site(analytics_enabled=False)
    demo.rates = rates

    def look(text: str) -> str:
        return f"looked at {text}"

    def choose(text: str) -> str:
        return f"chose {text}"

    def fail(text: str) -> str:
        raise ValueError(f"secret {text}")

    with demo:
        box = gr.Textbox()
        for event in (look, choose, fail):
            gr.Button().click(event, box, box, queue=False)
    demo.queue()
    gate = Middleware(Gate, caps=Caps(1 << 20), rates=rates)
    return App.create_app(demo, app_kwargs={"middleware": [gate]})


def main() -> None:
    """Print [status, JSON] of each call."""
    app = a_site()

    def press(number: int, text: str = "x", **headers: str) -> list[object]:
        body = json.dumps({"data": [text], "fn_index": number, "session_hash": "s"}).encode()
        given = {"content-type": "application/json", "content-length": str(len(body)), **headers}
        said = ask(app, "/gradio_api/run/predict", method="POST", headers=given, body=[body])
        return [said.status, json.loads(said.body)]

    answers = {
        "looks": [press(LOOK) for _ in range(3)],
        "choices": [press(CHOOSE) for _ in range(5)],
        "failure": press(FAIL, referer="http://example.org/submit?lang=fr"),
        "odd": press(CHOOSE, "a\ud800b\0c"),
    }
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
