"""Find secret strings in what somebody could read, as they stand and in every form in which they could be wrapped."""

import base64
import contextlib
import gzip
import hashlib
import re
import zlib
from collections.abc import Callable, Iterable, Mapping

_WORD = re.compile(rb"[A-Za-z0-9+/=_%.-]{4,}")
_GZIP = b"\x1f\x8b\x08"
_FIRST = 8


def _base64_at(offset: int) -> Callable[[bytes], bytes]:
    """The part of a base64 text that a string alone decides when it begins at this place of three."""

    def wrap(plain: bytes) -> bytes:
        whole = base64.b64encode(b"\0" * offset + plain)
        return whole[-(-offset * 8 // 6) : (offset + len(plain)) * 8 // 6]

    return wrap


FORMS: Mapping[str, Callable[[bytes], bytes]] = {
    "plain": lambda plain: plain,
    "reversed": lambda plain: plain[::-1],
    "base64 at 0": _base64_at(0),
    "base64 at 1": _base64_at(1),
    "base64 at 2": _base64_at(2),
    "base64 reversed": lambda plain: base64.b64encode(plain[::-1]).rstrip(b"=")[:-1],
    "hex": lambda plain: plain.hex().encode(),
    "HEX": lambda plain: plain.hex().upper().encode(),
    "url": lambda plain: b"".join(b"%%%02X" % byte for byte in plain),
    "url in small letters": lambda plain: b"".join(b"%%%02x" % byte for byte in plain),
    "sha256": lambda plain: hashlib.sha256(plain).hexdigest().encode(),
    "sha1": lambda plain: hashlib.sha1(plain).hexdigest().encode(),
    "md5": lambda plain: hashlib.md5(plain).hexdigest().encode(),
}


class Needles:
    """All forms of some secrets, found in one pass over the distinct words of many texts."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._by_first: dict[bytes, list[tuple[bytes, str]]] = {}
        for secret in secrets:
            for name, wrap in FORMS.items():
                needle = wrap(secret.encode())
                self._by_first.setdefault(needle[:_FIRST], []).append((needle, f"{secret} ({name})"))

    def found(self, texts: Iterable[bytes]) -> list[str]:
        """Return each secret that is there, with the form that it has."""
        words = {word for text in texts for layer in layers(text) for word in _WORD.findall(layer)}
        return sorted({name for word in words for name in self._in(word)})

    def _in(self, word: bytes) -> Iterable[str]:
        for start in range(len(word) - _FIRST + 1):
            for needle, name in self._by_first.get(word[start : start + _FIRST], ()):
                if word.startswith(needle, start):
                    yield name


def layers(text: bytes) -> Iterable[bytes]:
    """The text itself and, wherever gzip begins in it, what was packed there."""
    yield text
    start = text.find(_GZIP)
    while start >= 0:
        with contextlib.suppress(zlib.error):
            yield zlib.decompressobj(31).decompress(text[start:], 64 << 20)
        start = text.find(_GZIP, start + 1)


def packed(text: bytes) -> bytes:
    """A text as gzip."""
    return gzip.compress(text)
