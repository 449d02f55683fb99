"""Read mutated files for a while: nothing may be raised but the declared errors, and both readers must say the same.

    python -m tests.malformed.fuzz --seconds 600 [--seed 1] [--keep]

Each round mutates a file of the pool and reads it as a run, as judgements, as a topic table and as a measure's name. A
file that shows a new mix of faults and notices joins the pool, and with --keep the corpus, while that is small. What
breaks a property is written to the corpus as found-*, so that its test fails until it is mended.
"""

import argparse
import gzip
import hashlib
import io
import random
import sys
import time
import traceback
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from evaluation import (
    Limits,
    Qrels,
    QrelsFormatError,
    RunReading,
    TopicsFormatError,
    UnknownMeasure,
    evaluate,
    parse_measure,
    read_qrels,
    read_run,
    read_topic_ids,
    read_topics,
    tie_extremes,
    warm,
)
from tests.malformed.generator import CLASSES, make

CORPUS = Path(__file__).with_name("corpus")
KEPT_BYTES, N_KEPT = 400, 150  # no bigger files are kept and no more, so that one can look at them
LONGEST = 200_000
QRELS = Qrels.of({"q1": {"doc-01": 2, "doc-02": 0, "a": 1}, "q2": {"doc-03": 1, "a": -1}, "q3": {"b": 3}})
MEASURES = ("nDCG@10", "nDCG", "AP", "AP@3", "R@10", "P@3", "RR", "RR@2", "Success@3", "Judged@5", "RR(recipe)")
CHOICES: dict[str, Sequence[Any]] = {
    "topics": (None, None, ["q1", "q2", "q9"], ["zz"], []),
    "qrels": (QRELS, QRELS, None),
    "depth": (None, None, 1, 2, 5),
    "remove_identical": (False, True),
    "documents": (None, None, ["a", "doc-01", "doc-02"], ["nothing"]),
    "limits": (
        *(Limits(), Limits(), Limits(lines=7), Limits(topics=2), Limits(faults=3)),
        *(Limits(size=700), Limits(bad_lines=3), Limits(line_bytes=80, id_bytes=9)),
    ),
}
TOKENS = (
    *(b"q1", b"q2", b"Q0", b"a", b"doc-01", b"1", b"-1", b"0.5", b"nan", b"inf", b"1e999", b"1e-400", b"0x10", b"1_0"),
    *(b",", b"#", b"# k: v", b"\xef\xbb\xbf", b"\x00", b"\x0b", b"\x1c", b"\x7f", b"\x85", b"\xff", b"\xc3"),
    *(b"\xed\xa0\x80", b"\xc2\xa0", b" ", b"  ", b"\t", b"\n", b"\r", b"\r\n", b"\n\n", b"\n#", b"\x1f\x8b"),
    *(b"9" * 25, b"d" * 257, b" " * 300, b"0.12345678901234567890123", b"9007199254740993", b"-0", b".5", b"5."),
    *(b"q1 Q0 a 1 2.5 t", b"q1 0 a 1", b'{"topic_id": "q1"}', b"query-id\tcorpus-id\tscore", b"nDCG@10", b"PK\x03\x04"),
)  # fmt: skip


class BrokenProperty(AssertionError):
    """What must always hold did not."""


def check(raw: bytes) -> tuple[str, ...]:
    """Read these bytes in every way, by rules that follow from them; returns the mix of what was found.

    Raises BrokenProperty, or whatever a reader should not have raised.
    """
    chance = random.Random(zlib.crc32(raw))
    rules = {name: chance.choice(choices) for name, choices in CHOICES.items()}
    found = check_run(raw, rules)
    with suppress(QrelsFormatError):
        read_qrels(io.BytesIO(raw))
    for read in (read_topics, read_topic_ids):
        with suppress(TopicsFormatError):
            read(io.BytesIO(raw))
    with suppress(UnknownMeasure):
        parse_measure(raw[:100].decode("utf-8", "replace"))
    return found


def check_run(raw: bytes, rules: dict[str, Any]) -> tuple[str, ...]:
    plain, compiled = (read_run(io.BytesIO(raw), engine=engine, **rules) for engine in ("plain", "compiled"))
    insist(plain.report == compiled.report, "the readers report differently")
    insist((plain.hits is None) == (compiled.hits is None), "one reader has hits")
    insist(plain.report.accepted == (not plain.report.faults), "accepted with faults, or refused without")
    _ = plain.report.to_json(), [(fault.message, fault.fix) for fault in plain.report.faults]
    if plain.hits is not None:
        insist(values_of(plain) == values_of(compiled), "the readers score differently")
    check_first_line(raw, plain, rules)
    faults = {fault.code for fault in plain.report.faults} | set(plain.report.more_faults)
    return (*sorted(faults), *sorted(notice.code for notice in plain.report.notices))


def values_of(reading: RunReading) -> list[list[float]]:
    """Every value, that of the run between those of the extremes that its ties allow."""
    low, own, high = (
        evaluate(QRELS, one, MEASURES).scores.values
        for one in (tie_extremes(reading).worst, reading, tie_extremes(reading).best)
    )
    insist(bool((low <= own + 1e-12).all() and (own <= high + 1e-12).all()), "ties allow less than the run has")
    insist(bool((own >= 0).all() and (own <= 1).all()), "a value outside 0 to 1")
    return [*low.tolist(), *own.tolist(), *high.tolist()]


def check_first_line(raw: bytes, reading: RunReading, rules: dict[str, Any]) -> None:
    """The file is faultless down to the first fault's line, and shows that fault once it ends with that line."""
    first = next((fault for fault in reading.report.faults if fault.line is not None), None)
    if first is None or first.line is None:
        return
    if raw.startswith(b"\x1f\x8b"):
        try:
            raw = zlib.decompressobj(wbits=31).decompress(raw)
        except zlib.error:
            return  # how much comes out before the damage depends on the library
    lines = raw.split(b"\n")
    rules = {**rules, "engine": "plain"}
    above = read_run(io.BytesIO(b"\n".join(lines[: first.line - 1])), **rules).report
    until = read_run(io.BytesIO(b"\n".join(lines[: first.line]) + b"\n"), **rules).report
    insist(not [fault for fault in above.faults if fault.line is not None], "there is a fault above the first")
    seen = [(fault.code, fault.line) for fault in until.faults if fault.line is not None]
    insist(seen[:1] == [(first.code, first.line)], "the first fault is not that of its line")


def insist(holds: bool, what: str) -> None:
    if not holds:
        raise BrokenProperty(what)


def mutated(chance: random.Random, pool: Sequence[bytes]) -> bytes:
    """Change a file of the pool in a few places; sometimes pack it, or cut or damage what was packed."""
    raw = bytearray(chance.choice(pool))
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        place = chance.randrange(len(raw) + 1)
        end = min(len(raw), place + chance.choice((0, 1, 1, 4, 30)))
        kind = chance.randrange(7)
        if kind == 0:
            raw[place:end] = chance.choice(TOKENS)
        elif kind == 1:
            raw[place:end] = chance.randbytes(chance.randrange(4))
        elif kind == 2:
            del raw[place:end]
        elif kind == 3:
            raw = change_lines(chance, raw)
        elif kind == 4:
            other = chance.choice(pool)
            raw[place:place] = other[: chance.randrange(len(other) + 1)]
        elif kind == 5:
            raw = change_field(chance, raw)
        elif place < len(raw):
            raw[place] ^= 1 << chance.randrange(8)
    raw = raw[:LONGEST]
    if chance.randrange(60) == 0:
        raw = raw * chance.choice((20, 400))  # beyond a block
    packing = chance.randrange(12)
    if packing > 1:
        return bytes(raw)
    packed = bytearray(gzip.compress(raw, 1))
    if packing == 1 and packed:
        packed[chance.randrange(len(packed))] = chance.randrange(256)
        packed = packed[: chance.randrange(len(packed) + 1)]
    return bytes(packed)


def change_lines(chance: random.Random, raw: bytearray) -> bytearray:
    """Swap, repeat, drop or move lines."""
    lines = raw.split(b"\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    if (kind := chance.randrange(4)) == 0:
        lines[one], lines[other] = lines[other], lines[one]
    elif kind == 1:
        lines.insert(one, lines[other])
    elif kind == 2:
        del lines[one]
    else:
        chance.shuffle(lines)
    return bytearray(b"\n").join(lines)


def change_field(chance: random.Random, raw: bytearray) -> bytearray:
    """Put a token, or the field of another line, into a field."""
    lines = raw.split(b"\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    fields, others = lines[one].split(b" "), lines[other].split(b" ")
    fields[chance.randrange(len(fields))] = bytearray(
        chance.choice((chance.choice(TOKENS), bytes(chance.choice(others))))
    )
    lines[one] = bytearray(b" ").join(fields)
    return bytearray(b"\n").join(lines)


def main() -> int:
    """Fuzz for so many seconds; the exit status says whether anything was found."""
    parser = argparse.ArgumentParser(description="Read mutated files, looking for a broken property.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep", action="store_true", help="add small files that show something new to the corpus")
    given = parser.parse_args()
    warm()
    chance = random.Random(given.seed)
    pool = [path.read_bytes() for path in sorted(CORPUS.iterdir())] + [make(name, 0).raw for name in CLASSES]
    seen = {check(raw) for raw in pool}
    n_read, n_new, n_broken, end = 0, 0, 0, time.monotonic() + given.seconds
    while time.monotonic() < end:
        raw = mutated(chance, pool)
        n_read += 1
        try:
            found = check(raw)
        except Exception:
            n_broken += 1
            keep("found", raw)
            traceback.print_exc()
            continue
        if found not in seen:
            seen.add(found)
            n_new += 1
            if len(raw) <= LONGEST:
                pool.append(raw)
            if given.keep and len(raw) <= KEPT_BYTES and len(list(CORPUS.iterdir())) < N_KEPT:
                keep("kept", raw)
    print(f"seed {given.seed}: {n_read} files read, {n_new} new mixes of faults and notices, {n_broken} broken")
    return 1 if n_broken else 0


def keep(kind: str, raw: bytes) -> None:
    (CORPUS / f"{kind}-{hashlib.sha256(raw).hexdigest()[:12]}").write_bytes(raw)


if __name__ == "__main__":
    sys.exit(main())
