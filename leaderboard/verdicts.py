"""What was found about the files that came last, so that a file that is handed in after its check is not read again.

Bounded and in memory. It holds findings under the hash of a file's bytes, never the bytes.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import BinaryIO, Generic, TypeVar

BLOCK = 1 << 20
MOST_KEPT = 64
Finding = TypeVar("Finding")


class Verdicts(Generic[Finding]):
    """The findings of the last `most` questions. Safe between threads."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, Finding] = OrderedDict()
        self._turn = threading.Lock()

    def get(self, question: Hashable, find: Callable[[], Finding]) -> Finding:
        """Return what is known of a question, else what `find` says; two who ask at once may both have to find."""
        with self._turn:
            if question in self._kept:
                self._kept.move_to_end(question)
                return self._kept[question]
        found = find()
        with self._turn:
            self._kept[question] = found
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return found


def sha256_of(stream: BinaryIO) -> str:
    """Return the hash of the bytes from here to the end; the stream stands where it stood before."""
    beginning, digest = stream.tell(), hashlib.sha256()
    while block := stream.read(BLOCK):
        digest.update(block)
    stream.seek(beginning)
    return digest.hexdigest()
