"""The page of a submission: where it stands, what it reached, what its owner can do next. Finished HTML."""

from datetime import datetime
from html import escape
from urllib.parse import urlencode

from data.task import in_language
from leaderboard.parts import blocks
from leaderboard.parts.about_view import about
from leaderboard.parts.check_view import stored_notices
from leaderboard.parts.error_view import failure_sentence
from leaderboard.parts.progress_view import Standing, spoken, steps
from leaderboard.parts.result_view import headline, primary_score, slices
from leaderboard.parts.sureness import tie_words
from leaderboard.submissions import ENDED, Progress, Visibility
from leaderboard.texts import Texts
from leaderboard.views import Place, SubmissionView
from leaderboard.visit import Visit

NOTES = (Visibility.HELD, Visibility.WITHDRAWN, Visibility.DELETED)


def standing_of(view: SubmissionView) -> Standing:
    """Return where a submission stands."""
    return Standing(view.submission, view.queue, view.is_paused, view.archiving)


def missing(visit: Visit) -> str:
    """Return what stands where there is nothing to show under an address."""
    words = visit.words
    actions = blocks.button(words.get("common.go_home"), visit.link(""))
    return f'<div class="q-block">{blocks.empty(words.get("submission.not_found"), actions)}</div>'


def status(view: SubmissionView, now: datetime, words: Texts) -> str:
    """Return the steps with their times, who can see the submission, and why it failed if it did."""
    submission = view.submission
    badges = blocks.badge(words.get(f"submission.visibility_{submission.visibility}"), is_strong=_is_public(view))
    if submission.is_sample:
        badges += f" {blocks.badge(words.get('common.sample'), title=words.get('common.sample_hint'))}"
    note = ""
    if submission.visibility in NOTES:
        note = blocks.notice(words.get(f"submission.note_{submission.visibility}"))
    elif _is_public(view):
        told = escape(_place(view, words))
        note = f'<p class="q-muted q-on-board">{told}</p>' if told else ""
    number = escape(words.get("submission.number", id=submission.id))
    return (
        f'<section class="q-block q-status" aria-label="{escape(words.get("submission.steps"))}">'
        f'<p class="q-status-line">{badges} <span class="q-muted q-small">{number}</span></p>'
        f"{steps(standing_of(view), now, words)}{_failure(view, words)}{note}</section>"
    )


def sentence(view: SubmissionView, words: Texts) -> str:
    """Return what a live region says about the state, as plain text."""
    measure, score = primary_score(view.board, words) if view.board else ("", "")
    return spoken(standing_of(view), score, measure, words)


def outcome(view: SubmissionView, words: Texts) -> str:
    """Return the headline with its rank; nothing before there is a score."""
    if view.board is None:
        return ""
    gold = view.board["gold"]
    if gold["is_sample"]:
        about_gold = words.get("submission.gold_sample")
    else:
        about_gold = words.get("submission.gold", version=gold["version"])
    is_moving = view.is_board_due and not view.is_on_board  # the place that it would take is about to be its place
    rank = None if is_moving or view.submission.visibility in ENDED else view.rank
    head = headline(view.board, view.task, words, rank=rank, is_on_board=view.is_on_board)
    notes = [_ties(view, words), _interval_note(view, rank, words), about_gold]
    told = "".join(f'<p class="q-small q-muted">{escape(note)}</p>' for note in notes if note)
    return f'<section class="q-block q-result"><h2>{escape(words.get("submission.result"))}</h2>{head}{told}</section>'


def _ties(view: SubmissionView, words: Texts) -> str:
    if view.board is None or view.sheet is None:
        return ""
    return tie_words(view.sheet.ties, view.board["columns"][0], words, view.board["digits"])


def _interval_note(view: SubmissionView, rank: tuple[int, int] | None, words: Texts) -> str:
    """Say what the brackets mean, and the parentheses where there are any."""
    row = view.board["rows"][0] if view.board else {}
    if not any(row.get("intervals") or ()):
        return ""
    possible = row.get("rank_interval")
    has_ranks = rank is not None and view.is_on_board and possible and possible[0] < possible[1]
    return words.get("submission.interval_note" if has_ranks else "submission.interval_own")


def details(view: SubmissionView, visit: Visit, losses: str = "") -> str:
    """Return the breakdown, the remarks of the check and all that is known about the submission.

    `losses`, finished HTML, stands after the breakdown.
    """
    words, submission = visit.words, view.submission
    parts = []
    if view.board is not None and view.board["axes"]:
        tables = slices(view.board, view.task, words)
        parts.append(f'<h2>{escape(words.get("submission.slices"))}</h2><div class="q-slice-grid">{tables}</div>')
    parts.append(losses)
    if submission.notices:
        told = stored_notices(submission.notices, words)
        parts.append(f"<h2>{escape(words.get('submission.notices'))}</h2>{told}")
    listed = about(
        submission,
        words,
        task_name=in_language(view.task.name, words.lang),
        task_href=visit.link(view.task.id),
        system_href=visit.link("system", id=submission.system_id) if _is_public(view) else "",
        run_href=_file_href(view, visit, "runs", ".run") if _may_have_run(view, visit) else "",
        scores_href=_file_href(view, visit, "scores", ".csv") if _may_have_scores(view, visit) else "",
    )
    parts.append(f"<h2>{escape(words.get('submission.about'))}</h2>{listed}")
    return f'<div class="q-block">{"".join(parts)}</div>'


def next_steps(view: SubmissionView, visit: Visit, private_href: str, *, quota: str = "") -> str:
    """Return links to where one goes next and, for the owner, what is left of the quota and the private link.

    Args:
        view: the submission as its reader may see it.
        visit: the reader's address and language.
        private_href: relative address with the key of this submission, empty for everybody but the owner.
        quota: finished HTML that says how often the owner may submit again.
    """
    words = visit.words
    links = [(visit.link(view.task.id), "submission.see_board")]
    if _is_public(view):
        links.append((visit.link("system", id=view.submission.system_id), "submission.see_system"))
    links.append((_submit_href(view, visit), "submission.submit_again"))
    told = "".join(f'<a href="{escape(href)}">{escape(words.get(key))}</a>' for href, key in links)
    private = ""
    if private_href:
        private = (
            f"<h3>{escape(words.get('submission.private_link'))}</h3>"
            f'<p class="q-muted">{escape(words.get("submission.private_link_hint"))}</p>'
            f'<div class="q-copy" data-q-address>{_copied(private_href, words)}</div>'
        )
    return f'<div class="q-block"><p class="q-data-links">{told}</p>{quota}{private}</div>'


def hint(view: SubmissionView, words: Texts) -> str:
    """Return the sentence beside the owner's buttons."""
    is_ready = view.submission.visibility is Visibility.PRIVATE and view.submission.progress is Progress.SCORED
    if not is_ready:
        return ""
    told = f"{words.get('submission.publish_hint')} {words.get('submission.private_hint')}"
    return f'<p class="q-submit-note">{escape(told)}</p>'


def _place(view: SubmissionView, words: Texts) -> str:
    """Say which submission stands on the board for this system, or that the board is about to say so."""
    name = view.submission.form.name
    if view.is_board_due:
        return words.get("submission.board_paused" if view.is_paused else "submission.board_due")
    if view.is_on_board:
        return words.get("submission.board_marked", name=name)
    return words.get("submission.board_unmarked", name=name) if view.place is Place.OTHER else ""


def _copied(href: str, words: Texts) -> str:
    return (
        f'<pre tabindex="0" data-q-href="{escape(href)}">{escape(href)}</pre><button class="q-button" type="button" '
        f'data-q-copy data-q-done="{escape(words.get("common.copied"))}">{escape(words.get("common.copy"))}</button>'
    )


def _failure(view: SubmissionView, words: Texts) -> str:
    submission = view.submission
    if submission.progress is not Progress.FAILED or submission.failure_code is None:
        return ""
    if submission.visibility in NOTES:
        return ""
    title = escape(words.get("submission.failed_title"))
    reason = escape(failure_sentence(submission.failure_code, words))
    what_now = escape(words.get("submission.failed_what_now", id=submission.id))
    return (
        f'<div class="q-notice is-error"><p><strong>{title}</strong></p><p>{reason}</p>'
        f'<p class="q-small">{what_now}</p></div>'
    )


def _is_public(view: SubmissionView) -> bool:
    return view.submission.visibility is Visibility.PUBLIC


def _may_have_run(view: SubmissionView, visit: Visit) -> bool:
    return view.submission.has_run and (view.submission.is_run_shown or bool(_key(view, visit)))


def _may_have_scores(view: SubmissionView, visit: Visit) -> bool:
    is_open = view.facts is not None and view.facts.kind == "open"
    is_shut = view.submission.visibility in (Visibility.HELD, Visibility.DELETED)
    return bool(_key(view, visit)) and is_open and view.sheet is not None and not is_shut


def _file_href(view: SubmissionView, visit: Visit, kind: str, ending: str) -> str:
    key = _key(view, visit)
    return f"./{kind}/{view.submission.id}{ending}" + (f"?{urlencode({'key': key})}" if key else "")


def _submit_href(view: SubmissionView, visit: Visit) -> str:
    """Return where to submit another run; for the owner one that goes on from this. The key stays behind the #."""
    if not view.is_owner:
        return visit.link("submit", task=view.task.id)
    key = _key(view, visit)
    return visit.link("submit", task=view.task.id, **{"from": view.submission.id}) + (f"#key={key}" if key else "")


def _key(view: SubmissionView, visit: Visit) -> str:
    """Return the key of the address, which a download needs too; empty for a stranger."""
    return visit.query.get("key", "") if view.is_owner else ""
