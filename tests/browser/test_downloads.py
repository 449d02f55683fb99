"""The view of a board as a file: what spreadsheets, programs, papers and notes get of it."""

import csv
import io
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.drawn import ADDRESS, draw, sure_board
from tests.leaderboard.parts.boards import a_board, a_row

pytestmark = pytest.mark.browser

SEALED = {"version": "2026.1", "kind": "sealed", "is_sample": False, "fingerprint": "sha256:ab"}
FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", " =2+2", "\uff1d3+3"]
NASTY = 'A & B_1 100% #2 {x} ~ ^ \\ $y$ | <b> `c` *d* [e] "f"'


def saved(page: Page, name: str) -> tuple[str, str]:
    with page.expect_download() as download:
        page.get_by_role("button", name=f"Download {name}").click()
    return Path(download.value.path()).read_bytes().decode(), download.value.suggested_filename


def table(page: Page) -> list[dict[str, str]]:
    text, _ = saved(page, "CSV")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def finite(value: Any) -> Any:
    raise AssertionError(f"no number: {value}")


def test_csv_has_full_precision_and_intervals_on_open_gold(page: Page) -> None:
    draw(page, sure_board())

    lines = table(page)

    assert lines[0]["nDCG@10"] == "0.812345678"
    assert float(lines[0]["nDCG@10_low"]) == pytest.approx(0.802345678)
    assert (lines[1]["rank"], lines[1]["rank_low"], lines[1]["rank_high"]) == ("2", "1", "2")
    assert [line["params_millions"] for line in lines] == ["7100", "568", "", ""]
    assert [line["open_weights"] for line in lines] == ["true", "false", "", ""]


def test_csv_has_the_shown_digits_on_sealed_gold(page: Page) -> None:
    draw(page, a_board([a_row(score=0.8123), a_row(2, "Other", 0.7)], gold=SEALED, digits=2))

    assert [line["nDCG@10"] for line in table(page)] == ["0.81", "0.7"]


def test_csv_keeps_formulas_as_text_and_missing_numbers_empty(page: Page) -> None:
    rows = [a_row(place + 1, name, None) for place, name in enumerate(FORMULAS)]
    draw(page, a_board([*rows, a_row(9, 'Quote "q", and\nline', -0.5, answered=0)]))

    lines = table(page)

    assert [line["system"] for line in lines[:-1]] == [f"'{name}" for name in FORMULAS]
    assert lines[-1]["system"] == 'Quote "q", and\nline'
    assert lines[-1]["nDCG@10"] == "-0.5"
    assert lines[0]["nDCG@10"] == ""


def test_file_holds_the_view_all_its_rows_and_nothing_else(page: Page) -> None:
    board = a_board([a_row(n, f"System {n}", 0.9 - n / 100) for n in range(1, 41)])
    draw(page, board, f"{ADDRESS}?by=kind&hide=params,date&sort=nDCG%4010&dir=asc&q=system&pin=id5")

    lines = table(page)

    assert len(lines) == 40
    assert [line["rank"] for line in lines[:3]] == ["5", "40", "39"]
    assert "params_millions" not in lines[0]
    assert {"kind:easy", "kind:hard", "kind:rare"} <= set(lines[0])


def test_json_is_strict_and_says_where_it_comes_from(page: Page) -> None:
    draw(page, sure_board(), f"{ADDRESS}?q=a")

    text, name = saved(page, "JSON")

    whole = json.loads(text, parse_constant=finite)
    assert name == "toy-2026.1.json"
    assert whole["link"] == f"{ADDRESS}?q=a&rev=3"
    assert whole["gold"]["version"] == "2026.1"
    assert [column["id"] for column in whole["columns"]] == ["nDCG@10", "R@10"]
    assert [row["system"] for row in whole["rows"]] == ["Alpha", "Beta", "Gamma"]
    assert whole["rows"][2]["params_millions"] is None


def test_markdown_is_one_table_with_caption_and_link(page: Page) -> None:
    draw(page, a_board([a_row(name=NASTY, score=0.5), a_row(2, "Other", 0.4)]))

    text, _ = saved(page, "Markdown")

    caption, _, *lines = text.splitlines()
    assert caption.endswith(f"<{ADDRESS}?rev=3>")
    assert "gold 2026.1" in caption
    cells = [len(re.split(r"(?<!\\)\|", line)) for line in lines]
    assert len(set(cells)) == 1
    assert "**0.500**" in lines[2]
    assert "<b>" not in lines[2]


def test_latex_has_rules_caption_gold_and_link(page: Page) -> None:
    draw(page, sure_board(), f"{ADDRESS}?hide=answered,params,date")

    text, name = saved(page, "LaTeX")

    assert name == "toy-2026.1.tex"
    assert all(rule in text for rule in ("\\toprule", "\\midrule", "\\bottomrule", "booktabs"))
    assert re.search(r"\\caption\{Toy: n@10, mean by kind\. 120 topics, gold 2026\.1 .*toy\?.*hide=", text)
    assert "2 {\\scriptsize (1--2)} & Beta 1.0 & 0.800 {\\scriptsize [0.790, 0.810]} &" in text
    assert "\\textbf{0.812}" in text


def nasty_board(page: Page) -> Page:
    return draw(page, a_board([a_row(name=NASTY), a_row(2, "Other", None)]), f"{ADDRESS}?q=&hide=date&x=a_b%25~%23")


def test_latex_of_any_name_has_its_cells_and_no_stray_sign(page: Page) -> None:
    nasty_board(page)

    text, _ = saved(page, "LaTeX")

    body = re.search(r"\\midrule\n(.*)\\bottomrule", text, re.DOTALL)
    assert body is not None
    assert [line.count(" & ") for line in body[1].strip().splitlines()] == [5, 5]
    assert re.search(r"(?<!\\)[%#_]", text.split("\n", 1)[1]) is None


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex here")
def test_latex_of_any_name_can_be_typeset(page: Page, tmp_path: Path) -> None:
    text, _ = saved(nasty_board(page), "LaTeX")

    packages = "\\documentclass{article}\\usepackage[utf8]{inputenc}\\usepackage[T1]{fontenc}\\usepackage{booktabs}"
    (tmp_path / "t.tex").write_text(f"{packages}\\begin{{document}}{text}\\end{{document}}")
    subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"], cwd=tmp_path, check=True)
