"""What stands around a board: facts, family switch, About tab, numbers from elsewhere."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from data.cards import load_card, load_catalogue
from data.published import PublishedRow, in_words, read_published
from leaderboard.parts import task_view
from leaderboard.texts import LANGUAGES, texts
from tests.leaderboard.parts.boards import HOSTILE, LABELS, a_board, a_row

TASKS = Path(__file__).resolve().parents[3] / "data" / "tasks"
CATALOGUE = load_catalogue([TASKS])
EN = texts("en")


def a_published(system: str = "BGE", measure: str = "R@10", value: float = 0.5, **fields: str) -> PublishedRow:
    return PublishedRow(system, None, measure, value, fields.get("setting", ""), fields.get("source", "arXiv:1"))


def test_pitfalls_come_before_everything_else() -> None:
    html = task_view.about(CATALOGUE["irsc"], EN, downloads="")

    places = [html.index(EN.get(f"task.{key}")) for key in ("pitfalls", "what", "measures", "data", "cite")]
    assert places == sorted(places)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("task_id", CATALOGUE)
def test_about_holds_every_measure_in_words_and_the_citation(task_id: str, lang: str) -> None:
    task = CATALOGUE[task_id]

    html = task_view.about(task, texts(lang), downloads="")

    for measure in task.measures:
        assert f"<dt>{measure.heading}" in html
    assert ("data-q-copy" in html) == bool(task.source.bibtex)


def test_family_switch_marks_the_present_task_and_names_targets_briefly() -> None:
    family = [task for task in CATALOGUE.values() if task.family == "alloprof"] or [
        task for task in CATALOGUE.values() if task.family
    ]

    html = task_view.family_switch(family[0], family, {task.id: f"./{task.id}" for task in family}, EN)

    assert html.count("<a ") == len(family)
    assert html.count('aria-current="page"') == 1
    assert ">Reference pages</a>" in html


def test_task_on_its_own_has_no_switch() -> None:
    task = CATALOGUE["irsc"]

    assert task_view.family_switch(task, [task], {"irsc": "./irsc"}, EN) == ""


def test_facts_say_topics_systems_measure_and_gold_version() -> None:
    task = CATALOGUE["irsc"]
    facts = " ".join(task_view.fact_line(task, a_board(), task_view.labels_of(task, EN), EN, changes="./history"))

    assert "<b>120</b> topics" in facts
    assert "<b>1</b> system" in facts
    assert "<b>2026.1 · sha256:ab12cd</b>" in facts
    assert "open gold" in facts


def test_sample_gold_is_marked_in_the_facts() -> None:
    task = CATALOGUE["irsc"]
    board = a_board(gold={"version": "sample", "kind": "open", "is_sample": True, "fingerprint": ""})

    assert ">sample</span>" in " ".join(
        task_view.fact_line(task, board, task_view.labels_of(task, EN), EN, changes="./history")
    )


def test_legend_explains_the_badges_that_are_on_the_board() -> None:
    assert "baseline" not in task_view.legend(a_board(), EN)
    assert "baseline:" in task_view.legend(a_board([a_row(is_baseline=True)]), EN)


def test_legend_of_a_sealed_board_says_which_topics_are_counted_where() -> None:
    board = a_board()
    sealed = {**board, "gold": {**board["gold"], "kind": "sealed"}, "topics": 600}

    assert "are of the 600 topics of one half" in task_view.legend(sealed, EN)
    assert "one half" not in task_view.legend(board, EN)


def test_numbers_from_elsewhere_are_said_not_to_be_scored_here() -> None:
    rows = [a_published(measure="R@10", value=0.5), a_published(measure="AP@10", value=0.25), a_published("Other")]

    html = task_view.elsewhere(rows, LABELS, EN)

    assert "Reported elsewhere, not scored here" in html
    assert '<th scope="row">BGE</th><td class="is-number">0.500</td><td class="is-number">0.250</td>' in html
    assert '<th scope="row">Other</th><td class="is-number">0.500</td><td class="is-number">—</td>' in html


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", ["Query type: Keywords", "arXiv:1 text; published on a 0-100 scale"]),
        ("fr", ["Type de requête\u202f: Mots-clés", "arXiv:1, dans le texte\u202f; publié sur une échelle de 0 à 100"]),
        ("zh", ["查询类型：关键词", "arXiv:1 正文；原文按 0–100 分制发表"]),
    ],
)
def test_settings_and_sources_are_said_in_the_readers_language(lang: str, said: list[str]) -> None:
    words = texts(lang)
    row = a_published(setting="query_type=keyword", source="arXiv:1 text; published on a 0-100 scale")

    html = task_view.elsewhere([row], task_view.labels_of(CATALOGUE["irsc"], words), words)

    assert re.findall(r'<span class="q-cell-text">(.*?)</span>', html) == said


@pytest.mark.parametrize("task_id", CATALOGUE)
def test_every_published_setting_and_source_has_words_in_every_language(task_id: str) -> None:
    rows = read_published(TASKS.parent / "published", task_id)
    parts = {part for row in rows for text in (row.setting, row.source) for part in text.split("; ") if " " in part}

    same = [part for part in parts if part in (in_words(part, "fr"), in_words(part, "zh"))]

    assert [part for part in same if not part.startswith("arXiv:")] == []


def test_no_numbers_from_elsewhere_leave_nothing() -> None:
    assert task_view.elsewhere([], LABELS, EN) == ""


def test_markup_in_a_card_or_a_source_shows_as_text(tmp_path: Path) -> None:
    card = load_card(TASKS / "irsc")
    hostile = replace(card, name={"en": HOSTILE}, summary={"en": HOSTILE}, pitfalls={"en": (HOSTILE,)})

    html = task_view.about(hostile, EN, downloads="")
    html += task_view.elsewhere([a_published(HOSTILE, setting=HOSTILE, source=HOSTILE)], LABELS, EN)
    html += task_view.family_switch(hostile, [hostile, card], {"irsc": "./irsc"}, EN)

    assert "<img" not in html


def test_description_is_a_plain_sentence_for_previews() -> None:
    assert task_view.description(CATALOGUE["irsc"], a_board(), EN).endswith(
        "Leaderboard with 1 system, ranked by n@10, on 120 topics."
    )
