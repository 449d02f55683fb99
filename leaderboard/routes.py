"""Plain routes beside the pages: health, the board for machines, example runs, style sheet and script."""

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import BinaryIO

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from data.task import in_language
from leaderboard import history
from leaderboard.accounts import Scope as AccountScope
from leaderboard.accounts import key_of
from leaderboard.comparisons import MOST_SYSTEMS, ComparisonState, NotComparable, public_answer
from leaderboard.desk import NotAllowed
from leaderboard.hall import Hall
from leaderboard.health import CheckUp
from leaderboard.keys import Key
from leaderboard.parts import assets
from leaderboard.parts.api_view import llms_text
from leaderboard.parts.badge import badge as badge_svg
from leaderboard.parts.board_text import short_text
from leaderboard.rates import SENDER
from leaderboard.texts import texts
from leaderboard.visit import Visit

FOREVER = "public, max-age=31536000, immutable"
ASK_EACH_TIME = "public, no-cache"
PRIVATE = {"cache-control": "private, no-store"}
CHUNK = 1 << 18
# Statuses of comparisons that asking again does not help; the others are 503.
_REFUSED = {"wrong-number": 400, "same-system": 400, "sealed-gold": 403, "no-board": 404, "not-on-board": 404}


def plain_routes(hall: Hall) -> list[Route]:
    """Return the routes that need no Gradio."""
    check_up = CheckUp(hall.board.health, hall.clock)

    def healthz(_: Request) -> Response:
        """Answer 200 for as long as this process serves; what is wrong with the others stands inside."""
        return _json_answer(json.dumps(check_up.told()), 200)

    def board(request: Request) -> Response:
        """Answer with the present board, or the one of `rev` (a number) or `on` (a day).

        With `by=` an axis it is short: what a page needs to break a long board down.
        """
        task_id, query = request.path_params["task"], request.query_params
        is_past = history.is_asked(query) and task_id in hall.board.catalogue
        revision = hall.board.history.asked(task_id, query) if is_past else hall.board.revision(task_id)
        if revision is None and is_past:
            return _json_answer('{"error":"no such board; rev is a number, on is a day like 2026-12-01"}', 404)
        if revision is None:
            return _json_answer('{"error":"unknown task or no board yet"}', 404)
        headers = {
            "etag": f'"{revision.etag}"',
            "cache-control": ASK_EACH_TIME,
            "access-control-allow-origin": "*",
            "vary": "Accept-Encoding",
        }
        if _knows(request.headers.get("if-none-match", ""), revision.etag):
            return Response(status_code=304, headers=headers)
        axis_id = request.query_params.get("by", "")
        is_known = axis_id in {axis.id for axis in hall.board.catalogue[task_id].axes}
        body = short_text(revision.body, axis_id) if is_known else revision.body
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(body, media_type="application/json", headers=headers)
        headers["content-encoding"] = "gzip"
        return Response(_packed(body), media_type="application/json", headers=headers)

    def llms(request: Request) -> Response:
        """Tell programs that read text what is here."""
        tasks = hall.board.catalogue.values()
        told = [(task.id, in_language(task.name, "en"), in_language(task.summary, "en")) for task in tasks]
        site = Visit.from_scope(request.scope).site
        with_board = {task.id for task in tasks if hall.board.revision(task.id)}
        return PlainTextResponse(llms_text(texts("en").get("common.name"), site, told, with_board))

    def comparison(request: Request) -> Response:
        """Answer 200 with the comparison, 202 until it is worked out; `ids`: up to four rows, the reference first."""
        ids = [one for one in request.query_params.get("ids", "").split(",") if one]
        try:
            may_ask = partial(hall.may_ask, request.scope.get(SENDER, ""))
            found = public_answer(hall.board.comparison(request.path_params["task"], ids[: MOST_SYSTEMS + 1], may_ask))
        except NotComparable as refusal:
            status = _REFUSED.get(refusal.code, 503)
            return _json_answer(json.dumps({"error": refusal.code}), status, "60" if status == 503 else "")
        is_there = found["state"] == ComparisonState.ANSWERED
        return _json_answer(json.dumps(found), 200 if is_there else 202, "" if is_there else "2")

    def example(request: Request) -> Response:
        task_id = request.path_params["task"]
        path = hall.board.example_run(task_id)
        if path is None:
            return _json_answer('{"error":"no example run for this task"}', 404)
        return FileResponse(path, media_type="text/plain; charset=utf-8", filename=f"{task_id}.example.run")

    def run_file(request: Request) -> Response:
        submission_id = request.path_params["submission"]
        try:
            stream = hall.desk.open_run(submission_id, _key(request))
        except (NotAllowed, FileNotFoundError):
            return _json_answer('{"error":"no run file for the holder of this address"}', 404)
        return _download(stream, submission_id)

    def topic_scores(request: Request) -> Response:
        submission_id = request.path_params["submission"]
        path = hall.board.topic_scores(submission_id, _key(request))
        if path is None:
            return _json_answer('{"error":"no scores by topic for the holder of this address"}', 404)
        return FileResponse(
            path, media_type="text/csv; charset=utf-8", filename=f"{submission_id}.csv", headers=PRIVATE
        )

    def badge(request: Request) -> Response:
        task_id, lang = request.path_params["task"], request.query_params.get("lang", "")
        revision = hall.board.revision(task_id)
        places = _places(revision.body) if revision else {}
        found = places.get(request.path_params["system"])
        if revision is None or found is None:
            return _json_answer('{"error":"no such system on this board"}', 404)
        headers = {
            "etag": f'"{revision.etag}"',
            "cache-control": ASK_EACH_TIME,
            "cross-origin-resource-policy": "cross-origin",
        }
        if _knows(request.headers.get("if-none-match", ""), revision.etag):
            return Response(status_code=304, headers=headers)
        words = texts(lang)
        name = in_language(hall.board.catalogue[task_id].name, words.lang)
        shown = badge_svg(name, found.rank, len(places), found.score, found.digits, words)
        return Response(shown, media_type="image/svg+xml", headers=headers)

    return [
        Route("/healthz", healthz),
        Route("/llms.txt", llms),
        Route("/badge/{system}/{task}.svg", badge),
        Route("/boards/{task}.json", board),
        Route("/comparisons/{task}.json", comparison),
        Route("/examples/{task}.run", example),
        Route("/runs/{submission}.run", run_file),
        Route("/scores/{submission}.csv", topic_scores),
        Route("/look/{name}", look),
    ]


def _key(request: Request) -> Key | None:
    """Return what a request has to open a submission with: the key in its address, else its account."""
    return request.query_params.get("key") or key_of(request, AccountScope.READ)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a system stands on a board; `digits` are those that the board shows."""

    rank: int
    score: float | None
    digits: int


@lru_cache(maxsize=16)
def _places(body: str) -> Mapping[str, _Place]:
    """Return the place of each system on a board, from the text of its revision."""
    board = json.loads(body)
    return {row["system"]: _Place(row["rank"], row["scores"][0], board["digits"]) for row in board["rows"]}


def _download(stream: BinaryIO, name: str) -> Response:
    """Hand out the bytes of a run as they were handed in; a packed one is named so."""
    first = stream.read(CHUNK)
    is_packed = first.startswith(b"\x1f\x8b")
    kind, ending = ("application/gzip", ".run.gz") if is_packed else ("text/plain; charset=utf-8", ".run")

    def chunks() -> Iterator[bytes]:
        with stream:
            yield first
            yield from iter(lambda: stream.read(CHUNK), b"")

    headers = {**PRIVATE, "content-disposition": f'attachment; filename="{name}{ending}"'}
    return StreamingResponse(chunks(), media_type=kind, headers=headers)


def look(request: Request) -> Response:
    """Serve the style sheet or the script; an older name than today's is not found."""
    for asset in (assets.stylesheet(), assets.script()):
        if request.path_params["name"] == asset.name:
            return Response(asset.body, media_type=asset.media_type, headers={"cache-control": FOREVER})
    return Response(status_code=404)


@lru_cache(maxsize=64)
def _packed(body: str) -> bytes:
    """Compress a board once for all readers. No time goes into it, so equal boards give equal bytes."""
    return gzip.compress(body.encode(), compresslevel=6, mtime=0)


def _knows(if_none_match: str, etag: str) -> bool:
    """Tell whether the reader has this version, by the rules of If-None-Match (weak tags count)."""
    known = (tag.strip().removeprefix("W/") for tag in if_none_match.split(","))
    return any(tag in ("*", f'"{etag}"') for tag in known)


def _json_answer(body: str, status: int, retry_after: str = "") -> Response:
    headers = {"cache-control": "no-store", **({"retry-after": retry_after} if retry_after else {})}
    return Response(body, status_code=status, media_type="application/json", headers=headers)
