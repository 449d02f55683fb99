"""Which container a file is, told by its content; gzip of one member; limits while unpacking."""

import bz2
import gzip
import io
import json
import lzma
import pickle
import random
import sqlite3
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evaluation import Limits, RunFormatError
from evaluation.containers import CHUNK, FASTEST, ZLIB, Inflater, TextSource
from evaluation.reading import Engine
from tests.evaluation.inputs import codes, read

RUN = b"q1 Q0 a 1 2.5 t\nq1 Q0 b 2 1.5 t\n"


def a_zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("run.txt", RUN)
    return buffer.getvalue()


def a_tar(mode: str = "w") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        entry = tarfile.TarInfo("run.txt")
        entry.size = len(RUN)
        archive.addfile(entry, io.BytesIO(RUN))
    return buffer.getvalue()


def a_parquet(n_rows: int = 2) -> bytes:
    buffer = io.BytesIO()
    pd.DataFrame({"q_id": ["q1", "q1"][:n_rows], "doc_id": ["a", "b"][:n_rows]}).to_parquet(buffer)
    return buffer.getvalue()


def an_arrow() -> bytes:
    buffer = io.BytesIO()
    pd.DataFrame({"q_id": ["q1"]}).to_feather(buffer)
    return buffer.getvalue()


def a_numpy() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(3))
    return buffer.getvalue()


def a_database() -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.execute("create table run (topic text)")
    raw = connection.serialize()
    connection.close()
    return raw


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (a_zip, "ZIP"),
        (a_tar, "tar"),
        (lambda: a_tar("w:gz"), "tar"),
        (lambda: b"\x28\xb5\x2f\xfd\x20\x05rest", "Zstandard"),
        (lambda: b"\x04\x22\x4d\x18rest", "LZ4"),
        (lambda: bz2.compress(RUN), "bzip2"),
        (lambda: lzma.compress(RUN), "xz"),
        (lambda: b"Rar!\x1a\x07\x01\x00", "RAR"),
        (lambda: b"7z\xbc\xaf\x27\x1c\x00\x04", "7z"),
        (lambda: pickle.dumps({"q1": {"a": 1.0}}, 2), "pickle"),
        (lambda: pickle.dumps({"q1": {"a": 1.0}}, 5), "pickle"),
        (a_parquet, "Parquet"),
        (lambda: a_parquet(0), "Parquet"),
        (an_arrow, "Arrow"),
        (a_numpy, "NumPy"),
        (a_database, "SQLite"),
        (lambda: b"%PDF-1.7\n%\xe2\xe3", "PDF"),
        (lambda: json.dumps({"q1": {"a": 1.0}}).encode(), "JSON"),
        (lambda: json.dumps([{"topic": "q1"}], indent=2).encode(), "JSON"),
        (lambda: b'\xef\xbb\xbf\n {\n "q1": {}}', "JSON"),
        (lambda: b'{"topic": "q1"}\n{"topic": "q2"}\n', "JSON"),
        (lambda: gzip.compress(json.dumps({"q1": {}}).encode()), "JSON"),
        (lambda: b"<!DOCTYPE html>\n<html><title>Sign in</title>", "HTML"),
        (lambda: b"<?xml version='1.0'?><run/>", "XML"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_other_containers_are_refused_by_their_name(make: Callable[[], bytes], kind: str) -> None:
    report = read(make()).report

    fault = report.faults[0]
    assert [("wrong_container", {"kind": kind})] == [(fault.code, dict(fault.facts)) for fault in report.faults]
    assert fault.line is None
    assert kind in fault.message


@pytest.mark.parametrize(
    "topic", ["PAR1", "BZh9", "ARROW1", "[1]", "{q}", "(1)", "%PDF", "<q1>", "MZ", "Rar!", "ustar"]
)
def test_topic_that_begins_like_a_container_is_a_topic(topic: str) -> None:
    assert read(f"{topic} Q0 a 1 2.5 t\n").report.accepted


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_text_is_refused(encoding: str) -> None:
    found = codes(read(RUN.decode().encode(encoding)))

    assert found[0] in ("utf16", "control_byte")


def test_gzip_is_told_by_content_and_its_sizes_are_counted() -> None:
    packed = gzip.compress(RUN * 1)

    report = read(packed).report

    assert report.accepted
    assert (len(packed), len(RUN)) == (report.size_bytes, report.unpacked_bytes)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (gzip.compress(RUN) + gzip.compress(RUN), "gzip_members"),
        (gzip.compress(gzip.compress(RUN)), "gzip_nested"),
        (gzip.compress(RUN)[:-9], "gzip_truncated"),
        (gzip.compress(RUN)[:-1], "gzip_truncated"),
        (gzip.compress(RUN)[:12], "gzip_truncated"),
        (b"\x1f\x8b", "gzip_truncated"),
        (gzip.compress(RUN)[:-5] + b"\x00" + gzip.compress(RUN)[-4:], "gzip_damaged"),
        (b"\x1f\x8b\x08\x00" + b"\xff" * 40, "gzip_damaged"),
        (gzip.compress(RUN) + b"and more", "gzip_damaged"),
        (gzip.compress(b""), "empty_file"),
    ],
    ids=[
        "two members",
        "nested",
        "no length",
        "last byte gone",
        "head only",
        "magic only",
        "checksum",
        "body",
        "tail",
        "0",
    ],
)
def test_gzip_that_is_not_one_whole_member_is_refused(raw: bytes, code: str) -> None:
    assert code in codes(read(raw))


def test_zero_padding_after_the_member_is_no_second_member() -> None:
    assert read(gzip.compress(RUN) + b"\x00" * 200_000).report.accepted


def test_gzip_with_a_file_name_and_comment_is_one_member(tmp_path: Path) -> None:
    with gzip.GzipFile(tmp_path / "my run.txt.gz", "wb") as packed:
        packed.write(RUN)

    assert read((tmp_path / "my run.txt.gz").read_bytes()).report.accepted


def test_truncated_gzip_does_not_report_its_cut_line_as_the_only_fault() -> None:
    text = b"".join(b"q1 Q0 d%05d %d %d.5 t\n" % (n, n, 9999 - n) for n in range(5000))

    assert "gzip_truncated" in codes(read(gzip.compress(text)[:-2000]))


@pytest.mark.parametrize("line", [b"q1 Q0 a 1 2.5 t\n", b"q1 Q0 a 1 nan t\n", b"\n", b"\x00", b"x"])
@pytest.mark.parametrize("engine", ["plain", "compiled"])
def test_bomb_is_refused_long_before_it_is_unpacked_and_nothing_else_is_said(line: bytes, engine: Engine) -> None:
    raw = gzip.compress(line * (64 * 1024**2 // len(line)))

    reading = read(raw, engine=engine)

    assert codes(reading) == ["ratio_too_high"]
    assert not reading.report.more_faults
    assert reading.report.unpacked_bytes <= 2 * 1024**2


def test_small_file_may_be_very_compressible() -> None:
    text = b"".join(b"q1 Q0 d%04d %d %d t%s\n" % (n, n, 9999 - n, b" " * 400) for n in range(2000))

    report = read(gzip.compress(text)).report

    assert report.unpacked_bytes > 40 * report.size_bytes
    assert report.accepted


def test_limit_of_unpacked_bytes_holds_for_gzip() -> None:
    text = b"".join(b"q1 Q0 d%05d %d %d.5 t\n" % (n, n, 9999 - n) for n in range(5000))

    report = read(gzip.compress(text), limits=Limits(size=50_000)).report

    assert codes(read(gzip.compress(text), limits=Limits(size=50_000))) == ["too_large"]
    assert dict(report.faults[0].facts) == {"limit": 50_000}


# ---------------------------------------------------------------- both inflaters

BOTH = pytest.mark.parametrize("inflater", [ZLIB, FASTEST], ids=["zlib", "fastest"])
LONG = b"".join(b"q1 Q0 d%06d %d %d.5 t%d\n" % (n * 7919 % 999_983, n, 999_999 - n, n * n) for n in range(60_000))
PACKED = gzip.compress(LONG, 1)


def unpacked(raw: bytes, inflater: Inflater, size: int = 2**40) -> tuple[bytes, str, int]:
    """The text that came out, the fault that ended it, and how many unpacked bytes were counted."""
    source, text, code = TextSource(io.BytesIO(raw), Limits(size=size), inflater), b"", ""
    try:
        for offset, block in source.blocks():
            assert offset == len(text)
            text += block
    except RunFormatError as refusal:
        code = refusal.code
    return text, code, source.unpacked_bytes


@BOTH
@pytest.mark.parametrize("level", [0, 1, 6, 9])
def test_member_of_any_level_comes_out_whole(inflater: Inflater, level: int) -> None:
    assert unpacked(gzip.compress(LONG, level), inflater) == (LONG, "", len(LONG))


@BOTH
def test_every_cut_of_a_small_member_is_truncated(inflater: Inflater) -> None:
    packed = gzip.compress(RUN)

    assert {unpacked(packed[:end], inflater)[1] for end in range(2, len(packed))} == {"gzip_truncated"}


@BOTH
@pytest.mark.parametrize("share", [0.1, 0.5, 0.999])
def test_cut_of_a_long_member_is_truncated_and_keeps_what_came_before(inflater: Inflater, share: float) -> None:
    packed = PACKED

    text, code, _ = unpacked(packed[: int(share * len(packed))], inflater)

    assert code == "gzip_truncated"
    assert LONG.startswith(text)
    assert len(text) >= 0.9 * share * len(LONG) - CHUNK


@BOTH
@pytest.mark.parametrize(
    ("tail", "code"),
    [
        (gzip.compress(RUN), "gzip_members"),
        (b"\x1f\x8b", "gzip_members"),
        (b"and more", "gzip_damaged"),
        (b"\x00" * 300_000 + b"x", "gzip_damaged"),
        (b"\x00" * 300_000, ""),
    ],
    ids=["member", "its magic", "text", "text after zeros", "zeros"],
)
@pytest.mark.parametrize("packed", [gzip.compress(RUN), PACKED], ids=["short", "long"])
def test_what_follows_the_member_is_judged(inflater: Inflater, packed: bytes, tail: bytes, code: str) -> None:
    assert unpacked(packed + tail, inflater)[1] == code


@BOTH
@pytest.mark.parametrize("place", [-1, -4, -5, -8], ids=["length", "length's first", "sum", "sum's first"])
def test_wrong_sum_or_length_is_damage(inflater: Inflater, place: int) -> None:
    packed = bytearray(PACKED)
    packed[place] ^= 1

    assert unpacked(bytes(packed), inflater)[1] == "gzip_damaged"


@BOTH
def test_flipped_bytes_are_damage_or_a_cut_and_nothing_else(inflater: Inflater) -> None:
    packed, chance, found = gzip.compress(LONG[:40_000]), random.Random(5), set()
    for _ in range(400):
        broken = bytearray(packed)
        broken[chance.randrange(10, len(packed))] ^= 1 << chance.randrange(8)
        found.add(unpacked(bytes(broken), inflater)[1])

    assert found <= {"gzip_damaged", "gzip_truncated", "ratio_too_high", "gzip_members"}
    assert "gzip_damaged" in found


@BOTH
def test_bomb_stops_at_the_limit(inflater: Inflater) -> None:
    text, code, n_bytes = unpacked(gzip.compress(b"q1 Q0 a 1 2.5 t\n" * 1_000_000), inflater)

    assert code == "ratio_too_high"
    assert len(text) <= n_bytes <= 2 * CHUNK


@BOTH
def test_size_limit_stops_soon_after_it(inflater: Inflater) -> None:
    text, code, n_bytes = unpacked(PACKED, inflater, CHUNK)

    assert code == "too_large"
    assert len(text) <= CHUNK < n_bytes <= 2 * CHUNK
