"""The error tree of the house: a stable code, the facts as fields, and an English sentence for logs.

Nothing that reads files or knows users may enter here; `data` and `leaderboard` subclass these.
"""

from collections.abc import Mapping, Sequence

from evaluation import messages
from evaluation.types import Fault

Fact = str | int | float


class QrelboardError(Exception):
    """Carry a stable `code` and the `facts` that the reader's language needs; `str()` is English, for logs."""

    def __init__(self, code: str, facts: Mapping[str, Fact] | None = None, message: str | None = None) -> None:
        self.code = code
        self.facts: Mapping[str, Fact] = dict(facts or {})
        self.message = message or messages.error_message(code, self.facts)
        super().__init__(self.message)


class RunFormatError(QrelboardError):
    """The bytes are not a run: another container, cut short, or beyond a limit."""


class RunContentError(QrelboardError):
    """The run was refused, so there is nothing to score."""


class GoldError(QrelboardError):
    """Judgements or the topic table cannot be used as they are."""


class GoldFormatError(GoldError):
    """A file of the gold has faults: the first of them in line order, and how many more of each code."""

    def __init__(self, faults: Sequence[Fault], more_faults: Mapping[str, int] | None = None) -> None:
        first = faults[0]
        super().__init__(first.code, first.facts, first.message)
        self.faults = tuple(faults)
        self.more_faults: Mapping[str, int] = dict(more_faults or {})


class QrelsFormatError(GoldFormatError):
    """The judgements have faults."""


class TopicsFormatError(GoldFormatError):
    """The topic table has faults."""


class UnknownMeasure(QrelboardError):
    """No measure has this name; `nearest` is the known name that looks most like it."""

    def __init__(self, name: str, nearest: str) -> None:
        super().__init__("unknown_measure", {"name": name, "nearest": nearest})
        self.name = name
        self.nearest = nearest


class UnknownAxis(QrelboardError):
    """The topic table has no attribute of this name; `known` lists those it has."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__("unknown_axis", {"name": name, "known": ", ".join(known) or "none"})
        self.name = name
        self.known = tuple(known)


class MissingGroups(QrelboardError):
    """A group measure was asked for, and the topic table has no groups."""

    def __init__(self, name: str) -> None:
        super().__init__("missing_groups", {"name": name})
        self.name = name


class CardError(QrelboardError):
    """A task card has a key that is missing or wrong."""


class QuotaExceeded(QrelboardError):
    """The account has used its submissions of this period."""


class DuplicateRun(QrelboardError):
    """The same bytes were handed in before."""
