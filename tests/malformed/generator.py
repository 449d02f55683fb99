"""Good runs with one known fault in each, and an oracle that says which fault stands on which line.

A class of faults is a function of a good run and a seeded source of chance. It says what must be found.
"""

import bz2
import gzip
import io
import json
import lzma
import pickle
import random
import tarfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation import Limits

TOPICS = ("q1", "q2", "q3", "q4")
BAD_FIELD, TOPIC, SECOND, DOCUMENT, RANK, SCORE, TAG = -1, 0, 1, 2, 3, 4, 5


@dataclass(frozen=True)
class Broken:
    """A file, how to read it, and the fault that must be found in it. `line` is None for a fault of the whole file."""

    raw: bytes
    code: str
    line: int | None = None
    column: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


class Good:
    """A good run of four topics, with blank lines and comments between its rows; `rows` are the places of the rows."""

    def __init__(self, chance: random.Random, topics: Sequence[str] = TOPICS) -> None:
        self.chance = chance
        self.topics = topics
        self.lines: list[bytes] = []
        for topic in topics:
            documents = chance.sample(range(100), chance.randrange(3, 9))
            for place, number in enumerate(documents, 1):
                if not chance.randrange(8):
                    self.lines.append(chance.choice([b"", b"  \t", b"# a note", b"#", b"# q1 Q0 d 1 2 t"]))
                self.lines.append(b"%s Q0 doc-%02d %d %d.5 tag" % (topic.encode(), number, place, 100 - place))
        self.rows = [place for place, line in enumerate(self.lines) if line.strip() and line[:1] != b"#"]

    def fields(self, place: int) -> list[bytes]:
        return self.lines[place].split()

    def text(self) -> bytes:
        return b"\n".join(self.lines) + b"\n"

    def with_line(self, place: int, line: bytes) -> bytes:
        return b"\n".join([*self.lines[:place], line, *self.lines[place + 1 :]]) + b"\n"


Maker = Callable[[Good], Broken]
CLASSES: dict[str, Maker] = {}


def make(name: str, seed: int, topics: Sequence[str] = TOPICS) -> Broken:
    """The file of one class for one seed; the same file every time."""
    return CLASSES[name](Good(random.Random(f"{name}/{seed}"), topics))


def on_a_row(name: str, code: str, change: Callable[[list[bytes]], bytes], column: str = "") -> None:
    """Register a class that changes one row; `change` gets its fields and gives the new line."""

    def maker(good: Good) -> Broken:
        place = good.chance.choice(good.rows)
        return Broken(good.with_line(place, change(good.fields(place))), code, place + 1, column)

    CLASSES[name] = maker


def in_a_field(name: str, code: str, where: int, new: bytes, column: str = "") -> None:
    """Register a class that replaces one field."""

    def change(fields: list[bytes]) -> bytes:
        fields[where] = new
        return b" ".join(fields)

    on_a_row(name, code, change, column)


def of_the_file(name: str, code: str, change: Callable[[Good], bytes], **options: Any) -> None:
    """Register a class that spoils the whole file."""
    CLASSES[name] = lambda good: Broken(change(good), code, options=options)


def before(new: bytes, where: int) -> Callable[[list[bytes]], bytes]:
    """Put bytes into a field after its first byte."""

    def change(fields: list[bytes]) -> bytes:
        fields[where] = fields[where][:1] + new + fields[where][1:]
        return b" ".join(fields)

    return change


# scores
for spelling in (
    "nan",
    "NaN",
    "-nan",
    "nan(0x1)",
    "inf",
    "-inf",
    "Infinity",
    "+INFINITY",
    "1e999",
    "-1e999",
    "9" * 400,
):
    in_a_field(f"score {spelling[:12]}", "score_not_finite", SCORE, spelling.encode(), "score")
for spelling in ("0,9", "-1,5", "3,2e1"):
    in_a_field(f"score {spelling}", "score_with_comma", SCORE, spelling.encode(), "score")
for spelling in (
    *("0x10", "1_000", "abc", "high", "１２", "1.2.3", "1e", "e5", "--1", "+-1", ".", "-", "1,000.5", "1.5f", "1d5"),
    *("0b1", "1e5.5", "NULL", "None", "٣", "1\u00a0", "½", "²", "1’000", "−1", "50%", "1/2", "#1", "(1)", "1e+"),
):
    in_a_field(f"score {spelling}", "score_not_number", SCORE, spelling.encode(), "score")

# columns
on_a_row("no tag", "too_few_fields", lambda fields: b" ".join(fields[:5]))
on_a_row("tag empty", "too_few_fields", lambda fields: b"\t".join(fields[:5]) + b"\t")
on_a_row("only the topic", "too_few_fields", lambda fields: fields[0])
on_a_row("topic and document", "too_few_fields", lambda fields: fields[0] + b" " + fields[2])
on_a_row("topic document score", "too_few_fields", lambda fields: b" ".join([fields[0], fields[2], fields[4]]))
on_a_row("line cut short", "too_few_fields", lambda fields: b" ".join(fields)[:-7])
on_a_row("no-break blanks", "too_few_fields", lambda fields: "\u00a0".encode().join(fields))
on_a_row("MS MARCO", "msmarco_layout", lambda fields: b"\t".join([fields[0], fields[2], fields[3]]))
on_a_row("judgement", "qrels_layout", lambda fields: b"%s 0 %s 1" % (fields[0], fields[2]))
on_a_row("judgement with Q0", "qrels_layout", lambda fields: b"\t".join([fields[0], b"Q0", fields[2], b"-1"]))
on_a_row("commas and a blank after each", "too_few_fields", lambda fields: b", ".join(fields[:5]))
on_a_row("commas", "separated_by_commas", b",".join)
on_a_row("commas and blanks in two", "separated_by_commas", lambda fields: b",".join(fields[:4]) + b" " + fields[4])
on_a_row("blank in the document", "blank_in_document", before(b" ", DOCUMENT))
on_a_row("two blanks in the document", "blank_in_document", before(b" x ", DOCUMENT))
on_a_row("blank in the tag", "blank_in_tag", before(b" ", TAG))
on_a_row("tab in the tag", "blank_in_tag", before(b"\t", TAG))
on_a_row("text after the tag", "blank_in_tag", lambda fields: b" ".join([*fields, b"more", b"words"]))
on_a_row("blank in the topic", "too_many_fields", before(b" ", TOPIC))
on_a_row("two rows in one line", "blank_in_tag", lambda fields: b" ".join([*fields, *fields]))
on_a_row("words", "too_many_fields", lambda _: b"this line was never part of a run")

# bytes
for number in (0, 1, 7, 8, 11, 12, 14, 27, 31, 127):
    on_a_row(f"byte 0x{number:02x} in the document", "control_byte", before(bytes([number]), DOCUMENT))
on_a_row("NUL alone", "control_byte", lambda _: b"\x00")
on_a_row("carriage return between rows", "control_byte", lambda fields: b" ".join(fields) + b"\r" + b" ".join(fields))
on_a_row("control byte in a comment", "control_byte", lambda _: b"# \x1b[31mred")
on_a_row("Latin-1 in the document", "not_utf8", before(b"\xe9", DOCUMENT), "document")
on_a_row("Latin-1 in the topic", "not_utf8", before(b"\xfc", TOPIC), "topic")
on_a_row("Latin-1 in the tag", "not_utf8", before(b"\xff", TAG), "tag")
on_a_row("cut UTF-8", "not_utf8", before("雾".encode()[:2], DOCUMENT), "document")
on_a_row("over-long UTF-8", "not_utf8", before(b"\xc0\xaf", DOCUMENT), "document")
on_a_row("lone surrogate", "not_utf8", before(b"\xed\xa0\x80", DOCUMENT), "document")
on_a_row("beyond Unicode", "not_utf8", before(b"\xf5\x80\x80\x80", DOCUMENT), "document")
on_a_row("Latin-1 in a comment", "not_utf8", lambda _: b"# caf\xe9")
on_a_row("long line", "line_too_long", lambda fields: b" ".join(fields) + b"t" * 4096)
on_a_row("long line of blanks", "line_too_long", lambda fields: b" ".join(fields) + b" " * 4096)
on_a_row("long comment", "line_too_long", lambda _: b"#" * 5000)
in_a_field("long topic", "id_too_long", TOPIC, b"q" * 257, "topic")
in_a_field("long document", "id_too_long", DOCUMENT, "雾".encode() * 86, "document")


def repeated(good: Good) -> Broken:
    """A document again, right below or anywhere later, with another score."""
    place = good.chance.choice(good.rows)
    fields = good.fields(place)
    fields[RANK], fields[SCORE] = b"99", b"0.25"
    later = good.chance.randrange(place + 1, len(good.lines) + 1)
    lines = [*good.lines[:later], b" ".join(fields), *good.lines[later:]]
    return Broken(b"\n".join(lines), "duplicate_document", later + 1, "document")


def beyond_depth(good: Good) -> Broken:
    """One document more than ten times the depth."""
    topic = good.chance.choice(good.topics).encode()
    lines = [b"%s Q0 doc-%d %d %d tag" % (topic, n, n, 99 - n) for n in range(1, 22)]
    return Broken(b"\n".join(lines), "too_many_documents", 21, "topic", {"depth": 2})


CLASSES["document again"] = repeated
CLASSES["far beyond the depth"] = beyond_depth


# the whole file
def archived(good: Good, kind: str) -> bytes:
    buffer = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("run.txt", good.text())
    else:
        with tarfile.open(fileobj=buffer, mode=kind) as archive:  # type: ignore[call-overload]
            entry = tarfile.TarInfo("run.txt")
            entry.size = len(good.text())
            archive.addfile(entry, io.BytesIO(good.text()))
    return buffer.getvalue()


def as_mapping(good: Good) -> dict[str, dict[str, float]]:
    run: dict[str, dict[str, float]] = {}
    for place in good.rows:
        fields = good.fields(place)
        run.setdefault(fields[0].decode(), {})[fields[2].decode()] = float(fields[4])
    return run


of_the_file("empty", "empty_file", lambda _: b"")
of_the_file("empty gzip", "empty_file", lambda _: gzip.compress(b""))
of_the_file("blank lines only", "no_lines", lambda good: b"\n \t\r\n" * good.chance.randrange(1, 9))
of_the_file("comments only", "no_lines", lambda good: b"# nothing\n" * good.chance.randrange(1, 9))
of_the_file("zip", "wrong_container", lambda good: archived(good, "zip"))
of_the_file("tar", "wrong_container", lambda good: archived(good, "w"))
of_the_file("tar.gz", "wrong_container", lambda good: archived(good, "w:gz"))
of_the_file("bzip2", "wrong_container", lambda good: bz2.compress(good.text()))
of_the_file("xz", "wrong_container", lambda good: lzma.compress(good.text()))
of_the_file("Zstandard", "wrong_container", lambda good: b"\x28\xb5\x2f\xfd" + good.text())
of_the_file("pickle", "wrong_container", lambda good: pickle.dumps(as_mapping(good)))
of_the_file("Parquet", "wrong_container", lambda good: b"PAR1\x15\x04" + good.text())
of_the_file("JSON", "wrong_container", lambda good: json.dumps(as_mapping(good), indent=1).encode())
of_the_file("JSON lines", "wrong_container", lambda good: b'{"topic": "q1"}\n' * good.chance.randrange(1, 9))
of_the_file("web page", "wrong_container", lambda _: b"\n<!DOCTYPE html><title>Sign in</title>")
of_the_file("XML", "wrong_container", lambda _: b'<?xml version="1.0"?><run/>')
of_the_file("UTF-16", "utf16", lambda good: good.text().decode().encode("utf-16"))
of_the_file("gzip in gzip", "gzip_nested", lambda good: gzip.compress(gzip.compress(good.text())))
of_the_file("two gzip members", "gzip_members", lambda good: gzip.compress(good.text()) * 2)
of_the_file(
    "gzip cut anywhere", "gzip_truncated", lambda good: gzip.compress(good.text())[: -good.chance.randrange(1, 90)]
)
of_the_file("gzip with a tail", "gzip_damaged", lambda good: gzip.compress(good.text()) + b"tail")
of_the_file("gzip with a wrong sum", "gzip_damaged", lambda good: gzip.compress(good.text())[:-8] + bytes(8))
of_the_file(
    "bomb", "ratio_too_high", lambda good: gzip.compress((b"#" * good.chance.randrange(99, 999) + b"\n") * 40_000)
)
of_the_file("too large", "too_large", lambda good: good.text(), limits=Limits(size=100))
of_the_file("too large in gzip", "too_large", lambda good: gzip.compress(good.text()), limits=Limits(size=100))
of_the_file("nothing right", "too_many_faults", lambda good: good.text() + b"x\n" * 9, limits=Limits(bad_lines=8))
of_the_file("another task", "no_known_topic", lambda good: good.text(), topics=["t1", "t2"])
of_the_file("another collection", "no_known_document", lambda good: good.text(), documents=["x1", "x2"])


def too_many_lines(good: Good) -> Broken:
    limit = good.chance.randrange(1, len(good.lines))
    return Broken(good.text(), "too_many_lines", limit + 1, options={"limits": Limits(lines=limit)})


def too_many_topics(good: Good) -> Broken:
    third = next(place for place in good.rows if good.fields(place)[0] == good.topics[2].encode())
    return Broken(good.text(), "too_many_topics", third + 1, "topic", {"limits": Limits(topics=2)})


CLASSES["too many lines"] = too_many_lines
CLASSES["too many topics"] = too_many_topics
