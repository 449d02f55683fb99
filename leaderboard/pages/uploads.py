"""Open what a visitor handed over: only files in Gradio's upload folder, never a path of the caller's choice."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from gradio.utils import get_upload_folder

from evaluation import QrelboardError

MAX_PASTE = 1_000_000


class UploadRefused(QrelboardError):
    """What was handed over is no upload of ours; `code` says why."""


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
        with _inside_upload_folder(path).open("rb") as stream:
            yield stream
    elif pasted.strip():
        if len(pasted) > MAX_PASTE:
            raise UploadRefused("paste-too-long", {"limit": MAX_PASTE})
        yield io.BytesIO(pasted.encode("utf-8", "surrogatepass"))
    else:
        yield None


def _inside_upload_folder(path: str) -> Path:
    try:
        real = Path(path).resolve()
        is_inside = real.is_relative_to(Path(get_upload_folder()).resolve())
    except (OSError, ValueError):
        is_inside = False
    if not is_inside:
        raise UploadRefused("upload-foreign")
    if not real.is_file():
        raise UploadRefused("upload-missing")
    return real
