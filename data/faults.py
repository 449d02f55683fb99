"""Gather faults, so that a host learns all of them at once instead of one a run."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from evaluation import CardError, GoldError

T = TypeVar("T")
E = TypeVar("E", bound=CardError | GoldError)


class Faults:
    """A list of what is wrong with files of a host. Reading goes on after a fault, with a stand-in for the value."""

    def __init__(self) -> None:
        self.found: list[CardError | GoldError] = []

    def __bool__(self) -> bool:
        return bool(self.found)

    def attempt(self, stand_in: Any, read: Callable[..., T], *arguments: Any, **options: Any) -> T:
        """Return what `read` returns; where it raises CardError or GoldError, note that and return the stand-in.

        The stand-in may be of another type: `raise_all` keeps it from going further.
        """
        try:
            return read(*arguments, **options)
        except (CardError, GoldError) as error:
            self.found.append(error)
            return cast(T, stand_in)

    def raise_all(self) -> None:
        """Raise what was found as one error: code and facts of the first, the sentences of all, one a line."""
        if self.found:
            raise joined(self.found) from None


def joined(errors: Sequence[E]) -> E:
    """Return one error for several, equal to the error itself where there is one."""
    first = errors[0]
    if len(errors) == 1:
        return first
    return type(first)(first.code, first.facts, "\n".join(str(error) for error in errors))
