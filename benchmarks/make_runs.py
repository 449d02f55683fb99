"""Write a made-up run and its judgements, the same bytes for the same arguments.

    python benchmarks/make_runs.py FOLDER/M --topics 10000 --depth 100 --order grouped --gzip

writes FOLDER/M.run (or M.run.gz) and FOLDER/M.qrels. Each topic has a random stream of its own, so a longer file begins
with the lines of a shorter one. Standard library only: the bench must not depend on what it measures.
"""

import argparse
import gzip
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

ORDERS = ("grouped", "mixed", "scattered")
COLLECTION = 8_841_823  # passages; a prime step walks over them without meeting one twice
STEPS = (7_919, 104_729, 611_953, 1_299_709)
RELEVANT = 3  # judged relevant documents a topic, on average; most of them are retrieved near the top
LINES_AT_ONCE = 100_000


@dataclass(frozen=True, slots=True)
class Shape:
    """What a file looks like.

    `order` is "grouped" (topic by topic, best first), "mixed" (shuffled inside each topic) or "scattered" (over the
    whole file). `ties` is the share of lines with the score of the line above.
    """

    topics: int
    depth: int = 100
    order: str = "grouped"
    ties: float = 0.05
    digits: int = 6
    seed: int = 1


def write_files(stem: Path, shape: Shape, *, packed: bool = False) -> tuple[Path, Path]:
    """Write the run and its judgements beside `stem`, and return both paths (run, judgements)."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    run_path = stem.with_name(stem.name + (".run.gz" if packed else ".run"))
    qrels_path = stem.with_name(stem.name + ".qrels")
    with run_path.open("wb") as raw, qrels_path.open("w", encoding="ascii") as qrels:
        # neither a name nor a time in the gzip header: the same bytes every time
        run: BinaryIO = gzip.GzipFile("", "wb", 6, raw, mtime=0) if packed else raw  # type: ignore[assignment]
        scattered: list[str] = []
        for number in range(shape.topics):
            lines, judgements = one_topic(number, shape)
            qrels.writelines(judgements)
            if shape.order == "scattered":
                scattered += lines
            else:
                run.write("".join(lines).encode("ascii"))
        random.Random(shape.seed).shuffle(scattered)
        for first in range(0, len(scattered), LINES_AT_ONCE):
            run.write("".join(scattered[first : first + LINES_AT_ONCE]).encode("ascii"))
        if packed:
            run.close()
    return run_path, qrels_path


def one_topic(number: int, shape: Shape) -> tuple[list[str], list[str]]:
    """Return the run lines and the judgement lines of one topic."""
    random_stream = random.Random(shape.seed * 1_000_003 + number)
    topic = f"{number // 10 * 7 + 100_000}_{number % 10}"
    start, step = random_stream.randrange(COLLECTION), random_stream.choice(STEPS)
    documents = [_document_id((start + place * step) % COLLECTION) for place in range(shape.depth)]
    lines = list(_run_lines(topic, documents, shape, random_stream))
    if shape.order == "mixed":
        random_stream.shuffle(lines)
    return lines, _judgements(topic, documents, random_stream)


def _document_id(passage: int) -> str:
    return f"p{passage:07d}.{passage % 10}"


def _run_lines(topic: str, documents: list[str], shape: Shape, random_stream: random.Random) -> Iterator[str]:
    score = 10 + 20 * random_stream.random()
    fall = 20 / shape.depth
    for rank, document in enumerate(documents, 1):
        if random_stream.random() >= shape.ties:
            score -= fall * random_stream.random()
        yield f"{topic} Q0 {document} {rank} {score:.{shape.digits}f} made-up-run\n"


def _judgements(topic: str, documents: list[str], random_stream: random.Random) -> list[str]:
    depth = len(documents)
    places = {min(int(random_stream.expovariate(8 / depth)), depth - 1) for _ in range(RELEVANT)}
    judged = {documents[place]: random_stream.randint(1, 3) for place in sorted(places)}
    for _ in range(2):
        judged.setdefault(documents[random_stream.randrange(depth)], 0)
    judged["never-retrieved"] = 1
    return [f"{topic} 0 {document} {grade}\n" for document, grade in judged.items()]


def main() -> None:
    """Write the files that the arguments describe."""
    parser = argparse.ArgumentParser(description="Write a made-up run and its judgements.")
    parser.add_argument("stem", type=Path, help="path and beginning of the name of the files")
    parser.add_argument("--topics", type=int, default=10_000)
    parser.add_argument("--depth", type=int, default=100, help="documents a topic")
    parser.add_argument("--order", choices=ORDERS, default="grouped")
    parser.add_argument("--ties", type=float, default=0.05, help="share of lines with the score of the line above")
    parser.add_argument("--digits", type=int, default=6, help="decimals of a score")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gzip", action="store_true", help="pack the run")
    given = parser.parse_args()
    shape = Shape(given.topics, given.depth, given.order, given.ties, given.digits, given.seed)
    for path in write_files(given.stem, shape, packed=given.gzip):
        print(path)


if __name__ == "__main__":
    main()
