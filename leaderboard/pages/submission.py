"""The submission page: its state as it changes, its result, the owner's buttons. Safe to close and to come back to."""

import logging
import secrets
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import gradio as gr

from data.task import in_language
from evaluation import QrelboardError
from leaderboard.accounts import Account
from leaderboard.comparisons import ComparisonState, NotComparable
from leaderboard.desk import NotAllowed
from leaderboard.hall import Hall
from leaderboard.keys import AccountKey, Key, is_owner_key, link_key
from leaderboard.owners import Earlier
from leaderboard.pages.callers import caller_of
from leaderboard.pages.frame import READ, html, mark, page, visit_of
from leaderboard.parts import blocks
from leaderboard.parts.error_view import error_sentence, unexpected_sentence
from leaderboard.parts.losses_view import FIELD, losses
from leaderboard.parts.quota_view import quota_note
from leaderboard.parts.submission_view import details, hint, missing, next_steps, outcome, sentence, standing_of, status
from leaderboard.quota import NOBODY, Caller
from leaderboard.submissions import OWNER_MOVES, Progress, Visibility
from leaderboard.views import SubmissionView
from leaderboard.visit import Heads, PageHead, Visit

PATH = "submission"
ACTIONS = ("publish", "mark", "claim", "keep_private", "withdraw", "delete")
CONFIRMED = ("withdraw", "delete")
# the key of this browser, where it has one; a visitor without one makes none by looking
OWNER = "() => [qrelboard.storedOwner()]"
OWNER_AND_STAMP = "(_, stamp) => [qrelboard.storedOwner(), stamp]"
MAX_KEY = 200

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Question:
    """What stands between a button and a change that cannot be undone."""

    column: gr.Column
    yes: gr.Button
    no: gr.Button


@dataclass(frozen=True, slots=True)
class Parts:
    """The components of the page; `owner` never holds anything, its value comes from the browser with each event."""

    status: gr.HTML
    live: gr.HTML
    outcome: gr.HTML
    actions: gr.Column
    hint: gr.HTML
    buttons: dict[str, gr.Button]
    questions: dict[str, Question]
    feedback: gr.HTML
    next_steps: gr.HTML
    details: gr.HTML
    timer: gr.Timer
    owner: gr.Textbox
    stamp: gr.State

    @property
    def shown(self) -> list[Any]:
        """What `draw` fills, in its order."""
        columns = [self.questions[name].column for name in CONFIRMED]
        buttons = [self.buttons[name] for name in ACTIONS]
        texts = [self.status, self.live, self.outcome, self.actions, self.hint, self.next_steps, self.details]
        return [*texts, *buttons, *columns, self.timer, self.stamp]


def build(hall: Hall, demo: gr.Blocks) -> Heads:
    """Lay the page out and say what its served HTML holds."""
    with page(demo, PATH):
        parts = _lay_out()
        _wire(hall, demo, parts)
    return {PATH: partial(head, hall)}


def head(hall: Hall, visit: Visit) -> PageHead:
    """Say what the served HTML of this page holds; the name only for those who may see the submission."""
    words = visit.words
    view, _ = find(hall, visit, "")
    if view is None:
        title = words.get("submission.title")
        return PageHead(title, words.get("submission.description"), blocks.intro(title), is_private=True)
    task = in_language(view.task.name, visit.lang)
    title = words.get("submission.title_of", name=view.submission.form.name, task=task)
    lead = words.get("submission.lead") if view.is_owner else ""
    if not view.is_owner and "key" in visit.query:
        lead = words.get("submission.wrong_key")
    is_private = view.submission.visibility is not Visibility.PUBLIC or "key" in visit.query
    told = words.get("submission.description_of", name=view.submission.form.name, task=task)
    return PageHead(title, told, blocks.intro(title, lead), is_private=is_private)


def _lay_out() -> Parts:
    with gr.Column(elem_id="submission"):
        status_html = html(elem_id="submission-status")
        live = html(elem_id="submission-live", js="element.setAttribute('role', 'status')")
        outcome_html = html(elem_id="submission-outcome")
        with gr.Column(visible=False, elem_id="submission-actions") as actions:
            hint_html = html(elem_id="submission-hint")
            with gr.Row(elem_id="submission-buttons"):
                buttons = {name: _button(name) for name in ACTIONS}
            questions = {name: _question(name) for name in CONFIRMED}
        feedback = html(elem_id="submission-feedback")
        next_html = html(elem_id="submission-next", js="watch('value', () => qrelboard.fillAddress(element))")
        details_html = html(elem_id="submission-details")
    return Parts(
        status=status_html,
        live=live,
        outcome=outcome_html,
        actions=actions,
        hint=hint_html,
        buttons=buttons,
        questions=questions,
        feedback=feedback,
        next_steps=next_html,
        details=details_html,
        timer=gr.Timer(2, active=False),
        owner=gr.Textbox(visible=False),
        stamp=gr.State(None),
    )


def _button(name: str) -> gr.Button:
    variant = "primary" if name == "publish" else "secondary"
    return gr.Button(mark(f"submission.do_{name}"), variant=variant, size="md", visible=False, elem_id=_id(name))


def _question(name: str) -> Question:
    with gr.Column(visible=False, elem_id=f"{_id(name)}-question", elem_classes=["q-question"]) as column:
        html(f"<p>{mark(f'submission.question_{name}')}</p>", elem_id=f"{_id(name)}-text")
        with gr.Row():
            yes = gr.Button(mark(f"submission.yes_{name}"), variant="stop", size="md", elem_id=f"{_id(name)}-yes")
            no = gr.Button(mark(f"submission.no_{name}"), size="md", elem_id=f"{_id(name)}-no")
    return Question(column, yes, no)


def _id(name: str) -> str:
    return f"submission-{name.replace('_', '-')}"


def _wire(hall: Hall, demo: gr.Blocks, parts: Parts) -> None:
    def load(owner: str, request: gr.Request) -> list[Any]:
        return draw(hall, visit_of(request, PATH), owner, caller=caller_of(hall, request))

    def poll(owner: str, stamp: Any, request: gr.Request) -> list[Any]:
        return draw(hall, visit_of(request, PATH), owner, old_stamp=stamp, caller=caller_of(hall, request))

    demo.load(load, parts.owner, parts.shown, js=OWNER, **READ)
    parts.timer.tick(poll, [parts.owner, parts.stamp], parts.shown, js=OWNER_AND_STAMP, **READ)
    for name in ACTIONS:
        question = parts.questions.get(name)
        asked = parts.buttons[name].click if question is None else question.yes.click
        _wire_action(hall, parts, name, asked)
        if question is not None:
            _wire_question(parts.buttons[name], name, question)


def _wire_action(hall: Hall, parts: Parts, name: str, asked: Any) -> None:
    def act(owner: str, request: gr.Request) -> list[Any]:
        visit = visit_of(request, PATH)
        return [change(hall, visit, owner, name), *draw(hall, visit, owner, caller=caller_of(hall, request))]

    done = asked(act, parts.owner, [parts.feedback, *parts.shown], js=OWNER, trigger_mode="once", **READ)
    done.then(None, None, None, js="() => qrelboard.focusOn('#submission-feedback .q-notice')")


def _wire_question(button: gr.Button, name: str, question: Question) -> None:
    """Show the question in the place of the buttons' row, and move the focus with it."""
    opened = button.click(lambda: gr.update(visible=True), None, question.column, **READ)
    opened.then(None, None, None, js=f"() => qrelboard.focusOn('#{_id(name)}-no')")
    closed = question.no.click(lambda: gr.update(visible=False), None, question.column, **READ)
    closed.then(None, None, None, js=f"() => qrelboard.focusOn('#{_id(name)}')")


def draw(hall: Hall, visit: Visit, owner: str, *, old_stamp: Any = None, caller: Caller = NOBODY) -> list[Any]:
    """Fill the page, in the order of `Parts.shown`; what did not change since `old_stamp` is left as it is.

    So is an open question, so that looking again does not take it away from under a finger.
    """
    view, key = find(hall, visit, owner)
    now = hall.clock()
    if view is None:
        hidden = [gr.update(visible=False)] * (len(ACTIONS) + len(CONFIRMED))
        return [missing(visit), "", "", gr.update(visible=False), "", "", "", *hidden, gr.update(active=False), None]
    lost = losses_of(hall, view, key, visit)
    state = [*stamp_of(view), lost.stamp, view.is_claimable]
    state_html = status(view, now, visit.words)
    timer = gr.update(value=interval_s(view, now), active=lost.is_awaited or not is_settled(view))
    if state == old_stamp:
        return [state_html, *[gr.skip()] * (6 + len(ACTIONS) + len(CONFIRMED)), timer, state]
    allowed, own = moves(view, visit.account), _link_key(hall, view, visit, key)
    return [
        state_html,
        sentence(view, visit.words),
        outcome(view, visit.words),
        gr.update(visible=bool(allowed)),
        hint(view, visit.words),
        next_steps(
            view,
            visit,
            visit.link(PATH, id=view.submission.id, key=own) if own and allowed else "",
            quota=_quota(hall, view, key, visit, caller),
        ),
        details(view, replace(visit, query={**visit.query, "key": own}) if own else visit, lost.html),
        *[gr.update(visible=name in allowed) for name in ACTIONS],
        *[gr.skip() if old_stamp and name in allowed else gr.update(visible=False) for name in CONFIRMED],
        timer,
        state,
    ]


def find(hall: Hall, visit: Visit, owner: str) -> tuple[SubmissionView | None, Key]:
    """Return the submission of the address as this visitor may see it, and the key that opened it for its owner."""
    asked = _asked(visit)
    view = None
    texts = (key for key in (visit.query.get("key", ""), owner or "") if 0 < len(key) <= MAX_KEY)
    keys: list[Key] = [*([visit.account.key] if visit.account else []), *texts]
    for key in keys:
        if (view := hall.board.submission(asked, key)) and view.is_owner:
            return view, key
    return view or hall.board.submission(asked), ""


@dataclass(frozen=True, slots=True)
class Lost:
    """The topics where a run loses most: what is shown, whether the answer is on its way, and a stamp of both."""

    html: str
    is_awaited: bool
    stamp: str


def losses_of(hall: Hall, view: SubmissionView, key: Key, visit: Visit) -> Lost:
    """Ask for the topics where an owner's submission loses most against the row that the address names."""
    if not view.rivals:
        return Lost("", False, "")
    found, code, rival = None, "", visit.query.get(FIELD, "")[:MAX_KEY]
    try:
        found = hall.board.against(view.submission.id, key, rival) if rival else None
    except NotComparable as refusal:
        code = refusal.code
    is_awaited = found is not None and found.state is ComparisonState.ASKED
    is_paused = is_awaited and hall.board.is_paused()
    shown = losses(view.rivals, found, visit, code=code, is_paused=is_paused)
    return Lost(shown, is_awaited, f"{rival} {found.state if found else code} {is_paused}")


def change(hall: Hall, visit: Visit, owner: str, name: str) -> str:
    """Let the owner change the submission of the address; returns what to say about it."""
    words = visit.words
    view, key = find(hall, visit, owner)
    try:
        if view is None or not key:
            raise NotAllowed
        if name == "claim":
            _claim(hall, visit, view, key)
        else:
            getattr(hall.desk, name)(view.submission.id, key)
    except QrelboardError as error:
        return blocks.notice(error_sentence(error, words), kind="error", is_announced=True)
    except Exception:
        number = secrets.token_hex(4)
        _log.exception("submission page, %s", number)
        return blocks.notice(unexpected_sentence(number, words), kind="error", is_announced=True)
    return blocks.notice(words.get(f"submission.done_{name}"), kind="success", is_announced=True)


def _claim(hall: Hall, visit: Visit, view: SubmissionView, key: Key) -> None:
    """Move the submission to the account of who is logged in."""
    if visit.account is None:
        raise NotAllowed
    hall.desk.claim(view.submission.id, key, visit.account.key)


def moves(view: SubmissionView, account: Account | None = None) -> frozenset[str]:
    """Return the names of the buttons that the owner can use now; nobody else has any."""
    if not view.is_owner:
        return frozenset()
    submission = view.submission
    possible = OWNER_MOVES[submission.visibility]
    names = {
        "publish": Visibility.PUBLIC in possible and submission.progress is Progress.SCORED,
        "mark": submission.visibility is Visibility.PUBLIC and not view.is_on_board and not view.is_board_due,
        "claim": view.is_claimable and account is not None and submission.visibility is not Visibility.DELETED,
        "keep_private": Visibility.PRIVATE in possible,
        "withdraw": Visibility.WITHDRAWN in possible and submission.progress is not Progress.FAILED,
        "delete": Visibility.DELETED in possible,
    }
    return frozenset(name for name, is_possible in names.items() if is_possible)


def is_settled(view: SubmissionView) -> bool:
    """Return True when nothing will change by itself: scored or failed, and no board is on its way."""
    return view.submission.progress is not Progress.WAITING and not view.is_board_due


def interval_s(view: SubmissionView, now: datetime) -> float:
    """Return how long to wait before looking again: 2 s at first, then slower."""
    if view.is_paused:
        return 15
    age = now - view.submission.submitted_at
    if age < timedelta(minutes=1) or standing_of(view).is_over:
        return 2
    return 5 if age < timedelta(minutes=10) else 15


def stamp_of(view: SubmissionView) -> list[Any]:
    """Return what the slow parts of the page depend on."""
    submission = view.submission
    place = list(view.queue) if view.queue else None
    rank = list(view.rank) if view.rank else None
    is_started = submission.started_at is not None
    on_board = [str(view.place), view.is_board_due]
    return [submission.progress, submission.visibility, is_started, place, rank, *on_board, view.is_owner]


def _link_key(hall: Hall, view: SubmissionView, visit: Visit, key: Key) -> str:
    """Return the key of the link that opens this submission for its owner; from the browser's or account's it follows.

    Not where the run came through an earlier submission's link: then another key opens it, which we do not know.
    """
    secret = key.secret if isinstance(key, AccountKey) else key
    if secret and secret == visit.query.get("key"):
        return secret
    if not is_owner_key(secret):
        return ""
    made = link_key(secret, view.submission.id)
    seen = hall.board.submission(view.submission.id, made)
    return made if seen and seen.is_owner else ""


def _quota(hall: Hall, view: SubmissionView, key: Key, visit: Visit, caller: Caller) -> str:
    """Tell the owner what is left of the quota that this submission counts against."""
    if not view.is_owner:
        return ""
    earlier = None if isinstance(key, AccountKey) else Earlier(view.submission.id, key)
    return quota_note(hall.intake.quota(view.task.id, None, earlier, caller), visit.words)


def _asked(visit: Visit) -> str:
    return visit.query.get("id", "")[:MAX_KEY]
