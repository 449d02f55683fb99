"""The nouns of the books: submissions, systems, their states and legal moves, and the form that a submitter fills in.

Pure. No database, no clock, no gold; nothing here decides who may do what beyond the table of moves.
"""

import dataclasses
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from evaluation import QrelboardError
from leaderboard.names import FORMULA_STARTS, Flaw, clean, link_flaw, name_flaw, name_skeleton, text_flaw

MAX_PARAMS_MILLIONS = 100_000_000.0
MAX_ATTEMPTS = 4
MAX_RAW_TEXT = 10_000
TEXT_LENGTHS = {"version": 40, "training_note": 300, "licence": 80, "note": 500}


class Progress(StrEnum):
    """How far scoring got: waiting → scored or failed, both final. "Running" is what the queue says, not the books."""

    WAITING = "waiting"
    SCORED = "scored"
    FAILED = "failed"


class Visibility(StrEnum):
    """Who can see a submission; `deleted` keeps the row and the hash, the file is gone."""

    PRIVATE = "private"
    PUBLIC = "public"
    HELD = "held"
    WITHDRAWN = "withdrawn"
    DELETED = "deleted"


class Actor(StrEnum):
    """On whose behalf the books change."""

    OWNER = "owner"
    HOST = "host"
    WORKER = "worker"


class RunType(StrEnum):
    """What produced the ranking."""

    FIRST_STAGE = "first-stage"
    RERANKER = "reranker"
    FUSION = "fusion"
    MANUAL = "manual"
    UNSPECIFIED = "unspecified"


class Training(StrEnum):
    """What the system saw of the benchmark before."""

    NONE = "none"
    TRAINING_PART = "training-part"
    UNKNOWN = "unknown"


# Taken back by the owner: no board, no further scoring.
ENDED = (Visibility.WITHDRAWN, Visibility.DELETED)

OWNER_MOVES: Mapping[Visibility, frozenset[Visibility]] = {
    Visibility.PRIVATE: frozenset((Visibility.PUBLIC, Visibility.WITHDRAWN, Visibility.DELETED)),
    Visibility.PUBLIC: frozenset((Visibility.PRIVATE, Visibility.WITHDRAWN, Visibility.DELETED)),
    Visibility.HELD: frozenset((Visibility.WITHDRAWN, Visibility.DELETED)),
    Visibility.WITHDRAWN: frozenset((Visibility.DELETED,)),
    Visibility.DELETED: frozenset(),
}
HOST_MOVES: Mapping[Visibility, frozenset[Visibility]] = {
    **OWNER_MOVES,
    Visibility.PRIVATE: OWNER_MOVES[Visibility.PRIVATE] | {Visibility.HELD},
    Visibility.PUBLIC: OWNER_MOVES[Visibility.PUBLIC] | {Visibility.HELD},
    Visibility.HELD: OWNER_MOVES[Visibility.HELD] | {Visibility.PRIVATE, Visibility.PUBLIC},
}


class IllegalMove(QrelboardError):
    """The state of a submission does not allow this change; facts: `state`, `wanted`."""

    def __init__(self, state: str, wanted: str) -> None:
        super().__init__(
            "illegal-move", {"state": state, "wanted": wanted}, f"A submission that is {state} cannot become {wanted}."
        )


class UnknownSubmission(QrelboardError):
    """The books have no submission of this id."""

    def __init__(self, submission_id: str) -> None:
        super().__init__("unknown-submission", {}, f"The books have no submission {submission_id[:40]!r}.")


class NameTaken(QrelboardError):
    """A public system of somebody else has a name that looks like this one; facts: `name`."""

    def __init__(self, name: str) -> None:
        super().__init__(
            "name-taken", {"name": name}, f"A public system has a name that looks like {name!r}; choose another."
        )


@dataclass(frozen=True, slots=True)
class SystemForm:
    """What a submitter says about a run. It may arrive holding anything: `check_form` judges, `clean_form` tidies."""

    name: str
    version: str = ""
    link: str = ""
    params_millions: float | None = None
    open_weights: bool | None = None
    run_type: str = RunType.UNSPECIFIED
    training: str = Training.UNKNOWN
    training_note: str = ""
    licence: str = ""
    run_is_public: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """One thing to mend in a form: its field, a stable code (a key of the `form` texts), and facts for the message."""

    field: str
    code: str
    facts: Mapping[str, str | int | float] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NewSubmission:
    """What the intake hands to the books. `id` comes from `submission_id`, so the same click twice is one row.

    A sample row is published in the moment it is scored; nobody owns it who could do it by hand.
    """

    id: str
    task_id: str
    run_sha256: str
    run_size_bytes: int
    owner_hash: str
    link_hash: str
    form: SystemForm
    n_lines: int
    n_topics: int
    notices: Sequence[Mapping[str, Any]] = ()
    is_baseline: bool = False
    is_sample: bool = False


@dataclass(frozen=True, slots=True)
class Submission:
    """One row of the books. The two hashes stay in the server; times are UTC."""

    id: str
    task_id: str
    system_id: str
    run_sha256: str
    run_size_bytes: int
    owner_hash: str = dataclasses.field(repr=False)
    link_hash: str = dataclasses.field(repr=False)
    form: SystemForm
    n_lines: int
    n_topics: int
    notices: Sequence[Mapping[str, Any]]
    is_baseline: bool
    is_sample: bool
    progress: Progress
    visibility: Visibility
    is_marked: bool
    n_attempts: int
    executor: str | None
    failure_code: str | None
    failure_facts: Mapping[str, Any]
    submitted_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    published_at: datetime | None

    @property
    def has_run(self) -> bool:
        """True while the run file is kept."""
        return self.visibility is not Visibility.DELETED

    @property
    def is_comparable(self) -> bool:
        """True where its scores by topic may be set against those of a row: nothing keeps them from its owner."""
        return self.progress is Progress.SCORED and self.visibility in (Visibility.PRIVATE, Visibility.PUBLIC)

    @property
    def is_run_shown(self) -> bool:
        """True where anybody may have the run file: the submission is public, and its owner said so."""
        return self.visibility is Visibility.PUBLIC and self.form.run_is_public


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """The scores of one submission under one gold version: `evaluation` is the JSON form that may leave the worker."""

    gold_version: str
    n_topics: int
    n_answered: int
    evaluation: Mapping[str, Any]

    @property
    def certainty(self) -> Mapping[str, Any]:
        """Intervals of the run on its own: `intervals` by column, `slices` by axis and value; empty on sealed gold."""
        return self.evaluation.get("certainty") or {}

    @property
    def ties(self) -> Mapping[str, Any] | None:
        """Between which ends (`low`, `high`) equal scores leave the ranking measure open, in `n` topics or groups."""
        return self.evaluation.get("ties")

    def value(self, measure: str, mean: str) -> float | None:
        """Return a measure averaged as a column says ("topics", "groups", "macro:<axis>"), None if it has no value."""
        if mean.startswith("macro:"):
            means = self.evaluation.get("macro", {}).get(mean.removeprefix("macro:"), {})
        else:
            means = self.evaluation.get("means", {})
        value = means.get(measure)
        return None if value is None else float(value)


@dataclass(frozen=True, slots=True)
class Hold:
    """Why a submission is kept from everybody until the host has looked: a code, and facts for the host alone."""

    reason: str
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GoldFacts:
    """What all may know of a task's gold; `axes` holds (value, n_topics, n_groups or None) in the card's order.

    `n_listed` counts the public topic list: what a participant answers.
    """

    task_id: str
    version: str
    kind: str
    fingerprint: str
    n_topics: int
    n_live: int | None
    n_groups: int | None
    axes: Mapping[str, Sequence[tuple[str, int, int | None]]]
    is_sample: bool
    example_topic_id: str
    n_listed: int | None = None


@dataclass(frozen=True, slots=True)
class Revision:
    """A finished board: `body` is the JSON text that everybody gets, byte for byte; `etag` has no quotes."""

    task_id: str
    number: int
    made_at: datetime
    body: str
    etag: str


def without_keys(submission: Submission) -> Submission:
    """Return a submission that a page may hold: without the hashes of the keys that open it."""
    return replace(submission, owner_hash="", link_hash="")


def system_id(owner_hash: str, name: str) -> str:
    """Return the id of an owner's system: names that look alike are one system."""
    return _digest("system", owner_hash, name_skeleton(name))


def submission_id(task_id: str, run_sha256: str, owner_hash: str, form: SystemForm, *, edition: int = 0) -> str:
    """Return the id of a submission: the same file for the same task, owner, system and version has one id.

    `edition` counts earlier rows of this kind that ended without a score or were taken back, so that one can try again.
    """
    return _digest("submission", task_id, run_sha256, owner_hash, name_skeleton(form.name), form.version, edition)


def clean_form(form: SystemForm) -> SystemForm:
    """Return the form as it is stored: one spelling of characters, single blanks, nothing at the ends of a text."""
    return replace(
        form,
        name=_tidy(form.name),
        version=_tidy(form.version),
        link=_tidy(form.link),
        training_note=_tidy(form.training_note),
        licence=_tidy(form.licence),
        note="\n".join(_tidy(line) for line in form.note.splitlines()).strip() if _is_short(form.note) else form.note,
    )


def check_form(form: SystemForm) -> tuple[FieldProblem, ...]:
    """List everything to mend in a form, in the order of its fields; an empty tuple means that it can be stored.

    Judges the cleaned form. Values of a wrong type, as an API call may bring them, are problems and not errors.
    """
    wrong = {problem.field: problem for problem in _wrong_types(form)}
    blank = SystemForm(name="")
    form = clean_form(replace(form, **{name: getattr(blank, name) for name in wrong}))
    problems = dict(wrong)

    def note(name: str, flaw: Flaw | None) -> None:
        if flaw is not None:
            problems.setdefault(name, FieldProblem(name, flaw.code, flaw.facts))

    note("name", name_flaw(form.name) if form.name else Flaw("required"))
    note("version", text_flaw(form.version, TEXT_LENGTHS["version"]) or _formula_flaw(form.version))
    note("link", link_flaw(form.link) if form.link else None)
    note("params_millions", _params_flaw(form.params_millions))
    note("run_type", _choice_flaw(form.run_type, RunType))
    note("training", _choice_flaw(form.training, Training))
    note("training_note", text_flaw(form.training_note, TEXT_LENGTHS["training_note"]))
    note("licence", text_flaw(form.licence, TEXT_LENGTHS["licence"]))
    note("note", text_flaw(form.note, TEXT_LENGTHS["note"], has_lines=True))
    return tuple(problems[column.name] for column in dataclasses.fields(form) if column.name in problems)


def _wrong_types(form: SystemForm) -> tuple[FieldProblem, ...]:
    problems = []
    for column in dataclasses.fields(form):
        value: object = getattr(form, column.name)
        if column.name == "params_millions":
            is_right = value is None or (isinstance(value, int | float) and not isinstance(value, bool))
            code = "not-a-number"
        elif column.name in ("open_weights", "run_is_public"):
            is_right, code = isinstance(value, bool) or (value is None and column.name == "open_weights"), "not-yes-no"
        else:
            is_right, code = isinstance(value, str), "not-text"
        if not is_right:
            problems.append(FieldProblem(column.name, code))
    return tuple(problems)


def _params_flaw(value: float | None) -> Flaw | None:
    if value is None:
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return Flaw("not-a-number")
    if not 0 < value <= MAX_PARAMS_MILLIONS:
        return Flaw("number-out-of-range", {"max": MAX_PARAMS_MILLIONS})
    return None


def _choice_flaw(value: str, choices: type[StrEnum]) -> Flaw | None:
    return None if value in list(choices) else Flaw("unknown-choice", {"found": value[:40]})


def _formula_flaw(text: str) -> Flaw | None:
    return Flaw("name-formula", {"found": text[0]}) if text and text[0] in FORMULA_STARTS else None


def _is_short(text: str) -> bool:
    return len(text) <= MAX_RAW_TEXT


def _tidy(text: str) -> str:
    return clean(text) if _is_short(text) else text


def _digest(*parts: str | int) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]
