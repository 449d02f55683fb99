"""How often one may submit to a task: the limits that a card's quota makes, and what is left of each.

Pure. Counting, and taking a place while others do, is the books' part (`books_quota`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from data.task import Task
from evaluation import QrelboardError
from leaderboard.keys import AccountKey

# people without an account who share an address, as behind a university's, may use so many quotas together
ADDRESS_SHARES = 4
# everybody together: on sealed gold the bound of what a board gives away, on open gold that of the machine's work
SEALED_SHARES = 10
OPEN_SHARES = 100


class Scope(StrEnum):
    """Whose submissions a limit counts."""

    ACCOUNT = "account"
    ADDRESS = "address"
    HOST = "host"


class Period(StrEnum):
    """From when on it counts: this day or month in UTC, or the beginning."""

    DAY = "day"
    MONTH = "month"
    TOTAL = "total"

    def start(self, now: datetime) -> datetime | None:
        """Return the moment from which submissions count; None where all do."""
        if self is Period.TOTAL:
            return None
        day = now.replace(hour=0, minute=0, second=0, microsecond=0)
        return day if self is Period.DAY else day.replace(day=1)

    def next_start(self, now: datetime) -> datetime | None:
        """Return when the count begins anew; None where it never does."""
        start = self.start(now)
        if start is None:
            return None
        return start + timedelta(days=1) if self is Period.DAY else (start + timedelta(days=32)).replace(day=1)


@dataclass(frozen=True, slots=True)
class Limit:
    """At most so many submissions to a task."""

    scope: Scope
    period: Period
    most: int


@dataclass(frozen=True, slots=True)
class Use:
    """How much of a limit is used at a moment."""

    limit: Limit
    n_used: int
    now: datetime

    @property
    def next_at(self) -> datetime | None:
        """When the limit is whole again; None for never."""
        return self.limit.period.next_start(self.now)

    @property
    def n_left(self) -> int:
        """How often one can submit before this limit is reached."""
        return max(0, self.limit.most - self.n_used)


@dataclass(frozen=True, slots=True)
class Claim:
    """Who asks for a place, and within which limits.

    `account` is a hash, of an account or of a browser's key. `address` is the network address of somebody without an
    account, which the books keep only as a hash whose salt they forget; "" where it does not count.
    """

    account: str
    address: str
    limits: tuple[Limit, ...]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, as the door saw them; `address` is "" where addresses do not count, as those of accounts do not."""

    address: str = ""
    account: AccountKey | None = None


NOBODY = Caller()


@dataclass(frozen=True, slots=True)
class QuotaRule:
    """Where quotas count: everywhere if on, except on open sample gold of one's own machine, where people try things.

    Where strangers are served, those of sealed gold count even if the host switched quotas off.
    """

    is_on: bool = True
    is_production: bool = True

    def counts(self, task: Task, *, is_sample: bool) -> bool:
        """Say whether a task's quota counts."""
        if task.gold == "sealed":
            return self.is_on or self.is_production
        return self.is_on and (self.is_production or not is_sample)


class QuotaExceeded(QrelboardError):
    """There is no place left; facts: `scope`, `period`, `limit`, and `next_at` in ISO form, "" for never."""

    def __init__(self, use: Use) -> None:
        limit = use.limit
        next_at = use.next_at.isoformat() if use.next_at else ""
        super().__init__(
            "quota-exceeded",
            {"scope": str(limit.scope), "period": str(limit.period), "limit": limit.most, "next_at": next_at},
            f"The quota by {limit.scope} and {limit.period} is used up ({limit.most}).",
        )
        self.use = use


def limits_of(task: Task) -> tuple[Limit, ...]:
    """Return the limits of a task: its card's quota for each account, and shares of it for an address and for all.

    On sealed gold all together have a total too, since what a board gave away stays given.
    """
    card, is_sealed = task.limits, task.gold == "sealed"
    per_period = {Period.DAY: card.per_day, Period.MONTH: card.per_month, Period.TOTAL: card.total}
    passing = (Period.DAY, Period.MONTH)
    shares = SEALED_SHARES if is_sealed else OPEN_SHARES
    return (
        *(Limit(Scope.ACCOUNT, period, most) for period, most in per_period.items()),
        *(Limit(Scope.ADDRESS, period, ADDRESS_SHARES * per_period[period]) for period in passing),
        *(Limit(Scope.HOST, period, shares * per_period[period]) for period in (per_period if is_sealed else passing)),
    )


def tightest(uses: Sequence[Use]) -> Use:
    """Return the use that a submitter meets first; of those with nothing left, the one that lasts longest."""
    return min(uses, key=lambda use: (use.n_left, -_when(use) if not use.n_left else 0))


def _when(use: Use) -> float:
    return use.next_at.timestamp() if use.next_at else float("inf")
