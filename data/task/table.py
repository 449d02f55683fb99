"""One table of a task card, read value by value; what is wrong is refused with file and key. Opens no file."""

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from data.faults import Faults
from evaluation import CardError

_MISSING: Any = object()
T = TypeVar("T")


def refuse(file: str, key: str, problem: str, *, code: str = "card_value") -> NoReturn:
    """Raise CardError with the file, the key in it and what is wrong with it, cure included."""
    stop = "" if problem.endswith("?") else "."
    message = f'{file}: key "{key}" {problem}{stop}' if key else f"{file} {problem}{stop}"
    raise CardError(code, {"file": file, "key": key, "problem": problem}, message)


def did_you_mean(word: str, words: Sequence[str]) -> str:
    """Return "; did you mean …?" for the closest of the words, "" if none is close."""
    close = difflib.get_close_matches(word, words, n=1, cutoff=0.6)
    return f'; did you mean "{close[0]}"?' if close else ""


def shown(value: Any) -> str:
    """Return a value as a message shows it: text in quotes and cut, anything else with its type."""
    return f'"{value[:80]}"' if isinstance(value, str) else f"{str(value)[:80]} ({type(value).__name__})"


class CardTable:
    """A table of a card. Every reader takes a key, checks its value and raises CardError; `finish` notes the rest.

    `attempt` reads on after a fault; a table and those within it note their faults in one list.
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        file: str,
        languages: Sequence[str],
        prefix: str = "",
        *,
        faults: Faults | None = None,
    ) -> None:
        self.faults = Faults() if faults is None else faults
        self.attempt = self.faults.attempt
        self._values = values
        self._file = file
        self._languages = languages
        self._prefix = prefix
        self._known: list[str] = []
        self._told: set[str] = set()

    def refuse(self, key: str, problem: str, *, code: str = "card_value") -> NoReturn:
        """Raise CardError for a key of this table."""
        refuse(self._file, self._prefix + key, problem, code=code)

    def text(self, key: str, default: str = _MISSING, *, longest: int = 200) -> str:
        """Return a text without blanks around it."""
        value: str = self._take(key, str, 'text in quotes, such as "2026.1"', default)
        if value != default and not value.strip():
            self.refuse(key, "is empty; write something or take the key away")
        if len(value) > longest:
            self.refuse(key, f"has {len(value)} characters; expected at most {longest}")
        return value.strip()

    def number(self, key: str, default: int, least: int, most: int = 1_000_000, *, why: str = "") -> int:
        """Return a whole number within bounds; `why` explains them where they are not plain."""
        value: int = self._take(key, int, f"a whole number from {least} to {most}", default)
        if not least <= value <= most:
            self.refuse(key, f"is {value}; expected a whole number from {least} to {most}{why}")
        return value

    def flag(self, key: str) -> bool:
        """Return true or false; false where the key is absent."""
        return bool(self._take(key, bool, "true or false", False))

    def choice(self, key: str, choices: Sequence[str], default: str = _MISSING) -> str:
        """Return one of the choices."""
        expected = "one of " + ", ".join(f'"{choice}"' for choice in choices)
        value: str = self._take(key, str, expected, default)
        if value not in choices:
            self.refuse(key, f'is "{value[:80]}"; expected {expected}{did_you_mean(value, choices)}')
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of distinct texts, empty where the key is absent."""
        values = self._take(key, list, "a list of texts in quotes", [])
        for number in range(1, len(values) + 1):
            self.attempt(None, self._check_listed, key, values, number)
        return tuple(value for value in values if isinstance(value, str))

    def _check_listed(self, key: str, values: Sequence[Any], number: int) -> None:
        value = values[number - 1]
        if not isinstance(value, str) or not value.strip():
            self.refuse(f"{key}[{number}]", f"is {shown(value)}; expected text in quotes")
        if value in values[: number - 1]:
            self.refuse(f"{key}[{number}]", f"{shown(value)} stands twice; take one away")

    def url(self, key: str) -> str:
        """Return an https address without credentials, "" where the key is absent."""
        value = self.text(key, "", longest=400)
        if value and not re.fullmatch(r"https://[^\s@/]+\.[^\s@/]+(/\S*)?", value):
            self.refuse(key, f"is {shown(value)}; expected an address that begins with https://")
        return value

    def words(self, key: str, *, longest: int, required: bool = False) -> dict[str, str]:
        """Return text by language; English must be there if any other language is."""
        table = self.table(key)
        words = table.by_language(lambda language: table.text(language, longest=longest))
        if required and not words and "en" not in table.names():
            self.refuse(f"{key}.en", "is missing; expected text in English", code="card_key_missing")
        return words

    def by_language(self, read: Callable[[str], T]) -> dict[str, T]:
        """Return what `read` finds under each language that the table has; no other key may be there."""
        written = [language for language in self._languages if language in self._values]
        attempts = {language: self.attempt(None, read, language) for language in written}
        found = {language: value for language, value in attempts.items() if value is not None}
        self._known.extend(self._languages)
        self.finish()
        if written and "en" not in written:
            self.refuse("en", "is missing; English stands in for a language not written", code="card_key_missing")
        return found

    def table(self, key: str) -> "CardTable":
        """Return the table under a key, an empty one where the key is absent."""
        return self._within(self._take(key, dict, f"a table [{self._prefix}{key}]", {}), f"{key}.")

    def tables(self, key: str) -> list["CardTable"]:
        """Return the list of tables under a key, empty where the key is absent."""
        values = self._take(key, list, f"tables headed [[{key}]]", [])
        for number, value in enumerate(values, 1):
            if not isinstance(value, dict):
                self.refuse(f"{key}[{number}]", f"is {shown(value)}; expected a table headed [[{key}]]")
        return [self._within(value, f"{key}[{number}].") for number, value in enumerate(values, 1)]

    def names(self) -> tuple[str, ...]:
        """Return all keys of the table, in the card's order."""
        return tuple(self._values)

    def finish(self) -> None:
        """Note every key that no reader has taken."""
        known = ", ".join(sorted(set(self._known)))
        for key in self._values:
            if key not in self._known and key not in self._told:
                problem = f"is not a key of a card{did_you_mean(key, self._known)} (known here: {known})"
                self.attempt(None, self.refuse, key, problem, code="card_key_unknown")

    def _within(self, values: Mapping[str, Any], prefix: str) -> "CardTable":
        return CardTable(values, self._file, self._languages, self._prefix + prefix, faults=self.faults)

    def _take(self, key: str, kind: type, expected: str, default: Any) -> Any:
        self._known.append(key)
        value = self._values.get(key, default)
        if value is _MISSING:
            close = difflib.get_close_matches(key, [name for name in self._values if name not in self._known], n=1)
            hint = f' ("{close[0]}" is not a key of a card)' if close else ""
            self._told.update(close)
            self.refuse(key, f"is missing; expected {expected}{hint}", code="card_key_missing")
        # a TOML boolean is an int to Python
        if value is not default and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
            self.refuse(key, f"is {shown(value)}; expected {expected}")
        return value
