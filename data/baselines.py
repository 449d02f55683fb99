"""Runs that say what the numbers of a benchmark mean: the best possible one, one by chance, and BM25."""

import random
from collections.abc import Iterator, Mapping, Sequence

from data.importers.layouts import Corpus
from evaluation import GoldError, Qrels

DEPTH = 100
MISSING = (
    "BM25 was not scored: the package bm25s is not installed. Install it into the app's environment with "
    "`.venv/bin/python -m pip install 'bm25s>=0.3,<0.4'` and run the command again."
)


def oracle_run(qrels: Qrels) -> bytes:
    """Return the run that ranks every judged document by its grade: no run can score higher."""
    return _text("oracle", _best_first(qrels))


def random_run(qrels: Qrels, doc_ids: Sequence[str], seed: int = 0) -> bytes:
    """Return a run of documents drawn by chance from the corpus, or from all judged documents where there is none."""
    chance = random.Random(seed)
    pool = list(doc_ids) or sorted({one.decode() for place in range(qrels.n_topics) for one in qrels.judged(place)})
    drawn = ((topic_id, chance.sample(pool, min(DEPTH, len(pool)))) for topic_id in qrels.topic_ids)
    return _text("random", drawn)


def bm25_run(texts: Mapping[str, str], corpus: Corpus) -> bytes:
    """Return the run of BM25 over the corpus for the topics that have a text.

    Words are runs of letters and digits, without stemming; in scripts that write no blanks, single signs and pairs.

    Raises:
        GoldError: `bm25s` is not installed.
    """
    try:
        import bm25s  # noqa: PLC0415
    except ModuleNotFoundError:
        raise GoldError("bm25_missing", {}, MISSING) from None
    retriever = bm25s.BM25()
    retriever.index([words(text) for text in corpus.texts], show_progress=False)
    asked = {topic_id: words(text) for topic_id, text in texts.items()}
    asked = {topic_id: tokens for topic_id, tokens in asked.items() if tokens}
    if not asked:
        return b""
    places, scores = retriever.retrieve(list(asked.values()), k=min(DEPTH, len(corpus.doc_ids)), show_progress=False)
    ranked = (
        (topic_id, [corpus.doc_ids[place] for place, score in zip(row, values, strict=True) if score > 0])
        for topic_id, row, values in zip(asked, places, scores, strict=True)
    )
    return _text("bm25", ranked)


def words(text: str) -> list[str]:
    """Split a text into the words that BM25 counts."""
    found: list[str] = []
    word = ""
    before = ""
    for sign in text.lower():
        is_dense = "\u3040" <= sign <= "\u9fff" or "\uac00" <= sign <= "\ud7af"
        if sign.isalnum() and not is_dense:
            word += sign
            before = ""
            continue
        if word:
            found.append(word)
            word = ""
        if is_dense:
            found.append(sign)
            if before:
                found.append(before + sign)
        before = sign if is_dense else ""
    return [*found, word] if word else found


def _best_first(qrels: Qrels) -> Iterator[tuple[str, list[str]]]:
    for place, topic_id in enumerate(qrels.topic_ids):
        judged = qrels.judged(place)
        yield topic_id, [one.decode() for one in sorted(judged, key=lambda one: (-judged[one], one))]


def _text(tag: str, ranked: Iterator[tuple[str, list[str]]]) -> bytes:
    lines = [
        f"{topic_id} Q0 {document} {rank} {len(documents) - rank + 1} {tag}\n"
        for topic_id, documents in ranked
        for rank, document in enumerate(documents, 1)
    ]
    return "".join(lines).encode()
