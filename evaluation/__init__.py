"""The scales: rankings and grades in, scores out. No files beyond a byte stream, no users, no screens, no clock."""

from evaluation.errors import (
    CardError,
    DuplicateRun,
    GoldError,
    MissingGroups,
    QrelboardError,
    QrelsFormatError,
    QuotaExceeded,
    RunContentError,
    RunFormatError,
    TopicsFormatError,
    UnknownAxis,
    UnknownMeasure,
)
from evaluation.judgements import read_qrels
from evaluation.measures import Measure, parse_measure
from evaluation.scoring import Evaluation, evaluate, group_means, mean, robustness
from evaluation.topics import UNSPECIFIED, read_topics
from evaluation.trec import read_run
from evaluation.types import (
    Fault,
    GroupScores,
    Hits,
    Limits,
    Notice,
    Qrels,
    QrelsReading,
    RunReading,
    RunReport,
    Slice,
    TopicScores,
    TopicTable,
)

__all__ = [
    "UNSPECIFIED",
    "CardError",
    "DuplicateRun",
    "Evaluation",
    "Fault",
    "GoldError",
    "GroupScores",
    "Hits",
    "Limits",
    "Measure",
    "MissingGroups",
    "Notice",
    "QrelboardError",
    "Qrels",
    "QrelsFormatError",
    "QrelsReading",
    "QuotaExceeded",
    "RunContentError",
    "RunFormatError",
    "RunReading",
    "RunReport",
    "Slice",
    "TopicScores",
    "TopicTable",
    "TopicsFormatError",
    "UnknownAxis",
    "UnknownMeasure",
    "evaluate",
    "group_means",
    "mean",
    "parse_measure",
    "read_qrels",
    "read_run",
    "read_topics",
    "robustness",
]
