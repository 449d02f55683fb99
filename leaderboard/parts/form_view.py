"""The description of a system on its way in: what is to mend, and the row as it will look. Finished HTML."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from leaderboard.submissions import FieldProblem, RunType, SystemForm, Training
from leaderboard.texts import Texts, format_bytes, format_number, format_params

# field of the form → text key of its label
LABELS: Mapping[str, str] = {
    "name": "submit.name_label",
    "version": "submit.version_label",
    "link": "submit.link_label",
    "params_millions": "submit.params_label",
    "open_weights": "submit.weights_label",
    "run_type": "submit.run_type_label",
    "training": "submit.training_label",
    "training_note": "submit.training_note_label",
    "licence": "submit.licence_label",
    "run_is_public": "submit.public_label",
    "note": "submit.note_label",
}


@dataclass(frozen=True, slots=True)
class ToMend:
    """One line of the summary: the id of the element to go to, and what is wrong there."""

    anchor: str
    sentence: str


def problem_sentence(problem: FieldProblem, words: Texts) -> str:
    """Say in the reader's language what is wrong with a field."""
    facts = {
        name: value if isinstance(value, str) else format_number(value, words.lang)
        for name, value in problem.facts.items()
    }
    code = problem.code.replace("-", "_")
    known = (key for key in (f"form.problem_{code}", f"errors.problem_{code}") if words.has(key))
    key = next(known, None)
    return words.get(key, **facts) if key else problem.code


def with_label(field: str, sentence: str, words: Texts) -> str:
    """Put the label of a field before a sentence about it; an unknown field has none."""
    if field not in LABELS:
        return sentence
    return words.get("submit.summary_field", label=words.get(LABELS[field]), problem=sentence)


def summary(things: Sequence[ToMend], words: Texts) -> str:
    """Return the alert over the submit button that lists what is to mend, each line a link to its place."""
    if not things:
        return ""
    told = "".join(
        f'<li><a href="#{escape(thing.anchor)}" data-q-go="{escape(thing.anchor)}">{escape(thing.sentence)}</a></li>'
        for thing in things
    )
    return (
        f'<div class="q-block q-summary" role="alert" tabindex="-1"><p><strong>'
        f"{escape(words.count('submit.summary', len(things)))}</strong></p><ul>{told}</ul></div>"
    )


def browser_words(words: Texts, max_upload_bytes: int) -> str:
    """Return what the browser says by itself, for when the site does not answer or a file is too big to be sent."""
    told = {
        "lost-check": words.get("submit.lost_check"),
        "lost-submit": words.get("submit.lost_submit"),
        "too-big": words.get("gate.too_big", size=format_bytes(max_upload_bytes, words.lang)),
        "most-bytes": str(max_upload_bytes),
    }
    attributes = "".join(f' data-{name}="{escape(said)}"' for name, said in told.items())
    return f"<div hidden{attributes}></div>"


def row_preview(form: SystemForm, task_name: str, words: Texts, *, answered: tuple[int, int] | None = None) -> str:
    """Return the row of a form as the board will show it, with the score left open.

    Args:
        form: as it was typed; it may hold anything.
        task_name: plain text.
        words: the reader's language.
        answered: (topics answered, topics of the task) of the checked file, if there is one.
    """
    name = form.name.strip()
    shown = escape(name) if name else f'<span class="q-muted">{escape(words.get("submit.preview_no_name"))}</span>'
    version = f' <span class="q-muted">{escape(form.version.strip())}</span>' if form.version.strip() else ""
    badges = "".join(f' <span class="q-badge">{escape(words.get(key))}</span>' for key in _badge_keys(form))
    after = f'<span class="q-muted">{escape(words.get("submit.preview_after"))}</span>'
    counted = "—"
    if answered is not None:
        counted = words.get(
            "submit.preview_answered_value",
            answered=format_number(answered[0], words.lang),
            topics=format_number(answered[1], words.lang),
        )
    cells = (
        ("submit.preview_rank", after, "is-number"),
        ("submit.preview_system", f"<strong>{shown}</strong>{version}{badges}", ""),
        ("submit.preview_answered", escape(counted), "is-number"),
        ("submit.preview_type", escape(run_type_label(form.run_type, words)), ""),
        ("submit.preview_params", escape(format_params(_params(form), words.lang)), "is-number"),
    )
    heads = "".join(f'<th scope="col" class="{kind}">{escape(words.get(key))}</th>' for key, _, kind in cells)
    body = "".join(f'<td class="{kind}">{content}</td>' for _, content, kind in cells)
    caption = words.get("submit.preview_caption", task=task_name)
    return (
        f'<div class="q-block"><div class="q-scroll" tabindex="0" role="region" aria-label="{escape(caption)}">'
        f'<table class="q-table q-preview"><caption>{escape(caption)}</caption><thead><tr>{heads}</tr></thead>'
        f"<tbody><tr>{body}</tr></tbody></table></div></div>"
    )


def run_type_label(value: str, words: Texts) -> str:
    """Return the words for what produced a ranking; an unknown value counts as not said."""
    return words.get(f"submit.run_type_{value if value in list(RunType) else RunType.UNSPECIFIED}")


def training_label(value: str, words: Texts) -> str:
    """Return the words for what a system saw before; an unknown value counts as not known."""
    return words.get(f"submit.training_{value if value in list(Training) else Training.UNKNOWN}")


def weights_label(open_weights: bool | None, words: Texts) -> str:
    """Return the words for open weights: yes, no or not said."""
    return words.get(
        {True: "submit.weights_yes", False: "submit.weights_no", None: "submit.weights_unsaid"}[open_weights]
    )


def _params(form: SystemForm) -> float | None:
    """Return the number of parameters if what was typed is one."""
    given: object = form.params_millions
    return float(given) if isinstance(given, int | float) and 0 < given < math.inf else None


def _badge_keys(form: SystemForm) -> list[str]:
    keys = ["submit.preview_open_weights"] if form.open_weights else []
    return keys + (["submit.preview_saw_training"] if form.training == Training.TRAINING_PART else [])
