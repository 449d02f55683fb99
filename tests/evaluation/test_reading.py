"""Reading a run: what is accepted as it is, what is refused and where, what is only noticed."""

import gzip
import io
import random
import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation import Limits, Qrels, read_run, warm
from tests.evaluation.inputs import a_run, codes, notice_codes, ranked, read

GOOD = "q1 Q0 a 1 2.5 t\nq1 Q0 b 2 1.5 t\nq2 Q0 a 1 0.5 t\n"
GOLD = Qrels.of({"q1": {"a": 1, "b": 0}, "q2": {"b": 2}})


def column(reading: Any, name: str) -> list[int]:
    return list(getattr(reading.hits, name).tolist())


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        GOOD.replace(" ", "\t"),
        GOOD.replace(" ", "  \t "),
        GOOD.replace("q", "  q").replace(" t\n", " t \t\n"),
        GOOD.replace("\n", "\r\n"),
        GOOD.rstrip("\n"),
        GOOD.replace("\n", "\n\n \t\n"),
        "\ufeff" + GOOD,
        "# ir_metadata.start\n" + GOOD,
        GOOD.replace("q1", "q1 ", 1) + "# q1 Q0 a 1 2.5 t\n",
        "q2 Q0 a 1 0.5 t\nq1 Q0 b 2 1.5 t\nq1 Q0 a 1 2.5 t\n",
        "q1 Q0 a 1 2.5 t\nq2 Q0 a 1 0.5 t\nq1 Q0 b 2 1.5 t\n",
        GOOD.replace("2.5", "25e-1").replace("0.5", "+.5"),
        GOOD.replace("Q0", "0"),
        GOOD.replace(" 1 ", " 7 ").replace(" 2 ", " 8 "),
        GOOD + "q9 Q0 z 1 1 t\n",
    ],
    ids=[
        "as it should be",
        "tabs",
        "several blanks and tabs",
        "leading and trailing blanks",
        "carriage returns",
        "no line feed at the end",
        "blank lines",
        "byte order mark",
        "header",
        "comment of six columns",
        "other order of lines",
        "topics in several blocks",
        "exponent and signs",
        "second column 0",
        "other ranks",
        "foreign topic",
    ],
)
@pytest.mark.parametrize("is_packed", [False, True], ids=["plain", "gzip"])
def test_layouts_that_mean_the_same_read_the_same(text: str, is_packed: bool) -> None:
    raw = text.encode()

    reading = read(gzip.compress(raw) if is_packed else raw, qrels=GOLD)

    assert codes(reading) == []
    assert column(reading, "topic") == [0, 0]
    assert column(reading, "rank") == [1, 2]
    assert column(reading, "grade") == [1, 0]
    assert column(reading, "retrieved") == [2, 1]


def test_report_counts_what_the_file_holds() -> None:
    text = "# made by hand\n" + GOOD + "q9 Q0 z 1 1 t\n"

    report = read(text, topics=["q1", "q2", "q3"]).report

    assert report.accepted
    assert (report.n_lines, report.n_topics, report.n_foreign_topics) == (5, 2, 1)
    assert (report.n_documents_min, report.n_documents_max) == (1, 2)
    assert report.size_bytes == report.unpacked_bytes == len(text)
    assert (report.tags, report.header) == (("t",), "made by hand")


def test_without_a_topic_list_every_topic_counts() -> None:
    report = read(GOOD).report

    assert (report.n_topics, report.n_foreign_topics, report.notices) == (2, 0, ())


@pytest.mark.parametrize(
    "document", ['Rain,_"1992"', "a#b", "a/b:c%20d", "é", "雾", "ａ", "a\u00a0b", "a\x85b", "a\u2028b"]
)
def test_marks_and_foreign_letters_are_part_of_an_id(document: str) -> None:
    gold = Qrels.of({"q1": {document: 1}})

    reading = read(f"q1 Q0 {document} 1 2.0 t\n", qrels=gold)

    assert (codes(reading), column(reading, "rank")) == ([], [1])


@pytest.mark.parametrize("score", ["-3.1", "1e-3", "1E5", "+2", ".5", "5.", "0", "-0.0", "1" * 400 + "e-399", "1e-999"])
def test_finite_decimals_are_scores(score: str) -> None:
    assert read(f"q1 Q0 a 1 {score} t\n").report.accepted


@pytest.mark.parametrize(
    ("score", "code"),
    [
        ("nan", "score_not_finite"),
        ("-NaN", "score_not_finite"),
        ("inf", "score_not_finite"),
        ("-Infinity", "score_not_finite"),
        ("1e999", "score_not_finite"),
        ("0,9", "score_with_comma"),
        ("0x10", "score_not_number"),
        ("1_000", "score_not_number"),
        ("abc", "score_not_number"),
        ("１２", "score_not_number"),
        ("1.2.3", "score_not_number"),
        ("1e", "score_not_number"),
        ("--1", "score_not_number"),
        ("1,000.5", "score_not_number"),
        ("1\u00a0", "score_not_number"),
    ],
)
def test_other_scores_are_refused_with_line_column_and_value(score: str, code: str) -> None:
    report = read(f"q1 Q0 a 1 2 t\nq1 Q0 b 2 {score} t\n").report

    fault = report.faults[0]
    assert (report.accepted, len(report.faults)) == (False, 1)
    assert (code, 2, "score") == (fault.code, fault.line, fault.column)
    assert fault.found in (score, score.replace("\u00a0", "\\xa0"))


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("q1 Q0 a 1 2.0", "too_few_fields"),
        ("q1", "too_few_fields"),
        ("q1 a 0.5", "too_few_fields"),
        ("q1\ta\t1", "msmarco_layout"),
        ("q1 0 a 1", "qrels_layout"),
        ("q1,a,2.0", "separated_by_commas"),
        ("q1, Q0,a,1,2.0,t", "separated_by_commas"),
        ("q1 Q0 my doc 1 2.0 t", "blank_in_document"),
        ("q1 Q0 a 1 2.0 my system", "blank_in_tag"),
        ("q1 Q0 a b c d e f", "too_many_fields"),
    ],
)
def test_line_of_another_width_is_refused_and_its_layout_named(line: str, code: str) -> None:
    report = read(f"q1 Q0 z 1 2 t\n\n{line}\n").report

    fault = report.faults[0]
    assert (code, 3) == (fault.code, fault.line)
    assert fault.found == line.replace("\t", "\\t")
    assert "q1 Q0 doc7 1 12.5 my-system" in fault.fix or "topic Q0" in fault.fix or "without blanks" in fault.fix


def test_message_says_where_what_was_found_and_what_was_expected() -> None:
    fault = read("q1 Q0 a 1 2.0\n").report.faults[0]

    assert fault.message == "Line 1: Columns found: 5, expected: 6 (topic Q0 document rank score tag)."
    assert fault.fix == "Write six columns separated by spaces or tabs, for example: q1 Q0 doc7 1 12.5 my-system"


@pytest.mark.parametrize(
    ("raw", "code", "column", "place"),
    [
        (b"q1 Q0 a\x00 1 2 t", "control_byte", "document", 7),
        (b"q1 Q0 a 1 2 t\x0b", "control_byte", "tag", 13),
        (b"q1 Q0 a 1\x0c2 t x", "control_byte", "", 9),
        (b"q1\x7f Q0 a 1 2 t", "control_byte", "topic", 2),
        (b"q1 Q0 \xff 1 2 t", "not_utf8", "document", 6),
        (b"q1 Q0 caf\xe9 1 2 t", "not_utf8", "document", 9),
        (b"q1 Q0 \xed\xa0\x80 1 2 t", "not_utf8", "document", 6),
        (b"q1 Q0 a 1 2 t\rq1 Q0 b 2 1 t", "control_byte", "", 13),
        (b"# \x01", "control_byte", "", 2),
    ],
)
def test_bad_bytes_are_refused_with_their_offset(raw: bytes, code: str, column: str, place: int) -> None:
    before = b"q0 Q0 a 1 2.50 t\n"

    fault = read(before + raw + b"\n").report.faults[0]

    assert (code, 2, column) == (fault.code, fault.line, fault.column)
    assert len(before) + place == fault.facts["offset"]


def test_same_document_twice_in_a_topic_names_both_lines() -> None:
    report = read("q1 Q0 a 1 2.0 t\nq2 Q0 a 1 2.0 t\n\nq1 Q0 a 2 1.9 t\nq1 Q0 a 3 1.8 t\n").report

    assert [(fault.code, fault.line, fault.facts["first_line"]) for fault in report.faults] == [
        ("duplicate_document", 4, 1),
        ("duplicate_document", 5, 1),
    ]
    assert "document a stands twice in topic q1, first on line 1" in report.faults[0].message.lower()


def test_depth_cuts_and_ten_times_the_depth_is_refused() -> None:
    documents = ranked(*(f"d{n:03d}" for n in range(31)))
    gold = Qrels.of({"q1": {"d001": 1, "d005": 1}})

    cut = read(a_run({"q1": documents}), qrels=gold, depth=4)
    refused = read(a_run({"q1": documents}), qrels=gold, depth=3)

    assert (column(cut, "rank"), column(cut, "retrieved"), notice_codes(cut)) == ([2], [4], ["depth_cut"])
    assert (codes(refused), refused.report.faults[0].line) == (["too_many_documents"], 31)
    assert refused.hits is None


def test_no_topic_of_the_task_is_refused_with_an_expected_id() -> None:
    report = read("107 Q0 a 1 2 t\n", topics=["107_1", "107_2"]).report

    fault = report.faults[0]
    assert (fault.code, fault.line, fault.found, fault.facts["expected"]) == ("no_known_topic", None, "107", "107_1")


def test_topics_of_another_task_are_ignored_counted_and_said() -> None:
    reading = read(GOOD + "q900 Q0 a 1 2 t\nq900 Q0 a 2 1 t\n", topics=["q1", "q2"])

    notice = reading.report.notices[0]
    assert reading.report.accepted
    assert (notice.code, notice.count, notice.line, notice.facts["example"]) == ("foreign_topics", 1, 4, "q900")


def test_missing_topics_are_counted() -> None:
    notice = read(GOOD, topics=["q1", "q2", "q3", "q4"]).report.notices[0]

    assert (notice.code, notice.count, dict(notice.facts)) == ("missing_topics", 2, {"n_expected": 4, "example": "q3"})


def test_documents_outside_the_collection_are_counted_and_stay() -> None:
    some = read(GOOD, qrels=GOLD, documents=["a", "x"])
    none = read(GOOD, qrels=GOLD, documents=["x", "y"])

    assert (notice_codes(some), some.report.notices[0].count) == (["unknown_documents"], 1)
    assert column(some, "retrieved") == [2, 1]
    fault = none.report.faults[0]
    assert (fault.code, fault.found, fault.facts["expected"]) == ("no_known_document", "a", "x")


def test_document_identical_to_its_topic_is_dropped_before_the_cut() -> None:
    gold = Qrels.of({"x7": {"d1": 1}})
    text = "x7 Q0 x7 1 9 t\nx7 Q0 d1 2 8 t\n"

    kept = read(text, qrels=gold, depth=1)
    removed = read(text, qrels=gold, depth=1, remove_identical=True)

    assert (column(kept, "rank"), notice_codes(kept)) == ([], ["depth_cut"])
    assert (column(removed, "rank"), notice_codes(removed)) == ([1], ["identical_removed"])


def test_equal_scores_go_by_document_id_later_bytes_first() -> None:
    gold = Qrels.of({"q1": {"a": 1, "b": 1, "B": 1, "é": 1}})

    reading = read("q1 Q0 a 1 1 t\nq1 Q0 B 2 1.0 t\nq1 Q0 é 3 1e0 t\nq1 Q0 b 4 1 t\nq1 Q0 z 5 0 t\n", qrels=gold)

    assert column(reading, "rank") == [1, 2, 3, 4]
    assert (column(reading, "first"), column(reading, "last")) == ([1] * 4, [4] * 4)
    assert reading.report.n_tied_topics == 1


def test_ties_are_reported_where_they_reach_into_the_first_ten() -> None:
    pair_inside = {f"a{n}": 20.0 - n for n in range(9)} | {"b": 3.0, "c": 3.0, "d": 1.0}
    pair_outside = {f"a{n}": 20.0 - n for n in range(10)} | {"b": 3.0, "c": 3.0}
    all_equal = {f"a{n:03d}": 0.5 for n in range(100)}

    report = read(a_run({"q1": pair_inside, "q2": pair_outside, "q3": all_equal})).report

    notice = next(notice for notice in report.notices if notice.code == "ties")
    assert (notice.count, report.n_tied_topics) == (2, 2)
    assert dict(notice.facts) == {"cutoff": 10, "n_pairs": 1 + 4950, "n_crossing": 2, "largest": 100}


def test_rank_column_that_disagrees_is_noticed_and_the_score_decides() -> None:
    gold = Qrels.of({"q1": {"a": 1}, "q2": {"a": 1}})
    text = "q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq1 Q0 c 3 1 t\nq2 Q0 b 1 3 t\nq2 Q0 a 3 2 t\nq2 Q0 c 2 1 t\n"

    reading = read(text, qrels=gold)

    notice = reading.report.notices[0]
    assert (notice_codes(reading), notice.count, notice.facts["example"]) == (["rank_disagrees"], 1, "q2")
    assert column(reading, "rank") == [1, 2]


@pytest.mark.parametrize("rank", ["0", "1", "-1"])
def test_rank_column_that_says_nothing_is_no_disagreement(rank: str) -> None:
    assert read(f"q1 Q0 a {rank} 1 t\nq1 Q0 b {rank} 2 t\n").report.notices == ()


def test_equal_scores_may_have_any_ranks() -> None:
    assert notice_codes(read("q1 Q0 a 2 1 t\nq1 Q0 b 1 1 t\nq1 Q0 c 3 0 t\n")) == ["ties"]


def test_scores_that_grow_with_the_rank_in_most_topics_are_noticed() -> None:
    growing = {f"q{n}": {"a": 1.0, "b": 2.0, "c": 3.0} for n in range(3)}
    falling = {f"p{n}": ranked("a", "b", "c") for n in range(3)}

    most = read(a_run(growing | {"p0": falling["p0"]}))
    half = read(a_run(growing | falling))

    assert notice_codes(most) == ["rank_disagrees", "scores_grow"]
    assert notice_codes(half) == ["rank_disagrees"]


@pytest.mark.parametrize("rank", ["x", "1.0", "1_0", "１", "1234567890"])
def test_rank_that_is_not_a_whole_number_is_noticed(rank: str) -> None:
    notice = read(f"q1 Q0 a {rank} 2 t\nq1 Q0 b 2 1 t\n").report.notices[0]

    assert (notice.code, notice.count) == ("rank_unreadable", 1)


def test_second_column_and_several_tags_are_noticed() -> None:
    report = read("q1 Q0 a 1 2 t1\nq1 0 b 2 1 t2\nq1 0 c 3 0 t1\n").report

    assert [(notice.code, notice.count, notice.line) for notice in report.notices] == [
        ("second_column", 2, 2),
        ("several_tags", 2, None),
    ]
    assert report.tags == ("t1", "t2")


def test_byte_order_mark_is_noticed_and_a_header_may_follow_it() -> None:
    report = read("\ufeff# a: 1\n" + GOOD).report

    assert (report.notices[0].code, report.header) == ("byte_order_mark", "a: 1")


def test_header_is_the_comments_above_the_first_row() -> None:
    report = read("# ir_metadata.start\n#  platform:\n#\r\n" + GOOD + "# later\n").report

    assert report.header == "ir_metadata.start\n platform:\n"


def test_header_beyond_64_kib_is_not_kept() -> None:
    report = read(("# " + "x" * 1000 + "\n") * 66 + GOOD).report

    assert (report.accepted, report.header) == (True, None)


def test_first_25_faults_are_kept_and_the_rest_counted_by_kind() -> None:
    text = "q1 Q0 a 1 nan t\n" * 20 + "q1 Q0 a\n" * 20

    report = read(text).report

    assert [*range(1, 26)] == [fault.line for fault in report.faults]
    assert (dict(report.more_faults), report.n_more) == ({"too_few_fields": 15}, 15)


def test_fault_of_the_whole_file_is_kept_however_many_lines_have_faults() -> None:
    report = read("q1 Q0 a 1 nan t\n" * 200_000, limits=Limits(size=2 * 1024**2)).report

    assert [*(["score_not_finite"] * 25), "too_large"] == [fault.code for fault in report.faults]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", "empty_file"),
        (b"\n \n\t\n", "no_lines"),
        (b"# only\n# comments\n", "no_lines"),
        (b"\xef\xbb\xbf", "no_lines"),
    ],
)
def test_file_without_a_run_is_refused(raw: bytes, code: str) -> None:
    assert [code] == codes(read(raw))


@pytest.mark.parametrize(
    ("limits", "code", "line"),
    [
        (Limits(lines=2), "too_many_lines", 3),
        (Limits(size=40), "too_large", None),
        (Limits(topics=1), "too_many_topics", 3),
        (Limits(line_bytes=10), "line_too_long", 1),
        (Limits(id_bytes=1), "id_too_long", 1),
    ],
)
def test_limits_refuse_by_name(limits: Limits, code: str, line: int | None) -> None:
    fault = read(GOOD, limits=limits).report.faults[0]

    assert (code, line) == (fault.code, fault.line)


def test_ids_and_lines_at_their_limit_are_accepted() -> None:
    line = "q1 Q0 " + "d" * 256 + " 1 2.0 "

    assert read(line + "t" * (4096 - len(line)) + "\r\n").report.accepted
    assert codes(read(line + "t" * (4097 - len(line)) + "\n")) == ["line_too_long"]
    assert codes(read(line.replace("d", "dd", 1) + "t\n")) == ["id_too_long"]


def test_several_bad_fields_of_a_line_are_all_named() -> None:
    report = read(f"{'q' * 300} Q0 {'d' * 300} 1 x t\n").report

    assert [fault.column for fault in report.faults] == ["topic", "document", "score"]


def test_found_text_is_cut_and_escaped() -> None:
    fault = read(f"q1 Q0 a 1 \u202e<b>{'x' * 200} t\n").report.faults[0]

    assert fault.found.startswith("\\u202e<b>xxx")
    assert (len(fault.found), fault.found[-1]) == (80, "…")


def test_report_never_depends_on_the_judgements() -> None:
    text = GOOD + "q9 Q0 z 1 1 t\n"
    other = Qrels.of({"q1": {"nothing": 3}, "q2": {"of it": 0}})

    assert read(text, qrels=GOLD).report == read(text, qrels=other).report == read(text, topics=["q1", "q2"]).report


def test_over_long_line_without_end_costs_no_memory() -> None:
    class Endless(io.RawIOBase):
        n_left = 64 * 1024**2

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            n = min(len(buffer), self.n_left)
            buffer[:n] = b"x" * n
            self.n_left -= n
            return n

    warm()  # what the reader itself takes is not the line's cost
    tracemalloc.start()
    report = read_run(Endless()).report  # type: ignore[arg-type]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert [fault.code for fault in report.faults] == ["line_too_long"]
    assert peak < 16 * 1024**2


def test_stream_that_hands_out_little_at_a_time_reads_the_same() -> None:
    class Trickle(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return super().read(min(size or 1, 3))

    expected = read(GOOD, qrels=GOLD).report

    assert expected == read_run(Trickle(GOOD.encode()), qrels=GOLD).report


def test_files_of_many_blocks_read_like_one() -> None:
    chance = random.Random(3)
    run = {f"q{n}": {f"document-{m}": chance.random() for m in chance.sample(range(5000), 1000)} for n in range(60)}
    text = a_run(run)
    lines = text.splitlines(keepends=True)
    chance.shuffle(lines)
    gold = Qrels.of({topic: {document: 1 for document in list(ranking)[:5]} for topic, ranking in run.items()})

    grouped, scattered = read(text, qrels=gold), read("".join(lines), qrels=gold)

    expected = [sum(one > score for one in run["q0"].values()) + 1 for score in list(run["q0"].values())[:5]]
    assert len(text) > 2 * 1024**2
    assert sorted(expected) == column(grouped, "rank")[:5]
    assert column(grouped, "rank") == column(scattered, "rank")


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_raise(raw: bytes) -> None:
    report = read(raw, topics=["q1"]).report

    assert report.accepted == (report.faults == ())


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(["q1", "Q0", "a", "1", "2.0", "nan", "t", " ", "\t", "\n", "\r", "\x00", "#", "é", "\ufeff"])
    )
)
def test_no_mixture_of_pieces_raises(pieces: list[str]) -> None:
    report = read("".join(pieces)).report

    assert report.accepted == (report.faults == ())
    assert all(fault.message and fault.fix and fault.to_json() for fault in report.faults)
