"""What a task's page says around its board: head, switch between targets, About tab, numbers from elsewhere.

Finished HTML from a card and public facts; no gold.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from data.published import PublishedRow, in_words
from data.task import Task, in_language
from evaluation import UNSPECIFIED
from leaderboard.parts import blocks
from leaderboard.parts.table import Board, Labels, gold_words, made_at, mean_words
from leaderboard.texts import Texts, format_date, format_number, format_params, format_score

CITE_ID = "cite"


def labels_of(task: Task, words: Texts) -> Labels:
    """Collect the card's words in the reader's language, for table and charts."""
    return Labels(
        task=in_language(task.name, words.lang),
        axes={axis.id: in_language(axis.name, words.lang) for axis in task.axes},
        values={
            axis.id: {value: task.label(axis.id, value, words.lang) for value in (*axis.labels, UNSPECIFIED)}
            for axis in task.axes
        },
        measures={measure.name: in_language(measure.words, words.lang) for measure in task.measures},
        headings={measure.name: measure.heading for measure in task.measures},
    )


def family_switch(current: Task, family: Sequence[Task], links: Mapping[str, str], words: Texts) -> str:
    """Return the switch between the tasks that share a benchmark; "" for a task on its own."""
    if len(family) < 2:
        return ""
    places = "".join(
        f'<a href="{escape(links[task.id])}"{blocks.here(task.id == current.id)}>'
        f"{escape(_short_name(in_language(task.name, words.lang)))}</a>"
        for task in family
    )
    return f'<nav class="q-family" aria-label="{escape(words.get("task.family"))}">{places}</nav>'


def fact_line(task: Task, board: Board | None, labels: Labels, words: Texts, *, changes: str) -> list[str]:
    """Return the facts under the title as finished HTML: topics, systems, measure, gold, version, day.

    `changes` is the address of all changes of the board.
    """
    facts = [gold_badge(task, words)]
    if board is None:
        return facts
    first = board["columns"][0]
    if board["gold"]["is_sample"]:
        facts.append(blocks.badge(words.get("common.sample"), title=words.get("common.sample_hint")))
    facts += [
        _bold(words.count("task.topics", board["topics"])),
        _bold(words.count("task.systems", len(board["rows"]))),
        f"{escape(words.get('task.ranked_by'))} <b>{escape(first['label'] or first['measure'])}</b>, "
        f"{escape(mean_words(first['mean'], labels, words))}",
    ]
    if not board["gold"]["is_sample"]:
        facts.append(f"{escape(words.get('task.gold'))} <b>{escape(gold_words(board, words))}</b>")
    hint = escape(words.get("history.updated_hint"))
    day = f'<a href="{escape(changes)}" title="{hint}"><b>{format_date(made_at(board), words.lang)}</b></a>'
    facts.append(f"{escape(words.get('task.updated'))} {day}")
    return facts


def gold_badge(task: Task, words: Texts) -> str:
    """Say who can know the judgements."""
    return blocks.badge(
        words.get(f"common.gold_{task.gold}"),
        title=words.get(f"common.gold_{task.gold}_hint"),
        is_strong=task.gold == "sealed",
    )


def legend(board: Board, words: Texts) -> str:
    """Return the notes under the board."""
    notes = [words.get("table.legend_rank"), words.get("table.legend_best"), words.get("table.legend_dash")]
    if any(row.get("rank_interval") for row in board["rows"]):
        notes.insert(1, words.get("table.legend_interval"))
    if board["gold"]["kind"] == "sealed":
        notes.insert(1, words.get("table.sealed_order"))
        notes.insert(2, words.get("table.sealed_answered", n=format_number(board["topics"], words.lang)))
    if any(row["is_sample"] for row in board["rows"]):
        notes.append(_badge_note("sample", words))
    if any(row["is_baseline"] for row in board["rows"]):
        notes.append(_badge_note("baseline", words))
    told = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return blocks.block(
        f'<h2 class="q-hidden">{escape(words.get("table.legend"))}</h2><ul class="q-legend">{told}</ul>'
    )


def _badge_note(kind: str, words: Texts) -> str:
    name, hint = words.get(f"table.badge_{kind}"), words.get(f"table.badge_{kind}_hint")
    return words.labelled(name, hint)


def about(task: Task, words: Texts, *, downloads: str) -> str:
    """Return the About tab: pitfalls first, then what is asked, measures, data, citation.

    Args:
        task: the card.
        words: the reader's language.
        downloads: finished HTML of the links to the example run and the board as JSON.
    """
    parts = [
        _section(words.get("task.pitfalls"), _list(task.pitfalls_in(words.lang))),
        _section(words.get("task.what"), _paragraph(in_language(task.description, words.lang))),
        _section(words.get("task.measures"), _measures(task, words)),
        _section(words.get("task.data"), _data(task, words, downloads)),
        _section(
            words.get("task.cite"),
            blocks.copy_box(task.source.bibtex.strip(), words) if task.source.bibtex else "",
            place=CITE_ID,
        ),
    ]
    return blocks.block("".join(parts))


def elsewhere(rows: Sequence[PublishedRow], labels: Labels, words: Texts) -> str:
    """Return the numbers reported elsewhere, in their own order, marked as not scored here; "" if there are none.

    A line is a system under one setting in one source, a column a measure.
    """
    if not rows:
        return ""
    measures = list(dict.fromkeys(row.measure for row in rows))
    lines: dict[tuple[str, str, str], dict[str, PublishedRow]] = {}
    for row in rows:
        lines.setdefault((row.system, row.setting, row.source), {})[row.measure] = row
    cells = [
        [
            escape(system),
            *(format_score(found[name].value if name in found else None, words.lang) for name in measures),
            escape(format_params(next(iter(found.values())).params_millions, words.lang)),
            f'<span class="q-cell-text">{escape(_reported(setting, labels, words))}</span>',
            f'<span class="q-cell-text">{escape(_reported(source, labels, words))}</span>',
        ]
        for (system, setting, source), found in lines.items()
    ]
    system, *rest = (words.get(f"task.elsewhere_{key}") for key in ("system", "params", "setting", "source"))
    table = blocks.table(
        [system, *measures, *rest],
        cells,
        caption=words.get("task.elsewhere_caption"),
        numbers=range(1, len(measures) + 2),
    )
    return blocks.block(
        f'<h2 id="elsewhere">{escape(words.get("task.elsewhere"))}</h2>'
        f"<p>{escape(words.get('task.elsewhere_lead'))}</p>{table}"
    )


def description(task: Task, board: Board | None, words: Texts) -> str:
    """Return one or two plain sentences for link previews and search engines."""
    summary = in_language(task.summary, words.lang)
    if board is None:
        return summary
    first = board["columns"][0]
    return words.get(
        "task.description",
        summary=summary,
        systems=words.count("task.systems", len(board["rows"])),
        measure=first["label"] or first["measure"],
        topics=words.count("task.topics", board["topics"]),
    )


def _reported(text: str, labels: Labels, words: Texts) -> str:
    """Say a setting or a source of a number from elsewhere; `query_type=keyword` is a slice with words of the card."""
    told = []
    for part in text.split("; "):
        axis_id, _, value = part.partition("=")
        if axis_id in labels.axes:
            told.append(words.labelled(labels.axes[axis_id], labels.value(axis_id, value)))
        else:
            told.append(in_words(part, words.lang))
    return words.get("task.semicolon").join(told)


def _measures(task: Task, words: Texts) -> str:
    told = "".join(
        f"<dt>{escape(measure.heading)}{f' ({escape(measure.name)})' if measure.label else ''}"
        f"{' ' + blocks.badge(words.get('task.ranks')) if measure.is_primary else ''}</dt>"
        f"<dd>{escape(in_language(measure.words, words.lang))}</dd>"
        for measure in task.measures
    )
    rules = [words.get("task.rule_missing"), words.get("task.rule_ties")]
    if task.relevant_from != 1:
        rules.append(words.get("task.rule_relevant", grade=task.relevant_from))
    if task.remove_identical:
        rules.append(words.get("task.rule_identical"))
    return f"<dl>{told}</dl>{_list(rules)}"


def _data(task: Task, words: Texts, downloads: str) -> str:
    source = task.source
    entries = [
        ("task.data_version", escape(source.data_version or task.version)),
        ("task.data_languages", escape(", ".join(task.languages))),
        ("task.data_depth", escape(words.get("task.documents", n=format_number(task.depth, words.lang)))),
        ("task.data_licence", escape(source.licence or words.get("task.licence_unknown"))),
        ("task.data_paper", blocks.outside_link(source.paper) if source.paper else ""),
        ("task.data_site", blocks.outside_link(source.url) if source.url else ""),
        ("task.data_get", blocks.outside_link(source.data_url) if source.data_url else ""),
        ("task.data_files", downloads),
    ]
    told = "".join(f"<dt>{escape(words.get(key))}</dt><dd>{value}</dd>" for key, value in entries if value)
    return f'<dl class="q-pairs">{told}</dl>'


def _short_name(name: str) -> str:
    """Return what follows the benchmark in "Benchmark: target"; the whole where there is no colon."""
    tail = re.split(r"\s*[:：]\s*", name, maxsplit=1)[-1]
    return tail[:1].upper() + tail[1:]


def _section(title: str, content: str, *, place: str = "") -> str:
    anchor = f' id="{place}" tabindex="-1"' if place else ""
    return f"<section{anchor}><h2>{escape(title)}</h2>{content}</section>" if content else ""


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>" if text else ""


def _list(sentences: Iterable[str]) -> str:
    told = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f"<ul>{told}</ul>" if told else ""


def _bold(counted: str) -> str:
    """Print the number of a counted thing bold."""
    number, gap, rest = counted.partition(" ")
    return f"<b>{escape(number)}</b>{gap}{escape(rest)}"
