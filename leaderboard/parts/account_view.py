"""The account page's pieces: who is logged in, their submissions, their tokens. Finished HTML, all values escaped."""

from collections.abc import Sequence
from html import escape

from data.task import Task, in_language
from leaderboard.accounts import Account, Role
from leaderboard.parts import blocks
from leaderboard.submissions import Submission
from leaderboard.texts import Texts, format_date
from leaderboard.tokens import Token
from leaderboard.visit import Visit


def who(name: str, href: str, words: Texts) -> str:
    """Return the link of the header to the account of who is logged in."""
    label = escape(words.get("account.title"))
    return (
        f'<a class="q-who" href="{escape(href)}" title="{label}" aria-label="{label} {escape(name)}">{escape(name)}</a>'
    )


def log_out(words: Texts) -> str:
    """Return the button that ends the session."""
    label = escape(words.get("account.log_out"))
    return f'<form method="post" action="./account/logout"><button class="q-button">{label}</button></form>'


def facts(account: Account, words: Texts, *, is_development: bool) -> list[str]:
    """Return what stands under the title: id, role, and whether it is the account of development."""
    role = words.get("account.role_host" if account.role is Role.HOST else "account.role_participant")
    told = [
        f"{escape(words.labelled(words.get('account.id'), ''))}<code>{escape(account.subject)}</code>",
        escape(words.labelled(words.get("account.role"), role)),
    ]
    return [*told, blocks.badge(words.get("account.dev"), is_strong=True)] if is_development else told


def runs(submissions: Sequence[Submission], tasks: dict[str, Task], visit: Visit) -> str:
    """Return the account's submissions, each with a link to its page."""
    words = visit.words
    title = escape(words.get("account.runs_title"))
    if not submissions:
        return blocks.block(f"<h2>{title}</h2><p>{escape(words.get('account.runs_none'))}</p>")
    rows = [
        (
            _link(one, visit),
            escape(in_language(tasks[one.task_id].name, visit.lang)),
            escape(format_date(one.submitted_at, visit.lang)),
            escape(state(one, words)),
        )
        for one in submissions
        if one.task_id in tasks
    ]
    head = [words.get(f"account.col_{name}") for name in ("system", "task", "when", "state")]
    return blocks.block(f"<h2>{title}</h2>{blocks.table(head, rows, caption=words.get('account.runs_title'))}")


def _link(submission: Submission, visit: Visit) -> str:
    name = escape(f"{submission.form.name} {submission.form.version}".strip())
    return f'<a href="{escape(visit.link("submission", id=submission.id))}">{name}</a>'


def state(submission: Submission, words: Texts) -> str:
    """Return how far a submission is, in a word or two: how scoring goes, then who sees it."""
    is_scored = submission.progress == "scored"
    return words.get(f"account.state_{submission.visibility if is_scored else submission.progress}")


def tokens(found: Sequence[Token], words: Texts) -> str:
    """Return the tokens that work, each with a button that ends it."""
    title, lead = (escape(words.get(f"account.{name}")) for name in ("tokens_title", "tokens_lead"))
    if not found:
        return blocks.block(f"<h2>{title}</h2><p>{lead}</p><p>{escape(words.get('account.tokens_none'))}</p>")
    rows = [
        (
            escape(token.label),
            escape(", ".join(words.get(f"account.scope_{scope}") for scope in token.scopes)),
            escape(format_date(token.expires_at, words.lang)),
            _revoke(token, words),
        )
        for token in found
    ]
    head = [words.get(f"account.col_{name}") for name in ("label", "scopes", "expires", "revoke")]
    return blocks.block(
        f"<h2>{title}</h2><p>{lead}</p>{blocks.table(head, rows, caption=words.get('account.tokens_title'))}"
    )


def made(token: str, words: Texts) -> str:
    """Return a new token, this once, and how a script sends it."""
    said = blocks.notice(words.get("account.made"), kind="success", is_announced=True)
    return blocks.block(f"{said}{blocks.copy_box(token, words)}")


def _revoke(token: Token, words: Texts) -> str:
    label = escape(words.get("account.revoke"))
    named = escape(f"{label}: {token.label}")
    return (
        '<form method="post" action="./account/revoke">'
        f'<input type="hidden" name="token" value="{escape(token.id)}">'
        f'<button class="q-button" aria-label="{named}">{label}</button></form>'
    )
