"""The importer of IRSC on small files in a layout that only the mapping knows."""

import json
from pathlib import Path

import pytest

from data.gold import GoldSource, open_gold
from data.importers.irsc import main
from tests.data.makers import shipped

MAPPING = """\
[topics]
files = ["en.jsonl", "rest.csv"]
id = "key"
query_type = "kind"
query_language = "asked in"
document_language = "answered in"

[qrels]
files = ["judged.csv"]
topic = "who"
document = "what"
grade = "how"

[query_types]
question = "query"

[languages]
English = "en"
Chinese = "zh"
"""
TOPICS = [
    {"key": "t1", "kind": "question", "asked in": "English", "answered in": "English", "words": "secret text"},
    {"key": "t2", "kind": "title", "asked in": "English", "answered in": "zh"},
]
REST = "key,kind,asked in,answered in\nt3,keyword,Chinese,Chinese\nt9,part,en,en\n"
JUDGED = "how,what,who\n1,d1,t1\n1,d2,t2\n1,d2,t2\n1.0,d3,t3\n1,d4,t4\n"


def a_source(folder: Path, *, mapping: str = MAPPING, rest: str = REST, judged: str = JUDGED) -> list[str]:
    """Write the files; returns the arguments of the command."""
    (folder / "en.jsonl").write_text("".join(json.dumps(row) + "\n" for row in TOPICS), encoding="utf-8")
    (folder / "rest.csv").write_text(rest, encoding="utf-8")
    (folder / "judged.csv").write_text(judged, encoding="utf-8")
    (folder / "map.toml").write_text(mapping, encoding="utf-8")
    return [str(folder), str(folder / "gold"), "--mapping", str(folder / "map.toml")]


def test_files_become_gold_that_fits_the_shipped_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(a_source(tmp_path)) == 0

    gold = open_gold(shipped("irsc"), GoldSource(str(tmp_path / "gold")))
    assert gold.qrels.topic_ids == ("t1", "t2", "t3")
    assert gold.topics.axes["query_type"] == (("query",), ("title",), ("keyword",))
    assert gold.topics.axes["language"] == (("en",), ("mixed",), ("zh",))
    said = capsys.readouterr().out
    assert "3 topics, 3 judgements" in said
    assert "language: en 1, mixed 1, zh 1" in said
    for dropped in (
        "1 judgements that repeat an earlier one",
        "1 grades written with a decimal point",
        "1 topics without a judgement",
        "1 judged topics that the topics' files do not have",
    ):
        assert dropped in said
    assert "secret text" not in (tmp_path / "gold" / "irsc" / "topics.jsonl").read_text(encoding="utf-8")


def test_trec_columns_need_no_names(tmp_path: Path) -> None:
    arguments = a_source(tmp_path, mapping=MAPPING.replace("judged.csv", "judged.trec"))
    (tmp_path / "judged.trec").write_text("t1 0 d1 1\nt3 0 d3 2\n", encoding="utf-8")

    assert main(arguments) == 0
    assert open_gold(shipped("irsc"), GoldSource(str(tmp_path / "gold"))).qrels.topic_ids == ("t1", "t3")


def test_every_fault_of_the_files_is_named_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rest = "key,kind,asked in,answered in\nt3,riddle,Chinese,Klingon\n,part,en,en\nt1,part,en,en\n"
    judged = "how,what,who\n1,d1,t1\n0.5,d1,t2\n"

    assert main(a_source(tmp_path, rest=rest, judged=judged)) == 1

    said = capsys.readouterr().err
    for place in (
        "judged.csv, line 3: ",
        "rest.csv, line 2: 'riddle' is not in [query_types]",
        "rest.csv, line 2: 'Klingon' is not in [languages]",
        "rest.csv, line 3: has no value in the column key",
        "rest.csv, line 4: topic t1 stands twice",
    ):
        assert place in said, said
    assert not (tmp_path / "gold").exists()


def test_every_fault_of_the_mapping_is_named_by_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mapping = MAPPING.replace('"rest.csv"', '"gone.csv"').replace("query_type =", "query_typ =").replace('"zh"', '"cn"')

    assert main(a_source(tmp_path, mapping=mapping)) == 1

    said = capsys.readouterr().err
    assert 'key "topics.files" names gone.csv' in said
    assert 'key "topics.query_type" is missing' in said
    assert 'key "languages.Chinese" is "cn"' in said
