"""Evaluations and reports as text for a terminal: a table, trec_eval's layout, a list of faults.

Pure: values in, text out; numbers are rounded here and nowhere before.
"""

from collections.abc import Iterator, Mapping, Sequence

from evaluation.measures import parse_measure
from evaluation.scoring import Evaluation
from evaluation.types import Fault, Notice, RunReport, Slice


def table(evaluation: Evaluation, *, per_topic: bool) -> str:
    """Lay out means, macro means and slices in columns; with `per_topic` every topic and group above them."""
    parts = []
    if per_topic:
        scores = evaluation.scores
        parts.append(_columns("topic", scores.measure_names, scores.topic_ids, scores.values.T.tolist()))
        if groups := evaluation.group_scores:
            parts.append(_columns("group", groups.measure_names, groups.group_ids, groups.values.T.tolist()))
    names = tuple(evaluation.means)
    ids = ["mean", *(f"macro {axis}" for axis in evaluation.macro)]
    rows = [evaluation.means, *evaluation.macro.values()]
    parts.append(_columns("", names, ids, [[row[name] for name in names] for row in rows]))
    parts.extend(_slices(axis, names, pieces) for axis, pieces in evaluation.slices.items())
    answered = f"answered {evaluation.n_answered} of {evaluation.n_topics} topics\n"
    return "\n".join(parts) + "\n" + answered


def trec(evaluation: Evaluation) -> str:
    """Lay out as `trec_eval -q` does, in its measure names: every topic, then the means under `all`."""
    lines = []
    scores = evaluation.scores
    names = [parse_measure(name).trec_name for name in scores.measure_names]
    for topic_id, column in zip(scores.topic_ids, scores.values.T.tolist(), strict=True):
        lines += [_trec_line(name, topic_id, value) for name, value in zip(names, column, strict=True)]
    lines += [_trec_line(parse_measure(name).trec_name, "all", value) for name, value in evaluation.means.items()]
    return "".join(lines)


def faults(what: str, found: Sequence[Fault], more: Mapping[str, int]) -> str:
    """Lay out why a file is refused, a fault and what to do about it a line."""
    lines = [f"{what}: refused"]
    lines += [f"  {fault.message} {fault.fix}" for fault in found]
    if more:
        kinds = ", ".join(f"{code} {count}" for code, count in sorted(more.items()))
        lines.append(f"  and {sum(more.values())} more: {kinds}")
    return "\n".join(lines) + "\n"


def notices(found: Sequence[Notice]) -> str:
    """Lay out what does not block, a sentence a line."""
    return "".join(f"warning: {notice.message}\n" for notice in found)


def report(name: str, run: RunReport) -> str:
    """Lay out the check of a run."""
    if not run.accepted:
        return faults(name, run.faults, run.more_faults) + notices(run.notices)
    sizes = f"{run.n_documents_min} to {run.n_documents_max}"
    summary = f"{name}: accepted, {run.n_lines} lines, {run.n_topics} topics, {sizes} documents each\n"
    return summary + notices(run.notices)


def _trec_line(name: str, topic_id: str, value: float) -> str:
    return f"{name:<22}\t{topic_id}\t{value:6.4f}\n"


def _slices(axis: str, names: Sequence[str], pieces: Mapping[str, Slice]) -> str:
    counts = ["topics"] if all(piece.n_groups is None for piece in pieces.values()) else ["topics", "groups"]
    rows = [
        [*(n for n in (piece.n_topics, piece.n_groups) if n is not None), *(piece.values[name] for name in names)]
        for piece in pieces.values()
    ]
    return _columns(axis, [*counts, *names], tuple(pieces), rows)


def _columns(corner: str, headings: Sequence[str], ids: Sequence[str], rows: Sequence[Sequence[float]]) -> str:
    cells = [[corner, *headings], *([name, *_numbers(row)] for name, row in zip(ids, rows, strict=True))]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "".join(_row(row, widths) for row in cells)


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = zip(cells, widths, strict=True)
    return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]).rstrip() + "\n"


def _numbers(row: Sequence[float]) -> Iterator[str]:
    return (str(number) if isinstance(number, int) else f"{number:.4f}" for number in row)
