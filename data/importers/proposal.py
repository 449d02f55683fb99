"""Propose a task card for a benchmark that has none: axes with their values, ordinal guesses, measures."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from data.cards import RESERVED_AXES
from data.importers.layouts import Material

MOST_VALUES = 20
LONGEST_VALUE = 60
LEAST_COVER = 0.5  # of the topics must have a value

# sequences that people write as words; an axis whose values all stand in one of them is ordinal
_SCALES = (
    ("very easy", "easy", "medium", "moderate", "hard", "difficult", "very hard"),
    ("very low", "low", "medium", "high", "very high"),
    ("very short", "short", "medium", "long", "very long"),
    ("tiny", "small", "medium", "large", "huge"),
    ("beginner", "intermediate", "advanced", "expert"),
    ("primary", "secondary", "post-secondary", "university"),
)


@dataclass(frozen=True, slots=True)
class ProposedAxis:
    """An attribute that may be an axis: its values in order with their number of topics."""

    id: str
    column: str
    values: Mapping[str, int]
    is_ordinal: bool


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a card could say: axes, measures (the first ranks), and the attributes that are no axis, with the reason."""

    axes: tuple[ProposedAxis, ...]
    measures: tuple[str, ...]
    has_groups: bool
    left_out: Mapping[str, str]


def propose(material: Material) -> Proposal:
    """Look at the attributes and grades of a benchmark."""
    columns = dict.fromkeys(name for row in material.rows for name in row if name not in RESERVED_AXES)
    axes: list[ProposedAxis] = []
    left_out: dict[str, str] = {}
    for column in columns:
        counts = Counter(text for row in material.rows for text in texts_of(row.get(column)))
        reason = _no_axis(material, column, counts)
        axis_id = _axis_id(column)
        if not reason and (axis_id in RESERVED_AXES or any(axis.id == axis_id for axis in axes)):
            reason = f'its name "{axis_id}" is taken'
        if reason:
            left_out[column] = reason
            continue
        order, is_ordinal = _order(counts)
        axes.append(ProposedAxis(axis_id, column, {value: counts[value] for value in order}, is_ordinal))
    has_groups = all(texts_of(row.get("group")) for row in material.rows)
    return Proposal(tuple(axes), _measures(material, has_groups=has_groups), has_groups, left_out)


def card_of(proposal: Proposal, task_id: str, name: str) -> str:
    """Return the text of a card that a host completes: English words to be replaced are marked."""
    quoted = json.dumps(name, ensure_ascii=False)
    parts = [
        f"# Proposed from the data; read it through, and change what is not so.\nid = {json.dumps(task_id)}\n"
        f'benchmark = {json.dumps(name[:60], ensure_ascii=False)}\nversion = "1"\ngold = "open"\n'
    ]
    if proposal.has_groups:
        parts[0] += "has_groups = true\n"
    parts.append(f'[name]\nen = {quoted}\n\n[summary]\nen = "{_SUMMARY}"\n')
    for place, measure in enumerate(proposal.measures):
        parts.append(f"[[measure]]\nname = {json.dumps(measure)}\n" + ("primary = true\n" if place == 0 else ""))
    parts += [_axis_text(axis) for axis in proposal.axes]
    return "\n".join(parts)


_SUMMARY = "Find the documents that are relevant to each topic."


def texts_of(value: Any) -> tuple[str, ...]:
    """Return the values of one attribute of a topic as the topic table writes them."""
    values = value if isinstance(value, list) else [value]
    texts = [json.dumps(one) if isinstance(one, bool | int | float) else str(one) for one in values if one is not None]
    return tuple(dict.fromkeys(text for text in texts if text))


def table_rows(material: Material, proposal: Proposal | None) -> list[dict[str, Any]]:
    """Return the rows of the topic table: with a proposal its axes and the group, without one all attributes."""
    if proposal is None:
        return [dict(row) for row in material.rows]
    made: list[dict[str, Any]] = []
    for row in material.rows:
        kept: dict[str, Any] = {"topic_id": row["topic_id"]}
        if proposal.has_groups:
            kept["group"] = texts_of(row["group"])[0]
        for axis in proposal.axes:
            values = texts_of(row.get(axis.column))
            if values:
                kept[axis.id] = values[0] if len(values) == 1 else list(values)
        made.append(kept)
    return made


def _no_axis(material: Material, column: str, counts: Mapping[str, int]) -> str:
    """Say why an attribute is no axis, "" if it is one."""
    n_with = sum(bool(texts_of(row.get(column))) for row in material.rows)
    if not counts:
        return "no values"
    if len(counts) == 1:
        return "every topic has the same value"
    if len(counts) > MOST_VALUES:
        return f"{len(counts)} different values, more than {MOST_VALUES}"
    if max(map(len, counts)) > LONGEST_VALUE:
        return f"values longer than {LONGEST_VALUE} characters"
    if n_with < LEAST_COVER * len(material.rows):
        return f"only {n_with} of {len(material.rows)} topics have it"
    if len(counts) > 0.5 * n_with:
        return f"{len(counts)} different values for {n_with} topics"
    if not _axis_id(column):
        return "its name has no letter of a to z"
    return ""


def _axis_id(column: str) -> str:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", column).lower()
    return re.sub(r"[^a-z0-9]+", "_", words).strip("_0123456789")[:40]


def _order(counts: Mapping[str, int]) -> tuple[Sequence[str], bool]:
    """Return the values in their order, and whether that order means something."""
    numbered = {value: re.fullmatch(r"(\D*)(-?\d+(?:\.\d+)?)", value) for value in counts}
    prefixes = {match.group(1) for match in numbered.values() if match}
    if all(numbered.values()) and len(prefixes) == 1 and len(counts) > 2:
        return sorted(counts, key=lambda value: float(re.findall(r"-?\d+(?:\.\d+)?$", value)[0])), True
    for scale in _SCALES:
        if all(value.lower() in scale for value in counts):
            return sorted(counts, key=lambda value: scale.index(value.lower())), True
    return sorted(counts, key=lambda value: (-counts[value], value)), False


def _measures(material: Material, *, has_groups: bool) -> tuple[str, ...]:
    """Return measures that fit the grades; the first ranks."""
    qrels = material.qrels
    n_relevant = int((qrels.grades >= 1).sum())
    is_graded = int(qrels.grades.max()) > 1
    has_one = not is_graded and n_relevant <= 1.1 * qrels.n_topics
    measures = ("RR@10", "nDCG@10", "R@10") if has_one else ("nDCG@10", "AP@100", "R@100", "RR@10")
    return (*measures, "Robustness@10") if has_groups else measures


def _axis_text(axis: ProposedAxis) -> str:
    name = axis.column.replace("_", " ").replace("-", " ").strip().capitalize()[:60]
    counts = ", ".join(f"{value} {count}" for value, count in axis.values.items())
    order = f"ordinal = true\norder = {json.dumps(list(axis.values), ensure_ascii=False)}\n" if axis.is_ordinal else ""
    return f"# topics: {counts}\n[[axis]]\nid = {json.dumps(axis.id)}\n{order}name = {{ en = {json.dumps(name)} }}\n"
