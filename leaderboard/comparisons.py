"""What readers may ask of a board's rows, and what became of it: up to four systems, one of them the reference.

Nouns alone. The web process asks, the books keep, the worker answers.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from evaluation import QrelboardError

MOST_SYSTEMS = 4


class ComparisonState(StrEnum):
    """How far an answer is: asked → answered or refused; what was refused may be asked again later."""

    ASKED = "asked"
    ANSWERED = "answered"
    REFUSED = "refused"


class NotComparable(QrelboardError):
    """These rows cannot be compared; the code says why.

    "sealed-gold", "wrong-number" (of systems), "same-system" (twice), "no-board", "not-on-board", "busy" (too many wait
    for an answer), "scores-missing" (no scores by topic on the present gold), "gold-changed" (while it was asked).
    """

    def __init__(self, code: str) -> None:
        super().__init__(code, {}, f"These rows cannot be compared: {code}.")


@dataclass(frozen=True, slots=True)
class Question:
    """Rows of one board, by submission id: the others against the reference, on one gold. `others` are sorted."""

    task_id: str
    fingerprint: str
    reference: str
    others: tuple[str, ...]

    @classmethod
    def of(cls, task_id: str, fingerprint: str, ids: Sequence[str]) -> "Question":
        """Ask about the rows `ids`, of which the first is the reference. Raises NotComparable for a wrong number."""
        if not 2 <= len(ids) <= MOST_SYSTEMS:
            raise NotComparable("wrong-number")
        if len(set(ids)) < len(ids):
            raise NotComparable("same-system")
        return cls(task_id, fingerprint, ids[0], tuple(sorted(ids[1:])))

    @property
    def ids(self) -> tuple[str, ...]:
        """All rows, the reference first."""
        return (self.reference, *self.others)

    @property
    def key(self) -> str:
        """The same for the same rows on the same gold, in whatever order the others were named."""
        return hashlib.sha256(json.dumps([self.task_id, self.fingerprint, *self.ids]).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A question and what became of it: `body` is the answer's JSON, `code` why there is none."""

    question: Question
    state: ComparisonState
    body: Mapping[str, Any] | None = None
    code: str = ""


def public_answer(found: Comparison) -> dict[str, Any]:
    """Return what became of a question as machines read it.

    Without its `losses`: scores of topics are for the owner of a submission alone. Raises NotComparable where the
    worker refused.
    """
    if found.state is ComparisonState.REFUSED:
        raise NotComparable(found.code)
    told = {name: value for name, value in (found.body or {}).items() if name != "losses"}
    return {"state": str(found.state), **told}
