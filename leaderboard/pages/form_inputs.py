"""The inputs that describe a system: one Gradio input a field, in the order of the form, faults beside the field."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gradio as gr

from leaderboard.pages.frame import mark
from leaderboard.pages.reading import FIELDS, write_fields
from leaderboard.submissions import RunType, SystemForm, Training
from leaderboard.texts import Texts

# field → id of its element, where a line of the summary leads
ANCHORS: Mapping[str, str] = {name: f"field-{name.replace('_', '-')}" for name in FIELDS}
INFOS: Mapping[str, str] = {
    "name": "submit.name_info",
    "version": "submit.version_info",
    "link": "submit.link_info",
    "params_millions": "submit.params_info",
    "training_note": "submit.training_note_info",
    "licence": "submit.licence_info",
    "run_is_public": "submit.public_info",
    "note": "submit.note_info",
}
SHOWN_IN_ROW = ("name", "version", "params_millions", "open_weights", "run_type", "training")


@dataclass(frozen=True, slots=True)
class FormInputs:
    """All inputs in the order of the form's fields, and those that the preview of the row shows."""

    all: list[Any]
    shown: list[Any]


def form_inputs() -> FormInputs:
    """Lay out the inputs at this place of the page."""
    made: dict[str, Any] = {}
    with gr.Group(elem_id="submit-form"):
        with gr.Row():
            made["name"] = _text("name", max_length=400)
            made["version"] = _text("version", max_length=400)
        with gr.Row():
            made["link"] = _text("link", max_length=2000, placeholder="https://")
            made["params_millions"] = _text("params_millions", max_length=40)
        made["run_type"] = _run_type()
        made["training"] = _training()
        made["training_note"] = _text("training_note", max_length=2000)
        with gr.Row():
            made["open_weights"] = _weights()
            made["licence"] = _text("licence", max_length=400)
        made["run_is_public"] = gr.Checkbox(False, label=mark("submit.public_label"), **_common("run_is_public"))
        made["note"] = _text("note", max_length=4000, lines=2)
    return FormInputs([made[name] for name in FIELDS], [made[name] for name in SHOWN_IN_ROW])


def unmarked() -> list[Any]:
    """Return the values of inputs that nobody touched."""
    return write_fields(SystemForm(name=""))


def mark_wrong(wrong: Mapping[str, str], words: Texts) -> list[Any]:
    """Return one update an input: those named in `wrong` say what is wrong, the others their usual hint."""
    return [
        gr.update(
            info=wrong.get(name) or (words.get(INFOS[name]) if name in INFOS else None),
            elem_classes=["q-field", "q-field-wrong"] if name in wrong else ["q-field"],
        )
        for name in FIELDS
    ]


def _common(name: str) -> dict[str, Any]:
    info = mark(INFOS[name]) if name in INFOS else None
    return {"elem_id": ANCHORS[name], "elem_classes": ["q-field"], "info": info, "min_width": 240}


def _text(name: str, **more: Any) -> gr.Textbox:
    labels = {
        "name": mark("submit.name_label"),
        "version": mark("submit.version_label"),
        "link": mark("submit.link_label"),
        "params_millions": mark("submit.params_label"),
        "training_note": mark("submit.training_note_label"),
        "licence": mark("submit.licence_label"),
        "note": mark("submit.note_label"),
    }
    return gr.Textbox(label=labels[name], **{"lines": 1, "max_lines": 4, **more}, **_common(name))


def _run_type() -> gr.Radio:
    choices = [(mark(f"submit.run_type_{value}"), str(value)) for value in RunType]
    label = mark("submit.run_type_label")
    return gr.Radio(choices, value=str(RunType.UNSPECIFIED), label=label, **_common("run_type"))


def _training() -> gr.Radio:
    choices = [(mark(f"submit.training_{value}"), str(value)) for value in Training]
    label = mark("submit.training_label")
    return gr.Radio(choices, value=str(Training.UNKNOWN), label=label, **_common("training"))


def _weights() -> gr.Radio:
    choices = [(mark(f"submit.weights_{value}"), value) for value in ("yes", "no", "unsaid")]
    return gr.Radio(choices, value="unsaid", label=mark("submit.weights_label"), **_common("open_weights"))
