"""From a byte stream to blocks of whole lines: plain text or gzip of one member, told apart by content.

Every other container is refused here, and so is anything beyond the limits, before it costs memory. What a line means
is never this room's business.
"""

import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, BinaryIO, NamedTuple, Protocol

from evaluation.errors import RunFormatError
from evaluation.types import Limits

try:
    from isal import isal_zlib
except ImportError:  # there is no wheel for this machine
    isal_zlib = None  # type: ignore[assignment]

CHUNK = 1024**2
PACKED_CHUNK = 64 * 1024
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"

# where the bytes stand, the bytes, what the file is called in the sentence
_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"PK\x03\x04", "ZIP"),
    (0, b"PK\x05\x06", "ZIP"),
    (0, b"PK\x07\x08", "ZIP"),
    (257, b"ustar", "tar"),
    (0, b"\x28\xb5\x2f\xfd", "Zstandard"),
    (0, b"BZh91AY&SY", "bzip2"),
    (0, b"\xfd7zXZ\x00", "xz"),
    (0, b"7z\xbc\xaf\x27\x1c", "7z"),
    (0, b"Rar!\x1a\x07", "RAR"),
    (0, b"\x04\x22\x4d\x18", "LZ4"),
    (0, b"PAR1\x15", "Parquet"),
    (0, b"ARROW1\x00", "Arrow"),
    (0, b"\xff\xff\xff\xff", "Arrow"),
    (0, b"SQLite format 3\x00", "SQLite"),
    (0, b"\x93NUMPY", "NumPy"),
    (0, b"\x89HDF\r\n", "HDF5"),
    (0, b"%PDF-1", "PDF"),
    *((0, bytes([0x80, protocol]), "pickle") for protocol in range(2, 6)),
)
# the same for text, in lower case and without white space
_TEXT_STARTS: tuple[tuple[bytes, str], ...] = (
    *((start, "JSON") for start in (b'{"', b"{}", b"[{", b"[[", b'["', b"[]")),
    (b"<!doctypehtml", "HTML"),
    (b"<html", "HTML"),
    (b"<?xml", "XML"),
)


class Unpacking(Protocol):
    """A gzip member while it is unpacked; the names are those of the standard library."""

    eof: bool
    unused_data: bytes
    unconsumed_tail: bytes

    def decompress(self, packed: bytes, max_length: int, /) -> bytes:
        """Return at most so many unpacked bytes."""
        ...


class Inflater(NamedTuple):
    """A library that unpacks gzip, checksum and length checked, and what it raises for a damaged file."""

    start: Callable[[], Unpacking]
    error: type[Exception]


def _inflater(library: Any) -> Inflater:
    return Inflater(partial(library.decompressobj, wbits=31), library.error)


ZLIB = _inflater(zlib)
# three times as fast, so that the scanner does not wait for it
FASTEST = ZLIB if isal_zlib is None else _inflater(isal_zlib)


class TextSource:
    """A stream of text lines with its meters: bytes read and unpacked so far, a byte order mark skipped or not."""

    def __init__(self, stream: BinaryIO, limits: Limits, inflater: Inflater = FASTEST) -> None:
        self.size_bytes = 0
        self.unpacked_bytes = 0
        self.has_byte_order_mark = False
        self._stream = stream
        self._limits = limits
        self._inflater = inflater
        self._n_waiting = 0  # packed bytes that were read and not unpacked yet

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yield (offset of the first byte in the unpacked text, whole lines); only the last block may lack a line feed.

        A line longer than a chunk is cut, since it will be refused: its first bytes are kept, more than any line limit.
        Raises RunFormatError for another container, a damaged gzip file, or more than the limits allow.
        """
        tail = b""
        for chunk in self._text():
            cut = chunk.rfind(b"\n") + 1
            if not cut:
                tail += chunk if len(tail) <= self._limits.line_bytes else b""
                continue
            block = b"".join((tail, memoryview(chunk)[:cut]))  # one copy, not two
            tail = chunk[cut:]
            yield self.unpacked_bytes - len(tail) - len(block), block
        if tail:
            yield self.unpacked_bytes - len(tail), tail

    def _text(self) -> Iterator[bytes]:
        """Yield unpacked chunks, checked for what they are at their beginning."""
        head = self._read(PACKED_CHUNK)
        if not head:
            raise RunFormatError("empty_file")
        is_first = True
        for chunk in self._unpacked(head) if head.startswith(_GZIP) else self._plain(head):
            self.unpacked_bytes += len(chunk)
            self._check_size()
            if is_first:
                is_first = False
                _refuse_other_containers(chunk)
                if chunk.startswith(_BYTE_ORDER_MARK):
                    self.has_byte_order_mark = True
                    chunk = chunk[len(_BYTE_ORDER_MARK) :]
            yield chunk
        if is_first:
            raise RunFormatError("empty_file")

    def _read(self, size: int = CHUNK) -> bytes:
        """Read a full chunk, however little the stream hands out at a time."""
        parts: list[bytes] = []
        missing = size
        while missing and (part := self._stream.read(missing)):
            parts.append(part)
            missing -= len(part)
        self.size_bytes += size - missing
        return b"".join(parts)

    def _plain(self, chunk: bytes) -> Iterator[bytes]:
        while chunk:
            yield chunk
            chunk = self._read()

    def _unpacked(self, packed: bytes) -> Iterator[bytes]:
        member = self._inflater.start()
        while True:
            try:
                chunk = member.decompress(packed, CHUNK)
            except self._inflater.error:
                raise RunFormatError("gzip_damaged", {"n_bytes": self.unpacked_bytes}) from None
            self._n_waiting = len(member.unconsumed_tail)
            if chunk:
                yield chunk
            if member.eof:
                self._refuse_more(member.unused_data)
                return
            is_drained = len(chunk) < CHUNK
            packed = member.unconsumed_tail or (self._read(PACKED_CHUNK) if is_drained else b"")
            if is_drained and not packed:
                raise RunFormatError("gzip_truncated", {"n_bytes": self.unpacked_bytes})

    def _refuse_more(self, rest: bytes) -> None:
        """Refuse anything but zero padding after the first member."""
        while rest:
            if rest.startswith(_GZIP):
                raise RunFormatError("gzip_members")
            if rest.strip(b"\x00"):
                raise RunFormatError("gzip_damaged", {"n_bytes": self.unpacked_bytes})
            rest = self._read(PACKED_CHUNK)

    def _check_size(self) -> None:
        if self.unpacked_bytes > self._limits.size:
            raise RunFormatError("too_large", {"limit": self._limits.size})
        allowed = max(self._limits.ratio_floor, self._limits.ratio * (self.size_bytes - self._n_waiting))
        if self.unpacked_bytes > allowed:
            raise RunFormatError("ratio_too_high", {"limit": self._limits.ratio})


def _refuse_other_containers(head: bytes) -> None:
    if head.startswith(_GZIP):
        raise RunFormatError("gzip_nested")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise RunFormatError("utf16")
    for offset, magic, kind in _MAGIC:
        if head.startswith(magic, offset):
            raise RunFormatError("wrong_container", {"kind": kind})
    start = b"".join(head[:512].removeprefix(_BYTE_ORDER_MARK).split()).lower()
    for text, kind in _TEXT_STARTS:
        if start.startswith(text):
            raise RunFormatError("wrong_container", {"kind": kind})
