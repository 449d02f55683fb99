"""Every route, method and event of an app with a login, in every role: who may do what, and who is refused.

The lists are the app's own. What is not in the tables here must refuse everybody, so that a new route fails the test
until somebody says who may use it.
"""

import http.client
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx2
import pytest
from itsdangerous import URLSafeTimedSerializer

from tests.attacks.wire import Said, ask, event_of, file_data, press, upload
from tests.provider import PERSON, Provider, a_provider
from tests.running import ROOT, RunningApp, running_app

pytestmark = pytest.mark.processes

TASK = "sample-sealed"
ADA, BOB, HOST = ({**PERSON, "sub": f"64f0{n}", "preferred_username": n} for n in ("ada", "bob", "host"))
NAME, LABEL = "Zqadas secret system", "zq-label-of-ada"
EVIL = {"origin": "https://evil.example", "sec-fetch-site": "cross-site"}
Headers = Mapping[str, str]


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with a_provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def app(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    settings = {**provider.settings, "QRELBOARD_HOST_ACCOUNTS": HOST["sub"]}
    with running_app(tmp_path_factory.mktemp("roles"), **settings) as app:
        app.until(lambda: bool(app.board(TASK).get("topics")))
        yield app


def cookies_of(app: RunningApp, path: str, cookie: str = "") -> tuple[str, str]:
    """(where it leads, the cookies it sets) of one address."""
    with closing(http.client.HTTPConnection("127.0.0.1", app.port, timeout=20)) as connection:
        connection.request("GET", path, headers={"cookie": cookie} if cookie else {})
        answer = connection.getresponse()
        set_cookies = [value.partition(";")[0] for name, value in answer.getheaders() if name.lower() == "set-cookie"]
        return str(answer.getheader("location")), "; ".join(set_cookies)


def log_in(app: RunningApp, provider: Provider, person: dict[str, str]) -> Headers:
    """Log in as a browser does; returns what it sends from then on."""
    provider.person = person
    away, begun = cookies_of(app, "/login/huggingface")
    back = urlsplit(httpx2.get(away).headers["location"])
    place, cookie = cookies_of(app, f"{back.path}?{back.query}", begun)
    assert place == "/account"
    return {"cookie": cookie}


def new_token(app: RunningApp, who: Headers, *scopes: str, label: str = "CI") -> str:
    """Make a token on the account page."""
    config = ask(app, "GET", "/config").json
    number, _ = event_of(config, "account-make", "click")
    call = {"data": [label, list(scopes), 30], "fn_index": number, "session_hash": "tokens"}
    said = ask(app, "POST", "/gradio_api/run/predict", call, headers=who).json["data"][0]
    return str(said.split("qrel_")[1].split("<")[0]) if "qrel_" in said else ""


@dataclass(frozen=True)
class Cast:
    """What each role sends, and Ada's one submission with its link."""

    roles: Mapping[str, Headers]
    submission: str
    link: str
    revoked: Headers


def call(app: RunningApp, endpoint: str, *given: Any, headers: Headers | None = None) -> Any:
    said = ask(app, "POST", f"/gradio_api/run/{endpoint}", {"data": given}, headers=headers, seconds=60)
    assert said.status == 200, (said.status, said.text[:300])
    return said.json["data"][0]


@pytest.fixture(scope="module")
def cast(app: RunningApp, provider: Provider) -> Cast:
    ada, bob, host = (log_in(app, provider, person) for person in (ADA, BOB, HOST))
    tokens = {scope: new_token(app, ada, scope, label=LABEL) for scope in ("submit", "read")}
    gone = new_token(app, ada, "submit", label="gone")
    page = _tokens_page(app, ada)
    token_id = page.split("gone</th>")[1].split('name="token" value="')[1].split('"')[0]
    for who in (bob, {"cookie": ""}):  # nobody else can end it
        ask(app, "POST", "/account/revoke", urlencode({"token": token_id}), headers={**FORM, **who})
    assert "gone</th>" in _tokens_page(app, ada)
    ended = ask(app, "POST", "/account/revoke", urlencode({"token": token_id}), headers={**FORM, **ada})
    assert (ended.status, ended.headers["location"]) == (303, "/account?done=revoked")
    forged = URLSafeTimedSerializer("-v4", salt="qrelboard session").dumps({"subject": HOST["sub"], "name": "x"})
    run = ask(app, "GET", f"/examples/{TASK}.run").body
    receipt = call(app, "submit", TASK, file_data(upload(app, run)), {"name": NAME}, "", headers=ada)
    roles: dict[str, Headers] = {
        "anonymous": {},
        "ada": ada,
        "bob": bob,
        "host": host,
        "submit token": bearer(tokens["submit"]),
        "read token": bearer(tokens["read"]),
        "forged cookie": {"cookie": f"qrelboard-session={forged}"},
        "another site": {**ada, **EVIL},
        "token in a cookie": {"cookie": f"qrelboard-session=qrel_{tokens['read']}"},
        "stranger's token": {"authorization": "Bearer hf_something"},
    }
    return Cast(roles, receipt["submission_id"], receipt["link_key"], bearer(gone))


FORM = {"Content-Type": "application/x-www-form-urlencoded"}
# who may see what is Ada's
OWN = frozenset(("ada", "read token"))
# who is taken for nobody
NOBODY = ("anonymous", "forged cookie", "token in a cookie", "stranger's token")


def bearer(token: str) -> Headers:
    assert token
    return {"authorization": f"Bearer qrel_{token}"}


def _tokens_page(app: RunningApp, who: Headers) -> str:
    """The account page as its load event fills it."""
    config = ask(app, "GET", "/config").json
    ids = {one["props"].get("elem_id"): one["id"] for one in config["components"]}
    number = next(
        one["id"] for one in config["dependencies"] if one["backend_fn"] and ids["account-tokens"] in one["outputs"]
    )
    call = {"data": [], "fn_index": number, "session_hash": "page"}
    return ask(app, "POST", "/gradio_api/run/predict", call, headers=who).text.replace('\\"', '"')


@pytest.fixture(scope="module")
def lists(app: RunningApp) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.attacks.inventory"]
    run = subprocess.run(command, cwd=ROOT, env=app.environment, capture_output=True, check=True, timeout=120)
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return found


# (method, route) → status of an answer to (nobody, an account's session, a token), where a role makes a difference
DIFFERS: Mapping[tuple[str, str], tuple[int, int, int]] = {
    ("GET", "/runs/{submission}.run"): (404, 200, 200),
}
# what answers everybody alike, and does nothing for anybody in particular
PUBLIC = {
    "GET": {
        *("/healthz", "/boards/{task}.json", "/comparisons/{task}.json", "/examples/{task}.run", "/llms.txt"),
        *("/", "/config", "/theme.css", "/robots.txt", "/manifest.json", "/gradio_api/info", "/gradio_api/app_id"),
        *("/login/huggingface", "/login/callback", "/gradio_api/startup-events", "/favicon.ico"),
        *("/gradio_api/theme.css", "/gradio_api/queue/status", "/gradio_api/heartbeat/{session_hash}"),
        *("/gradio_api/call/{api_name}/{event_id}", "/gradio_api/call/v2/{api_name}/{event_id}"),
    },
    "POST": {"/account/logout", "/account/revoke"},
}


def test_every_route_and_method_answers_each_role_as_it_should(
    app: RunningApp, cast: Cast, lists: dict[str, Any]
) -> None:
    pages = {f"/{page}" for page in lists["pages"]}
    asserted, wrong = 0, []
    for route, methods in lists["routes"]:
        for method in {*methods, "POST"} - {"HEAD"}:
            address = _filled(route, cast.submission)
            is_endless = any(part in route for part in ("heartbeat", "queue/data", "upload_progress", "/call/"))
            said = {
                role: ask(app, method, address, _body(method), headers=headers, seconds=0.5 if is_endless else 20)
                for role, headers in cast.roles.items()
                if not is_endless or role in ("anonymous", "ada", "another site")
            }
            wrong += [
                (method, route, role, one.status)
                for role, one in said.items()
                if not _is_right(method, route, role, said, pages)
            ]
            asserted += len(said)

    assert not wrong, json.dumps(sorted({(m, r, s) for m, r, _, s in wrong}))
    assert asserted >= len(lists["routes"]) * 5


def _is_right(method: str, route: str, role: str, said: Mapping[str, Said], pages: set[str]) -> bool:
    status = said[role].status
    if method == "POST" and role == "another site":
        return status in (403, 404)
    if (method, route) in DIFFERS:
        nobody, session, token = DIFFERS[method, route]
        wanted = {"ada": session, "read token": token}.get(role, nobody)
        return status == wanted
    if status != said["anonymous"].status:
        return False
    plain = route.rstrip("/") or "/"
    is_public = plain in PUBLIC.get(method, ()) or (method == "GET" and plain in pages)
    return is_public or status == 0 or status >= 400


def _filled(route: str, submission: str) -> str:
    return route.replace("{submission}", submission).replace("{task}", TASK).replace("{", "").replace("}", "")


def _body(method: str) -> str | None:
    return "{}" if method in ("POST", "PUT", "PATCH") else None


def test_no_page_route_or_event_shows_what_is_adas_to_anybody_else(
    app: RunningApp, cast: Cast, lists: dict[str, Any]
) -> None:
    seen: dict[str, int] = dict.fromkeys(cast.roles, 0)
    query = f"?id={cast.submission}"
    moving = {
        event_of(ask(app, "GET", "/config").json, f"submission-{name}", "click")[0]
        for name in ("publish", "mark", "claim", "keep-private", "withdraw-yes", "delete-yes")
    }
    for role, headers in cast.roles.items():
        answers = [ask(app, "GET", f"/{page}{query}", headers=headers) for page in lists["pages"]]
        answers += [
            ask(app, "GET", _filled(route, cast.submission), headers=headers)
            for route, _ in lists["routes"]
            if "{submission}" in route
        ]
        for number, n_inputs in lists["events"].items():
            if int(number) in moving and role == "ada":
                continue
            body = {"data": [None] * n_inputs, "fn_index": int(number), "session_hash": "roles"}
            answers.append(ask(app, "POST", f"/gradio_api/run/predict{query}", body, headers=headers))
        seen[role] = sum(NAME.encode() in one.whole or LABEL.encode() in one.whole for one in answers)

    assert seen["ada"] >= 3
    assert {role: n for role, n in seen.items() if role not in OWN and n} == {}
    status = call(app, "status", cast.submission, "", headers=cast.roles["ada"])
    assert status["visibility"] == "private"


@pytest.mark.parametrize("role", ["ada", "read token"])
def test_scores_are_read_by_the_account_and_by_its_token_that_may_read(app: RunningApp, cast: Cast, role: str) -> None:
    assert call(app, "status", cast.submission, "", headers=cast.roles[role])["name"] == NAME


def test_nobody_else_reads_it_and_no_token_counts_but_in_the_header(app: RunningApp, cast: Cast) -> None:
    text = cast.roles["read token"]["authorization"].removeprefix("Bearer ")
    others = [role for role in cast.roles if role not in OWN and role != "another site"]

    found = {role: call(app, "status", cast.submission, "", headers=cast.roles[role]) for role in others}
    in_body = [call(app, "status", cast.submission, key) for key in (text, f"Bearer {text}", ADA["sub"])]
    in_query = ask(app, "GET", f"/runs/{cast.submission}.run?key={text}&token={text}&access_token={text}")

    assert {one["error"]["code"] for one in (*found.values(), *in_body)} == {"unknown-submission"}
    assert in_query.status == 404


def test_call_from_another_site_is_refused_whoever_is_logged_in(app: RunningApp, cast: Cast) -> None:
    body = {"data": [cast.submission, ""]}

    assert ask(app, "POST", "/gradio_api/run/status", body, headers=cast.roles["another site"]).status == 403
    framed = {**cast.roles["ada"], "origin": "null"}
    assert ask(app, "POST", "/account/revoke", "token=x", headers={**FORM, **framed}).status == 403


def test_token_that_was_revoked_is_told_so_everywhere(app: RunningApp, cast: Cast) -> None:
    for method, path in (("GET", "/"), ("POST", "/gradio_api/run/status"), ("GET", "/account")):
        said = ask(app, method, path, "{}" if method == "POST" else None, headers=cast.revoked)
        assert (said.status, said.headers.get("www-authenticate")) == (401, 'Bearer error="invalid_token"')


def test_sealed_board_takes_runs_of_accounts_within_one_quota(app: RunningApp, cast: Cast) -> None:
    """Two a day: one was handed in with the session; tokens of the account and another browser's key share the rest."""
    run = file_data(upload(app, ask(app, "GET", f"/examples/{TASK}.run").body))

    def submit(role: str, name: str, key: str = "") -> Any:
        return call(app, "submit", TASK, run, {"name": name}, key, headers=cast.roles[role])

    nobody = {role: submit(role, "Nobody")["error"]["code"] for role in NOBODY}
    unscoped = submit("read token", "Unscoped")
    second = submit("submit token", "Second", "k" * 43)
    third = submit("ada", "Third", "l" * 43)

    assert nobody == dict.fromkeys(NOBODY, "login-needed")
    assert unscoped["error"]["code"] == "no-scope"
    assert (second["quota"]["left"], second["quota"]["counts"], second["owner_key"]) == (0, "account", "")
    assert third["error"]["code"] == "quota-exceeded"
    assert submit("bob", "Bobs")["quota"]["left"] == 1


def test_new_name_keeps_the_account_and_the_name_alone_gives_nothing(
    app: RunningApp, cast: Cast, provider: Provider
) -> None:
    renamed = log_in(app, provider, {**ADA, "preferred_username": "countess"})
    namesake = log_in(app, provider, {**PERSON, "sub": "somebody-else", "preferred_username": "ada"})

    assert call(app, "status", cast.submission, "", headers=renamed)["name"] == NAME
    assert "error" in call(app, "status", cast.submission, "", headers=namesake)
    assert b"countess" in ask(app, "GET", "/account", headers=renamed).body


def test_anonymous_run_is_taken_over_with_its_link_by_who_is_logged_in(app: RunningApp, cast: Cast) -> None:
    app.until(lambda: bool(app.board("irsc").get("topics")))
    run = file_data(upload(app, ask(app, "GET", "/examples/irsc.run").body))
    receipt = call(app, "submit", "irsc", run, {"name": "Before the login"}, "")
    number, inputs = event_of(ask(app, "GET", "/config").json, "submission-claim", "click")
    query = f"?{urlencode({'id': receipt['submission_id'], 'key': receipt['link_key']})}"

    def claim(role: str, query: str) -> str:
        body = {"data": [""] * len(inputs), "fn_index": number, "session_hash": "claim"}
        return ask(app, "POST", f"/gradio_api/run/predict{query}", body, headers=cast.roles[role]).text

    def is_bobs() -> bool:
        return "error" not in call(app, "status", receipt["submission_id"], "", headers=cast.roles["bob"])

    for role, asked in (("anonymous", query), ("submit token", query), ("bob", query.partition("&key")[0])):
        claim(role, asked)
        assert not is_bobs()
    assert "is-success" in claim("bob", query)
    assert is_bobs()
    assert "is-error" in claim("host", query)
    assert call(app, "status", receipt["submission_id"], receipt["link_key"])["name"] == "Before the login"


def test_logging_out_ends_the_session_of_this_browser(app: RunningApp, cast: Cast) -> None:
    said = ask(app, "POST", "/account/logout", "", headers={**FORM, **cast.roles["bob"]})

    assert (said.status, said.headers["location"]) == (303, "/")
    assert said.headers["set-cookie"].startswith("qrelboard-session=; ")
    assert press(app, 0, [None]).status in (200, 422, 500)
