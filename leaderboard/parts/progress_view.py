"""How far a submission got, as a list of steps with their times. Finished HTML."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from html import escape

from leaderboard.submissions import Progress, Submission
from leaderboard.texts import Texts, format_number, format_span
from leaderboard.views import Archiving


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a submission stands: its row of the books, its place while it waits, whether work is paused.

    `archiving` says whether it would outlive this machine; None where the site has no archive.
    """

    submission: Submission
    queue: tuple[int, int] | None
    is_paused: bool
    archiving: Archiving | None = None

    @property
    def step(self) -> str:
        """The step it is at: waiting, scoring, done or failed."""
        if self.submission.progress is Progress.SCORED:
            return "done"
        if self.submission.progress is Progress.FAILED:
            return "failed"
        return "waiting" if self.submission.started_at is None else "scoring"

    @property
    def is_over(self) -> bool:
        """True when nothing more will happen by itself."""
        return self.step in ("done", "failed")


def steps(standing: Standing, now: datetime, words: Texts) -> str:
    """Return the ordered list Received → Waiting → Scoring → Done (or Failed), the present one marked.

    Args:
        standing: where the submission stands.
        now: the present moment, for "since 12 s".
        words: the reader's language.
    """
    order = ("received", "waiting", "scoring", "failed" if standing.step == "failed" else "done")
    place = order.index(standing.step)
    notes: dict[str, Callable[[], str]] = {
        "received": lambda: _received(standing, words),
        "waiting": lambda: _waiting(standing, now, words),
        "scoring": lambda: _scoring(standing, now, words),
        "done": lambda: _moment(standing.submission.finished_at),
        "failed": lambda: _moment(standing.submission.finished_at),
    }
    listed = []
    for number, name in enumerate(order):
        is_present = number == place
        is_done = number < place or name == standing.step == "done"
        state = "is-failed" if name == "failed" else "is-done" if is_done else ""
        kind = "is-present" if is_present and not standing.is_over else state
        note = notes[name]() if number <= place else ""
        current = ' aria-current="step"' if is_present else ""
        listed.append(
            f'<li class="q-mile {kind}"{current}><span class="q-mile-dot" aria-hidden="true"></span>'
            f"<strong>{escape(words.get(f'submission.step_{name}'))}</strong>"
            f'<span class="q-mile-note">{note}</span></li>'
        )
    paused = ""
    if standing.is_paused and not standing.is_over:
        paused = f'<div class="q-notice"><p>{escape(words.get("submission.paused"))}</p></div>'
    label = escape(words.get("submission.steps"))
    return f'<ol class="q-track" aria-label="{label}">{"".join(listed)}</ol>{paused}'


def spoken(standing: Standing, score: str, measure: str, words: Texts) -> str:
    """Return the one sentence that a live region reads out when the state changes."""
    if standing.step == "waiting" and standing.queue:
        place, of = standing.queue
        return words.get(
            "submission.say_waiting", place=format_number(place, words.lang), of=format_number(of, words.lang)
        )
    if standing.step == "done":
        told = words.get("submission.say_scored", measure=measure, score=score)
        return told if score else words.get("submission.step_done")
    return words.get("submission.say_failed" if standing.step == "failed" else "submission.say_scoring")


def moment(when: datetime) -> str:
    """Return a time element with day and minute in UTC."""
    shown = when.strftime("%Y-%m-%d %H:%M UTC")
    return f'<time datetime="{when.strftime("%Y-%m-%dT%H:%M:%SZ")}">{shown}</time>'


def _moment(when: datetime | None) -> str:
    """Return a time element with the seconds; one watches this."""
    if when is None:
        return ""
    return f'<time datetime="{when.strftime("%Y-%m-%dT%H:%M:%SZ")}">{when.strftime("%Y-%m-%d %H:%M:%S UTC")}</time>'


def _received(standing: Standing, words: Texts) -> str:
    told = _moment(standing.submission.submitted_at)
    if standing.archiving is None:
        return told
    return f"{told}<br>{escape(words.get(f'submission.archiving_{standing.archiving}'))}"


def _waiting(standing: Standing, now: datetime, words: Texts) -> str:
    if standing.step != "waiting" or not standing.queue:
        return ""
    place, of = standing.queue
    if place == 1:
        return escape(words.get("submission.place_next"))
    return escape(
        words.get("submission.place", place=format_number(place, words.lang), of=format_number(of, words.lang))
    )


def _scoring(standing: Standing, now: datetime, words: Texts) -> str:
    started, finished = standing.submission.started_at, standing.submission.finished_at
    if started is None:
        return ""
    span = format_span(max(1.0, ((finished or now) - started).total_seconds()), words.lang)
    return escape(words.get("submission.scored_in" if finished else "submission.running_for", span=span))
