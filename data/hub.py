"""Fetch the files of one folder of a private Hub dataset at a pinned revision, or nothing at all.

The sha is confirmed with the Hub before any copy is used: after a refused token the Hub's own client would serve a
cached copy without a word. Only the worker may import this room.
"""

import re
from collections.abc import Collection
from pathlib import Path

from evaluation import GoldError

SCHEME = "hf://datasets/"
TIMEOUT_S = 20.0

_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_SHA = re.compile(r"[0-9a-f]{40}")


def repository(location: str) -> str:
    """Return "org/name" of an address `hf://datasets/org/name`. Raises GoldError for any other."""
    name = location.removeprefix(SCHEME).rstrip("/")
    if not location.startswith(SCHEME) or not _REPOSITORY.fullmatch(name):
        message = f"Gold source {location[:80]}: expected a folder, or {SCHEME}<organisation>/<repository>."
        raise GoldError("gold_source", {"source": location[:80]}, message)
    return name


def fetch(
    location: str,
    subfolder: str,
    wanted: Collection[str],
    into: Path,
    *,
    revision: str,
    token: str | None,
    endpoint: str | None,
) -> Path:
    """Copy the wanted files of a subfolder into `<into>/<revision>/<subfolder>` and return that folder.

    Files that the revision does not have are left out; ones that are there from before are used again, since a revision
    never changes.

    Raises:
        GoldError: unless the Hub confirms, now and with this token, that the revision exists.
    """
    # huggingface_hub takes 0.4 s to import, and only a worker with gold on the Hub needs it
    from huggingface_hub import hf_hub_download  # noqa: PLC0415

    name = repository(location)
    listed = _confirmed_files(name, revision, token, endpoint)
    folder = into / revision
    for file in wanted:
        path = f"{subfolder}/{file}"
        if path not in listed or (folder / path).is_file():
            continue
        try:
            hf_hub_download(
                name,
                path,
                repo_type="dataset",
                revision=revision,
                local_dir=folder,
                token=token or False,
                endpoint=endpoint,
            )
        except Exception as error:
            raise _unavailable(name, f"{path} could not be fetched", error) from None
    return folder / subfolder


def _confirmed_files(name: str, revision: str, token: str | None, endpoint: str | None) -> frozenset[str]:
    from huggingface_hub import HfApi  # noqa: PLC0415

    if not _SHA.fullmatch(revision):
        message = (
            f"Gold revision of {name}: expected the 40 hexadecimal digits of a commit, so that gold cannot change."
        )
        raise GoldError("gold_revision", {"source": name}, message)
    try:
        facts = HfApi(endpoint=endpoint, token=token or False).dataset_info(name, revision=revision, timeout=TIMEOUT_S)
    except Exception as error:
        raise _unavailable(name, "the pinned revision could not be confirmed", error) from None
    if facts.sha != revision:
        message = f"Gold source {name}: the Hub answers with another revision than the pinned one; no copy is used."
        raise GoldError("gold_revision", {"source": name}, message)
    return frozenset(sibling.rfilename for sibling in facts.siblings or ())


def _unavailable(name: str, what: str, error: Exception) -> GoldError:
    # the client's own text may hold addresses and headers, so only its kind is repeated
    kind = type(error).__name__
    message = f"Gold source {name}: {what} ({kind}); no cached copy is used. Check repository, revision and token."
    return GoldError("gold_unavailable", {"source": name, "cause": kind}, message)
