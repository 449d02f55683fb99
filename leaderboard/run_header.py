"""Read the ir_metadata header of a run (YAML in `#` lines) into a form that the submitter can correct.

The header comes from a stranger: bounded in size and depth, no aliases, no tags, and never an error; what does not fit
is left out. Nothing here judges the form.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from leaderboard.names import MAX_LINK, NAME_LENGTHS, clean, link_flaw
from leaderboard.submissions import TEXT_LENGTHS, RunType, SystemForm

MAX_BYTES = 64 << 10
MAX_DEPTH = 8
MAX_NODES = 2_000

START, END = "ir_metadata.start", "ir_metadata.end"
_OPENINGS = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
_CLOSINGS = (yaml.MappingEndEvent, yaml.SequenceEndEvent)


def read_header(header: str | None, tags: Iterable[str] = ()) -> SystemForm | None:
    """Return what a header says about its system; None if it is no ir_metadata or cannot be read.

    Args:
        header: the `#` lines above the first ranking, without their `#`.
        tags: the run tags of the file; the first is the name where the header has none.
    """
    told = _mapping(header or "")
    if told is None:
        return None
    method, source = _part(told, "method"), _part(told, "implementation", "source")
    names = (_text(name, NAME_LENGTHS[1]) for name in (told.get("tag"), method.get("name"), *tags))
    training = ", ".join(_names(_part(told, "data").get("training data")))
    return SystemForm(
        name=next(filter(None, names), ""),
        version=_text(source.get("commit"), 12),
        link=_link(source.get("repository")),
        run_type=_run_type(method),
        training_note=_text(training, TEXT_LENGTHS["training_note"]),
        note=_text(method.get("description"), TEXT_LENGTHS["note"]),
    )


def _mapping(header: str) -> Mapping[str, Any] | None:
    if START not in header or len(header.encode()) > MAX_BYTES:
        return None
    _, _, rest = header.partition(START)
    body = rest.partition(END)[0]
    lines = [line[1:] if line.startswith(" ") else line for line in body.splitlines()]
    text = "\n".join(lines)
    try:
        if not _is_plain(text):
            return None
        told = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError):
        return None
    return told if isinstance(told, Mapping) else None


def _is_plain(text: str) -> bool:
    """Walk the events before anything is built: no alias, no own tag, not too deep, not too many."""
    depth = 0
    for n_nodes, event in enumerate(yaml.parse(text, Loader=yaml.SafeLoader)):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) or getattr(event, "tag", None):
            return False
        depth += isinstance(event, _OPENINGS) - isinstance(event, _CLOSINGS)
        if depth > MAX_DEPTH or n_nodes > MAX_NODES:
            return False
    return True


def _part(told: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    for key in keys:
        inner = told.get(key)
        told = inner if isinstance(inner, Mapping) else {}
    return told


def _run_type(method: Mapping[str, Any]) -> RunType:
    if method.get("automatic") is False:
        return RunType.MANUAL
    steps = method.get("retrieval")
    keys = {key for step in steps if isinstance(step, Mapping) for key in step} if isinstance(steps, list) else set()
    if "interpolates" in keys:
        return RunType.FUSION
    if "reranks" in keys:
        return RunType.RERANKER
    return RunType.FIRST_STAGE if keys else RunType.UNSPECIFIED


def _names(listed: object) -> list[str]:
    sets = listed if isinstance(listed, list) else [listed]
    names = [one.get("name") if isinstance(one, Mapping) else one for one in sets]
    return [name for name in names if isinstance(name, str) and name.strip()]


def _text(value: object, max_length: int) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    visible = "".join(character if character.isprintable() else " " for character in str(value)[: 4 * max_length])
    return clean(visible)[:max_length].strip()


def _link(value: object) -> str:
    link = _text(value, MAX_LINK)
    return "" if not link or link_flaw(link) else link
