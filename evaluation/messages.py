"""The English sentence and the fix for each code; the reader's own language is the web's business.

Placeholders are `str.format` fields: `column`, `found` and the facts of the code; the line stands before the sentence.
No file is read here.
"""

from collections.abc import Mapping
from typing import NamedTuple

_LAYOUT = "topic Q0 document rank score tag"
_EXAMPLE = "q1 Q0 doc7 1 12.5 my-system"


class Words(NamedTuple):
    """What is wrong, and what to do about it."""

    message: str
    fix: str


RUN_FAULTS: Mapping[str, Words] = {
    # the whole file
    "empty_file": Words("The file is empty.", "Check that it was written to the end and copied completely."),
    "no_lines": Words(
        "The file holds only blank lines and lines that begin with #.",
        f"Write one line a document: {_LAYOUT}.",
    ),
    "wrong_container": Words(
        "The file is not plain text, it looks like {kind}.",
        "Write it as plain text and hand in that file, as it is or packed once with gzip.",
    ),
    "gzip_nested": Words("The gzip file holds another gzip file.", "Unpack it once and hand in the result."),
    "gzip_members": Words(
        "The gzip file has several members: several files were packed one after another.",
        "Unpack it and pack the whole file once, for example with: gzip run.txt",
    ),
    "gzip_truncated": Words(
        "The gzip file ends too early, after {n_bytes} unpacked bytes.",
        "The copy was probably cut off: pack it again and hand it in again.",
    ),
    "gzip_damaged": Words(
        "The gzip file is damaged: it cannot be unpacked past byte {n_bytes}.",
        "Pack it again and hand it in again.",
    ),
    "too_large": Words(
        "The file has more than {limit} bytes when unpacked.",
        "Keep fewer documents a topic, and only topics of this task.",
    ),
    "ratio_too_high": Words(
        "The gzip file unpacks to more than {limit} times its size.",
        "Hand in a run that is not made of repeated lines, or hand it in unpacked.",
    ),
    "too_many_lines": Words(
        "The file has more than {limit} lines.",
        "Keep fewer documents a topic, and only topics of this task.",
    ),
    "too_many_faults": Words(
        "More than {limit} lines have a fault; the file was read up to line {n_read} only.",
        "Mend the faults that are shown, which are probably the same on all these lines, and check again.",
    ),
    "too_many_topics": Words(
        "The file has more than {limit} different topics.",
        "Check that the first column is the topic, and keep only topics of this task.",
    ),
    "utf16": Words("The file is text in UTF-16.", "Save it as UTF-8."),
    "no_known_topic": Words(
        "None of the topics in the file ({n_topics}) belongs to this task: found for example {found}, "
        "expected for example {expected}.",
        "Choose the task that this run was made for, and use its topic ids unchanged.",
    ),
    "no_known_document": Words(
        "No document of the file belongs to this collection: found for example {found}, "
        "expected for example {expected}.",
        "Use the document ids of the collection unchanged.",
    ),
    # bytes of a line
    "not_utf8": Words(
        "Byte {byte} at offset {offset} of the file is not UTF-8.",
        "Save the file as UTF-8.",
    ),
    "control_byte": Words(
        "Control byte {byte} at offset {offset} of the file.",
        "Remove control characters; separate columns by spaces or tabs, lines by line feeds.",
    ),
    "line_too_long": Words(
        "The line is longer than {limit} bytes.",
        "End each line with a line feed, and keep one document a line.",
    ),
    "id_too_long": Words(
        "Column {column}: the id has {size} bytes, at most {limit} are allowed.",
        "Use the ids of the collection.",
    ),
    # columns of a run
    "too_few_fields": Words(
        f"Columns found: {{n_fields}}, expected: 6 ({_LAYOUT}).",
        f"Write six columns separated by spaces or tabs, for example: {_EXAMPLE}",
    ),
    "too_many_fields": Words(
        f"Columns found: {{n_fields}}, expected: 6 ({_LAYOUT}).",
        f"Write six columns separated by spaces or tabs, for example: {_EXAMPLE}",
    ),
    "blank_in_document": Words(
        f"Columns found: {{n_fields}}, expected: 6 ({_LAYOUT}); the document id may hold a blank.",
        "Use the document id as the collection writes it, without blanks.",
    ),
    "blank_in_tag": Words(
        f"Columns found: {{n_fields}}, expected: 6 ({_LAYOUT}); the tag may hold a blank.",
        "Write the tag, the last column, without blanks, for example my-system.",
    ),
    "separated_by_commas": Words(
        f"Columns found: {{n_fields}}, expected: 6 ({_LAYOUT}); the line looks separated by commas.",
        f"Separate the six columns by spaces or tabs, for example: {_EXAMPLE}",
    ),
    "msmarco_layout": Words(
        "Columns found: 3, expected: 6; this looks like the three-column MS MARCO layout (topic, document, rank).",
        f"Write each line as {_LAYOUT}, with a score that falls as the rank grows, for example 1/rank.",
    ),
    "qrels_layout": Words(
        "Columns found: 4, expected: 6; this looks like judgements (topic 0 document grade), not a run.",
        f"Hand in the run of your system: {_LAYOUT}.",
    ),
    "score_not_number": Words(
        "Column {column}: found {found}, expected a number.",
        "Write the score as in 12, -3.1 or 1e-3.",
    ),
    "score_not_finite": Words(
        "Column {column}: found {found}, expected a finite number.",
        "Write the score as a finite number; leave out documents that have none.",
    ),
    "score_with_comma": Words(
        "Column {column}: found {found}, expected a decimal point.",
        "Write the score with a point, not a comma, as in 0.9.",
    ),
    # rankings of a run
    "duplicate_document": Words(
        "Document {document} stands twice in topic {topic}, first on line {first_line}.",
        "Keep one line for each document of a topic.",
    ),
    "too_many_documents": Words(
        "Topic {topic} has more than {limit} documents, and this task keeps {depth} a topic.",
        "Keep the first {depth} documents of each topic.",
    ),
}

# only a host meets these, so they are in English alone
GOLD_FAULTS: Mapping[str, Words] = {
    "qrels_empty": Words(
        "The file holds no judgement.",
        "Write one line a judgement: topic 0 document grade.",
    ),
    "qrels_fields": Words(
        "Columns found: {n_fields}, expected: {expected}.",
        "Write topic 0 document grade, or three tab columns under a heading such as: query-id corpus-id score",
    ),
    "qrels_no_heading": Words(
        "Columns found: 3, and no heading above them.",
        "Put a heading such as query-id corpus-id score on the first line, or write topic 0 document grade.",
    ),
    "grade_not_integer": Words(
        "Column {column}: found {found}, expected a whole number.",
        "Write the grade as a whole number such as 0, 1 or 2; it is never cut.",
    ),
    "grade_out_of_range": Words(
        "Column {column}: found {found}, expected a grade between -{limit} and {limit}.",
        "Write the grade as a small whole number such as 0, 1 or 2.",
    ),
    "grade_conflict": Words(
        "Document {document} of topic {topic} has grade {grade} here, and grade {first_grade} on line {first_line}.",
        "Keep one grade for each document of a topic.",
    ),
    "topics_not_object": Words(
        "Found {found}, expected one JSON object.",
        'Write one flat object a topic, for example: {{"topic_id": "q1", "language": "en"}}',
    ),
    "topics_without_id": Words(
        "The object has no topic_id.",
        "Give each topic its topic_id as a text without blanks.",
    ),
    "topics_not_utf8": Words("The topic id is not UTF-8.", "Save the list as UTF-8, one topic id a line."),
    "topics_bad_value": Words(
        "Column {column}: found {found}, expected a text or a list of texts.",
        "Write the attribute as one value or a list of values.",
    ),
    "topics_repeated": Words(
        "Topic {topic} has a row already, on line {first_line}.",
        "Keep one row for each topic; a topic with several values has a list.",
    ),
    "topics_empty": Words("The topic table has no row.", "Write one flat JSON object a topic."),
    "topic_without_row": Words(
        "Judged topics without a row in the topic table: {count} (for example {example}).",
        "Give every judged topic a row.",
    ),
    "topic_without_group": Words(
        "Judged topics without a group in the topic table: {count} (for example {example}).",
        "Give every judged topic its group, or none of them.",
    ),
}

RUN_NOTICES: Mapping[str, str] = {
    "byte_order_mark": "The file begins with a byte order mark; it was skipped.",
    "foreign_topics": "Topics that are not part of this task: {count} (for example {example}). They are ignored.",
    "missing_topics": (
        "Topics of this task without an answer: {count} of {n_expected} (for example {example}). They score 0."
    ),
    "depth_cut": "Topics with more than {depth} documents: {count}. Only the first {depth} by score count.",
    "identical_removed": "Documents with the same id as their topic: {count}. They are dropped before ranking.",
    "unknown_documents": (
        "Documents that are not in the collection: {count} (for example {example}). They count as not relevant."
    ),
    "ties": (
        "Topics with equal scores in the first {cutoff}: {count} ({n_pairs} pairs; up to {largest} documents share one "
        "score). Equal scores are ordered by document id, later id first; in {n_crossing} topics this decides who is "
        "in the first {cutoff}."
    ),
    "rank_disagrees": (
        "Topics whose rank column disagrees with the scores: {count} (for example {example}). The score decides."
    ),
    "rank_unreadable": "Lines whose rank column is not a whole number: {count}. The rank column is not used.",
    "scores_grow": (
        "Topics whose scores grow with the rank: {count}. The highest score comes first: were distances handed in as "
        "scores?"
    ),
    "second_column": "Lines whose second column is not Q0: {count}. The second column is not used.",
    "several_tags": "Different tags in the file: {count} ({example}). The tag is not used.",
}

GOLD_NOTICES: Mapping[str, str] = {
    "repeated_judgements": "Judgements that stand twice with the same grade: {count}. Each counts once.",
    "topics_without_relevant": (
        "Topics without any relevant document: {count} (for example {example}). They score 0 and count."
    ),
    "tie_range": (
        "{measure}: equal scores leave it open between {lowest:.4f} and {highest:.4f}, in {count} topics or groups. "
        "Documents of one score are ordered by their id, later id first."
    ),
    "rows_without_judgement": (
        "Rows of the topic table without a judgement: {count} (for example {example}). They are ignored."
    ),
}

ERRORS: Mapping[str, str] = {
    "unknown_measure": "Unknown measure {name}; the nearest known name is {nearest}.",
    "unknown_axis": "Unknown axis {name}; the topic table has: {known}.",
    "missing_groups": "{name} needs groups, and the topic table gives none.",
    "run_refused": "The run was refused with {n_faults} faults, so it cannot be scored.",
    "gold_mismatch": "The run was not read against these judgements.",
}


FAULTS: Mapping[str, Words] = {**RUN_FAULTS, **GOLD_FAULTS}
NOTICES: Mapping[str, str] = {**RUN_NOTICES, **GOLD_NOTICES}


def error_message(code: str, facts: Mapping[str, str | int | float]) -> str:
    """Say in English what an error knows; one of another room that has no sentence here shows its code and facts."""
    if code in ERRORS:
        return ERRORS[code].format(**facts)
    if code in FAULTS:
        return FAULTS[code].message.format(**facts)
    return f"{code}: " + ", ".join(f"{key} = {value}" for key, value in facts.items()) if facts else code
