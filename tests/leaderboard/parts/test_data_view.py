"""What a submitter is handed: examples, downloads, the line column by column, what is hidden."""

from dataclasses import replace
from typing import Any

from leaderboard.parts.data_view import Kit, data_card, help_panel
from leaderboard.texts import texts
from tests.builders import a_task, some_facts

EN = texts("en")
SIZES = {"max_upload_bytes": 256_000_000, "max_unpacked_bytes": 2_000_000_000}
LINE = ("t1", "Q0", "p000220", "1", "5.0", "example")


def a_kit(**fields: Any) -> Kit:
    kit = Kit(a_task(), some_facts(n_topics=1420), LINE, "./examples/toy.run", "./toy", None)
    return replace(kit, **fields)


def test_card_shows_one_topic_id_and_one_document_id() -> None:
    card = data_card(a_kit(), EN)

    assert "<code>t1</code>" in card
    assert "<code>p000220</code>" in card
    assert "1,420" in card


def test_document_id_that_the_host_gives_comes_first() -> None:
    task = a_task()
    kit = a_kit(task=replace(task, source=replace(task.source, example_document="doc-of-the-host")))

    assert "<code>doc-of-the-host</code>" in data_card(kit, EN)


def test_example_run_can_be_downloaded_where_there_is_one() -> None:
    assert 'href="./examples/toy.run" download' in data_card(a_kit(), EN)
    assert "download" not in data_card(a_kit(example_href=None), EN)


def test_closed_uploads_are_said_before_a_file_is_chosen() -> None:
    card = data_card(a_kit(facts=None, closed="No judgements."), EN)

    assert "Uploads are closed for this task" in card
    assert "No judgements." in card


def test_card_says_what_kind_of_gold_there_is() -> None:
    assert "sample: made-up topics" in data_card(a_kit(facts=some_facts(is_sample=True)), EN)
    assert "sealed: only the host" in data_card(a_kit(facts=some_facts(kind="sealed")), EN)
    assert "open: the judgements" in data_card(a_kit(), EN)


def test_help_explains_every_column_with_a_line_of_this_task() -> None:
    panel = help_panel(a_kit(), EN, **SIZES)

    for field in LINE:
        assert f"<code>{field}</code>" in panel
    assert panel.count('<th scope="row">') == 6


def test_help_has_a_line_where_there_is_no_example_run() -> None:
    assert "<code>doc7</code>" in help_panel(a_kit(example_line=None), EN, **SIZES)


def test_help_names_limits_in_the_readers_units() -> None:
    panel = help_panel(a_kit(), texts("fr"), **SIZES)

    assert "256\u202fMo" in panel
    assert "2,0\u202fGo" in panel


def test_sealed_gold_hides_single_topics() -> None:
    assert "every number of a single topic" in help_panel(a_kit(task=a_task(gold="sealed")), EN, **SIZES)
    assert "every number of a single topic" not in help_panel(a_kit(), EN, **SIZES)


def test_words_of_cards_and_runs_are_escaped() -> None:
    hostile = "<img src=x>"
    task = a_task(summary={"en": hostile})
    kit = a_kit(
        task=replace(task, source=replace(task.source, licence=hostile, data_version=hostile, data_url="javascript:x")),
        example_line=(hostile,) * 6,
        facts=some_facts(example_topic_id=hostile),
        closed=hostile,
    )

    made = data_card(kit, EN) + help_panel(kit, EN, **SIZES)

    assert "<img" not in made
    assert 'href="javascript' not in made
