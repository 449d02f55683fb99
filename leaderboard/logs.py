"""What the processes say: one short line a fault, and never more lines than a bounded number a minute.

No line holds the words of an error, for they may quote a topic, a key or a path; nor a trace, but the places that it
passed.
"""

import logging
import re
import sys
import threading
import time
import traceback
from collections.abc import Callable, Collection
from pathlib import Path

MOST_CHARACTERS = 400
MOST_LINES = 120  # a minute, of warnings and errors: what strangers can cause
_MINUTE_S = 60.0
# a key of ours in an address, and anything that is as long and as random
_KEYS = re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{32,}(?![\w-])|(?<=key=)[^&\s]+")

_log = logging.getLogger(__name__)


class OneLine(logging.Formatter):
    """Formats a record as one line of bounded length; an exception is its type and the places that it passed."""

    def __init__(self, hidden: Collection[Path] = ()) -> None:
        super().__init__()
        self._hidden = sorted((str(path) for path in hidden), key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        """Return date, level, logger and message; folders of ours by their last name, keys left out."""
        said = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            said = f"{said} {where(record.exc_info[1])}"
        for folder in self._hidden:
            said = said.replace(folder, f"<{Path(folder).name}>")
        said = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in _KEYS.sub("<key>", said[:10_000]))
        if len(said) > MOST_CHARACTERS:
            said = f"{said[:MOST_CHARACTERS]}…"
        return f"{self.formatTime(record)} {record.levelname} {record.name}: {said}"


class Budget(logging.Filter):
    """Lets a bounded number of lines a minute through; then counts, and says how many were left out."""

    def __init__(self, most: int = MOST_LINES, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._most = most
        self._clock = clock
        self._started = clock()
        self._n_said = 0
        self._n_left_out = 0
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a line may be said; what is no fault always may."""
        if record.levelno < logging.WARNING:
            return True
        with self._lock:
            if self._clock() - self._started >= _MINUTE_S:
                if self._n_left_out:
                    record.msg, record.args = f"{record.getMessage()} ({self._n_left_out} lines left out before)", ()
                self._started, self._n_said, self._n_left_out = self._clock(), 0, 0
            self._n_said += 1
            is_said = self._n_said <= self._most
            self._n_left_out += not is_said
            return is_said


def set_up(hidden: Collection[Path] = ()) -> None:
    """Send what this process has to say to standard error, in bounded lines; a call in `main`, before anything speaks.

    Gradio prints the trace of each call that fails with `traceback.print_exc`, which is therefore replaced.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine(hidden))
    handler.addFilter(Budget())
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    logging.captureWarnings(True)
    traceback.print_exc = _note_exception


def take_over(*names: str) -> None:
    """Let libraries that set up a log of their own speak through ours."""
    for name in names:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [], True


def where(error: BaseException) -> str:
    """Name an error and the lines that it passed, without its words: they may quote a document or a topic."""
    frames = traceback.extract_tb(error.__traceback__)
    places = " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(frames[-6:]))
    return f"error={type(error).__name__} at {places}"


def _note_exception(*_: object, **__: object) -> None:
    _log.error("a call failed", exc_info=True)
