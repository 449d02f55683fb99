"""Judge the shape of a call before anything parses it: a small text can hold more objects than a process can walk.

What a page or a script of ours sends has a dozen values; a walk over hundreds of thousands would stop all pages.
"""

import re

MOST_BRACKETS = 1_000  # objects and lists of one call
MOST_VALUES = 20_000
MOST_DEPTH = 50
_MOST_QUOTES = 4 * (MOST_VALUES + MOST_BRACKETS)  # around every name and every value
_OPENING, _CLOSING = b"{[", b"}]"


def is_simple(body: bytes) -> bool:
    """Tell whether a JSON text has few enough values, objects and levels; what stands inside its strings is no matter.

    Whether it is JSON at all is for its reader to say, except that UTF-16 and UTF-32, which the reader knows too, are
    not taken: bytes do not tell there where a string ends. Each step goes through the body once, whatever stands in it.
    """
    if b"\0" in body:
        return False
    if _n_opening(body) <= MOST_DEPTH and body.count(b",") <= MOST_VALUES:
        return True
    unescaped = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    n_quotes = unescaped.count(b'"')
    if n_quotes > _MOST_QUOTES or n_quotes % 2:
        return False
    bare = b"".join(unescaped.split(b'"')[::2])
    return _n_opening(bare) <= MOST_BRACKETS and bare.count(b",") <= MOST_VALUES and _depth(bare) <= MOST_DEPTH


def _n_opening(text: bytes) -> int:
    return sum(text.count(bytes((sign,))) for sign in _OPENING)


def _depth(bare: bytes) -> int:
    """Return how deep objects and lists lie in one another."""
    deepest = depth = 0
    for sign in re.findall(rb"[\[\]{}]", bare):
        depth += 1 if sign in _OPENING else -1
        deepest = max(deepest, depth)
    return deepest
