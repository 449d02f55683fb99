"""Measure how much slower a page answers while a large run is checked, in the real app with its real processes.

    python benchmarks/bench_page_during_check.py --megabytes 300

A board is asked for one time after another: first while nothing else happens, then while a run of that size, which was
uploaded before, is checked through the endpoint that scripts use. To be reached: the median during the check is at most
three times the idle one. Takes a minute or two; needs the tests' environment.
"""

import argparse
import http.client
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from evaluation import read_topic_ids  # noqa: E402
from tests.running import RunningApp  # noqa: E402

TASK, PAGE = "irsc", "/irsc"
LIMIT = 3.0
N_IDLE = 40
DOCUMENTS = 9_000  # a topic, below ten times the task's depth of 1,000
MIB = 1024**2
BOUNDARY = b"----a-boundary-of-the-bench"


def main() -> None:
    """Start the app, measure, print a table."""
    parser = argparse.ArgumentParser(description="Measure page times while a run is checked.")
    parser.add_argument("--megabytes", type=int, default=300)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        app = RunningApp(Path(folder), QRELBOARD_MAX_UPLOAD=str((given.megabytes + 50) * MIB))
        app.start()
        try:
            app.until(lambda: len(app.board(TASK)["rows"]) >= 6)
            run = Path(folder) / "large.run"
            write_run(run, topics_of(app), given.megabytes * 10**6)
            for row in measured(app, run):
                print("| " + " | ".join(row) + " |", flush=True)
        finally:
            app.stop()


def topics_of(app: RunningApp) -> list[str]:
    """The public topics of the task, as the app made them."""
    with (app.data / "public" / TASK / "topics.txt").open("rb") as stream:
        return list(read_topic_ids(stream))


def write_run(path: Path, topics: list[str], size: int) -> None:
    """Write many documents for each topic of the task, then topics that it does not have."""
    with path.open("wb") as stream:
        number = 0
        while stream.tell() < size:
            topic = topics[number] if number < len(topics) else f"foreign-{number}"
            stream.write(
                b"".join(
                    b"%s Q0 document-%07d %d %.4f a-long-run\n"
                    % (topic.encode(), place * 7919, place, 9999 - place / 8)
                    for place in range(1, DOCUMENTS + 1)
                )
            )
            number += 1


def measured(app: RunningApp, run: Path) -> Iterator[tuple[str, ...]]:
    yield "", "pages", "p50 ms", "p95 ms"
    yield "---", "---", "---", "---"
    n_left = iter(range(N_IDLE))
    page_times(app, iter(range(5)).__next__)  # warm up
    idle = page_times(app, n_left.__next__)
    yield told("idle", idle)
    path = upload(app, run)
    answer: list[Any] = []
    checking = threading.Thread(target=lambda: answer.append(check(app, path)))
    began = time.perf_counter()
    checking.start()

    def still_checking() -> None:
        if not checking.is_alive():
            raise StopIteration

    during = page_times(app, still_checking)
    taken_s = time.perf_counter() - began
    checking.join()
    if not answer or not answer[0].get("accepted"):
        raise SystemExit(f"the run was not accepted: {str(answer)[:500]}")
    yield told(f"while {run.stat().st_size / 1e6:.0f} MB are checked, {taken_s:.1f} s", during)
    ratio = statistics.median(during) / statistics.median(idle)
    yield f"ratio, at most {LIMIT:g}", "", f"{ratio:.2f}", "reached" if ratio <= LIMIT else "**not reached**"


def page_times(app: RunningApp, goes_on: Callable[[], object]) -> list[float]:
    """Ask for the page until `goes_on` raises StopIteration; returns the seconds of each answer."""
    times = []
    while True:
        try:
            goes_on()
        except StopIteration:
            return times
        began = time.perf_counter()
        status, _ = app.get(PAGE)
        if status != 200:
            raise SystemExit(f"{PAGE} answers {status}")
        times.append(time.perf_counter() - began)


def told(name: str, times: list[float]) -> tuple[str, ...]:
    tail = sorted(times)[int(0.95 * (len(times) - 1))]
    return name, str(len(times)), f"{statistics.median(times) * 1e3:.0f}", f"{tail * 1e3:.0f}"


def upload(app: RunningApp, run: Path) -> str:
    """Upload the file as a page does, from disk; returns its place on the server."""
    head = b'--%s\r\nContent-Disposition: form-data; name="files"; filename="large.run"\r\n\r\n' % BOUNDARY
    tail = b"\r\n--%s--\r\n" % BOUNDARY

    def parts() -> Iterator[bytes]:
        yield head
        with run.open("rb") as stream:
            while piece := stream.read(MIB):
                yield piece
        yield tail

    headers = {
        "Content-Type": f"multipart/form-data; boundary={BOUNDARY.decode()}",
        "Content-Length": str(len(head) + run.stat().st_size + len(tail)),
    }
    return str(post(app, "/gradio_api/upload", parts(), headers)[0])


def check(app: RunningApp, path: str) -> Any:
    """Check the uploaded file through the named endpoint."""
    given = [TASK, {"path": path, "meta": {"_type": "gradio.FileData"}}]
    body = iter([json.dumps({"data": given}).encode()])
    size = len(json.dumps({"data": given}).encode())
    headers = {"Content-Type": "application/json", "Content-Length": str(size)}
    return post(app, "/gradio_api/run/check", body, headers)["data"][0]


def post(app: RunningApp, path: str, body: Iterator[bytes], headers: dict[str, str]) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", app.port, timeout=180)
    try:
        connection.request("POST", path, body=body, headers=headers)
        answer = connection.getresponse()
        said = answer.read()
    finally:
        connection.close()
    if answer.status != 200:
        raise SystemExit(f"{path} answers {answer.status}: {said[:300]!r}")
    return json.loads(said)


if __name__ == "__main__":
    main()
