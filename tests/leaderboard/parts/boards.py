"""A small board revision as the worker writes it, and the words that go with it."""

from collections.abc import Sequence
from typing import Any

from leaderboard.parts.table import Labels

HOSTILE = "<img src=x onerror=alert(1)>"
LABELS = Labels(
    task="Toy",
    axes={"kind": "Kind", "grade": "Grade"},
    values={"kind": {"easy": "Easy", "hard": "Hard", "rare": "Rare"}, "grade": {"p1": "Primary 1", "p2": "Primary 2"}},
    measures={"nDCG@10": "Gain of the first ten places.", "R@10": "Share of relevant documents."},
    headings={"nDCG@10": "n@10", "R@10": "R@10"},
)


def a_row(rank: int = 1, name: str = "BM25", score: float | None = 0.5, **fields: Any) -> dict[str, Any]:
    """A row with a primary score, 0.1 less in every hard slice."""
    low = None if score is None else score - 0.1
    return {
        "rank": rank,
        "id": f"id{rank}",
        "system": f"sys{rank}",
        "name": name,
        "version": "1.0",
        "params_millions": None,
        "open_weights": None,
        "is_baseline": False,
        "is_sample": False,
        "run_type": "first-stage",
        "link": None,
        "submitted_at": "2026-11-30T08:00:00Z",
        "published_at": "2026-11-30T09:00:00Z",
        "answered": 120,
        "scores": [score, low],
        "slices": {"kind": [[score, low], [low, low], None], "grade": [[score, low], [low, low]]},
        **fields,
    }


def a_board(rows: Sequence[dict[str, Any]] | None = None, **fields: Any) -> dict[str, Any]:
    """A board with two measures and two axes: `kind` is a heatmap with a slice too small, `grade` is ordered dots."""
    return {
        "task": "toy",
        "revision": 3,
        "made_at": "2026-11-30T14:02:11Z",
        "gold": {"version": "2026.1", "kind": "open", "is_sample": False, "fingerprint": "sha256:ab12cd34ef56"},
        "topics": 120,
        "listed": 120,
        "digits": 3,
        "columns": [
            {"id": "nDCG@10", "measure": "nDCG@10", "label": "n@10", "mean": "macro:kind", "is_primary": True},
            {"id": "R@10", "measure": "R@10", "label": None, "mean": "macro:kind", "is_primary": False},
        ],
        "axes": [
            {
                "id": "kind",
                "ordinal": False,
                "chart": "heatmap",
                "values": [
                    {"id": "easy", "topics": 70, "groups": None, "enough": True},
                    {"id": "hard", "topics": 38, "groups": None, "enough": True},
                    {"id": "rare", "topics": 12, "groups": None, "enough": False},
                ],
            },
            {
                "id": "grade",
                "ordinal": True,
                "chart": "dots",
                "values": [
                    {"id": "p1", "topics": 1300, "groups": None, "enough": True},
                    {"id": "p2", "topics": 60, "groups": None, "enough": True},
                ],
            },
        ],
        "measures": ["nDCG@10", "R@10"],
        "rows": [a_row()] if rows is None else list(rows),
        **fields,
    }
