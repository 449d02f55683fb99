"""Gold full of unique strings, every address of the running app asked for: none of the strings may come out."""

import base64
import hashlib
import http.client
import itertools
import json
import re
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from gradio_client import Client, handle_file

from tests.running import ROOT, RunningApp, running_app

pytestmark = pytest.mark.processes

N_TOPICS = 300
KNOWN_DOCUMENT = "seen-by-all"
CARD = """
id = "{id}"
benchmark = "Canary"
version = "1"
gold = "{kind}"
depth = 100
has_groups = true
[name]
en = "Canary {id}"
[summary]
en = "A task whose gold is full of unique strings."
[[measure]]
name = "nDCG@10"
primary = true
[[measure]]
name = "R@10"
[[axis]]
id = "kind"
name = {{ en = "Kind" }}
[limits]
per_day = 2
per_month = 20
total = 20
min_slice_topics = 100
"""
TASKS = {"canary-open": "open", "canary-sealed": "sealed"}


def is_live(number: int) -> bool:
    """Groups of three topics; every third group is sealed."""
    return number // 3 % 3 != 0


class Nest:
    """Where the canaries sit: in relevant documents, groups, and an attribute that no card names."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.canaries: list[str] = []
        for task, kind in TASKS.items():
            (folder / "tasks" / task).mkdir(parents=True)
            (folder / "tasks" / task / "card.toml").write_text(CARD.format(id=task, kind=kind), encoding="utf-8")
            self._write_gold(folder / "gold" / task)

    def new(self) -> str:
        canary = f"zq{secrets.token_hex(8)}"
        self.canaries.append(canary)
        return canary

    def _write_gold(self, folder: Path) -> None:
        folder.mkdir(parents=True, mode=0o700)
        qrels, topics = [], []
        for number in range(N_TOPICS):
            topic = f"topic-{number:04}"
            qrels += [f"{topic} 0 {self.new()} 1\n", f"{topic} 0 {KNOWN_DOCUMENT} {number % 2}\n"]
            half = "live" if is_live(number) else "sealed"
            row = {"topic_id": topic, "group": f"g{number // 3}{self.canaries[0]}", "kind": "any", "half": half}
            topics.append(json.dumps({**row, "private_note": self.new()}) + "\n")
        (folder / "qrels.trec").write_text("".join(qrels), encoding="utf-8")
        (folder / "topics.jsonl").write_text("".join(topics), encoding="utf-8")

    def forms(self) -> list[bytes]:
        """Every canary as it stands and as somebody could wrap it."""
        found: list[bytes] = []
        for canary in self.canaries:
            plain = canary.encode()
            encoded = base64.b64encode(plain).rstrip(b"=")[:-1]
            found += [plain, plain[::-1], encoded, plain.hex().encode(), hashlib.sha256(plain).hexdigest().encode()]
        return found


@pytest.fixture(scope="module")
def nest(tmp_path_factory: pytest.TempPathFactory) -> Nest:
    return Nest(tmp_path_factory.mktemp("canaries"))


@pytest.fixture(scope="module")
def app(nest: Nest) -> Iterator[RunningApp]:
    folder = nest.folder
    with running_app(folder, QRELBOARD_TASKS=str(folder / "tasks"), GOLD_SOURCE=str(folder / "gold")) as app:
        app.until(lambda: all(app.board(task).get("topics") for task in TASKS))
        yield app


@pytest.fixture(scope="module")
def receipts(app: RunningApp, nest: Nest) -> dict[str, dict[str, Any]]:
    """One scored submission a task, handed in by the API; it finds what is not secret."""
    client = Client(app.url, verbose=False)
    run = nest.folder / "known.run"
    run.write_text(
        "".join(f"topic-{n:04} Q0 {KNOWN_DOCUMENT} 1 2.0 known\n" for n in range(N_TOPICS)), encoding="utf-8"
    )
    found = {}
    for task in TASKS:
        found[task] = client.predict(task, handle_file(str(run)), {"name": "Known"}, "", api_name="/submit")
        assert "submission_id" in found[task], found[task]

    def is_scored(receipt: dict[str, Any]) -> bool:
        status = client.predict(receipt["submission_id"], receipt["link_key"], api_name="/status")
        return bool(status["progress"] == "scored")

    app.until(lambda: all(is_scored(receipt) for receipt in found.values()))
    client.close()
    return found


def inventory(app: RunningApp) -> dict[str, Any]:
    """The app's own lists of routes, pages and events."""
    command = [sys.executable, "-m", "tests.attacks.inventory"]
    run = subprocess.run(command, cwd=ROOT, env=app.environment, capture_output=True, check=True, timeout=120)
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return found


def addresses(app: RunningApp, lists: dict[str, Any], receipts: dict[str, dict[str, Any]]) -> set[tuple[str, str]]:
    """(method, address) for every route of the app, its placeholders filled with every value that could be asked."""
    systems = lists["systems"]
    ids = [receipt["submission_id"] for receipt in receipts.values()]
    files = [
        app.data / name
        for name in ("books.sqlite", "jobs.sqlite", "vault/salt", "vault/scores", "runs", "gold", "../gold/canary-open")
    ]
    secret_files = [str(path) for path in [*files, nest_file(app), Path("/proc/self/environ")]]
    fills = [*TASKS, *ids, *systems, "0", "x", *secret_files, *(path.lstrip("/") for path in secret_files)]
    found: set[tuple[str, str]] = set()
    for path, methods in lists["routes"]:
        holes = re.findall(r"\{[^}]+\}", path)
        for values in itertools.islice(itertools.product(fills, repeat=len(holes)), 200):
            filled = path
            for hole, value in zip(holes, values, strict=True):
                filled = filled.replace(hole, value, 1)
            found |= {(method, filled) for method in methods}
    found |= {("GET", f"/comparisons/{task}.json?ids={','.join(ids)}") for task in TASKS}
    for page in lists["pages"]:
        for lang in ("en", "fr", "zh"):
            found.add(("GET", f"/{page}?lang={lang}"))
            found |= {("GET", f"/{page}?id={one}&lang={lang}") for one in (*ids, *systems)}
            found |= {("GET", f"/{page}?task={task}&ids={','.join(ids)}&lang={lang}") for task in TASKS}
            found |= {
                ("GET", f"/{page}?id={r['submission_id']}&key={r[key]}")
                for r in receipts.values()
                for key in ("link_key", "owner_key")
            }
    return found


def nest_file(app: RunningApp) -> Path:
    return app.folder / "gold" / "canary-sealed" / "qrels.trec"


def ask(app: RunningApp, method: str, address: str, body: bytes | None = None) -> bytes:
    """Headers and body of the answer, at most 2 MiB and ten seconds of it; nothing where the connection is closed."""
    connection = http.client.HTTPConnection("127.0.0.1", app.port, timeout=3)
    try:
        headers = {"content-type": "application/json"} if body is not None else {}
        connection.request(method, "/" + address.lstrip("/").replace(" ", "%20"), body, headers)
        answer = connection.getresponse()
        said = str(answer.headers).encode()
        try:
            return said + answer.read(2 << 20)
        except (OSError, http.client.HTTPException):
            return said
    except (OSError, http.client.HTTPException):
        return b""
    finally:
        connection.close()


def events(app: RunningApp, lists: dict[str, Any], receipts: dict[str, dict[str, Any]]) -> Iterator[bytes]:
    """The answer of every event, by number, for what a stranger and an owner could hand in."""
    receipt = next(iter(receipts.values()))
    session = secrets.token_hex(5)
    for number, n_inputs in lists["events"].items():
        for value in (None, "canary-sealed", receipt["submission_id"], receipt["link_key"], str(nest_file(app)), 7):
            call = {"data": [value] * n_inputs, "fn_index": int(number), "session_hash": session}
            yield ask(app, "POST", "/gradio_api/run/predict", json.dumps(call).encode())
            yield ask(app, "POST", "/gradio_api/queue/join", json.dumps(call).encode())
    yield ask(app, "GET", f"/gradio_api/queue/data?session_hash={session}")


def hits(texts: list[bytes], forms: list[bytes]) -> list[bytes]:
    whole = b"\n".join(texts)
    return [form for form in forms if form in whole]


def test_no_canary_comes_out_of_any_address_event_or_log(
    app: RunningApp,
    nest: Nest,
    receipts: dict[str, dict[str, Any]],
    record_property: Callable[[str, object], None],
) -> None:
    lists = inventory(app)
    asked = sorted(addresses(app, lists, receipts))
    answers = [ask(app, method, address, b"{}" if method == "POST" else None) for method, address in asked]
    answers += list(events(app, lists, receipts))

    record_property("canaries", len(nest.canaries))
    record_property("addresses", len(asked))
    record_property("answers", len(answers))
    record_property("hits", len(hits([*answers, app.words().encode()], nest.forms())))
    assert len(nest.canaries) >= 100
    assert len(asked) > 300
    assert hits(answers, [b"Canary canary-open", b"topic-0000"]) != [], "the crawl would not find what is there"
    assert hits(answers, nest.forms()) == []
    assert hits([app.words().encode()], nest.forms()) == []
    assert b"Traceback" not in b"".join(answers)
    unasked = [said for (_, address), said in zip(asked, answers, strict=False) if str(app.folder) not in address]
    assert [said[:2000] for said in unasked if str(app.folder).encode() in said] == []


def test_books_and_queue_hold_no_canary(app: RunningApp, nest: Nest, receipts: dict[str, dict[str, Any]]) -> None:
    assert receipts
    for path in (*app.data.glob("*.sqlite*"), *(p for p in (app.data / "public").rglob("*") if p.is_file())):
        assert hits([path.read_bytes()], nest.forms()) == [], path.name


def test_sealed_board_shows_rounded_numbers_of_the_live_half_only(
    app: RunningApp, receipts: dict[str, dict[str, Any]]
) -> None:
    client = Client(app.url, verbose=False)
    receipt = receipts["canary-sealed"]
    status = client.predict(receipt["submission_id"], receipt["link_key"], api_name="/status")
    client.close()

    board = app.board("canary-sealed")
    assert board["topics"] == sum(map(is_live, range(N_TOPICS)))
    numbers = re.findall(r"0\.\d+", json.dumps(status.get("scores", status)))
    assert numbers
    assert max(len(number) for number in numbers) <= len("0.") + board["digits"]


def test_web_process_was_started_without_the_place_of_the_gold(app: RunningApp) -> None:
    assert app.process is not None
    children = Path(f"/proc/{app.process.pid}/task/{app.process.pid}/children")
    if not children.exists():
        pytest.skip("no /proc on this system")
    environments = {}
    for pid in children.read_text(encoding="ascii").split():
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        role = "web" if b"web" in command else "worker"
        environments[role] = Path(f"/proc/{pid}/environ").read_bytes()

    assert b"GOLD_SOURCE" in environments["worker"], "the test would not see it"
    assert b"GOLD_SOURCE" not in environments["web"]
