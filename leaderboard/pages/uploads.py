"""Open what a visitor handed over: only files in Gradio's upload folder, never a path or an address of their choice."""

import io
import logging
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import gradio as gr
from gradio.components.api_component import Api
from gradio.utils import get_upload_folder

from evaluation import QrelboardError
from leaderboard.rates import UNCOUNTED, Rates
from leaderboard.texts import Texts, texts
from leaderboard.visit import Visit

MAX_PASTE = 1_000_000
MOST_FILES = 10  # of one event, each of which costs a look at the disk; those after them are not there
MAX_PLACE = 1_000  # characters of a file's place
# the functions of events that read a whole run
READS_A_RUN = frozenset(("look", "send", "check", "submit"))
_NO_TEXT = re.compile("[\ud800-\udfff\0]")

_log = logging.getLogger(__name__)


class UploadRefused(QrelboardError):
    """What was handed over is no upload of ours; `code` says why."""


class Site(gr.Blocks):
    """A Gradio app that gets no file by itself, and answers a call that fails in our words.

    Gradio would download an address that is handed over as a file, quote what was handed in, or say nothing at all.
    """

    rates: Rates | None = None

    async def process_api(self, *given: Any, **named: Any) -> dict[str, Any]:
        """Run an event; whatever it raises becomes one line in the log, and a sentence with its number."""
        request, block_fn = named.get("request"), given[0] if given else named.get("block_fn")
        if wait_s := self._wait_s(getattr(block_fn, "name", None), request):
            raise gr.Error(_words(request).count("gate.too_often", wait_s), print_exception=False, title="")
        try:
            return await super().process_api(*given, **named)
        except Exception:
            number = secrets.token_hex(4)
            _log.error("event failed, %s", number, exc_info=True)
            sentence = _words(request).get("gate.failed", number=number)
            raise gr.Error(sentence, print_exception=False, title="") from None

    def _wait_s(self, name: str | None, request: Any) -> int:
        """Return how long the sender must wait before a file is read once more for it; 0 if it need not."""
        scope = getattr(getattr(request, "request", None), "scope", {})
        if self.rates is None or name not in READS_A_RUN or UNCOUNTED not in scope:
            return 0
        return self.rates.wait_s("run", scope[UNCOUNTED])

    async def preprocess_data(self, block_fn: Any, inputs: list[Any], *more: Any, **options: Any) -> list[Any]:
        """Prepare the inputs of an event, with None in the place of every file that is no upload of ours.

        Plain HTTP calls may leave out the last inputs of a named endpoint, as `gradio_client` does for its callers.
        """
        left_out = [one.value for one in block_fn.inputs[len(inputs) :] if isinstance(one, Api)]
        given = [*own_values(inputs), *left_out]
        return await super().preprocess_data(block_fn, given, *more, **options)


def own_values(value: Any) -> Any:
    """Return a value of JSON with None in the place of every file that is not there in the upload folder.

    Pages and scripts know an upload by its place below that folder; here it gets the full path that Gradio needs.
    Half characters and NUL, which no text in the books can hold, become U+FFFD.
    """
    return _own(value, iter(range(MOST_FILES)))


def _own(value: Any, places_left: Iterator[int]) -> Any:
    if isinstance(value, str):
        return _NO_TEXT.sub("\ufffd", value)
    if isinstance(value, list):
        return [_own(one, places_left) for one in value]
    if not isinstance(value, dict):
        return value
    if "path" in value and "meta" in value:
        place = None if next(places_left, None) is None else _place(value["path"])
        if place is None:
            return None
        value = {**value, "path": place}
    return {_own(name, places_left): _own(one, places_left) for name, one in value.items()}


@contextmanager
def open_upload(path: str | None, pasted: str = "") -> Iterator[BinaryIO | None]:
    """Open an uploaded file, else the pasted lines; None where there is neither.

    Args:
        path: where Gradio put the file; anything outside its upload folder is refused.
        pasted: lines typed or pasted into the page.

    Raises:
        UploadRefused: code "upload-foreign", "upload-missing" or "paste-too-long".
    """
    if path:
        with _opened(path) as stream:
            yield stream
    elif pasted.strip():
        if len(pasted) > MAX_PASTE:
            raise UploadRefused("paste-too-long", {"limit": MAX_PASTE})
        yield io.BytesIO(pasted.encode("utf-8", "surrogatepass"))
    else:
        yield None


def _opened(path: str) -> BinaryIO:
    if not _is_upload(path):
        raise UploadRefused("upload-foreign")
    try:
        return Path(path).resolve().open("rb")
    except OSError:
        raise UploadRefused("upload-missing") from None


def _is_upload(path: str) -> bool:
    """Tell whether a path leads into the upload folder, whatever links and dots it goes over."""
    try:
        return Path(path).resolve().is_relative_to(Path(get_upload_folder()).resolve())
    except (OSError, ValueError, RuntimeError):
        return False


def _place(path: Any) -> str | None:
    """Return the full path of an upload that is there."""
    if not isinstance(path, str) or len(path) > MAX_PLACE:
        return None
    try:
        full = str(Path(get_upload_folder(), path))
        return full if _is_upload(full) and Path(full).is_file() else None
    except (OSError, ValueError):
        return None


def _words(request: Any) -> Texts:
    """Choose the language of whoever sent a call; a script without a page reads English."""
    asked = getattr(request, "request", None)
    if asked is None:
        return texts("en")
    return Visit.from_page(asked.scope).words
