"""Measure how fast boards are seen and served, as ratios and rates of one run, on a made board of 500 × 30.

    python -m benchmarks.bench_board --repeats 3

The app runs as `make serve` starts it, on sample gold in a folder that is thrown away; the made board takes the place
of one task's. Beside it runs a page with `gr.Dataframe` and the same numbers; the two take turns. Requests for the
board's JSON and for a page come from this process, the second one. Scored runs are the task's example, under new names.
"""

import argparse
import asyncio
import hashlib
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gradio_client import Client, handle_file
from playwright.sync_api import Browser, sync_playwright

from leaderboard.store import Store
from tests.running import RunningApp, running_app

TASK, SCORED_TASK = "alloprof-both", "irsc"
N_ROWS, N_COLUMNS, N_SAMPLES = 500, 30, 6
N_CONNECTIONS, N_VIEWERS, N_RUNS = 16, 100, 20
SECONDS = 5.0
FRAME_APP = """
import json, sys
import gradio as gr
head, rows = json.load(open(sys.argv[1]))
with gr.Blocks() as demo:
    frame = gr.Dataframe(headers=head, interactive=False)
    demo.load(lambda: rows, None, frame, queue=False)
demo.launch(server_port=int(sys.argv[2]), quiet=True)
"""
SCRIPT_MS = """() => {
  const host = document.querySelector("#board");
  const timed = (act) => { const began = performance.now(); act(); return performance.now() - began; };
  const best = (act) => Math.min(...[0, 1, 2].map((turn) => timed(() => act(turn))));
  const field = host.querySelector("[data-q=q]");
  const type = (text) => { field.value = text; field.dispatchEvent(new Event("input", { bubbles: true })); };
  return {
    sort: best((turn) => host.querySelectorAll("thead button")[5 + turn].click()),
    search: best((turn) => type(`model-${turn + 1}`)),
    filter: best(() => host.querySelector("[data-q=only]").click()),
  };
}"""


def main() -> None:
    """Measure everything once and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    with tempfile.TemporaryDirectory(prefix="qrelboard-bench-") as folder, running_app(Path(folder)) as app:
        app.until(lambda: all(len(app.board(task)["rows"]) == N_SAMPLES for task in (TASK, SCORED_TASK)))
        board = _made_board(app.board(TASK))
        _put(app, board)
        with _frame_page(Path(folder), board) as frame_url, sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            _first_table(chromium, app, frame_url, repeats)
            chromium.close()
        etag = f'"{hashlib.sha256(_text(board).encode()).hexdigest()[:32]}"'
        path = f"/boards/{TASK}.json"
        _print_rate("board JSON, unchanged (304)", _rate(app, path, {"If-None-Match": etag}))
        _print_rate("board JSON, whole and packed", _rate(app, path, {"Accept-Encoding": "gzip"}))
        _viewers(app, Path(folder))


def _made_board(sample: dict[str, Any]) -> dict[str, Any]:
    draws = random.Random(5)
    columns = [
        {"id": f"M{n}@10", "measure": f"M{n}@10", "label": None, "mean": "topics", "is_primary": not n}
        for n in range(N_COLUMNS)
    ]
    rows = []
    for n in range(N_ROWS):
        scores = [draws.random() for _ in columns]
        ends = [[round(score - 0.01, 4), round(score + 0.01, 4)] for score in scores]
        facts = {"id": f"{draws.getrandbits(96):024x}", "name": f"vendor/model-{n}", "rank": n + 1, "slices": {}}
        certainty = {
            "intervals": ends,
            "rank_interval": [max(1, n - 5), n + 7],
            "slice_intervals": {},
            "slice_ranks": {},
        }
        rows.append({**sample["rows"][n % N_SAMPLES], **facts, **certainty, "scores": scores})
    return {**sample, "columns": columns, "axes": [], "rows": rows, "revision": sample["revision"] + 1}


def _text(board: dict[str, Any]) -> str:
    return json.dumps(board, separators=(",", ":"))


def _put(app: RunningApp, board: dict[str, Any]) -> None:
    """Put the board into the books, as the worker would."""
    text, store = _text(board), Store.open(f"sqlite:///{app.data / 'books.sqlite'}")
    etag = hashlib.sha256(text.encode()).hexdigest()[:32]
    store.add_revision(TASK, 1_000_000, text, etag, datetime.now(UTC), number=board["revision"])
    app.until(lambda: len(app.board(TASK)["rows"]) == N_ROWS)


@contextmanager
def _frame_page(folder: Path, board: dict[str, Any]) -> Iterator[str]:
    """Serve the same numbers with `gr.Dataframe`."""
    port, numbers, script = 7999, folder / "numbers.json", folder / "frame_app.py"
    head = ["System", *(column["id"] for column in board["columns"])]
    numbers.write_text(json.dumps([head, [[row["name"], *row["scores"]] for row in board["rows"]]]), encoding="utf-8")
    script.write_text(FRAME_APP, encoding="utf-8")
    process = subprocess.Popen([sys.executable, script, numbers, str(port)], stdout=subprocess.DEVNULL)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def _first_table(chromium: Browser, app: RunningApp, frame_url: str, repeats: int) -> None:
    """Print the seconds until the first rows are visible in both, in turn, and the script time of our controls."""
    ours, theirs = [], []
    for _ in range(repeats + 1):  # the first round warms both
        ours.append(_seconds_until(chromium, f"{app.url}/{TASK}", "#board tbody tr"))
        theirs.append(_seconds_until(chromium, frame_url, "span:text-is('vendor/model-0')"))
    mine, frame = statistics.median(ours[1:]), statistics.median(theirs[1:])
    print(f"first table visible: ours {mine:.2f} s, gr.Dataframe {frame:.2f} s, ratio {mine / frame:.2f}")
    page = chromium.new_page()
    page.goto(f"{app.url}/{TASK}")
    page.wait_for_selector("#board tbody tr")
    taken = page.evaluate(SCRIPT_MS)
    print("script time: " + ", ".join(f"{name} {ms:.1f} ms" for name, ms in taken.items()))
    page.close()


def _seconds_until(chromium: Browser, url: str, selector: str) -> float:
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    for attempt in range(60):
        began = time.monotonic()
        try:
            page.goto(url, wait_until="commit")
            break
        except Exception:  # the other page may not listen yet
            if attempt == 59:
                raise
            time.sleep(0.5)
    page.wait_for_selector(selector, timeout=60_000)
    taken = time.monotonic() - began
    context.close()
    return taken


def _rate(app: RunningApp, path: str, headers: dict[str, str]) -> float:
    """Return the answers a second over so many open connections."""
    return asyncio.run(_ask_all(app.port, path, headers, N_CONNECTIONS, SECONDS))[0]


async def _ask_all(port: int, path: str, headers: dict[str, str], n: int, seconds: float) -> tuple[float, list[float]]:
    request = "".join(f"{name}: {value}\r\n" for name, value in {"Host": f"127.0.0.1:{port}", **headers}.items())
    line = f"GET {path} HTTP/1.1\r\n{request}\r\n".encode()
    until, latencies = time.monotonic() + seconds, []

    async def one() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
        while time.monotonic() < until:
            began = time.monotonic()
            writer.write(line)
            head = await reader.readuntil(b"\r\n\r\n")
            assert head[9:12] in (b"200", b"304"), head[:200]
            length = next(
                (int(part[15:]) for part in head.lower().split(b"\r\n") if part.startswith(b"content-length")), 0
            )
            if length and head[9:12] == b"200":
                await reader.readexactly(length)
            latencies.append(time.monotonic() - began)
        writer.close()

    began = time.monotonic()
    await asyncio.gather(*(one() for _ in range(n)))
    return len(latencies) / (time.monotonic() - began), latencies


def _viewers(app: RunningApp, folder: Path) -> None:
    """Print the latency of a page for many viewers, each with a look a second, while runs are scored."""
    status, example = app.get(f"/examples/{SCORED_TASK}.run")
    assert status == 200
    path = folder / "example.run"
    client, taken = Client(app.url, verbose=False), 0
    for n in range(N_RUNS):
        lines = (line.split()[:5] for line in example.splitlines())
        path.write_bytes(b"".join(b" ".join([*cells, f"bench{n}".encode()]) + b"\n" for cells in lines))
        form = {"name": f"Bench {n}", "version": "1.0"}
        answer = client.predict(SCORED_TASK, handle_file(str(path)), form, "", api_name="/submit")
        taken += "submission_id" in answer
    _, latencies = asyncio.run(_ask_all(app.port, f"/{TASK}", {}, N_VIEWERS, 2 * SECONDS))
    ordered = sorted(latencies)
    p50, p99 = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
    print(f"page, {N_VIEWERS} viewers without a pause, {taken} runs handed in: p50 {p50:.3f} s, p99 {p99:.3f} s")


def _print_rate(name: str, rate: float) -> None:
    print(f"{name}: {rate:,.0f} answers a second")


if __name__ == "__main__":
    main()
