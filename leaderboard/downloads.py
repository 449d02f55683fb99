"""The scores by topic that a submitter may take home from open gold: one file each, written by the worker alone.

Nothing of sealed gold may ever be handed to this module.
"""

import csv
import tempfile
from pathlib import Path

from evaluation import TopicScores
from leaderboard.names import FORMULA_STARTS


def topic_scores_file(folder: Path, submission_id: str) -> Path:
    """Return where the scores by topic of a submission are, if they are."""
    return folder / f"{submission_id}.csv"


def forget_topic_scores(folder: Path, submission_id: str) -> None:
    """Remove the scores by topic of a submission; twice is once."""
    topic_scores_file(folder, submission_id).unlink(missing_ok=True)


def write_topic_scores(folder: Path, submission_id: str, scores: TopicScores) -> Path:
    """Write one line a topic, in gold order, with its measures at full precision; twice is once. Returns the file.

    A topic id that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=folder, newline="", encoding="utf-8", delete=False) as unfinished:
        lines = csv.writer(unfinished, lineterminator="\n")
        lines.writerow(["topic", *scores.measure_names])
        for topic_id, values in zip(scores.topic_ids, scores.values.T.tolist(), strict=True):
            lines.writerow([f"'{topic_id}" if topic_id[0] in FORMULA_STARTS else topic_id, *values])
    return Path(unfinished.name).replace(topic_scores_file(folder, submission_id))
