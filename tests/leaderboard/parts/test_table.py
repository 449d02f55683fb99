"""The board's text for the browser, its caption, and the plain table without scripts."""

import gzip
import json
import random
import re
import time
from typing import Any

import pytest

from leaderboard.parts.board_text import short_text
from leaderboard.parts.table import MOST_WHOLE, Labels, Links, caption, payload, plain_table
from leaderboard.texts import LANGUAGES, texts
from tests.leaderboard.parts.boards import HOSTILE, LABELS, a_board, a_row

LINKS = Links(system="./system?id=SYSTEM", submit="./submit?task=toy")


def test_payload_holds_the_revision_as_it_is_and_the_words_around_it() -> None:
    body = json.dumps(a_board())

    text = payload(body, LABELS, texts("fr"), LINKS)

    page = json.loads(text)
    assert body in text
    assert page["board"] == a_board()
    assert page["lang"] == "fr"
    assert page["words"]["rank"] == "Rang"
    assert page["labels"]["values"]["kind"]["easy"] == "Easy"
    assert page["labels"]["means"] == {"macro:kind": "moyenne par kind"}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_payload_has_every_word_that_the_script_asks_for(lang: str) -> None:
    from_file = set(texts(lang).section("table"))

    assert {"rank", "system", "answered_of", "show_all", "count", "nothing_found", "no_rows", "too_few"} <= from_file


def test_caption_names_task_measure_topics_gold_and_day() -> None:
    assert caption(a_board(), LABELS, texts("en")) == (
        "Toy: n@10, mean by kind. 120 topics, gold 2026.1 · sha256:ab12cd, updated 2026-11-30; higher is better."
    )


def test_caption_says_sample_where_the_gold_is_made_up() -> None:
    gold = {"version": "sample", "kind": "open", "is_sample": True, "fingerprint": "sha256:ab"}

    assert "gold sample," in caption(a_board(gold=gold), LABELS, texts("en"))


def test_plain_table_writes_the_first_rows_in_the_readers_language() -> None:
    rows = [a_row(rank, f"System {rank}", 0.9 - rank / 100) for rank in range(1, 13)]

    html = plain_table(a_board(rows), LABELS, texts("fr"), LINKS)

    assert len(re.findall("<tr>", html)) == 11
    assert "0,890" in html
    assert '<a href="./system?id=sys1">System 1</a>' in html
    assert "Les 10 premiers systèmes" in html


def test_plain_table_shows_missing_values_and_hostile_names_as_text() -> None:
    html = plain_table(a_board([a_row(name=HOSTILE, score=None)]), LABELS, texts("en"), LINKS)

    assert "<img" not in html
    assert html.count("—") == 2
    assert "n/a" in html


def test_plain_table_of_a_board_without_rows_is_nothing() -> None:
    assert plain_table(a_board([]), LABELS, texts("en"), LINKS) == ""


def test_label_that_the_card_lacks_is_the_value_itself() -> None:
    assert Labels(task="Toy").value("kind", "easy") == "easy"
    assert Labels(task="Toy").heading("RR") == "RR"


def test_sealed_board_shows_its_digits() -> None:
    assert ">0.50<" in plain_table(a_board(digits=2), LABELS, texts("en"), LINKS)


def test_long_board_leaves_its_slices_for_later() -> None:
    rows = [a_row(n, f"S{n}", 0.5, slice_intervals={}, slice_ranks={}) for n in range(1, MOST_WHOLE + 2)]

    long = json.loads(payload(json.dumps(a_board(rows)), LABELS, texts("en"), LINKS))
    short = json.loads(payload(json.dumps(a_board(rows[:-1])), LABELS, texts("en"), LINKS))

    assert long["whole"] == "./boards/toy.json"
    assert not {"slices", "slice_intervals", "slice_ranks"} & long["board"]["rows"][0].keys()
    assert long["board"]["rows"][0]["scores"] == [0.5, 0.4]
    assert long["board"]["columns"] == short["board"]["columns"]
    assert short["whole"] == ""
    assert "slices" in short["board"]["rows"][0]


def long_board(n_columns: int, n_values: int) -> dict[str, Any]:
    """Five hundred systems with intervals everywhere, and slices of one axis by four measures."""
    draws = random.Random(5)
    columns = [{"id": f"M{n}", "measure": f"M{n}", "label": None, "mean": "topics"} for n in range(n_columns)]
    values = [{"id": f"v{n}", "topics": 100, "groups": None, "enough": True, "digits": 3} for n in range(n_values)]
    axis = {"id": "kind", "ordinal": False, "chart": "heatmap", "values": values}

    def ends(score: float) -> list[float]:
        return [round(score - draws.uniform(0.005, 0.02), 6), round(score + draws.uniform(0.005, 0.02), 6)]

    rows = []
    for place in range(1, 501):
        scores = [draws.random() for _ in columns]
        cells = [[draws.random() for _ in range(4)] for _ in values]
        facts = {
            "id": f"{draws.getrandbits(96):024x}",
            "system": f"{draws.getrandbits(96):024x}",
            "params_millions": float(draws.randrange(1, 9000)),
            "submitted_at": f"2026-{draws.randrange(1, 12):02d}-{draws.randrange(1, 28):02d}T08:00:00Z",
            "rank_interval": [max(1, place - draws.randrange(9)), place + draws.randrange(9)],
            "tied_with_first": place < 4,
            "intervals": [ends(score) for score in scores],
            "slices": {"kind": cells},
            "slice_intervals": {"kind": [ends(cell[0]) for cell in cells]},
            "slice_ranks": {"kind": [[place, place, place + 3] for _ in cells]},
        }
        rows.append(a_row(place, f"vendor-{place % 83}/model-{place}", scores=scores, **facts))
    return a_board(rows, columns=columns, axes=[axis], measures=[f"M{n}" for n in range(4)])


def packed(text: str) -> int:
    return len(gzip.compress(text.encode(), 5))


def test_page_of_500_systems_and_30_columns_with_intervals_gets_at_most_150_kilobytes() -> None:
    body = json.dumps(long_board(30, 0), separators=(",", ":"))

    assert packed(payload(body, LABELS, texts("en"), LINKS)) <= 150_000
    assert packed(body) > 150_000


def test_breakdown_of_500_systems_into_26_slices_comes_in_parts() -> None:
    body = json.dumps(long_board(4, 26), separators=(",", ":"))

    assert packed(payload(body, LABELS, texts("en"), LINKS)) <= 60_000
    assert packed(short_text(body, "kind")) < 0.5 * packed(body)


def test_board_of_500_by_14_is_made_quickly_and_is_under_a_megabyte() -> None:
    values = [{"id": f"v{n}", "topics": 100, "groups": None, "enough": True} for n in range(14)]
    axis = {"id": "kind", "ordinal": False, "chart": "heatmap", "values": values}
    rows = [a_row(n, f"S{n}", 0.5, slices={"kind": [[0.1, 0.2]] * 14}) for n in range(1, 501)]
    board = a_board(rows, axes=[axis])
    body = json.dumps(board)
    began = time.process_time()

    text = payload(body, LABELS, texts("en"), LINKS)
    plain = plain_table(board, LABELS, texts("en"), LINKS)

    assert time.process_time() - began < 0.3
    assert len(text) + len(plain) < 1_000_000
