"""The report of a file check as finished HTML: what was accepted, or every fault with its line, found text and cure.

Functions of a report and of texts; no file, no task, no gold. Every value from the file is escaped here.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from evaluation import Fault, Notice, RunReport
from leaderboard.texts import Texts, format_bytes, format_number

# so many line numbers stand over what is wrong, not beside it
LONG_PLACE = 4
_ICON = (
    '<svg class="q-check-mark" viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" '
    'stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round">'
)
_TICK = f'{_ICON}<path d="M5 12.5l4.5 4.5L19 7.5"/></svg>'
_CROSS = f'{_ICON}<path d="M12 7v6M12 17v.2"/><circle cx="12" cy="12" r="9.5"/></svg>'


def check_panel(
    report: RunReport,
    n_topics_expected: int | None,
    words: Texts,
    *,
    has_header_form: bool = False,
    fitting: Sequence[str] = (),
) -> str:
    """Return the panel under the drop zone for a checked file: a green line with remarks, or an alert with the faults.

    Args:
        report: what the reader found.
        n_topics_expected: topics of the task, None where there is no list.
        words: the reader's language.
        has_header_form: whether a header of the file filled in some fields of the form.
        fitting: names of the tasks that the file was made for, where it was not made for this one.
    """
    if not report.accepted:
        return _refused(report, words, fitting)
    header = f'<p class="q-small q-muted">{escape(words.get("submit.check_header"))}</p>' if has_header_form else ""
    return (
        f'<div class="q-check is-accepted"><p class="q-check-title">{_TICK}<strong>'
        f"{escape(words.get('submit.check_accepted'))}</strong></p>"
        f'<p class="q-check-line">{escape(summary_line(report, n_topics_expected, words))}</p>{header}'
        f"{notices(report.notices, words)}</div>"
    )


def check_idle(words: Texts) -> str:
    """Return the panel before any file was given."""
    return f'<p class="q-check is-idle">{escape(words.get("submit.check_empty"))}</p>'


def refusal(sentences: list[str], words: Texts) -> str:
    """Return the alert for a file that never reached the reader: each sentence says what to do."""
    told = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
    return f'<div class="q-check is-refused" role="alert" tabindex="-1">{told}</div>'


def summary_line(report: RunReport, n_topics_expected: int | None, words: Texts) -> str:
    """Return the green line as plain text: topics, documents each, lines, ties, size."""
    lang = words.lang
    if n_topics_expected is None:
        topics = words.count("submit.check_topics_in_file", report.n_topics)
    else:
        topics = words.get(
            "submit.check_topics",
            answered=format_number(report.n_topics, lang),
            topics=format_number(n_topics_expected, lang),
        )
    low, high = report.n_documents_min, report.n_documents_max
    if low == high:
        documents = words.count("submit.check_documents", low)
    else:
        documents = words.get(
            "submit.check_documents_range", low=format_number(low, lang), high=format_number(high, lang)
        )
    if report.n_tied_topics:
        ties = words.count("submit.check_ties", report.n_tied_topics)
    else:
        ties = words.get("submit.check_ties_none")
    lines = words.count("submit.check_lines", report.n_lines)
    return " · ".join((topics, documents, lines, ties, format_bytes(report.size_bytes, lang)))


def notices(found: tuple[Notice, ...], words: Texts) -> str:
    """Return the remarks that do not block, or nothing."""
    if not found:
        return ""
    told = "".join(f"<li>{escape(notice_sentence(notice, words))}</li>" for notice in found)
    title = words.count("submit.check_notices", len(found))
    return f'<div class="q-check-notices"><p><strong>{escape(title)}</strong></p><ul>{told}</ul></div>'


def stored_notices(kept: Sequence[Mapping[str, Any]], words: Texts) -> str:
    """Return the remarks that the books kept of a check, as a list; an entry of an older shape is left out."""
    found = (
        Notice(entry["code"], entry["count"], entry["line"], entry["facts"])
        for entry in kept
        if {"code", "count", "line", "facts"} <= entry.keys() and words.has(f"faults.notice_{entry['code']}")
    )
    told = "".join(f"<li>{escape(notice_sentence(notice, words))}</li>" for notice in found)
    return f"<ul>{told}</ul>" if told else ""


def fault_sentence(fault: Fault, words: Texts) -> tuple[str, str]:
    """Return what is wrong and what to do in the reader's language, in English where that language lacks the code."""
    if not words.has(f"faults.fault_{fault.code}"):
        return fault.message, fault.fix
    column_key = f"submit.help_{fault.column}"
    column = words.get(column_key) if words.has(column_key) else fault.column
    facts = _written({**fault.facts, "line": fault.line or 0, "column": column, "found": fault.found}, words)
    return words.get(f"faults.fault_{fault.code}", **facts), words.get(f"faults.fix_{fault.code}", **facts)


def notice_sentence(notice: Notice, words: Texts) -> str:
    """Return a remark in the reader's language, in English where that language lacks the code."""
    if not words.has(f"faults.notice_{notice.code}"):
        return notice.message
    facts = _written({**notice.facts, "count": notice.count, "line": notice.line or 0}, words)
    return words.get(f"faults.notice_{notice.code}", **facts)


def _refused(report: RunReport, words: Texts, fitting: Sequence[str]) -> str:
    n_faults = len(report.faults) + report.n_more
    fits = ""
    if fitting:
        fits = f'<p class="q-fits">{escape(words.get("submit.check_fits", tasks=", ".join(fitting)))}</p>'
    title = words.count("submit.check_refused", n_faults)
    return (
        f'<div class="q-check is-refused" role="alert" tabindex="-1"><p class="q-check-title">{_CROSS}'
        f"<strong>{escape(title)}</strong></p><p>{escape(words.get('submit.check_refused_note'))}</p>"
        f'<ol class="q-faults" tabindex="0">{"".join(_kinds(report, words))}</ol>'
        f"{_more(report, words)}{fits}"
        f"{notices(report.notices, words)}</div>"
    )


def _kinds(report: RunReport, words: Texts) -> Iterator[str]:
    """Yield one entry a kind of fault, those of the whole file first, then in the order of their first lines."""
    kinds: dict[str, list[Fault]] = {}
    for fault in sorted(report.faults, key=lambda fault: fault.line is not None):
        kinds.setdefault(fault.code, []).append(fault)
    for code, faults in kinds.items():
        yield _kind_entry(faults, report.more_faults.get(code, 0), words)


def _kind_entry(faults: Sequence[Fault], n_more: int, words: Texts) -> str:
    """Return what is wrong with which lines, said once where it is the same, what to do, and how many more there are.

    Of texts that were found in several lines, the first is shown.
    """
    told: dict[tuple[str, str], list[Fault]] = {}
    for fault in faults:
        told.setdefault(fault_sentence(fault, words), []).append(fault)
    fixes = list(dict.fromkeys(fix for _, fix in told))
    entries = "".join(
        f'<span class="q-fault-place">{escape(_place(alike, words))}</span>'
        f"<div><p>{escape(message)}</p>{_found(message, alike[0], words)}"
        f"{_fix(fix) if len(fixes) > 1 else ''}</div>"
        for (message, fix), alike in told.items()
    )
    last = _fix(fixes[0]) if len(fixes) == 1 else ""
    if n_more:
        last += f'<p class="q-more"><strong>{escape(words.count("submit.check_more", n_more))}</strong></p>'
    kind = "is-long" if any(len(alike) > LONG_PLACE for alike in told.values()) else ""
    return f'<li class="{kind}">{entries}<div class="q-fault-end">{last}</div></li>'


def _place(faults: Sequence[Fault], words: Texts) -> str:
    lines = [format_number(fault.line, words.lang) for fault in faults if fault.line is not None]
    if not lines:
        return words.get("submit.check_whole_file")
    if len(lines) == 1:
        return words.get("submit.check_line", line=lines[0])
    return words.get("submit.check_lines_of", lines=words.get("submit.check_line_join").join(lines))


def _found(message: str, fault: Fault, words: Texts) -> str:
    if not fault.found or fault.found in message:
        return ""
    label = escape(words.get("submit.check_found"))
    return f'<p class="q-small q-muted">{label} <code>{escape(fault.found)}</code></p>'


def _fix(sentence: str) -> str:
    return f'<p class="q-fix">{escape(sentence)}</p>'


def _more(report: RunReport, words: Texts) -> str:
    """Count the faults of the kinds of which none is listed."""
    listed = {fault.code for fault in report.faults}
    told = "".join(
        f"<li>{escape(words.count('submit.check_more_kinds', count))} {escape(_kind(code, words))}</li>"
        for code, count in report.more_faults.items()
        if code not in listed
    )
    return f'<ul class="q-more">{told}</ul>' if told else ""


def _kind(code: str, words: Texts) -> str:
    return words.get(f"faults.kind_{code}") if words.has(f"faults.kind_{code}") else code.replace("_", " ")


def _written(facts: dict[str, str | int | float], words: Texts) -> dict[str, str]:
    """Write the numbers among the facts as the language does."""
    return {
        name: value if isinstance(value, str) else format_number(value, words.lang, 0 if value == int(value) else 3)
        for name, value in facts.items()
    }
