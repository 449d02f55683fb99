"""The topics where an owner's run loses most against a row of the board that they chose. Finished HTML.

For the owner alone, and on open gold alone; the address holds the choice.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from leaderboard.comparisons import Comparison, ComparisonState
from leaderboard.parts import blocks
from leaderboard.texts import Texts, format_score
from leaderboard.visit import Visit

FIELD = "against"

Row = Mapping[str, Any]


def losses(
    rivals: Sequence[Row], found: Comparison | None, visit: Visit, *, code: str = "", is_paused: bool = False
) -> str:
    """Return the choice of a row and, once one is chosen, what the worker answered or why it did not.

    Args:
        rivals: rows of the board that can be chosen.
        found: what became of the question, None before one is chosen and where it cannot be asked.
        visit: the reader's address, which names the chosen row.
        code: why it cannot be asked, empty where it can.
        is_paused: whether no worker lives to answer.
    """
    words = visit.words
    chosen = next((row for row in rivals if row["id"] == visit.query.get(FIELD)), None)
    told = ""
    if found is not None and found.state is ComparisonState.REFUSED:
        code = found.code
    if code:
        told = blocks.notice(words.get(f"compare.no_{code}"))
    elif found is not None and found.body is not None and chosen is not None:
        told = _table(found.body, chosen, words)
    elif found is not None:
        waiting = words.get("compare.paused" if is_paused else "submission.losses_asked")
        told = f'<p class="q-muted">{escape(waiting)}</p>'
    return (
        f'<h2 id="losses">{escape(words.get("submission.losses"))}</h2>'
        f'<p class="q-muted">{escape(words.get("submission.losses_hint"))}</p>{_form(rivals, visit)}{told}'
    )


def _form(rivals: Sequence[Row], visit: Visit) -> str:
    """Return the choice as a form of the address, which keeps all else that the address says."""
    words = visit.words
    kept = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'
        for name, value in visit.query.items()
        if name != FIELD
    )
    options = "".join(
        f'<option value="{escape(row["id"])}"{" selected" if row["id"] == visit.query.get(FIELD) else ""}>'
        f"{escape(' '.join(filter(None, (row['name'], row['version']))))}</option>"
        for row in rivals
    )
    return (
        f'<form class="q-compare-form" method="get" action="./submission">{kept}'
        f'<label>{escape(words.get("submission.losses_against"))} <select name="{FIELD}">{options}</select></label>'
        f'<button class="q-button" type="submit">{escape(words.get("submission.losses_show"))}</button></form>'
    )


def _table(body: Mapping[str, Any], chosen: Row, words: Texts) -> str:
    """Name the topics, the greatest loss first; the other's own scores are for its owner alone."""
    [found] = body["losses"]
    if not found:
        return f"<p>{escape(words.get('submission.losses_no_topic', name=chosen['name']))}</p>"
    head = [words.get("submission.losses_topic"), words.get("submission.losses_own")]
    rows = [[escape(one["topic"]), escape(format_score(one["value"], words.lang))] for one in found]
    caption = words.get("submission.losses_caption", name=chosen["name"], measure=body["measure"])
    return blocks.table(head, rows, caption=caption, numbers={1})
