"""What opens a submission: the secret of a browser and one derived from it for each submission, or an account.

The books hold hashes alone. The keys have 192 bits or more, so a plain hash is enough and no guess is worth a try.
"""

import base64
import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field

_OWNER_KEY = re.compile(r"[A-Za-z0-9_-]{32,128}")
# what a submission that does not exist is compared with, so that it answers like one with another key
_NOBODY = "0" * 64

_ACCOUNT = "account:"


@dataclass(frozen=True, slots=True)
class AccountKey:
    """An account that the door has recognised. It opens what belongs to it, and no text that is sent in can be one.

    `secret` is what the private links of its submissions are made from; it plays no part in what it opens.
    """

    subject: str
    secret: str = field(default="", repr=False, compare=False)


Key = str | AccountKey


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


def key_hash(key: Key) -> str:
    """Return what the books keep of a key; of an account always the same, whatever secrets the site has."""
    if isinstance(key, AccountKey):
        return _ACCOUNT + hashlib.sha256(b"account " + key.subject.encode()).hexdigest()
    return hashlib.sha256(b"key " + key.encode("utf-8", "replace")).hexdigest()


def is_account_hash(owner_hash: str) -> bool:
    """Say whether a submission belongs to an account and not to a browser."""
    return owner_hash.startswith(_ACCOUNT)


def opens(key: Key | None, *hashes: str | None) -> bool:
    """Say whether a key belongs to one of these hashes; takes the same time whichever it is, or none."""
    mine = key_hash(key or "")
    found = [hmac.compare_digest(mine, one or _NOBODY) for one in hashes]
    return any(found) and bool(key)
