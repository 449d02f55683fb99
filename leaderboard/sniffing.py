"""Which topics a file speaks of, from its first lines alone: to find the task that a misplaced run was made for."""

import gzip
import zlib
from typing import BinaryIO

SNIFFED_BYTES = 1 << 18


def first_topics(stream: BinaryIO) -> frozenset[str]:
    """Return the topic ids of the first lines of a file, plain or gzip."""
    is_packed = stream.read(2) == b"\x1f\x8b"
    stream.seek(0)
    try:
        head = gzip.GzipFile(fileobj=stream).read(SNIFFED_BYTES) if is_packed else stream.read(SNIFFED_BYTES)
    except (OSError, EOFError, zlib.error):
        return frozenset()
    fields = (line.split(None, 1) for line in head.splitlines() if not line.startswith(b"#"))
    return frozenset(parts[0].decode("utf-8", "replace") for parts in fields if parts)
