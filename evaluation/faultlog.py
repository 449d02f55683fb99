"""Keep the first faults of a file and count the rest by code; show foreign bytes safely."""

from bisect import insort
from collections import Counter
from collections.abc import Mapping

from evaluation.types import Fault

SHOWN_CHARACTERS = 80
ALONE = "ratio_too_high"  # the unpacked lines of a gzip bomb are nothing that anybody wrote


class FaultLog:
    """The faults of one file: the `limit` with the lowest lines, however they are met, and how many more of each code.

    Faults of the whole file are always kept, after those of lines; of two on one line the one that was met first stands
    first. The refusal of a gzip bomb stands alone.
    """

    def __init__(self, limit: int) -> None:
        self.more: Counter[str] = Counter()
        self._limit = limit
        self._kept: list[Fault] = []
        self._of_the_file: list[Fault] = []
        self._is_closed = False

    def add(
        self,
        code: str,
        line: int | None = None,
        column: str = "",
        found: bytes = b"",
        **facts: str | int | float | bytes,
    ) -> None:
        """Note one fault; bytes among the facts are shown cut and escaped."""
        if self._is_closed:
            return
        if line is not None and len(self._kept) >= self._limit and line >= self._last_line:
            self.more[code] += 1
            return
        shown_facts = {key: shown(value) if isinstance(value, bytes) else value for key, value in facts.items()}
        fault = Fault(code, line, column, shown(found), shown_facts)
        if line is None:
            self._of_the_file.append(fault)
            return
        insort(self._kept, fault, key=lambda kept: kept.line or 0)
        if len(self._kept) > self._limit:
            self.more[self._kept.pop().code] += 1

    def add_more(self, counts: Mapping[str, int]) -> None:
        """Count faults that are not shown, by code."""
        if not self._is_closed:
            self.more.update(counts)

    def add_refusal(self, code: str, facts: Mapping[str, str | int | float]) -> None:
        """Note why the file was not read any further."""
        if code == ALONE:
            self._kept, self._of_the_file, self.more = [], [], Counter()
        self.add(code, **dict(facts))  # type: ignore[arg-type]  # the facts of a refusal never hold a line or column
        self._is_closed = code == ALONE

    def __bool__(self) -> bool:
        """Whether anything was noted."""
        return bool(self._kept or self._of_the_file or self.more)

    def faults(self) -> tuple[Fault, ...]:
        """Return the kept faults by line; those of the whole file come last."""
        return (*self._kept, *self._of_the_file)

    @property
    def _last_line(self) -> int:
        return self._kept[-1].line or 0 if self._kept else 0


def shown(raw: bytes) -> str:
    """Show bytes of a file to a reader: what cannot be printed is escaped, and no more than 80 characters are kept."""
    text = raw[: 4 * SHOWN_CHARACTERS + 4].decode("utf-8", "backslashreplace")
    text = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"
