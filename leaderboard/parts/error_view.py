"""Errors of the hall as sentences in the reader's language. Plain text; no path, no trace, no gold."""

from evaluation import QrelboardError
from leaderboard.comparisons import NotComparable
from leaderboard.parts.quota_view import quota_sentence
from leaderboard.quota import QuotaExceeded
from leaderboard.texts import Texts, format_number


def error_sentence(error: QrelboardError, words: Texts) -> str:
    """Say what went wrong and what to do; closed uploads and known errors have their own sentence."""
    if isinstance(error, NotComparable):
        return words.get(f"compare.no_{error.code}")
    if isinstance(error, QuotaExceeded):
        return f"{words.get('quota.refused')} {quota_sentence(error.use, words)}"
    code = error.code.replace("-", "_")
    key = f"errors.problem_{code}"
    if not words.has(key):
        return closed_sentence(error.code, words)
    facts = {
        name: value if isinstance(value, str) else format_number(value, words.lang)
        for name, value in error.facts.items()
    }
    return words.get(key, **facts)


def closed_sentence(code: str, words: Texts) -> str:
    """Say why nothing can be submitted to a task at present."""
    key = f"errors.closed_{code.replace('-', '_')}"
    return words.get(key) if words.has(key) else words.get("errors.closed_other", code=code)


def failure_sentence(code: str, words: Texts) -> str:
    """Say in one sentence why a submission could not be scored."""
    key = f"errors.failed_{code.replace('-', '_')}"
    return words.get(key) if words.has(key) else words.get("errors.failed_other", code=code)


def unexpected_sentence(number: str, words: Texts) -> str:
    """Say that something failed on our side; the number stands in the log."""
    return words.get("errors.unexpected", number=number)
