"""The keys of people without an account: one secret a browser, and one derived from it for each submission.

The books hold hashes alone. The keys have 192 bits or more, so a plain hash is enough and no guess is worth a try.
"""

import base64
import hashlib
import hmac
import re
import secrets

_OWNER_KEY = re.compile(r"[A-Za-z0-9_-]{32,128}")
# what a submission that does not exist is compared with, so that it answers like one with another key
_NOBODY = "0" * 64


def new_owner_key() -> str:
    """Return a fresh secret for one browser or person."""
    return secrets.token_urlsafe(32)


def is_owner_key(key: str) -> bool:
    """Say whether a key could be one of ours or of a browser's making: 32 to 128 letters, digits, `-` and `_`."""
    return _OWNER_KEY.fullmatch(key) is not None


def link_key(owner_key: str, submission_id: str) -> str:
    """Return the key that opens one submission and no other; the same for the same owner and submission."""
    digest = hmac.digest(owner_key.encode(), b"link " + submission_id.encode(), "sha256")
    return base64.urlsafe_b64encode(digest[:24]).decode()


def key_hash(key: str) -> str:
    """Return what the books keep of a key."""
    return hashlib.sha256(b"key " + key.encode("utf-8", "replace")).hexdigest()


def opens(key: str | None, *hashes: str | None) -> bool:
    """Say whether a key belongs to one of these hashes; takes the same time whichever it is, or none."""
    mine = key_hash(key or "")
    found = [hmac.compare_digest(mine, one or _NOBODY) for one in hashes]
    return any(found) and bool(key)
