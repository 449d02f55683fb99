"""What the submit page's events do: check a file, hand a run in or say all that is to mend, continue an earlier one."""

import json
import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from data.task import Task, in_language
from leaderboard.hall import Hall
from leaderboard.intake import Check, Refused, UploadsClosed
from leaderboard.owners import Earlier
from leaderboard.pages.form_inputs import ANCHORS, mark_wrong
from leaderboard.pages.reading import fill_empty, read_fields
from leaderboard.pages.uploads import UploadRefused, open_upload
from leaderboard.parts import blocks
from leaderboard.parts.check_view import check_idle, check_panel, refusal
from leaderboard.parts.error_view import error_sentence, unexpected_sentence
from leaderboard.parts.form_view import ToMend, problem_sentence, summary, with_label
from leaderboard.parts.quota_view import quota_note
from leaderboard.quota import NOBODY, Caller, QuotaExceeded
from leaderboard.submissions import FieldProblem, NameTaken, SystemForm
from leaderboard.texts import Texts
from leaderboard.visit import Visit

MAX_KEY = 200
Counts = tuple[int, int] | None
Source = tuple[str | None, str]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Keys:
    """What the browser shows: its own key, and the key of the submission in `?from=` that the run continues."""

    owner: str
    earlier: str = ""

    def whose(self, visit: Visit) -> tuple[str | None, Earlier | None]:
        """Return what the intake asks for: the owner's key, and the earlier submission of the address with its key."""
        asked = visit.query.get("from", "")[:MAX_KEY]
        return self.owner or None, Earlier(asked, self.earlier[:MAX_KEY]) if asked and self.earlier else None


NO_KEYS = Keys("")


def open_tasks(hall: Hall) -> list[Task]:
    """Return the tasks that have gold, in the catalogue's order."""
    return [task for task in hall.board.catalogue.values() if task.has_gold]


def open_task(hall: Hall, task_id: str | None) -> Task | None:
    """Return a task with gold by its id."""
    return next((task for task in open_tasks(hall) if task.id == task_id), None)


def check_source(hall: Hall, visit: Visit, task_id: str, source: Source, fields: Sequence[Any]) -> list[Any]:
    """Check a file or pasted lines: the panel, (answered, topics), and the inputs as its header fills them."""
    words = visit.words
    kept = [gr.skip() for _ in fields]
    task = open_task(hall, task_id)
    if task is None:
        return [refusal([words.get("submit.summary_task")], words), None, *kept]
    try:
        with open_upload(*source) as stream:
            if stream is None:
                return [check_idle(words), None, *kept]
            found = hall.intake.check(task.id, stream)
    except (UploadRefused, UploadsClosed) as error:
        return [refusal([error_sentence(error, words)], words), None, *kept]
    except Exception:
        return [refusal([_unexpected(words)], words), None, *kept]
    if found.header_form is not None:
        kept = fill_empty(fields, found.header_form)
    return [_panel(hall, found, words), _counts(found), *kept]


def quota_left(hall: Hall, visit: Visit, task_id: str, keys: Keys, caller: Caller) -> str:
    """Return the paragraph that says what is left of the quota of a task; nothing where none counts."""
    return quota_note(hall.intake.quota(task_id, *keys.whose(visit), caller), visit.words)


def submit_source(
    hall: Hall,
    visit: Visit,
    task_id: str,
    source: Source,
    keys: Keys,
    fields: Sequence[Any],
    *,
    caller: Caller = NOBODY,
) -> list[Any]:
    """Accept a run: (summary of what is to mend, receipt as JSON or an empty text, panel, one update an input)."""
    words = visit.words
    try:
        return _hand_in(hall, visit, task_id, source, keys, fields, caller)
    except Exception:
        return _to_mend([ToMend("submit-run", _unexpected(words))], (), words)


def earlier_form(hall: Hall, visit: Visit, key: str) -> tuple[SystemForm | None, str]:
    """Return the form of the submission in `?from=` for its owner, without its version, and what to say about it."""
    asked, words = visit.query.get("from", "")[:MAX_KEY], visit.words
    if not asked:
        return None, ""
    view = hall.board.submission(asked, key[:MAX_KEY] or None)
    if (view is None or not view.is_owner) and visit.account is not None:
        view = hall.board.submission(asked, visit.account.key)
    if view is None or not view.is_owner:
        return None, blocks.notice(words.get("submit.earlier_unknown"))
    form = view.submission.form
    return replace(form, version=""), blocks.notice(words.get("submit.earlier_filled", name=form.name))


def _hand_in(
    hall: Hall, visit: Visit, task_id: str, source: Source, keys: Keys, fields: Sequence[Any], caller: Caller
) -> list[Any]:
    words, task, form, whose = visit.words, open_task(hall, task_id), read_fields(fields), keys.whose(visit)
    missing = [] if task else [ToMend("submit-task", words.get("submit.summary_task"))]
    try:
        with open_upload(*source) as stream:
            if stream is not None and task is not None:
                receipt = hall.intake.accept(task.id, stream, form, whose[0], earlier=whose[1], caller=caller)
                href = visit.link("submission", id=receipt.submission_id, key=receipt.link_key)
                done = json.dumps({"href": href, "owner": receipt.owner_key})
                return ["", done, gr.skip(), *mark_wrong({}, words)]
            if stream is None:
                missing.append(ToMend("submit-file", words.get("submit.summary_no_file")))
    except Refused as error:
        return _to_mend(_of_run(error.check, words), error.problems, words, _panel_of(hall, error.check, words))
    except NameTaken as error:
        return _to_mend([], (FieldProblem("name", error.code, error.facts),), words)
    except (UploadsClosed, QuotaExceeded) as error:
        missing.append(ToMend("submit-task", error_sentence(error, words)))
    except UploadRefused as error:
        missing.append(ToMend("submit-file", error_sentence(error, words)))
    return _to_mend(missing, hall.intake.problems(form, *whose, caller), words)


def _to_mend(things: Sequence[ToMend], problems: Sequence[FieldProblem], words: Texts, panel: Any = None) -> list[Any]:
    """Answer with all that is to mend, in the order of the page: task, file, then the form, each at its place too."""
    sentences = {problem.field: problem_sentence(problem, words) for problem in problems}
    listed = [
        *things,
        *(ToMend(ANCHORS.get(name, "submit-run"), with_label(name, said, words)) for name, said in sentences.items()),
    ]
    return [summary(listed, words), "", gr.skip() if panel is None else panel, *mark_wrong(sentences, words)]


def _of_run(check: Check | None, words: Texts) -> list[ToMend]:
    if check is None or check.report.accepted:
        return []
    n_faults = len(check.report.faults) + check.report.n_more
    return [ToMend("submit-check", words.count("submit.summary_run", n_faults))]


def _panel_of(hall: Hall, check: Check | None, words: Texts) -> Any:
    return None if check is None else _panel(hall, check, words)


def _panel(hall: Hall, found: Check, words: Texts) -> str:
    return check_panel(
        found.report,
        found.n_topics_expected,
        words,
        has_header_form=found.header_form is not None,
        fitting=[in_language(hall.board.catalogue[other].name, words.lang) for other in found.fitting_task_ids],
    )


def _counts(found: Check) -> Counts:
    if not found.report.accepted or found.n_topics_expected is None:
        return None
    return found.report.n_topics, found.n_topics_expected


def _unexpected(words: Texts) -> str:
    number = secrets.token_hex(4)
    _log.exception("submit page, %s", number)
    return unexpected_sentence(number, words)
