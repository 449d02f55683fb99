"""The submit page: choose a task, drop a file, see at once whether it can be scored, describe the system, submit."""

import json
import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import gradio as gr

from data.task import Task, in_language
from leaderboard.hall import Hall
from leaderboard.intake import Check, FormRefused, RunRefused, UploadsClosed
from leaderboard.pages.form_inputs import ANCHORS, FormInputs, form_inputs, mark_wrong, unmarked
from leaderboard.pages.frame import READ, html, mark, on_load, page, visit_of
from leaderboard.pages.kit import kit_of
from leaderboard.pages.reading import fill_empty, read_fields
from leaderboard.pages.uploads import MAX_PASTE, UploadRefused, open_upload
from leaderboard.parts import blocks
from leaderboard.parts.check_view import check_idle, check_panel, refusal
from leaderboard.parts.data_view import data_card, help_panel
from leaderboard.parts.error_view import error_sentence, unexpected_sentence
from leaderboard.parts.form_view import ToMend, problem_sentence, row_preview, summary, with_label
from leaderboard.submissions import NameTaken
from leaderboard.texts import Texts
from leaderboard.visit import Heads, PageHead, Visit

PATH = "submit"
# put into the panel by the browser, so that it shows from the first moment of a long check
WORKING = f'() => `<p class="q-check is-idle" role="status">{mark("submit.check_working")}</p>`'
Counts = tuple[int, int] | None

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Parts:
    """The components of the page that its events read and write."""

    task: gr.Dropdown
    file: gr.File
    pasted: gr.Textbox
    data: gr.HTML
    guide: gr.HTML
    panel: gr.HTML
    form: FormInputs
    preview: gr.HTML
    summary: gr.HTML
    counts: gr.State
    owner: gr.Textbox
    receipt: gr.Textbox


def build(hall: Hall, demo: gr.Blocks) -> Heads:
    """Lay the page out and say what its served HTML holds."""
    with page(demo, PATH):
        parts, paste_button, submit_button = _lay_out(hall)
        on_load(demo, PATH, partial(draw, hall), [parts.task, parts.data, parts.guide, parts.panel, parts.preview])
        _wire_check(hall, parts, paste_button)
        _wire_submit(hall, parts, submit_button)
    return {PATH: head}


def head(visit: Visit) -> PageHead:
    """Say what the served HTML of this page holds."""
    words = visit.words
    title = words.get("submit.title")
    return PageHead(
        title,
        words.get("submit.description"),
        blocks.intro(title, words.get("submit.lead")),
        fallback=blocks.notice(words.get("submit.no_script")),
    )


def draw(hall: Hall, visit: Visit) -> tuple[Any, ...]:
    """Fill the page for the task of the address, or the first one that can be submitted to."""
    task = _task(hall, visit.query.get("task")) or next(iter(_open_tasks(hall)))
    card, guide = _about_task(hall, task, visit)
    blank = row_preview(read_fields(unmarked()), in_language(task.name, visit.lang), visit.words)
    choices = gr.update(choices=_choices(hall, visit.lang), value=task.id)
    return choices, card, guide, check_idle(visit.words), blank


def _lay_out(hall: Hall) -> tuple[Parts, gr.Button, gr.Button]:
    with gr.Row(elem_id="submit-columns"):
        with gr.Column(scale=5, min_width=280, elem_id="submit-steps"):
            _step("submit.step_task")
            task = gr.Dropdown(
                _choices(hall, "en"), label=mark("submit.task_label"), elem_id="submit-task", filterable=False
            )
            data = html(elem_id="submit-data")
            _step("submit.step_file")
            with gr.Tabs(elem_id="submit-source"):
                with gr.Tab(mark("submit.file_tab")):
                    file = gr.File(
                        label=mark("submit.file_label"),
                        interactive=True,
                        height=132,
                        elem_id="submit-file",
                    )
                with gr.Tab(mark("submit.paste_tab")):
                    pasted = gr.Textbox(
                        label=mark("submit.paste_label"),
                        info=mark("submit.paste_info"),
                        lines=6,
                        max_lines=12,
                        max_length=MAX_PASTE,
                        elem_id="submit-paste",
                    )
                    paste_button = gr.Button(mark("submit.paste_button"), size="md", elem_id="submit-paste-check")
            panel = html(elem_id="submit-check")
            _step("submit.step_system")
            form = form_inputs()
            _step("submit.step_submit")
            preview = html(elem_id="submit-preview")
            problems = html(elem_id="submit-summary")
            submit_button = gr.Button(mark("submit.submit_button"), variant="primary", elem_id="submit-run")
            html(f'<p class="q-submit-note">{mark("submit.submit_note")}</p>', elem_id="submit-note")
        with gr.Column(scale=3, min_width=280, elem_id="submit-help"):
            guide = html(elem_id="submit-guide", js="watch('value', () => qrelboard.foldHelp(element))")
    hidden = [gr.Textbox(visible=False), gr.Textbox(visible=False)]
    counts = gr.State(None)
    parts = Parts(task, file, pasted, data, guide, panel, form, preview, problems, counts, *hidden)
    return parts, paste_button, submit_button


def _step(key: str) -> None:
    html(f'<h2 class="q-stage">{mark(key)}</h2>', elem_id=key.replace(".", "-").replace("_", "-"))


def _wire_check(hall: Hall, parts: Parts, paste_button: gr.Button) -> None:
    """Check a file when it is there, on request for pasted lines, and again when the task changes."""
    inputs = [parts.task, parts.file, parts.pasted, *parts.form.all]
    outputs = [parts.panel, parts.counts, *parts.form.all]

    def look(task_id: str, file: str | None, pasted: str, request: gr.Request, *fields: Any) -> list[Any]:
        hall.room.hold(request.session_hash, file)
        return check_source(hall, visit_of(request, PATH), task_id, (file, pasted or ""), fields)

    def choose(task_id: str, request: gr.Request) -> tuple[str, str]:
        visit = visit_of(request, PATH)
        task = _task(hall, task_id)
        return _about_task(hall, task, visit) if task else ("", "")

    def preview(task_id: str, counts: Counts, request: gr.Request, *fields: Any) -> str:
        visit, task = visit_of(request, PATH), _task(hall, task_id)
        name = in_language(task.name, visit.lang) if task else ""
        return row_preview(read_fields(fields), name, visit.words, answered=counts)

    checking = {**READ, "trigger_mode": "always_last"}
    gr.on([parts.file.upload, paste_button.click], None, None, parts.panel, js=WORKING)
    gr.on([parts.file.upload, parts.file.clear, paste_button.click], look, inputs, outputs, **checking)
    keep_task = "(id) => { qrelboard.keepTask(id); return [id]; }"
    parts.task.input(choose, parts.task, [parts.data, parts.guide], js=keep_task, **READ)
    parts.task.input(look, inputs, outputs, **checking)
    gr.on(
        [field.change for field in parts.form.shown] + [parts.counts.change, parts.task.change],
        preview,
        [parts.task, parts.counts, *parts.form.all],
        parts.preview,
        trigger_mode="always_last",
        **READ,
    )


def _wire_submit(hall: Hall, parts: Parts, button: gr.Button) -> None:
    """Hand everything to the intake; go to the submission's page, or show what is to mend."""
    inputs = [parts.task, parts.file, parts.pasted, parts.owner, *parts.form.all]
    outputs = [parts.summary, parts.receipt, *parts.form.all]

    def send(task_id: str, file: str | None, pasted: str, owner: str, request: gr.Request, *fields: Any) -> list[Any]:
        said = submit_source(hall, visit_of(request, PATH), task_id, (file, pasted or ""), owner, fields)
        if said[1]:
            hall.room.let_go(file, request.session_hash)
        return said

    sent = button.click(
        send,
        inputs,
        outputs,
        js="(...given) => { qrelboard.setBusy('submit-run', true); given[3] = qrelboard.ownerKey(); return given; }",
        trigger_mode="once",
        **READ,
    )
    sent.then(None, parts.receipt, None, js="(receipt) => qrelboard.afterSubmit(receipt)")


def check_source(
    hall: Hall, visit: Visit, task_id: str, source: tuple[str | None, str], fields: Sequence[Any]
) -> list[Any]:
    """Check a file or pasted lines: the panel, (answered, topics), and the inputs as its header fills them."""
    words = visit.words
    kept = [gr.skip() for _ in fields]
    task = _task(hall, task_id)
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
    panel = check_panel(
        found.report,
        found.n_topics_expected,
        words,
        has_header_form=found.header_form is not None,
        fitting=[in_language(hall.board.catalogue[other].name, words.lang) for other in found.fitting_task_ids],
    )
    if found.header_form is not None:
        kept = fill_empty(fields, found.header_form)
    return [panel, _counts(found), *kept]


def submit_source(
    hall: Hall, visit: Visit, task_id: str, source: tuple[str | None, str], owner: str, fields: Sequence[Any]
) -> list[Any]:
    """Accept a run: (summary of what is to mend, receipt as JSON or an empty text, one update an input)."""
    words = visit.words
    task = _task(hall, task_id)
    if task is None:
        return _to_mend([ToMend("submit-task", words.get("submit.summary_task"))], words)
    try:
        with open_upload(*source) as stream:
            if stream is None:
                return _to_mend([ToMend("submit-file", words.get("submit.summary_no_file"))], words)
            receipt = hall.intake.accept(task.id, stream, read_fields(fields), owner or None)
    except FormRefused as error:
        sentences = {problem.field: problem_sentence(problem, words) for problem in error.problems}
        things = [
            ToMend(ANCHORS.get(name, "submit-run"), with_label(name, said, words)) for name, said in sentences.items()
        ]
        return _to_mend(things, words, sentences)
    except NameTaken as error:
        said = error_sentence(error, words)
        return _to_mend([ToMend(ANCHORS["name"], with_label("name", said, words))], words, {"name": said})
    except RunRefused:
        return _to_mend([ToMend("submit-check", words.get("submit.summary_run"))], words)
    except (UploadRefused, UploadsClosed) as error:
        return _to_mend([ToMend("submit-file", error_sentence(error, words))], words)
    except Exception:
        return _to_mend([ToMend("submit-run", _unexpected(words))], words)
    href = visit.link("submission", id=receipt.submission_id, key=receipt.link_key)
    return ["", json.dumps({"href": href, "owner": receipt.owner_key}), *mark_wrong({}, words)]


def _to_mend(things: Sequence[ToMend], words: Texts, wrong: dict[str, str] | None = None) -> list[Any]:
    return [summary(things, words), "", *mark_wrong(wrong or {}, words)]


def _unexpected(words: Texts) -> str:
    number = secrets.token_hex(4)
    _log.exception("submit page, %s", number)
    return unexpected_sentence(number, words)


def _counts(found: Check) -> Counts:
    if not found.report.accepted or found.n_topics_expected is None:
        return None
    return found.report.n_topics, found.n_topics_expected


def _about_task(hall: Hall, task: Task, visit: Visit) -> tuple[str, str]:
    kit, settings = kit_of(hall, task, visit), hall.settings
    guide = help_panel(
        kit,
        visit.words,
        max_upload_bytes=settings.max_upload_bytes,
        max_unpacked_bytes=settings.max_unpacked_bytes,
    )
    return data_card(kit, visit.words), guide


def _open_tasks(hall: Hall) -> list[Task]:
    return [task for task in hall.board.catalogue.values() if task.has_gold]


def _choices(hall: Hall, lang: str) -> list[tuple[str, str]]:
    return [(in_language(task.name, lang), task.id) for task in _open_tasks(hall)]


def _task(hall: Hall, task_id: str | None) -> Task | None:
    return next((task for task in _open_tasks(hall) if task.id == task_id), None)
