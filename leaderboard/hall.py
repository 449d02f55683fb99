"""What every page receives: the three doors to the books, the settings and the clock. None of them can return gold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leaderboard.accounts import Accounts
    from leaderboard.board import Board
    from leaderboard.desk import Desk
    from leaderboard.intake import Intake
    from leaderboard.rates import Rates
    from leaderboard.room import Room
    from leaderboard.settings import Settings


@dataclass(frozen=True, slots=True)
class Hall:
    """Intake accepts, Desk changes, Board reads; `room` holds uploads, `rates` what one address may ask.

    `accounts` recognises who is logged in, and is None where nobody can log in. `clock` returns the present moment in
    UTC.
    """

    intake: Intake
    desk: Desk
    board: Board
    settings: Settings
    clock: Callable[[], datetime]
    room: Room
    rates: Rates | None = None
    accounts: Accounts | None = None

    def may_ask(self, sender: str) -> bool:
        """Take a question that nobody asked yet from the share of a network address; False if it is used up."""
        return self.rates is None or not sender or self.rates.wait_s("question", sender) == 0
