"""The named endpoints for scripts: check, submit, status, board, compare. Each judges its inputs and its caller's key.

Whatever goes wrong comes back as `{"error": {...}}` with a stable code and an English sentence; nothing is raised.
"""

import json
import logging
import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial, wraps
from typing import Any, BinaryIO

import gradio as gr

from evaluation import QrelboardError
from leaderboard.accounts import Scope, account_of, key_of
from leaderboard.comparisons import MOST_SYSTEMS, public_answer
from leaderboard.hall import Hall
from leaderboard.intake import Check, Refused
from leaderboard.pages.callers import caller_of
from leaderboard.pages.frame import page, visit_of
from leaderboard.pages.reading import FIELDS, read_object
from leaderboard.pages.uploads import UploadRefused, open_upload
from leaderboard.parts.error_view import error_sentence, failure_sentence, unexpected_sentence
from leaderboard.parts.form_view import problem_sentence
from leaderboard.quota import QuotaExceeded, Use
from leaderboard.submissions import FieldProblem
from leaderboard.texts import texts
from leaderboard.views import SubmissionView
from leaderboard.visit import Heads

Json = dict[str, Any]
Answer = Callable[..., Json]

MAX_TEXT = 200
OPTIONS: Mapping[str, Any] = {"queue": False, "concurrency_limit": 8}

_words = texts("en")
_log = logging.getLogger(__name__)


class BadInput(QrelboardError):
    """An argument of a call has the wrong shape; facts: `field`."""


def build(hall: Hall, demo: gr.Blocks) -> Heads:
    """Add the endpoints to the site's first page, where clients look for them. They have no page of their own."""

    def left(task: str, owner_key: str, request: gr.Request | None) -> Json | None:
        return _quota_json(hall.intake.quota(task, owner_key or None, caller=caller_of(hall, request)))

    @_answers
    def check(task: str, run: gr.FileData, owner_key: str = "", request: gr.Request | None = None) -> Json:
        """Check a run file against a task without any judgement, and say what is left of the quota; stores nothing."""
        task, owner = _text("task", task), _text("owner_key", owner_key)
        with open_upload(_path(run)) as stream:
            found = _check_json(hall.intake.check(task, _required(stream)))
        return {**found, "quota": left(task, owner, request)}

    @_answers
    def submit(
        task: str,
        run: gr.FileData,
        system: dict[str, Any],
        owner_key: str = "",
        request: gr.Request | None = None,
    ) -> Json:
        """Submit a run: `system` has a name and perhaps other fields of the form. Keep the two keys of the receipt."""
        task, owner = _text("task", task), _text("owner_key", owner_key)
        form, problems = read_object(system)
        with open_upload(_path(run)) as stream:
            if form is None or problems:
                raise Refused(problems, hall.intake.check(task, _required(stream)))
            caller = caller_of(hall, request)
            if caller.account is None and account_of(request) is not None:
                raise BadInput("no-scope", {"scope": str(Scope.SUBMIT)})
            receipt = hall.intake.accept(task, _required(stream), form, owner or None, caller=caller)
        hall.room.let_go(_path(run))
        return {
            "submission_id": receipt.submission_id,
            "link_key": receipt.link_key,
            "owner_key": receipt.owner_key,
            "is_new": receipt.is_new,
            "quota": left(task, receipt.owner_key, request),
        }

    @_answers
    def status(submission_id: str, key: str = "", request: gr.Request | None = None) -> Json:
        """Tell where a submission stands; one that is not public needs its link key, its owner's or their account."""
        reader = key_of(request, Scope.READ)
        view = hall.board.submission(_text("submission_id", submission_id), _text("key", key) or reader)
        if view is None:
            raise BadInput("unknown-submission")
        return _status_json(view)

    @_answers
    def board(task: str) -> Json:
        """Return the present board of a task, as /boards/<task>.json does."""
        revision = hall.board.revision(_text("task", task))
        if revision is None:
            raise BadInput("no-board")
        found: Json = json.loads(revision.body)
        return found

    @_answers
    def compare(task: str, ids: list[str], request: gr.Request | None = None) -> Json:
        """Compare rows of a board, by submission id, with the first of them. Ask again while the state is "asked"."""
        may_ask = partial(hall.may_ask, visit_of(request, "").sender)
        return public_answer(hall.board.comparison(_text("task", task), _texts("ids", ids), may_ask))

    with page(demo, ""):
        for endpoint in (check, submit, status, board, compare):
            gr.api(endpoint, api_name=endpoint.__name__, api_description=endpoint.__doc__, **OPTIONS)
    return {}


def _answers(endpoint: Answer) -> Answer:
    """Turn what an endpoint raises into an answer."""

    @wraps(endpoint)
    def answer(*given: Any, **named: Any) -> Json:
        try:
            return endpoint(*given, **named)
        except Refused as error:
            return _error(error, **_refused_json(error))
        except QuotaExceeded as error:
            return _error(error, quota=_quota_json(error.use))
        except QrelboardError as error:
            return _error(error)
        except Exception:
            number = secrets.token_hex(4)
            _log.exception("endpoint %s, %s", endpoint.__name__, number)
            return {"error": {"code": "unexpected", "message": unexpected_sentence(number, _words)}}

    return answer


def _error(error: QrelboardError, **more: Any) -> Json:
    return {"error": {"code": error.code, "message": error_sentence(error, _words), **more}}


def _quota_json(use: Use | None) -> Json | None:
    """Tell the limit that a submitter meets first; None where no quota counts."""
    if use is None:
        return None
    return {
        "left": use.n_left,
        "limit": use.limit.most,
        "period": str(use.limit.period),
        "counts": str(use.limit.scope),
        "next_at": _moment(use.next_at),
    }


def _check_json(check: Check) -> Json:
    fitting = {"fitting_tasks": list(check.fitting_task_ids)} if check.fitting_task_ids else {}
    return {**check.report.to_json(), "topics_expected": check.n_topics_expected, **fitting}


def _refused_json(error: Refused) -> Json:
    """Tell all that is to mend: the problems of the form, and the check of a file that has faults."""
    problems = {"problems": [_problem_json(problem) for problem in error.problems]} if error.problems else {}
    return {**problems, **(_check_json(error.check) if error.check and not error.check.report.accepted else {})}


def _problem_json(problem: FieldProblem) -> Json:
    facts = {"known": ", ".join(FIELDS)} if problem.code == "unknown-field" else {}
    return {
        "field": problem.field,
        "code": problem.code,
        "message": problem_sentence(problem, _words),
        **facts,
    }


def _status_json(view: SubmissionView) -> Json:
    submission = view.submission
    place, of = view.queue or (None, None)
    rank, n_rows = view.rank or (None, None)
    failure = None
    if submission.failure_code is not None:
        failure = {"code": submission.failure_code, "message": failure_sentence(submission.failure_code, _words)}
    row = view.board["rows"][0] if view.board else None
    columns = [column["id"] for column in view.board["columns"]] if view.board else []
    return {
        "submission_id": submission.id,
        "task": view.task.id,
        "name": submission.form.name,
        "version": submission.form.version,
        "progress": str(submission.progress),
        "visibility": str(submission.visibility),
        "queue": None if place is None else {"place": place, "of": of},
        "is_paused": view.is_paused,
        "submitted_at": _moment(submission.submitted_at),
        "finished_at": _moment(submission.finished_at),
        "published_at": _moment(submission.published_at),
        "failure": failure,
        "rank": None if rank is None else {"rank": rank, "of": n_rows, "is_on_board": view.is_on_board},
        "answered": row and row["answered"],
        "topics": view.board and view.board["listed"],
        "scores": dict(zip(columns, row["scores"], strict=True)) if row else None,
        "intervals": dict(zip(columns, row["intervals"], strict=True)) if row and "intervals" in row else None,
        "rank_interval": row and row.get("rank_interval"),
    }


def _moment(when: datetime | None) -> str | None:
    return when.strftime("%Y-%m-%dT%H:%M:%SZ") if when else None


def _text(field: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise BadInput("not-text", {"field": field})
    return value


def _texts(field: str, value: Any) -> list[str]:
    """Return a list of texts; of a list that is too long, enough to see that it is."""
    if not isinstance(value, list):
        raise BadInput("not-a-list", {"field": field})
    return [_text(field, one) for one in value[: MOST_SYSTEMS + 1]]


def _path(run: Any) -> str:
    """Return where an uploaded file lies; `open_upload` refuses any place that is no upload."""
    path = run.get("path") if isinstance(run, Mapping) else getattr(run, "path", None)
    if not isinstance(path, str) or not path:
        raise UploadRefused("upload-foreign")
    return path


def _required(stream: BinaryIO | None) -> BinaryIO:
    if stream is None:
        raise UploadRefused("upload-foreign")
    return stream
