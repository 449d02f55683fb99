"""Read ahead in a thread, so that reading and unpacking go on while the blocks before are worked on.

Knows neither files nor runs; the order of items and any error are those of the iterator given.
"""

import queue
import threading
from collections.abc import Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")
_WAIT_S = 0.1  # how soon the thread notices that nobody wants more


class ReadAhead(Generic[Item]):
    """The items of an iterator, a few of them made ahead. Leaving the `with` block stops the thread."""

    def __init__(self, items: Iterator[Item], n_ahead: int) -> None:
        self._items = items
        self._queue: queue.Queue[Item | BaseException | None] = queue.Queue(n_ahead)
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._fill, name="read-ahead", daemon=True)

    def __enter__(self) -> Iterator[Item]:
        """Start reading and return the items."""
        self._thread.start()
        return self._drain()

    def __exit__(self, *_: object) -> None:
        """Stop reading."""
        self._is_over.set()
        self._thread.join()

    def _fill(self) -> None:
        try:
            for item in self._items:
                if not self._put(item):
                    return
        except BaseException as error:  # it belongs to the reader of the items, whatever it is
            self._put(error)
        else:
            self._put(None)

    def _put(self, item: Item | BaseException | None) -> bool:
        while not self._is_over.is_set():
            try:
                self._queue.put(item, timeout=_WAIT_S)
            except queue.Full:
                continue
            return True
        return False

    def _drain(self) -> Iterator[Item]:
        while (item := self._queue.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
