"""Gold full of unique strings, every address of the running app asked for: none of the strings may come out."""

import base64
import http.client
import http.server
import itertools
import json
import math
import re
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.attacks.needles import FORMS, Needles, packed
from tests.attacks.wire import call, event_of, file_data, press, upload
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
per_day = 50
per_month = 50
total = 50
min_slice_topics = 100
"""
MOVES = ("keep-private", "withdraw-yes", "delete-yes")
TASKS = {"canary-open": "open", "canary-sealed": "sealed"}
# how long things took, which Gradio tells with each event: any digits can come up there
TIMES = re.compile(rb'"(average_duration|avg_time|duration|rank_eta|process_time)":\s*[\d.e-]+')


def is_live(number: int) -> bool:
    """Groups of three topics; every third group is sealed."""
    return number // 3 % 3 != 0


def is_known(number: int) -> bool:
    """Whether the known document is relevant, in shares that differ from half to half."""
    return number * number % 11 < 4 + is_live(number)


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
            qrels += [f"{topic} 0 {self.new()} 1\n", f"{topic} 0 {KNOWN_DOCUMENT} {int(is_known(number))}\n"]
            half = "live" if is_live(number) else "sealed"
            row = {"topic_id": topic, "group": f"g{number // 3}{self.canaries[0]}", "kind": "any", "half": half}
            topics.append(json.dumps({**row, "private_note": self.new()}) + "\n")
        (folder / "qrels.trec").write_text("".join(qrels), encoding="utf-8")
        (folder / "topics.jsonl").write_text("".join(topics), encoding="utf-8")


@pytest.fixture(scope="module")
def nest(tmp_path_factory: pytest.TempPathFactory) -> Nest:
    return Nest(tmp_path_factory.mktemp("canaries"))


@pytest.fixture(scope="module")
def app(nest: Nest) -> Iterator[RunningApp]:
    folder = nest.folder
    with running_app(folder, QRELBOARD_TASKS=str(folder / "tasks"), GOLD_SOURCE=str(folder / "gold")) as app:
        app.until(lambda: all(app.board(task).get("topics") for task in TASKS))
        yield app


@dataclass(frozen=True)
class Handed:
    """What the tests handed in: receipts of the owner by task and one more on open gold, published; a foreign one."""

    owner: dict[str, dict[str, Any]]
    second: dict[str, Any]
    foreigner: dict[str, Any]
    upload: str

    @property
    def all(self) -> list[dict[str, Any]]:
        return [*self.owner.values(), self.second, self.foreigner]

    @property
    def keys(self) -> list[str]:
        return [receipt[name] for receipt in self.all for name in ("link_key", "owner_key")]


def known_run(name: str) -> bytes:
    """A run that finds what is not secret."""
    return "".join(f"topic-{n:04} Q0 {KNOWN_DOCUMENT} 1 2.0 {name}\n" for n in range(N_TOPICS)).encode()


@pytest.fixture(scope="module")
def handed(app: RunningApp, nest: Nest) -> Handed:
    """One scored and published submission a task, and a private one of somebody else."""
    place = file_data(upload(app, known_run("known")))
    owner = {
        task: call(app, "submit", task, place, {"name": f"Known {task}", "run_is_public": True}, "") for task in TASKS
    }
    second = call(app, "submit", "canary-open", file_data(upload(app, known_run("two"))), {"name": "Known two"}, "")
    foreigner = call(app, "submit", "canary-sealed", file_data(upload(app, known_run("f"))), {"name": "Foreign"}, "")
    found = Handed(owner, second, foreigner, upload(app, known_run("later")))

    def is_scored(receipt: dict[str, Any]) -> bool:
        return bool(call(app, "status", receipt["submission_id"], receipt["link_key"])["progress"] == "scored")

    app.until(lambda: all(is_scored(receipt) for receipt in found.all))
    number, inputs = event_of(json_of(app, "/config"), "submission-publish", "click")
    for receipt in (*owner.values(), second):
        press(app, number, [""] * len(inputs), f"?id={receipt['submission_id']}&key={receipt['link_key']}")
    rows = [owner["canary-open"]["submission_id"], second["submission_id"]]
    app.until(lambda: len(app.board("canary-open")["rows"]) == 2 and len(app.board("canary-sealed")["rows"]) == 1)
    app.until(lambda: bool(call(app, "compare", "canary-open", rows).get("state") == "answered"))
    return found


def json_of(app: RunningApp, path: str) -> Any:
    return json.loads(app.get(path)[1])


def inventory(app: RunningApp) -> dict[str, Any]:
    """The app's own lists of routes, pages and events."""
    command = [sys.executable, "-m", "tests.attacks.inventory"]
    run = subprocess.run(command, cwd=ROOT, env=app.environment, capture_output=True, check=True, timeout=120)
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return found


def addresses(app: RunningApp, lists: dict[str, Any], handed: Handed) -> set[tuple[str, str]]:
    """(method, address) for every route of the app, its placeholders filled with every value that could be asked."""
    systems = lists["systems"]
    ids = [receipt["submission_id"] for receipt in handed.all]
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
            if "{submission}" in path and values[0] in ids:
                found |= {("GET", f"{filled}?key={key}") for key in handed.keys}
    found |= {("GET", f"/comparisons/{task}.json?ids={','.join(ids)}") for task in TASKS}
    for page in lists["pages"]:
        for lang in ("en", "fr", "zh"):
            found.add(("GET", f"/{page}?lang={lang}"))
            found |= {("GET", f"/{page}?id={one}&lang={lang}") for one in (*ids, *systems)}
            found |= {("GET", f"/{page}?task={task}&ids={','.join(ids)}&lang={lang}") for task in TASKS}
        found |= {("GET", f"/{page}?id={one}&key={key}") for one in ids for key in handed.keys}
        found.add(("GET", f"/{page}?embed=1"))
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


def events(app: RunningApp, lists: dict[str, Any], handed: Handed) -> Iterator[bytes]:
    """The answer of every event, by number, for what a stranger, an owner and somebody else could hand in."""
    receipt = handed.owner["canary-sealed"]
    session, config = secrets.token_hex(5), json_of(app, "/config")
    moving = {str(event_of(config, f"submission-{move}", "click")[0]) for move in MOVES}
    visits = ["", *(f"?id={receipt['submission_id']}&key={key}" for key in (receipt["link_key"], handed.keys[-1]))]
    for number, n_inputs in lists["events"].items():
        for value in (None, "canary-sealed", receipt["submission_id"], receipt["link_key"], str(nest_file(app)), 7):
            said = {"data": [value] * n_inputs, "fn_index": int(number), "session_hash": session}
            for visit in visits if value in (None, "canary-sealed") else visits[:1]:
                if number in moving and visit:
                    continue  # withdrawing and deleting would take away what the others look at
                yield ask(app, "POST", f"/gradio_api/run/predict{visit}", json.dumps(said).encode())
            yield ask(app, "POST", "/gradio_api/queue/join", json.dumps(said).encode())
    yield ask(app, "GET", f"/gradio_api/queue/data?session_hash={session}")


def named_calls(handed: Handed) -> dict[str, list[list[Any]]]:
    """Real calls of each named endpoint, as a stranger, the owner and somebody else would send them."""
    run = file_data(handed.upload)
    ids, keys = [receipt["submission_id"] for receipt in handed.all], ["", *handed.keys]
    return {
        "check": [[task, run] for task in TASKS],
        "submit": [
            [task, run, {"name": f"Caller {number}", "version": str(number)}, key]
            for task in TASKS
            for number, key in enumerate(["", handed.keys[1], handed.keys[-1]])
        ],
        "status": [[one, key] for one in ids for key in keys],
        "board": [[task] for task in TASKS],
        "compare": [[task, [one, other]] for task in TASKS for one in ids for other in ids if one != other],
    }


def named(app: RunningApp, handed: Handed) -> Iterator[tuple[str, bytes]]:
    """(endpoint, answer) of each named endpoint by every door that Gradio has for it."""
    for endpoint, calls in named_calls(handed).items():
        for given in calls:
            body = json.dumps({"data": given}).encode()
            yield endpoint, ask(app, "POST", f"/gradio_api/run/{endpoint}", body)
        yield endpoint, ask(app, "POST", f"/gradio_api/api/{endpoint}", body)
        begun = ask(app, "POST", f"/gradio_api/call/{endpoint}", body)
        event = re.search(rb'"event_id":\s*"(\w+)"', begun)
        assert event, begun
        yield endpoint, ask(app, "GET", f"/gradio_api/call/{endpoint}/{event[1].decode()}")


@dataclass(frozen=True)
class Crawl:
    """Everything that the app said: to each address, to each named call (endpoint first), and to events."""

    lists: dict[str, Any]
    pages: dict[tuple[str, str], bytes]
    calls: list[tuple[str, bytes]]
    events: list[bytes]

    @property
    def all(self) -> list[bytes]:
        return [*self.pages.values(), *(said for _, said in self.calls), *self.events]


@pytest.fixture(scope="module")
def crawl(app: RunningApp, handed: Handed) -> Crawl:
    lists = inventory(app)
    calls = list(named(app, handed))
    pages = {
        (method, address): ask(app, method, address, b"{}" if method == "POST" else None)
        for method, address in sorted(addresses(app, lists, handed))
    }
    return Crawl(lists, pages, calls, list(events(app, lists, handed)))


def test_the_crawl_goes_everywhere_and_would_find_what_is_there(nest: Nest, handed: Handed, crawl: Crawl) -> None:
    assert len(nest.canaries) >= 100
    assert len(crawl.pages) > 300
    assert set(crawl.lists["named"]) == set(named_calls(handed)), "an endpoint that nobody calls here"
    assert sum(b'"error"' not in said for endpoint, said in crawl.calls if endpoint == "submit") >= 6
    for endpoint in crawl.lists["named"]:
        assert any(b'"error"' not in said for name, said in crawl.calls if name == endpoint), endpoint
    assert Needles(["topic-0000", KNOWN_DOCUMENT]).found(crawl.all) != []


def test_no_canary_comes_out_of_any_address_event_or_log(
    app: RunningApp, nest: Nest, crawl: Crawl, record_property: Callable[[str, object], None]
) -> None:
    found = Needles(nest.canaries).found([*crawl.all, app.words().encode()])

    record_property("canaries", len(nest.canaries))
    record_property("addresses", len(crawl.pages))
    record_property("answers", len(crawl.all))
    record_property("hits", len(found))
    assert found == []
    assert b"Traceback" not in b"".join(crawl.all)
    unasked = [said for (_, address), said in crawl.pages.items() if str(app.folder) not in address]
    assert [said[:2000] for said in unasked if str(app.folder).encode() in said] == []


class Leak(http.server.BaseHTTPRequestHandler):
    """A server that says too much, in the form that its address names."""

    canary = ""

    def do_GET(self) -> None:
        """Leak."""
        form, _, is_packed = self.path[1:].replace("%20", " ").partition("|")
        wrapped = FORMS[form](self.canary.encode())
        if form.startswith("base64 at"):
            wrapped = base64.b64encode(b"\0" * int(form[-1]) + self.canary.encode() + b"more")
        body = b'{"note": "x%s"}' % wrapped if "base64" not in form else b'{"note": "%s"}' % wrapped
        self.send_response(200)
        self.end_headers()
        self.wfile.write(packed(body) if is_packed else body)

    def log_message(self, *_: object) -> None:
        """Be silent."""


@pytest.mark.parametrize("is_packed", ["", "|packed"])
def test_a_planted_leak_is_found_in_every_form(is_packed: str) -> None:
    nest = [f"zq{secrets.token_hex(8)}" for _ in range(3)]
    handler = type("Planted", (Leak,), {"canary": nest[1]})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        leaking: Any = SimpleNamespace(port=server.server_port)
        found = {form: Needles(nest).found([ask(leaking, "GET", f"/{form}{is_packed}")]) for form in FORMS}
        server.shutdown()

    assert found == {form: [f"{nest[1]} ({form})"] for form in FORMS}


def test_books_and_queue_hold_no_canary(app: RunningApp, nest: Nest, handed: Handed) -> None:
    assert handed
    needles = Needles(nest.canaries)
    for path in (*app.data.glob("*.sqlite*"), *(p for p in (app.data / "public").rglob("*") if p.is_file())):
        assert needles.found([path.read_bytes()]) == [], path.name


def exact_means() -> dict[str, float]:
    """Both measures of the known run on the live, the sealed and the whole gold, worked out by hand.

    Every topic has a canary of grade 1; in some the known document has grade 1 too and comes first.
    """
    known = {"nDCG@10": 1 / (1 + 1 / math.log2(3)), "R@10": 0.5}
    halves = {
        "live": [n for n in range(N_TOPICS) if is_live(n)],
        "sealed": [n for n in range(N_TOPICS) if not is_live(n)],
        "whole": list(range(N_TOPICS)),
    }
    return {
        f"{measure} {half}": value * sum(map(is_known, topics)) / len(topics)
        for half, topics in halves.items()
        for measure, value in known.items()
    }


def test_sealed_board_shows_rounded_numbers_of_the_live_half_only(
    app: RunningApp, handed: Handed, crawl: Crawl
) -> None:
    receipt = handed.owner["canary-sealed"]
    system = app.board("canary-sealed")["rows"][0]["system"]
    keyed = f"id={receipt['submission_id']}&key={receipt['owner_key']}"
    spoken = [
        f"/{path}"
        for path in (
            *("", "canary-sealed", "about", "gradio_api/info", "config", "boards/canary-sealed.json"),
            *(f"badge/{system}/canary-sealed.svg", f"scores/{receipt['submission_id']}.csv?{keyed}"),
            *(f"submission?{keyed}", f"system?id={system}", "canary-sealed?embed=1", "canary-sealed?tab=kind"),
        )
    ]
    answers = {path: ask(app, "GET", path) for path in spoken}
    answers |= {f"{name} {number}": said for number, (name, said) in enumerate(crawl.calls)}
    answers |= {f"event {number}": TIMES.sub(b"", said) for number, said in enumerate(crawl.events)}

    board = app.board("canary-sealed")
    shown = board["rows"][0]["scores"][0]
    exact = exact_means()
    assert board["topics"] == sum(map(is_live, range(N_TOPICS)))
    assert shown == round(exact["nDCG@10 live"], board["digits"])
    assert str(shown).encode() in answers["/boards/canary-sealed.json"]
    too_sharp = {
        name: [f"{value:.9f}"[: board["digits"] + 4], f"{value:.{board['digits'] + 2}f}", f"{100 * value:.9f}"[:6]]
        for name, value in exact.items()
        if len(repr(value)) > board["digits"] + 4
    }
    assert "nDCG@10 sealed" in too_sharp
    on_open_gold = {where for where, said in answers.items() if b"canary-open" in said}  # which shows the whole gold
    seen = {
        (where, name)
        for where, said in answers.items()
        for name, texts in too_sharp.items()
        if any(text.encode() in said for text in texts) and not (where in on_open_gold and "whole" in name)
    }
    assert seen == set()
    assert sharp_numbers(board, board["digits"]) == []


def sharp_numbers(part: Any, digits: int) -> list[float]:
    """Every number of a JSON value that has more digits than allowed."""
    if isinstance(part, dict):
        return [number for one in part.values() for number in sharp_numbers(one, digits)]
    if isinstance(part, list):
        return [number for one in part for number in sharp_numbers(one, digits)]
    return [part] if isinstance(part, float) and round(part, digits) != part else []


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
