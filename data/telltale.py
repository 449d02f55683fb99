"""What ids say about a benchmark: topics that give their documents away, and documents that no corpus has."""

import re
from collections.abc import Callable

from evaluation import Qrels

LEAST_SHARE = 0.3  # of the topics whose id points to a relevant document
LEAST_LEAD = 0.2  # over the share of topics that point to the document of the next topic, which is chance
_LAST = re.compile(r"[_\-.:/]")

# how an id may point: what of it is the same on both sides, in words for the host
_KEYS: dict[str, Callable[[str], str]] = {
    "the whole id": lambda one: one,
    "the part after the last sign": lambda one: _LAST.split(one)[-1] if _LAST.search(one) else "",
    "the part before the last sign": lambda one: one[: len(one) - len(_LAST.split(one)[-1]) - 1],
    "the number in it": lambda one: "".join(re.findall(r"\d+", one)).lstrip("0"),
}


def telltale(qrels: Qrels, relevant_from: int = 1) -> tuple[str, float] | None:
    """Return what topic ids share with the ids of their relevant documents, and for which share of the topics.

    None where they share no more than topics do with the documents of their neighbours.
    """
    relevant = [_relevant(qrels, place, relevant_from) for place in range(qrels.n_topics)]
    pairs = [(topic, documents) for topic, documents in zip(qrels.topic_ids, relevant, strict=True) if documents]
    if len(pairs) < 2:
        return None
    best: tuple[str, float] | None = None
    for words, key in _KEYS.items():
        shifted = [*pairs[1:], pairs[0]]
        share = _share(key, [(topic, documents) for topic, documents in pairs])
        chance = _share(key, [(pairs[place][0], documents) for place, (_, documents) in enumerate(shifted)])
        is_more = share >= LEAST_SHARE and share - chance >= LEAST_LEAD
        if is_more and (best is None or share > best[1]):
            best = words, share
    return best


def telltale_sentence(qrels: Qrels, relevant_from: int = 1) -> str:
    """Return the warning for the host, "" where ids tell nothing."""
    found = telltale(qrels, relevant_from)
    if found is None:
        return ""
    words, share = found
    return (
        f"Ids give answers away: for {share:.0%} of the topics, {words} is the same in the topic and in a relevant "
        "document. Whoever sees that needs no system; give topics or documents other ids before you publish them."
    )


def strangers_sentence(qrels: Qrels, doc_ids: frozenset[str]) -> str:
    """Say how many judged documents a corpus does not have, "" where it has all."""
    judged = {one.decode() for place in range(qrels.n_topics) for one in qrels.judged(place)}
    n_missing = len(judged - doc_ids)
    if not n_missing:
        return ""
    return f"Judged documents that the corpus does not have: {n_missing} of {len(judged)}. No system can find them."


def _relevant(qrels: Qrels, place: int, relevant_from: int) -> list[str]:
    return [document.decode() for document, grade in qrels.judged(place).items() if grade >= relevant_from]


def _share(key: Callable[[str], str], pairs: list[tuple[str, list[str]]]) -> float:
    hits = sum(bool(key(topic)) and any(key(topic) == key(one) for one in documents) for topic, documents in pairs)
    return hits / len(pairs)
