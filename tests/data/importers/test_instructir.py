import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from data.gold import Gold, GoldSource, open_gold
from data.importers.instructir import download, import_instructir, main
from evaluation import GoldError, evaluate, read_run
from tests.cases import cases as cases_folder
from tests.data.fake_hub import NAME, SHA, a_hub
from tests.data.makers import shipped

INSTRUCTIONS = [
    {"_id": "7_1", "text": "I am a cook.", "metadata": {"origin_query": "what is salt"}},
    {"_id": "7_2", "text": "I am a chemist.", "metadata": {"origin_query": "what is salt"}},
    {"_id": "9_1", "text": "I am a child.", "metadata": {"origin_query": "who was nero"}},
]
QUESTIONS = [{"_id": "7", "text": "what is salt", "metadata": {}}, {"_id": "9", "text": "who was nero", "metadata": {}}]
TYPES = [
    {"_id": "7", "text": "what is salt", "metadata": {"query_type": "DESCRIPTION"}},
    {"_id": "9", "text": "who was nero", "metadata": {"query_type": "PERSON"}},
]
QRELS = "qid\tpid\tscore\n7_1\t70_1\t1\n7_2\t70_2\t1\n9_1\t90_1\t1\n"

FLAT = {
    "qrels": "qrels_test.tsv",
    "instructions": "only_instruction_queries.jsonl",
    "questions": "only_queries.jsonl",
    "types": "msmarco_filtered_queries.jsonl",
}
UPSTREAM = {
    "qrels": "INSTRUCTIR/qrels/test.tsv",
    "instructions": "INSTRUCTIR/only_instruction_queries.jsonl",
    "questions": "INSTRUCTIR/only_queries.jsonl",
    "types": "data_creation/msmarco/filtered_version/queries.jsonl",
}


def lines(rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


CONTENT = {"qrels": QRELS, "instructions": lines(INSTRUCTIONS), "questions": lines(QUESTIONS), "types": lines(TYPES)}


def a_copy(folder: Path, layout: Mapping[str, str] = FLAT, **content: str | None) -> Path:
    """Write the upstream files; a content of None leaves one out."""
    for name, text in {**CONTENT, **content}.items():
        if text is not None:
            path = folder / layout[name]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return folder


def rows_of(package: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (package / "topics.jsonl").read_text(encoding="utf-8").splitlines()]


def test_topics_keep_their_ids_and_get_group_type_and_group_size(tmp_path: Path) -> None:
    import_instructir(a_copy(tmp_path / "source"), tmp_path / "out")

    assert rows_of(tmp_path / "out") == [
        {"topic_id": "7_1", "group": "7", "query_type": "DESCRIPTION", "group_size": "2"},
        {"topic_id": "7_2", "group": "7", "query_type": "DESCRIPTION", "group_size": "2"},
        {"topic_id": "9_1", "group": "9", "query_type": "PERSON", "group_size": "1"},
    ]


def test_flat_folder_repository_and_its_inner_folder_give_the_same_package(tmp_path: Path) -> None:
    repository = a_copy(tmp_path / "repository", UPSTREAM)
    sources = [a_copy(tmp_path / "flat"), repository, repository / "INSTRUCTIR"]
    for number, source in enumerate(sources):
        import_instructir(source, tmp_path / str(number))

    packages = [{path.name: path.read_bytes() for path in (tmp_path / str(n)).iterdir()} for n in range(3)]

    assert packages[0] == packages[1] == packages[2]


def test_question_is_taken_from_the_text_where_the_metadata_does_not_have_it(tmp_path: Path) -> None:
    joined = [
        {"_id": row["_id"], "text": f"{row['text']} [SEP] {row['metadata']['origin_query']}"} for row in INSTRUCTIONS
    ]  # type: ignore[index]
    import_instructir(a_copy(tmp_path / "plain"), tmp_path / "a")

    import_instructir(a_copy(tmp_path / "joined", instructions=lines(joined)), tmp_path / "b")

    assert rows_of(tmp_path / "b") == rows_of(tmp_path / "a")


def test_group_is_the_part_before_the_number_where_no_questions_are_listed(tmp_path: Path) -> None:
    import_instructir(a_copy(tmp_path / "source", questions=None), tmp_path / "out")

    assert [row["group"] for row in rows_of(tmp_path / "out")] == ["7", "7", "9"]


def test_group_follows_the_question_and_not_the_topic_id(tmp_path: Path) -> None:
    instructions = lines([*INSTRUCTIONS, {**INSTRUCTIONS[0], "_id": "8_1"}])
    source = a_copy(tmp_path / "source", instructions=instructions, qrels=QRELS + "8_1\t80_1\t1\n")

    report = import_instructir(source, tmp_path / "out")

    assert [row["group"] for row in rows_of(tmp_path / "out")] == ["7", "7", "9", "7"]
    assert "1 topics whose id does not begin with their question's id: grouped by question" in report.lines


def test_what_does_not_belong_together_is_dropped_and_counted(tmp_path: Path) -> None:
    source = a_copy(
        tmp_path / "source",
        instructions=lines([*INSTRUCTIONS, {**INSTRUCTIONS[0], "_id": "7_3"}]),
        qrels=QRELS + "5_1\t50_1\t1\n6_1\t60_1\t1\n",
    )

    report = import_instructir(source, tmp_path / "out")

    assert (report.n_topics, report.n_without_judgement, report.n_without_instruction) == (3, 1, 2)
    assert "1 instructions without a judgement: dropped" in report.lines
    assert "2 judged topics without an instruction: dropped" in report.lines


def test_question_without_a_type_is_kept_as_unspecified_and_counted(tmp_path: Path) -> None:
    report = import_instructir(a_copy(tmp_path / "source", types=lines(TYPES[:1])), tmp_path / "out")

    assert report.query_types == {"DESCRIPTION": 2, "unspecified": 1}
    assert report.n_without_query_type == 1


REFUSED = {
    "no judgements": ({"qrels": None}, "found none of INSTRUCTIR/qrels/test.tsv"),
    "no instructions": ({"instructions": None}, "found none of INSTRUCTIR/only_instruction_queries.jsonl"),
    "a grade with a fraction": ({"qrels": QRELS.replace("70_2\t1", "70_2\t0.5")}, "qrels_test.tsv, line 3"),
    "a line that is no JSON": ({"instructions": "{\n"}, "only_instruction_queries.jsonl, line 1: is not a JSON object"),
    "an instruction without a question": (
        {"instructions": '{"_id": "7_1", "text": "I am a cook."}\n'},
        "only_instruction_queries.jsonl, line 1: expected _id",
    ),
    "a type that is none": ({"types": '{"_id": "7", "metadata": {}}\n'}, "msmarco_filtered_queries.jsonl, line 1"),
    "files of two data sets": ({"qrels": "qid\tpid\tscore\nx_1\ty_1\t1\n"}, "do the files belong together?"),
}


@pytest.mark.parametrize(("content", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_source_that_is_not_upstream_is_refused_with_file_and_line(
    tmp_path: Path, content: dict[str, str | None], says: str
) -> None:
    source = a_copy(tmp_path / "source", **content)

    with pytest.raises(GoldError) as refusal:
        import_instructir(source, tmp_path / "out")

    assert says in str(refusal.value)
    assert not (tmp_path / "out").exists()


def test_command_writes_the_package_and_prints_what_is_in_it(tmp_path: Path) -> None:
    source = a_copy(tmp_path / "source")
    command = [sys.executable, "-m", "data.importers.instructir", str(source), str(tmp_path / "gold"), "--task", "mine"]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "3 topics in 2 groups"
    assert len(rows_of(tmp_path / "gold" / "mine")) == 3


def test_command_ends_with_1_and_a_sentence_where_the_source_cannot_be_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([str(tmp_path), str(tmp_path / "gold")])

    said = capsys.readouterr()
    assert (code, said.out) == (1, "")
    assert "Give a copy of the repository" in said.err


def test_files_of_the_hub_give_the_same_topics(tmp_path: Path) -> None:
    layout = {**UPSTREAM, **{name: path.removeprefix("INSTRUCTIR/") for name, path in UPSTREAM.items()}}
    import_instructir(a_copy(tmp_path / "local", types=None), tmp_path / "a")
    files = {layout[name]: text.encode() for name, text in CONTENT.items() if name != "types"}

    with a_hub({**files, "corpus.jsonl": b"not wanted"}, is_public=True) as hub:
        folder = download(NAME, tmp_path / "copy", revision=SHA, endpoint=hub.endpoint)

    import_instructir(folder, tmp_path / "b")
    assert rows_of(tmp_path / "b") == rows_of(tmp_path / "a")
    assert not (folder / "corpus.jsonl").exists()


def test_hub_that_refuses_is_named(tmp_path: Path) -> None:
    with a_hub({}) as hub, pytest.raises(GoldError, match=rf"{NAME} at {SHA[:12]} could not be fetched"):
        download(NAME, tmp_path / "copy", revision=SHA, endpoint=hub.endpoint)


@pytest.fixture(scope="module")
def cases() -> Path:
    return cases_folder()


@pytest.fixture(scope="module")
def real_gold(cases: Path, tmp_path_factory: pytest.TempPathFactory) -> Gold:
    out = tmp_path_factory.mktemp("gold")
    report = import_instructir(cases / "benchmarks" / "instructir", out / "instructir")
    assert report.lines[3:] == ()
    return open_gold(shipped("instructir"), GoldSource(str(out)))


def test_real_files_give_all_topics_groups_and_types(real_gold: Gold) -> None:
    groups = real_gold.topics.groups or ()
    types = Counter(values[0] for values in real_gold.topics.axes["query_type"])
    types_of_groups = Counter(
        dict(zip(groups, (values[0] for values in real_gold.topics.axes["query_type"]), strict=True)).values()
    )

    assert (real_gold.qrels.n_topics, len(set(groups))) == (9906, 1267)
    assert types == {"DESCRIPTION": 4845, "NUMERIC": 2619, "LOCATION": 1295, "ENTITY": 787, "PERSON": 360}
    assert types_of_groups == {"DESCRIPTION": 621, "NUMERIC": 338, "LOCATION": 158, "ENTITY": 102, "PERSON": 48}


def test_real_groups_are_the_part_of_the_topic_id_before_its_number(real_gold: Gold) -> None:
    parts = tuple(topic_id.rpartition("_")[0] for topic_id in real_gold.qrels.topic_ids)

    assert real_gold.topics.groups == parts


def test_real_gold_gives_its_host_nothing_to_mend(real_gold: Gold) -> None:
    assert real_gold.notices == ()


def test_real_upstream_layout_gives_the_same_fingerprint(cases: Path, real_gold: Gold, tmp_path: Path) -> None:
    flat = cases / "benchmarks" / "instructir"
    for name, path in UPSTREAM.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(flat / FLAT[name], tmp_path / path)

    import_instructir(tmp_path, tmp_path / "gold" / "instructir")

    gold = open_gold(shipped("instructir"), GoldSource(str(tmp_path / "gold")))
    assert gold.fingerprint == real_gold.fingerprint


@pytest.mark.parametrize("number", [0, 1])
def test_scores_on_the_real_gold_are_the_expected_ones(
    cases: Path, real_gold: Gold, tmp_path: Path, number: int
) -> None:
    flat = cases / "benchmarks" / "instructir"
    expected = json.loads((flat / "expected.json").read_text(encoding="utf-8"))[number]
    options = expected["made_with"].split(" OUT ")[1].split()
    tool = cases / "tools" / "make_instructir_run.py"
    subprocess.run(
        [sys.executable, str(tool), str(flat / "qrels_test.tsv"), str(tmp_path / "run"), *options], check=True
    )

    with (tmp_path / "run").open("rb") as stream:
        reading = read_run(stream, qrels=real_gold.qrels, depth=1000)
    measures = ("nDCG@10", "Robustness@10", "GroupMean(nDCG@10)", "AP@10", "R@10", "RR", "nDCG")
    scores = evaluate(real_gold.qrels, reading, measures, topics=real_gold.topics, axes=["query_type"])

    assert scores.n_answered == expected["answered"]
    wanted = {name: expected["group_mean" if name.startswith("Group") else name] for name in measures}
    assert scores.means == pytest.approx(wanted, abs=1e-12)
    for query_type, values in expected["by_query_type"].items():
        piece = scores.slices["query_type"][query_type]
        assert (piece.n_topics, piece.n_groups) == (values["topics"], values["groups"])
        for name in ("nDCG@10", "Robustness@10"):
            assert piece.values[name] == pytest.approx(values[name], abs=1e-12)
