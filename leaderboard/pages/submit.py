"""The submit page: choose a task, drop a file, see at once whether it can be scored, describe the system, submit."""

from dataclasses import dataclass
from typing import Any

import gradio as gr

from data.task import Task, in_language
from leaderboard.hall import Hall
from leaderboard.pages.callers import caller_of
from leaderboard.pages.form_inputs import FormInputs, form_inputs, unmarked
from leaderboard.pages.frame import READ, html, mark, page, visit_of
from leaderboard.pages.handing_in import (
    NO_KEYS,
    Counts,
    Keys,
    check_source,
    earlier_form,
    open_task,
    open_tasks,
    quota_left,
    submit_source,
)
from leaderboard.pages.kit import kit_of
from leaderboard.pages.reading import read_fields, write_fields
from leaderboard.pages.uploads import MAX_PASTE
from leaderboard.parts import blocks
from leaderboard.parts.check_view import check_idle
from leaderboard.parts.data_view import data_card, help_panel
from leaderboard.parts.form_view import browser_words, row_preview
from leaderboard.quota import NOBODY, Caller
from leaderboard.submissions import SystemForm
from leaderboard.visit import Heads, PageHead, Visit

PATH = "submit"
# put into the panel by the browser, so that it shows from the first moment of a long check
WORKING = f'() => `<p class="q-check is-idle" role="status">{mark("submit.check_working")}</p>`'
# the browser's own key is made when it is first needed; the earlier submission's key stands behind the # of the address
KEYS = "() => [qrelboard.earlierKey(), qrelboard.storedOwner()]"
KEEP_TASK = "(id) => { qrelboard.keepTask(id); return [id, qrelboard.earlierKey(), qrelboard.storedOwner()]; }"
SEND = (
    "(...given) => { qrelboard.setBusy('submit-run', true); "
    "given[3] = qrelboard.ownerKey(); given[4] = qrelboard.earlierKey(); return given; }"
)


@dataclass(frozen=True, slots=True)
class Parts:
    """The components of the page that its events read and write."""

    task: gr.Dropdown
    file: gr.File
    pasted: gr.Textbox
    data: gr.HTML
    guide: gr.HTML
    panel: gr.HTML
    note: gr.HTML
    form: FormInputs
    preview: gr.HTML
    quota: gr.HTML
    summary: gr.HTML
    words: gr.HTML
    counts: gr.State
    owner: gr.Textbox
    earlier: gr.Textbox
    receipt: gr.Textbox


def build(hall: Hall, demo: gr.Blocks) -> Heads:
    """Lay the page out and say what its served HTML holds."""
    with page(demo, PATH):
        parts, paste_button, submit_button = _lay_out(hall)
        _wire_load(hall, demo, parts)
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


def draw(hall: Hall, visit: Visit, keys: Keys = NO_KEYS, caller: Caller = NOBODY) -> list[Any]:
    """Fill the page for the task of the address, or the first one that can be submitted to.

    The owner of the submission in `?from=` finds the form filled in as it was there.
    """
    task = open_task(hall, visit.query.get("task")) or next(iter(open_tasks(hall)))
    card, guide = _about_task(hall, task, visit)
    form, note = earlier_form(hall, visit, keys.earlier)
    preview = row_preview(form or SystemForm(name=""), in_language(task.name, visit.lang), visit.words)
    choices = gr.update(choices=_choices(hall, visit.lang), value=task.id)
    fields = write_fields(form) if form else [gr.skip() for _ in unmarked()]
    lost = browser_words(visit.words, hall.settings.max_upload_bytes)
    quota = quota_left(hall, visit, task.id, keys, caller)
    return [choices, card, guide, check_idle(visit.words), preview, quota, lost, note, *fields]


def _lay_out(hall: Hall) -> tuple[Parts, gr.Button, gr.Button]:
    with gr.Row(elem_id="submit-columns"):
        with gr.Column(scale=5, min_width=280, elem_id="submit-steps"):
            _step("submit.step_task")
            task = gr.Dropdown(
                _choices(hall, "en"), label=mark("submit.task_label"), elem_id="submit-task", filterable=False
            )
            data = html(elem_id="submit-data")
            quota = html(elem_id="submit-quota")
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
            note = html(elem_id="submit-earlier")
            form = form_inputs()
            _step("submit.step_submit")
            preview = html(elem_id="submit-preview")
            problems = html(elem_id="submit-summary")
            submit_button = gr.Button(mark("submit.submit_button"), variant="primary", elem_id="submit-run")
            html(f'<p class="q-submit-note">{mark("submit.submit_note")}</p>', elem_id="submit-note")
        with gr.Column(scale=3, min_width=280, elem_id="submit-help"):
            guide = html(elem_id="submit-guide", js="watch('value', () => qrelboard.foldHelp(element))")
    parts = Parts(
        task=task,
        file=file,
        pasted=pasted,
        data=data,
        guide=guide,
        panel=panel,
        note=note,
        form=form,
        preview=preview,
        quota=quota,
        summary=problems,
        words=html(elem_id="submit-words"),
        counts=gr.State(None),
        owner=gr.Textbox(visible=False),
        earlier=gr.Textbox(visible=False),
        receipt=gr.Textbox(visible=False),
    )
    return parts, paste_button, submit_button


def _step(key: str) -> None:
    html(f'<h2 class="q-stage">{mark(key)}</h2>', elem_id=key.replace(".", "-").replace("_", "-"))


def _wire_load(hall: Hall, demo: gr.Blocks, parts: Parts) -> None:
    def load(earlier: str, owner: str, request: gr.Request) -> list[Any]:
        return draw(hall, visit_of(request, PATH), Keys(owner or "", earlier or ""), caller_of(hall, request))

    about = [parts.task, parts.data, parts.guide, parts.panel, parts.preview, parts.quota, parts.words, parts.note]
    demo.load(load, [parts.earlier, parts.owner], [*about, *parts.form.all], js=KEYS, **READ)


def _wire_check(hall: Hall, parts: Parts, paste_button: gr.Button) -> None:
    """Check a file when it is there, on request for pasted lines, and again when the task changes."""
    inputs = [parts.task, parts.file, parts.pasted, *parts.form.all]
    outputs = [parts.panel, parts.counts, *parts.form.all]

    def look(task_id: str, file: str | None, pasted: str, request: gr.Request, *fields: Any) -> list[Any]:
        hall.room.hold(request.session_hash, file)
        return check_source(hall, visit_of(request, PATH), task_id, (file, pasted or ""), fields)

    def choose(task_id: str, earlier: str, owner: str, request: gr.Request) -> tuple[str, str, str]:
        visit, task = visit_of(request, PATH), open_task(hall, task_id)
        if task is None:
            return "", "", ""
        keys = Keys(owner or "", earlier or "")
        return *_about_task(hall, task, visit), quota_left(hall, visit, task.id, keys, caller_of(hall, request))

    def preview(task_id: str, counts: Counts, request: gr.Request, *fields: Any) -> str:
        visit, task = visit_of(request, PATH), open_task(hall, task_id)
        name = in_language(task.name, visit.lang) if task else ""
        return row_preview(read_fields(fields), name, visit.words, answered=counts)

    checking = {**READ, "trigger_mode": "always_last"}
    gr.on([parts.file.upload, paste_button.click], None, None, parts.panel, js=WORKING)
    gr.on([parts.file.upload, parts.file.clear, paste_button.click], look, inputs, outputs, **checking)
    asked, about = [parts.task, parts.earlier, parts.owner], [parts.data, parts.guide, parts.quota]
    parts.task.input(choose, asked, about, js=KEEP_TASK, **READ)
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
    inputs = [parts.task, parts.file, parts.pasted, parts.owner, parts.earlier, *parts.form.all]
    outputs = [parts.summary, parts.receipt, parts.panel, *parts.form.all]

    def send(
        task_id: str, file: str | None, pasted: str, owner: str, earlier: str, request: gr.Request, *fields: Any
    ) -> list[Any]:
        keys = Keys(owner or "", earlier or "")
        visit, caller = visit_of(request, PATH), caller_of(hall, request)
        said = submit_source(hall, visit, task_id, (file, pasted or ""), keys, fields, caller=caller)
        if said[1]:
            hall.room.let_go(file, request.session_hash)
        return said

    sent = button.click(send, inputs, outputs, js=SEND, trigger_mode="once", **READ)
    sent.then(None, parts.receipt, None, js="(receipt) => qrelboard.afterSubmit(receipt)")


def _about_task(hall: Hall, task: Task, visit: Visit) -> tuple[str, str]:
    kit, settings = kit_of(hall, task, visit), hall.settings
    guide = help_panel(
        kit,
        visit.words,
        max_upload_bytes=settings.max_upload_bytes,
        max_unpacked_bytes=settings.max_unpacked_bytes,
    )
    return data_card(kit, visit.words), guide


def _choices(hall: Hall, lang: str) -> list[tuple[str, str]]:
    return [(in_language(task.name, lang), task.id) for task in open_tasks(hall)]
