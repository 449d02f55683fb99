"""Where an archive can be: a Hub dataset, written in whole commits, or any other fsspec address, file after file.

What goes wrong comes out as one of two errors: `Refused`, which a person must mend, and `Away`, which time may.
"""

import io
import os
import tempfile
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar
from uuid import uuid4

import fsspec
from fsspec.implementations.local import LocalFileSystem

HUB = "hf://datasets/"
TIMEOUT_S = 20.0
Answer = TypeVar("Answer")


class Refused(Exception):
    """The archive cannot be used until somebody changes `setting`, the name of an environment variable."""

    def __init__(self, setting: str, reason: str) -> None:
        super().__init__(f"{setting}: {reason}")
        self.setting = setting


class Away(Exception):
    """The archive did not answer as it should; whether a write arrived is unknown. `wait_s` is what it asked for."""

    def __init__(self, reason: str, wait_s: float = 0.0) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


class Place(Protocol):
    """Files under one address. All raise Refused and Away; paths are relative, with `/`."""

    def write(self, files: Mapping[str, Path | bytes], gone: Collection[str], why: str) -> None:
        """Write files, then remove others. What is last among the files is there only if all before it are."""

    def exists(self, path: str) -> bool:
        """Say whether a file is there."""

    def listing(self, folder: str) -> list[str]:
        """Return the paths of the files in a folder, by name; empty where there is no such folder."""

    def fetch(self, path: str, into: Path) -> bool:
        """Copy a file; False where there is none."""


def open_place(url: str, token: str | None, endpoint: str | None = None) -> Place:
    """Open the place of an address. Raises Refused where the address or its token cannot be right."""
    if url.startswith(HUB):
        if not token:
            raise Refused("ARCHIVE_TOKEN", "not set; give a token that may write to the archive's dataset")
        return HubPlace(url.removeprefix(HUB).strip("/"), token, endpoint)
    return FilePlace(url)


class FilePlace:
    """A folder, a bucket, or whatever else fsspec can write to."""

    def __init__(self, url: str) -> None:
        try:
            self._files, root = fsspec.core.url_to_fs(url)
        except (ValueError, ImportError) as error:
            raise Refused("ARCHIVE_URL", f"cannot be used ({type(error).__name__})") from None
        self._root = root.rstrip("/")
        self._is_local = isinstance(self._files, LocalFileSystem)

    def write(self, files: Mapping[str, Path | bytes], gone: Collection[str], why: str) -> None:
        """Write each file under another name first, so that no half of one is ever seen."""
        for path, content in files.items():
            self._ask(partial(self._write_one, self._path(path), content))
        for path in gone:
            self._ask(partial(self._remove, self._path(path)))

    def exists(self, path: str) -> bool:
        """Say whether a file is there."""
        return bool(self._ask(lambda: self._files.exists(self._path(path))))

    def listing(self, folder: str) -> list[str]:
        """Return the paths of the files in a folder, by name."""

        def look() -> list[str]:
            self._files.invalidate_cache()
            found = self._files.find(self._path(folder))
            return sorted(f"{folder}/{str(path).rsplit('/', 1)[-1]}" for path in found)

        found: list[str] = self._ask(look, nothing=list[str]())
        return [path for path in found if not path.endswith(".part")]

    def fetch(self, path: str, into: Path) -> bool:
        """Copy a file; False where there is none."""

        def copy() -> bool:
            self._files.get_file(self._path(path), str(into))
            return True

        return self._ask(copy, nothing=False)

    def _write_one(self, path: str, content: Path | bytes) -> None:
        self._files.makedirs(path.rsplit("/", 1)[0], exist_ok=True)
        unfinished = f"{path}.{uuid4().hex}.part"
        source = io.BytesIO(content) if isinstance(content, bytes) else content.open("rb")
        with source, self._files.open(unfinished, "wb") as target:
            while block := source.read(1 << 20):
                target.write(block)
            if self._is_local:
                target.flush()
                os.fsync(target.fileno())
        self._files.mv(unfinished, path)

    def _remove(self, path: str) -> None:
        with suppress(FileNotFoundError):
            self._files.rm_file(path)

    def _path(self, path: str) -> str:
        return f"{self._root}/{path}"

    def _ask(self, question: Callable[[], Answer], nothing: Answer | None = None) -> Answer:
        try:
            return question()
        except FileNotFoundError as error:
            if nothing is None:
                raise Away(type(error).__name__) from None
            return nothing
        except PermissionError as error:
            raise Refused("ARCHIVE_URL", f"may not be written ({type(error).__name__})") from None
        except Exception as error:  # every back end has errors of its own
            raise Away(type(error).__name__) from None


@dataclass(frozen=True, slots=True)
class HubPlace:
    """A dataset of the Hub; every write is one commit, there as a whole or not at all."""

    repository: str
    token: str
    endpoint: str | None = None

    def write(self, files: Mapping[str, Path | bytes], gone: Collection[str], why: str) -> None:
        """Commit on top of what is there now; somebody else's commit in between makes this one Away."""
        # huggingface_hub takes 0.4 s to import, and only an archive on the Hub needs it
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete  # noqa: PLC0415

        def commit() -> None:
            hub = self._hub()
            parent = hub.dataset_info(self.repository, timeout=TIMEOUT_S).sha
            present = frozenset(self._paths_of(hub, gone)) if gone else frozenset()
            operations: list[Any] = [
                CommitOperationAdd(path, content if isinstance(content, bytes) else str(content))
                for path, content in files.items()
            ]
            operations += [CommitOperationDelete(path) for path in gone if path in present]
            if operations:
                hub.create_commit(
                    self.repository, operations, commit_message=why, repo_type="dataset", parent_commit=parent
                )

        self._ask(commit)

    def exists(self, path: str) -> bool:
        """Say whether a file is there."""
        return bool(self._ask(lambda: self._paths_of(self._hub(), [path])))

    def listing(self, folder: str) -> list[str]:
        """Return the paths of the files in a folder, by name."""

        def look() -> list[str]:
            found = self._hub().list_repo_tree(self.repository, folder, repo_type="dataset")
            return sorted(entry.path for entry in found if hasattr(entry, "size"))

        return self._ask(look, nothing=[])

    def fetch(self, path: str, into: Path) -> bool:
        """Copy a file; False where there is none."""

        def copy() -> bool:
            with tempfile.TemporaryDirectory(dir=into.parent) as folder:
                fetched = self._hub().hf_hub_download(self.repository, path, repo_type="dataset", local_dir=folder)
                Path(fetched).replace(into)
            return True

        return self._ask(copy, nothing=False)

    def _hub(self) -> Any:
        from huggingface_hub import HfApi  # noqa: PLC0415

        return HfApi(endpoint=self.endpoint, token=self.token)

    def _paths_of(self, hub: Any, paths: Collection[str]) -> list[str]:
        return [info.path for info in hub.get_paths_info(self.repository, list(paths), repo_type="dataset")]

    def _ask(self, question: Callable[[], Answer], nothing: Answer | None = None) -> Answer:
        from huggingface_hub.errors import HfHubHTTPError, RemoteEntryNotFoundError, RepositoryNotFoundError  # noqa: PLC0415

        try:
            return question()
        except RemoteEntryNotFoundError as error:
            if nothing is None:
                raise Away(type(error).__name__) from None
            return nothing
        except RepositoryNotFoundError:
            # the Hub says the same of a private dataset to whoever may not know of it
            raise Refused("ARCHIVE_TOKEN", "no such dataset for the holder of this token") from None
        except HfHubHTTPError as error:
            status = error.response.status_code
            if status in (401, 403):
                raise Refused("ARCHIVE_TOKEN", f"may not write to the archive's dataset ({status})") from None
            raise Away(f"status {status}", _wait_of(error.response.headers)) from None
        except Exception as error:  # a line that broke, a name that nobody knows, an answer that is none
            raise Away(type(error).__name__) from None


def _wait_of(headers: Mapping[str, str]) -> float:
    """Return how long an answer asks to wait, in seconds, at most an hour; 0 where it does not say."""
    text = headers.get("retry-after", "")
    return min(float(text), 3600.0) if text.isdigit() else 0.0
