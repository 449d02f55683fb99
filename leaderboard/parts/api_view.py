"""The calls for scripts with their types, as a page and as plain text for programs. Finished HTML and text."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from html import escape

from leaderboard.parts import blocks
from leaderboard.texts import Texts

_FILE = '{"path": "…", "meta": {"_type": "gradio.FileData"}}'
_QUOTA = "{left, limit, period, counts, next_at} | null"


@dataclass(frozen=True, slots=True)
class Call:
    """One call: its arguments in order and the keys of its answer, each with its type; `?` marks what may be absent."""

    name: str
    given: Mapping[str, str]
    answer: Mapping[str, str]
    example: str


CALLS = (
    Call(
        "check",
        {"task": "string", "run": "file", "owner_key": "string"},
        {
            "accepted": "boolean",
            "lines": "integer",
            "topics": "integer",
            "topics_expected": "integer | null",
            "faults": "{code, line, message, fix, …}[]",
            "more_faults": "{[code]: integer}",
            "warnings": "{code, count, line, message}[]",
            "fitting_tasks?": "string[]",
            "quota": _QUOTA,
        },
        f'["TASK", {_FILE}, ""]',
    ),
    Call(
        "submit",
        {"task": "string", "run": "file", "system": "{name: string, …}", "owner_key": "string"},
        {"submission_id": "string", "link_key": "string", "owner_key": "string", "is_new": "boolean", "quota": _QUOTA},
        f'["TASK", {_FILE}, {{"name": "My retriever"}}, ""]',
    ),
    Call(
        "status",
        {"submission_id": "string", "key": "string"},
        {
            "submission_id": "string",
            "task": "string",
            "name": "string",
            "version": "string",
            "progress": '"waiting" | "scored" | "failed"',
            "visibility": '"private" | "public" | "held" | "withdrawn" | "deleted"',
            "queue": "{place, of} | null",
            "is_paused": "boolean",
            "submitted_at": "time",
            "finished_at": "time | null",
            "published_at": "time | null",
            "failure": "{code, message} | null",
            "rank": "{rank, of, is_on_board} | null",
            "answered": "integer | null",
            "topics": "integer | null",
            "scores": "{[column]: number} | null",
            "intervals": "{[column]: [number, number]} | null",
            "rank_interval": "[integer, integer] | null",
        },
        '["SUBMISSION", "KEY"]',
    ),
    Call(
        "board",
        {"task": "string"},
        {
            "task": "string",
            "revision": "integer",
            "made_at": "time",
            "gold": "{version, kind, is_sample, fingerprint}",
            "topics": "integer",
            "listed": "integer",
            "digits": "integer",
            "columns": "{id, measure, label, mean, is_primary}[]",
            "axes": "{id, ordinal, values, …}[]",
            "measures": "string[]",
            "rows": "{rank, id, system, name, version, scores, slices, …}[]",
            "uncertainty?": "{resolution, …}",
            "half_widths?": "(number | null)[]",
        },
        '["TASK"]',
    ),
    Call(
        "compare",
        {"task": "string", "ids": "string[]"},
        {"state": '"asked" | "answered"', "…?": ""},
        '["TASK", ["REFERENCE", "OTHER"]]',
    ),
)


def calls_page(words: Texts, *, site: str, task_id: str) -> str:
    """Return the page: how one calls, every call, the plain files; `site` has no last slash."""
    upload = f"curl -sSf -F files=@my.run {site}/gradio_api/upload"
    told = "".join(_call(call, words, site, task_id) for call in CALLS)
    files = "".join(
        f"<li><code>{escape(address)}</code> {escape(words.get(f'api.file_{key}'))}</li>"
        for key, address in _files(task_id).items()
    )
    return blocks.block(
        f"<p>{escape(words.get('api.how'))}</p><p>{escape(words.get('api.upload'))}</p>{blocks.copy_box(upload, words)}"
        f"<p>{escape(words.get('api.refusal'))}</p>{told}"
        f"<h2>{escape(words.get('api.files'))}</h2><ul>{files}</ul>"
    )


def llms_text(name: str, site: str, tasks: Iterable[tuple[str, str, str]], with_board: Container[str]) -> str:
    """Return what programs that read text need of the site; `tasks` are (id, name, summary)."""
    listed = list(tasks)
    boards = "".join(f"- [{title}]({site}/{task_id}): {summary}\n" for task_id, title, summary in listed)
    files = "".join(
        f"- [{title}]({site}/boards/{task_id}.json)\n" for task_id, title, _ in listed if task_id in with_board
    )
    calls = "".join(f"- POST {site}/gradio_api/run/{call.name} ({', '.join(call.given)})\n" for call in CALLS)
    return (
        f"# {name}\n\n> Leaderboards of retrieval systems: runs scored alike, with intervals, on hidden judgements.\n\n"
        f"## Boards\n\n{boards}\n## Boards as JSON (?rev=NUMBER or ?on=YYYY-MM-DD: as they were)\n\n{files}\n"
        f"## Calls (arguments in order in `data`, answer in `data[0]`; types: {site}/api)\n\n{calls}\n"
        f"## Method\n\n- [How scores, intervals and ranks are made]({site}/about)\n"
    )


def _call(call: Call, words: Texts, site: str, task_id: str) -> str:
    data = call.example.replace("TASK", task_id)
    curl = (
        f"curl -sSf {site}/gradio_api/run/{call.name} -H 'content-type: application/json' \\\n"
        f"  -d '{{\"data\": {data}}}'"
    )
    return (
        f'<section id="{call.name}"><h2><code>{call.name}</code></h2>'
        f"<p>{escape(words.get(f'api.call_{call.name}'))}</p>"
        f"{_types(words.get('api.given'), call.given)}{_types(words.get('api.answer'), call.answer)}"
        f"{blocks.copy_box(curl, words)}</section>"
    )


def _types(heading: str, types: Mapping[str, str]) -> str:
    rows = "".join(
        f"<dt><code>{escape(name)}</code></dt><dd><code>{escape(kind)}</code></dd>" for name, kind in types.items()
    )
    return f'<h3>{escape(heading)}</h3><dl class="q-pairs">{rows}</dl>'


def _files(task_id: str) -> Mapping[str, str]:
    return {
        "board": f"/boards/{task_id}.json",
        "past": f"/boards/{task_id}.json?rev=1",
        "comparison": f"/comparisons/{task_id}.json?ids=…,…",
        "example": f"/examples/{task_id}.run",
        "llms": "/llms.txt",
    }
