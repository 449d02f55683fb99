"""Scores by topic of the rows of a board, out of the vault, and what follows from them: how sure the board is.

Runs in the worker alone. What it returns holds no score of a topic.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from data.task import Task
from evaluation import seed_of
from leaderboard.certainty import half_widths, with_certainty
from leaderboard.comparing import compare_rows, losses
from leaderboard.comparisons import NotComparable, Question
from leaderboard.crossing import with_crossed
from leaderboard.evaluating import Examiner
from leaderboard.revealing import with_sealed_ranks
from leaderboard.standings import Json
from leaderboard.submissions import GoldFacts
from leaderboard.topic_tables import topic_values
from leaderboard.vault import KeptScores, Opened

# Rows × topics from which a board is shown before its intervals are computed: they take about a second then.
LARGE = 30_000

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Surveyor:
    """Adds to finished boards how sure they are, from the scores that the vault keeps."""

    examiner: Examiner

    def takes_long(self, board: Json) -> bool:
        """Say whether readers should get the board without its intervals first."""
        is_open = board["gold"]["kind"] == "open"
        return bool(is_open and len(board["rows"]) * board["topics"] > LARGE)

    def survey(self, task: Task, facts: GoldFacts, board: Json) -> Json:
        """Return the board with its uncertainty; on sealed gold with one half-width a column, from the baseline.

        A row whose scores are not kept has none; `missing` finds it. If the gold of the board is not the one at hand
        any more, the board comes back as it was: another one is ordered by then.
        """
        opened = self.examiner.gold_of(task.id)
        if opened is None or opened.facts.fingerprint != facts.fingerprint:
            return board
        seed = seed_of(facts.version)
        if facts.kind == "sealed":
            baselines = [row["id"] for row in board["rows"] if row["is_baseline"]][:1]
            _, kept = self._kept(task, opened, baselines)
            values = topic_values(task, opened, kept)
            widths = half_widths(board["columns"], values, digits=board["digits"], seed=seed)
            revealed = self.examiner.vault.revealed(opened)
            ranked = board if revealed is None else with_sealed_ranks(board, revealed)
            return {**ranked, "half_widths": widths}
        places, kept = self._kept(task, opened, [row["id"] for row in board["rows"]])
        values = topic_values(task, opened, kept)
        crossed = {axis.id: axis.panels for axis in task.axes if axis.panels}
        least = task.limits.min_slice_topics
        return with_crossed(with_certainty(board, values, places, seed=seed), values, places, crossed, least=least)

    def compare(self, task: Task, board: Json, question: Question) -> Json:
        """Answer a question about a row of the present board and others. Raises NotComparable.

        The others are rows too, or a submission that its owner asks about before it is one. With the answer come the
        topics where each loses most, which only open gold may tell.
        """
        opened = self.examiner.gold_of(task.id)
        if opened is None or opened.facts.fingerprint != question.fingerprint:
            raise NotComparable("gold-changed")
        if task.gold != "open" or opened.ranked_ids is not None:
            raise NotComparable("sealed-gold")
        if board["gold"]["fingerprint"] != question.fingerprint:
            raise NotComparable("gold-changed")
        shown = {row["id"] for row in board["rows"]}
        unknown = [one for one in question.others if one not in shown and not self._is_comparable(one)]
        if question.reference not in shown or unknown:
            raise NotComparable("not-on-board")
        places, kept = self._kept(task, opened, question.ids)
        if len(places) < len(question.ids):
            raise NotComparable("scores-missing")
        values = topic_values(task, opened, kept)
        answer = compare_rows(board, values, question.ids, seed=seed_of(opened.facts.version))
        lost = losses(values, opened.gold.topics.topic_ids, answer["measure"])
        return {"task": task.id, "gold": board["gold"], **answer, "losses": lost}

    def _is_comparable(self, submission_id: str) -> bool:
        found = self.examiner.store.submission(submission_id)
        return found is not None and found.is_comparable

    def missing(self, task: Task, submission_ids: Sequence[str]) -> list[str]:
        """Return the submissions whose scores by topic on the present gold are not kept."""
        opened = self.examiner.gold_of(task.id)
        if opened is None:
            return []
        places, _ = self._kept(task, opened, submission_ids)
        return [one for place, one in enumerate(submission_ids) if place not in places]

    def _kept(self, task: Task, opened: Opened, ids: Sequence[str]) -> tuple[list[int], list[KeptScores]]:
        """Return the places of those whose scores of all measures are kept, and the scores."""
        found = {place: self.examiner.vault.kept_scores(opened, one) for place, one in enumerate(ids)}
        wanted = frozenset(task.measure_names)
        whole = {
            place: kept
            for place, kept in found.items()
            if kept is not None and wanted <= kept.by_topic.keys() | kept.by_group.keys()
        }
        return list(whole), list(whole.values())
