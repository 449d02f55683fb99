"""What is left of a quota, in the reader's language: before one submits, after it, and where there is nothing left."""

from html import escape

from leaderboard.quota import Use
from leaderboard.texts import Texts, format_moment, format_number, format_span


def quota_sentence(use: Use, words: Texts) -> str:
    """Say how many submissions are left of how many, and when the count begins anew. Plain text."""
    limit, lang = use.limit, words.lang
    left, most = format_number(use.n_left, lang), format_number(limit.most, lang)
    told = words.get(f"quota.left_{limit.scope}_{limit.period}", left=left, limit=most)
    if not use.n_used or use.next_at is None:
        return told
    span = format_span((use.next_at - use.now).total_seconds(), lang)
    return f"{told} {words.get('quota.next', moment=format_moment(use.next_at, lang), span=span)}"


def quota_note(use: Use | None, words: Texts) -> str:
    """Return the sentence as a paragraph; nothing where no quota counts."""
    if use is None:
        return ""
    return f'<p class="q-submit-note q-quota">{escape(quota_sentence(use, words))}</p>'
