"""Plain routes beside the pages: health, the board for machines, example runs, style sheet and script."""

import gzip
import json
from functools import lru_cache

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from leaderboard.hall import Hall
from leaderboard.parts import assets

FOREVER = "public, max-age=31536000, immutable"
ASK_EACH_TIME = "public, no-cache"


def plain_routes(hall: Hall) -> list[Route]:
    """Return the routes that need no Gradio."""

    def healthz(_: Request) -> Response:
        return _json_answer(json.dumps({"status": "ok", "time": hall.clock().isoformat(timespec="seconds")}), 200)

    def board(request: Request) -> Response:
        revision = hall.board.revision(request.path_params["task"])
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
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(revision.body, media_type="application/json", headers=headers)
        headers["content-encoding"] = "gzip"
        return Response(_packed(revision.body), media_type="application/json", headers=headers)

    def example(request: Request) -> Response:
        task_id = request.path_params["task"]
        path = hall.board.example_run(task_id)
        if path is None:
            return _json_answer('{"error":"no example run for this task"}', 404)
        return FileResponse(path, media_type="text/plain; charset=utf-8", filename=f"{task_id}.example.run")

    return [
        Route("/healthz", healthz),
        Route("/boards/{task}.json", board),
        Route("/examples/{task}.run", example),
        Route("/look/{name}", look),
    ]


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


def _json_answer(body: str, status: int) -> Response:
    return Response(body, status_code=status, media_type="application/json", headers={"cache-control": "no-store"})
