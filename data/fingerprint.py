"""The fingerprint of gold: one sha256 of what it says, whatever the order and layout of its files."""

import hashlib
import json
from typing import Any

from evaluation import Qrels, TopicTable

# part of what is hashed: change it with the canonical form
FORM = "qrelboard gold 1"


def fingerprint(qrels: Qrels, topics: TopicTable) -> str:
    """Return "sha256:…" over all judgements and all attributes of the judged topics.

    `topics` has one row a judged topic, in the order of `qrels`. Canonical form: a line with the form's name, then for
    each topic by id a JSON line [id, group, {attribute: values}, [[document, grade], …]], all parts sorted.
    """
    digest = hashlib.sha256(f"{FORM}\n".encode())
    for index in sorted(range(qrels.n_topics), key=lambda index: qrels.topic_ids[index].encode()):
        judged = sorted((document.decode(), grade) for document, grade in qrels.judged(index).items())
        group = topics.groups[index] if topics.groups else ""
        attributes = {axis: sorted(values[index]) for axis, values in topics.axes.items()}
        digest.update(_line([qrels.topic_ids[index], group, attributes, judged]))
    return f"sha256:{digest.hexdigest()}"


def _line(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return f"{text}\n".encode()
