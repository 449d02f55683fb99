"""A board's past in words: the banner over a board as it was, and the list of what each revision changed.

Finished HTML from changes and words; no database, no request, no gold.
"""

from collections.abc import Callable, Collection, Sequence
from html import escape

from leaderboard.changes import Change, Move, Seat
from leaderboard.parts import blocks
from leaderboard.parts.table import Board, made_at
from leaderboard.texts import Texts, format_date, format_moment, format_number, format_score
from leaderboard.views import Rescoring


def banner(board: Board, words: Texts, *, is_present: bool, present: str, changes: str) -> str:
    """Return the frame over a board that was asked for by number or day.

    Args:
        board: a board revision.
        words: the reader's language.
        is_present: whether it is the present one.
        present: address of the present board.
        changes: address of the list of changes.
    """
    date, number = format_date(made_at(board), words.lang), format_number(board["revision"], words.lang)
    if is_present:
        said = words.get("history.past_present", number=number)
    else:
        said = words.get("history.past", date=date, number=number)
    if any(row.get("is_gone") for row in board["rows"]):
        said += ("" if words.lang == "zh" else " ") + words.get("history.gone_note")
    links = [_link(present, words.get("history.to_present")), _link(changes, words.get("history.all_changes"))]
    shown = " · ".join(links[1:] if is_present else links)
    return f'<div class="q-notice" role="note"><p>{escape(said)}</p><p>{shown}</p></div>'


def rescoring(found: Rescoring, words: Texts) -> str:
    """Say under the head of a page that its runs are being scored on another gold, and how far that is."""
    counts = {"done": format_number(found.n_done, words.lang), "of": format_number(found.n_all, words.lang)}
    said = words.get("history.rescoring", coming=found.coming, shown=found.shown, **counts)
    return f'<div class="q-wrap">{blocks.notice(said)}</div>'


def not_found(words: Texts, *, present: str, changes: str) -> str:
    """Say that the address names no board."""
    links = (_link(present, words.get("history.to_present")), _link(changes, words.get("history.all_changes")))
    said = escape(words.get("history.not_found"))
    return f'<div class="q-notice is-error" role="note"><p>{said}</p><p>{" · ".join(links)}</p></div>'


def day_form(action: str, lang: str | None, words: Texts) -> str:
    """Return the form that opens the board of a day; `lang` is the language that the address names, if any."""
    kept = f'<input type="hidden" name="lang" value="{escape(lang)}">' if lang else ""
    return (
        f'<form class="q-day" method="get" action="{escape(action)}">{kept}'
        f'<label>{escape(words.get("history.on"))} <input type="date" name="on" required></label>'
        f'<button class="q-button" type="submit">{escape(words.get("history.show"))}</button></form>'
    )


def change_table(
    changes: Sequence[Change],
    public_ids: Collection[str],
    words: Texts,
    *,
    see: Callable[[int], str],
    as_json: Callable[[int], str],
) -> str:
    """Return one line a revision, latest first; `see` and `as_json` give the addresses of one.

    Systems whose submission is not among `public_ids` have no name.
    """
    rows = [
        [
            _link(see(change.number), format_number(change.number, words.lang)),
            escape(format_moment(change.made_at, words.lang)),
            f'<div class="q-cell-text">{told(change, public_ids, words)}</div>',
            _link(as_json(change.number), words.get("history.json")),
        ]
        for change in changes
    ]
    heads = [words.get(f"history.{key}") for key in ("revision", "made", "changed", "json")]
    return blocks.table(heads, rows, caption=words.get("history.caption"))


def told(change: Change, public_ids: Collection[str], words: Texts) -> str:
    """Say what a revision changed; systems that others pushed up or down are folded away."""
    lines: list[str] = []
    pushed: list[str] = []
    if change.gold:
        lines.append(words.get("history.gold", before=change.gold[0], after=change.gold[1]))
    if change.is_first:
        lines.append(words.get("history.first"))
    for move in change.moves:
        sentence, is_pushed = _move(move, change.digits, public_ids, words)
        (pushed if is_pushed else lines).append(sentence)
    if not lines and not pushed:
        lines.append(words.get("history.same"))
    shown = "<br>".join(escape(line) for line in lines)
    if pushed:
        listed = "".join(f"<li>{escape(line)}</li>" for line in pushed)
        summary = escape(words.count("history.moved", len(pushed)))
        shown += f"<details><summary>{summary}</summary><ul>{listed}</ul></details>"
    return shown


def _move(move: Move, digits: int, public_ids: Collection[str], words: Texts) -> tuple[str, bool]:
    """Return the sentence of one system, and whether nothing but its rank is another one."""
    before, after = move.before, move.after
    seat = after or before
    assert seat is not None
    name = _name(seat, public_ids, words)

    def rank(one: Seat) -> str:
        return format_number(one.rank, words.lang)

    def score(one: Seat) -> str:
        return format_score(one.score, words.lang, digits)

    if after is None:
        return words.get("history.left", name=name, rank=rank(seat)), False
    if before is None:
        return words.get("history.entered", name=name, rank=rank(after), score=score(after)), False
    ranks = {"before": rank(before), "after": rank(after)}
    if before.id != after.id:
        return words.get("history.other_run", name=name, score=score(after), **ranks), False
    if before.score != after.score:
        said = words.get("history.rescored", name=name, score_before=score(before), score=score(after), **ranks)
        return said, False
    return words.get("history.moved_row", name=name, **ranks), True


def _name(seat: Seat, public_ids: Collection[str], words: Texts) -> str:
    return f"{seat.name} {seat.version}".strip() if seat.id in public_ids else words.get("table.gone")


def _link(href: str, label: str) -> str:
    return f'<a href="{escape(href)}">{escape(label)}</a>'
