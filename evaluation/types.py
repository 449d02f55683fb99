"""The columns that pass between the rooms: judgements, hits of a run, topic attributes, scores, and reports on files.

Arrays and tuples only, no object per line of a run; nothing here opens, reads or prints.
"""

import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation import messages

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Facts = Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a file may cost before it is refused; sizes in bytes of the unpacked text.

    `ratio` is unpacked to packed bytes of a gzip file and counts only beyond `ratio_floor` unpacked bytes, since a
    small honest file can be very compressible. `faults` is how many are kept with their line; the rest are counted. A
    file with more than `bad_lines` lines that are no rows is not read any further: each costs as much as twenty rows.
    """

    size: int = 2 * 1024**3
    lines: int = 100_000_000
    topics: int = 1_000_000
    ratio: int = 200
    ratio_floor: int = 1024**2
    line_bytes: int = 4096
    id_bytes: int = 256
    faults: int = 25
    bad_lines: int = 100_000


@dataclass(frozen=True, slots=True)
class Fault:
    """One reason why a file is refused. `line` is physical, from 1; `column` is the name of the field or empty."""

    code: str
    line: int | None = None
    column: str = ""
    found: str = ""
    facts: Facts = field(default_factory=dict)

    @property
    def message(self) -> str:
        """What is wrong, in English."""
        place = "" if self.line is None else f"Line {self.line}: "
        return place + self._say(messages.FAULTS[self.code].message)

    @property
    def fix(self) -> str:
        """What to do about it, in English."""
        return self._say(messages.FAULTS[self.code].fix)

    def to_json(self) -> dict[str, Any]:
        """Return the fault as the command line prints it."""
        return {
            "code": self.code,
            "line": self.line,
            "column": self.column,
            "found": self.found,
            "message": self.message,
            "fix": self.fix,
        }

    def _say(self, template: str) -> str:
        return template.format(**{**self.facts, "column": self.column, "found": self.found})


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that does not block. `count` is of topics, lines or documents, as the sentence says."""

    code: str
    count: int
    line: int | None = None
    facts: Facts = field(default_factory=dict)

    @property
    def message(self) -> str:
        """What was noticed, in English."""
        return messages.NOTICES[self.code].format(**{**self.facts, "count": self.count})

    def to_json(self) -> dict[str, Any]:
        """Return the notice as the command line prints it."""
        return {"code": self.code, "count": self.count, "line": self.line, "message": self.message}


@dataclass(frozen=True, slots=True)
class RunReport:
    """What one pass over a run found out without looking at any judgement.

    `n_topics` counts the known topics that the run answers (all its topics where no topic list was given);
    `n_documents_*` are over those topics, before any cut. `faults` are in line order, `more_faults` counts the ones
    beyond the limit by code. `header` holds the `#` lines above the first ranking without their `#`, at most 64 KiB.
    """

    accepted: bool
    n_lines: int
    n_topics: int
    n_foreign_topics: int
    n_documents_min: int
    n_documents_max: int
    size_bytes: int
    unpacked_bytes: int
    faults: tuple[Fault, ...]
    more_faults: Mapping[str, int]
    notices: tuple[Notice, ...]
    tags: tuple[str, ...]
    n_tied_topics: int
    header: str | None

    @property
    def n_more(self) -> int:
        """How many faults were counted beyond those kept."""
        return sum(self.more_faults.values())

    def to_json(self) -> dict[str, Any]:
        """Return the report as the command line prints it."""
        return {
            "accepted": self.accepted,
            "lines": self.n_lines,
            "topics": self.n_topics,
            "faults": [fault.to_json() for fault in self.faults],
            "more_faults": dict(self.more_faults),
            "warnings": [notice.to_json() for notice in self.notices],
        }


@dataclass(frozen=True, slots=True)
class Hits:
    """Every judged document that a run retrieved, sorted by (topic, rank).

    Columns of equal length: `topic` (index into the gold's topics), `rank` (from 1, after the tie rule, the removal of
    identical documents), `grade`, and `first` and `last`: the best and worst rank that an equal score allows.
    `retrieved` has one entry a gold topic: documents kept. A hit of a rank beyond it does not count: the depth cut it
    off, and it is here because its tie reaches inside, so that another order would have kept it.
    """

    topic: NDArray[np.int32]
    rank: Ints
    grade: Ints
    first: Ints
    last: Ints
    retrieved: Ints


@dataclass(frozen=True, slots=True)
class RunReading:
    """A report, and the hits where judgements were given and the run was accepted."""

    report: RunReport
    hits: Hits | None


@dataclass(frozen=True, slots=True)
class Qrels:
    """Judgements as columns: topic i owns the judgements `starts[i]:starts[i + 1]`, in the order of the file.

    Judgement j is about the document `doc_ids[doc_starts[j]:doc_starts[j + 1]]` (UTF-8) and has `grades[j]`.
    """

    topic_ids: tuple[str, ...]
    starts: Ints
    doc_ids: bytes
    doc_starts: Ints
    grades: Ints

    @classmethod
    def of(cls, judgements: Mapping[str, Mapping[str, int]]) -> "Qrels":
        """Build columns from topic → document → grade; a topic without a judgement is left out."""
        judged = {topic: grades for topic, grades in judgements.items() if grades}
        documents = [document.encode() for grades in judged.values() for document in grades]
        return cls(
            topic_ids=tuple(judged),
            starts=_ends([len(grades) for grades in judged.values()]),
            doc_ids=b"".join(documents),
            doc_starts=_ends([len(document) for document in documents]),
            grades=np.array([grade for grades in judged.values() for grade in grades.values()], dtype=np.int64),
        )

    @property
    def n_topics(self) -> int:
        """Topics with at least one judgement."""
        return len(self.topic_ids)

    @property
    def n_judgements(self) -> int:
        """Judged (topic, document) pairs."""
        return len(self.grades)

    def judged(self, topic: int) -> dict[bytes, int]:
        """Return document → grade of the topic with this index."""
        first, last = int(self.starts[topic]), int(self.starts[topic + 1])
        cuts = self.doc_starts[first : last + 1].tolist()
        documents = (self.doc_ids[start:end] for start, end in pairwise(cuts))
        return dict(zip(documents, self.grades[first:last].tolist(), strict=True))

    def subset(self, topic_ids: Collection[str]) -> "Qrels":
        """Keep the judgements of these topics, in the order they have here; unknown ids are ignored."""
        wanted = frozenset(topic_ids)
        return Qrels.of(
            {
                topic_id: {document.decode(): grade for document, grade in self.judged(index).items()}
                for index, topic_id in enumerate(self.topic_ids)
                if topic_id in wanted
            }
        )


@dataclass(frozen=True, slots=True)
class RunRules:
    """What a run is read against; `evaluation.read_run` says what each means."""

    topics: Sequence[str] | None
    qrels: Qrels | None
    depth: int | None
    remove_identical: bool
    documents: Collection[str] | None
    limits: Limits

    @property
    def known_topics(self) -> Sequence[str] | None:
        """The topics that count; None where every topic of the file does."""
        if self.topics is not None or self.qrels is None:
            return self.topics
        return self.qrels.topic_ids

    @property
    def max_documents(self) -> int:
        """How many documents of a topic are read at all."""
        return sys.maxsize if self.depth is None else 10 * self.depth


@dataclass(frozen=True, slots=True)
class QrelsReading:
    """Judgements and how they were written: exact repeats are dropped and counted."""

    qrels: Qrels
    n_lines: int
    n_repeats: int
    has_heading: bool


@dataclass(frozen=True, slots=True)
class TopicTable:
    """Attributes of topics: one entry a topic in `groups` and in each axis; a topic may have several values on an axis.

    `groups` is None where no topic has one; an empty text stands for "none" where only some have one.
    """

    topic_ids: tuple[str, ...]
    groups: tuple[str, ...] | None
    axes: Mapping[str, tuple[tuple[str, ...], ...]]

    def subset(self, topic_ids: Collection[str]) -> "TopicTable":
        """Keep the rows of these topics, in the order they have here; unknown ids are ignored."""
        wanted = frozenset(topic_ids)
        kept = [index for index, topic_id in enumerate(self.topic_ids) if topic_id in wanted]
        return self._take(kept)

    def aligned(self, topic_ids: Sequence[str]) -> "TopicTable":
        """Return the rows of exactly these topics, in this order. Raises KeyError where a topic has no row."""
        row = {topic_id: index for index, topic_id in enumerate(self.topic_ids)}
        return self._take([row[topic_id] for topic_id in topic_ids])

    def _take(self, rows: Sequence[int]) -> "TopicTable":
        return TopicTable(
            topic_ids=tuple(self.topic_ids[row] for row in rows),
            groups=None if self.groups is None else tuple(self.groups[row] for row in rows),
            axes={axis: tuple(values[row] for row in rows) for axis, values in self.axes.items()},
        )


@dataclass(frozen=True, slots=True)
class TopicScores:
    """One value a measure and topic, shape (n_measures, n_topics), topics in gold order."""

    measure_names: tuple[str, ...]
    topic_ids: tuple[str, ...]
    values: Floats


@dataclass(frozen=True, slots=True)
class GroupScores:
    """One value a group measure and group, shape (n_measures, n_groups), groups in the order of their first topic."""

    measure_names: tuple[str, ...]
    group_ids: tuple[str, ...]
    values: Floats


@dataclass(frozen=True, slots=True)
class Slice:
    """The means over the topics that share a value of an axis; `n_groups` only where a group measure was asked for."""

    n_topics: int
    n_groups: int | None
    values: Mapping[str, float]


def _ends(sizes: Sequence[int]) -> Ints:
    ends = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=ends[1:])
    return ends
