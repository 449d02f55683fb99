"""Read a TREC run: the one entry, whichever reader does the work.

The plain reader and the compiled one give the same, which the tests assert; they differ in what they cost.
"""

from collections.abc import Callable, Collection, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import BinaryIO, Literal

from evaluation.trec import read_plain
from evaluation.types import Limits, Qrels, RunReading, RunRules

Engine = Literal["auto", "plain", "compiled"]
_LIMITS = Limits()
_SMALL = 9 * 1024**2  # bytes of a file that the plain reader has read before the compiled one is loaded


def read_run(
    stream: BinaryIO,
    *,
    topics: Sequence[str] | None = None,
    qrels: Qrels | None = None,
    depth: int | None = None,
    remove_identical: bool = False,
    documents: Collection[str] | None = None,
    limits: Limits = _LIMITS,
    engine: Engine = "auto",
) -> RunReading:
    """Read a run, plain or gzip, and say everything about it. Never raises on content.

    Args:
        stream: bytes of the file.
        topics: ids of the task's topics (public); others are ignored and counted. Default: the topics of `qrels`; with
            neither, every topic of the file counts.
        qrels: judgements; with them, an accepted run has `hits`, aligned to the topics of the qrels.
        depth: documents kept a topic; more are cut, more than ten times as many are refused.
        remove_identical: drop a document whose id is the topic id before ranking.
        documents: ids of the collection (public); others are counted and stay not relevant.
        limits: what the file may cost.
        engine: which reader; "auto" takes the plain one where numba cannot be imported, and for small files until the
            compiled one is loaded. "compiled" raises ImportError without numba.
    """
    rules = RunRules(topics, qrels, depth, remove_identical, documents, limits)
    return _reader(stream, engine)(stream, rules)


def warm() -> bool:
    """Compile the fast reader, or load what was compiled before; returns whether there is one.

    Takes about ten seconds once a machine and half a second in each process: call it at the start of a process, in a
    thread where somebody waits. The result is kept in NUMBA_CACHE_DIR, where that is set.
    """
    module = _compiled()
    if module is not None:
        module.warm()
    return module is not None


def _reader(stream: BinaryIO, engine: Engine) -> Callable[[BinaryIO, RunRules], RunReading]:
    is_loaded = _compiled.cache_info().currsize > 0
    if engine == "plain" or (engine == "auto" and not is_loaded and _is_small(stream)):
        return read_plain
    module = _compiled()
    if module is None and engine == "compiled":
        raise ImportError("the compiled reader needs numba")
    return read_plain if module is None else module.read_compiled


def _is_small(stream: BinaryIO) -> bool:
    if not stream.seekable():
        return False
    beginning = stream.tell()
    head = stream.read(_SMALL)
    stream.seek(beginning)
    return len(head) < _SMALL


@cache
def _compiled() -> ModuleType | None:
    """Import the compiled reader when it is first needed, since that takes a while."""
    try:
        return import_module("evaluation.compiled")
    except ImportError:
        return None
