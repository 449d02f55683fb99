"""The types of a task card: what a host says about a benchmark split that one can submit to. No file is read here."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluation import UNSPECIFIED

LANGUAGES = ("en", "fr", "zh")
KINDS_OF_GOLD = ("open", "sealed", "none")
CHARTS = ("heatmap", "dots")

# fewest topics of a slice that sealed gold may show: a smaller cell gives its judgements away
SEALED_MIN_SLICE_TOPICS = 100

# the slice of topics without a value, which no card needs to name
UNSPECIFIED_WORDS = {"en": "Unspecified", "fr": "Non précisé", "zh": "未注明"}

Words = Mapping[str, str]


def in_language(words: Words, language: str) -> str:
    """Return the words in a language; English stands in where the host wrote no others, "" where there are none."""
    return words.get(language) or words.get("en", "")


@dataclass(frozen=True, slots=True)
class MeasureColumn:
    """One measure of a task's table: its name as the scales know it, an alias for the heading, and what it says."""

    name: str
    label: str | None
    is_primary: bool
    is_group: bool
    words: Words

    @property
    def heading(self) -> str:
        """The alias that the benchmark's readers know, else the name."""
        return self.label or self.name


@dataclass(frozen=True, slots=True)
class Axis:
    """One way to break a task down: topics that share a value are a slice; a topic may have several values.

    `panels` is another axis of the card, whose values are the panels of a further chart; "" for none.
    """

    id: str
    name: Words
    is_ordinal: bool
    order: tuple[str, ...]
    labels: Mapping[str, Words]
    chart: str
    panels: str = ""

    def sorted_values(self, values: set[str]) -> tuple[str, ...]:
        """Put values in the card's order, those that the card does not name last and by name."""
        listed = tuple(value for value in self.order if value in values)
        return listed + tuple(sorted(values.difference(listed)))


@dataclass(frozen=True, slots=True)
class Limits:
    """How often one account may submit, and the fewest topics that a slice needs to show a number."""

    per_day: int
    per_month: int
    total: int
    min_slice_topics: int


@dataclass(frozen=True, slots=True)
class Source:
    """Where a benchmark comes from; all fields are public and may be empty."""

    paper: str
    url: str
    data_url: str
    data_version: str
    example_document: str
    licence: str
    bibtex: str


@dataclass(frozen=True, slots=True)
class Task:
    """A benchmark split that one can submit to, as its card describes it.

    `mean` is "topics" or "macro:<axis>" and says how the primary measure is averaged; `family` joins the tasks that one
    page switches between; `languages` are those of topics and documents; `folder` holds the card and its public files.
    """

    id: str
    benchmark: str
    version: str
    gold: str
    depth: int
    mean: str
    relevant_from: int
    remove_identical: bool
    has_groups: bool
    name: Words
    summary: Words
    description: Words
    languages: tuple[str, ...]
    pitfalls: Mapping[str, tuple[str, ...]]
    measures: tuple[MeasureColumn, ...]
    axes: tuple[Axis, ...]
    limits: Limits
    source: Source
    family: str | None
    position: int
    folder: Path

    @property
    def primary(self) -> MeasureColumn:
        """The measure that the task ranks by."""
        return next(column for column in self.measures if column.is_primary)

    @property
    def macro_axis(self) -> str | None:
        """The axis over whose slices the primary measure is averaged, or None for the mean over topics."""
        return self.mean.removeprefix("macro:") if self.mean.startswith("macro:") else None

    @property
    def measure_names(self) -> tuple[str, ...]:
        """The names of all measures, in the card's order."""
        return tuple(column.name for column in self.measures)

    @property
    def has_gold(self) -> bool:
        """True if runs can be scored; False for a page of published numbers."""
        return self.gold != "none"

    def axis(self, axis_id: str) -> Axis:
        """Return an axis of the card. Raises KeyError if it has none of this id."""
        for axis in self.axes:
            if axis.id == axis_id:
                return axis
        raise KeyError(axis_id)

    def label(self, axis_id: str, value: str, language: str) -> str:
        """Return the words for a value of an axis; the value itself where the card has none."""
        labels = self.axis(axis_id).labels
        if value == UNSPECIFIED and value not in labels:
            return in_language(UNSPECIFIED_WORDS, language)
        return in_language(labels.get(value, {}), language) or value

    def pitfalls_in(self, language: str) -> tuple[str, ...]:
        """Return the pitfalls in a language, in English where the host wrote no others."""
        return self.pitfalls.get(language) or self.pitfalls.get("en", ())
