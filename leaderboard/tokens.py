"""The tokens of scripts, as they are kept: what one may do and how long it works, never the token. Pure."""

import hashlib
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Token:
    """What is known of a token once it was shown: never the token."""

    id: str
    subject: str
    label: str
    scopes: tuple[str, ...]
    made_at: datetime
    expires_at: datetime
    revoked_at: datetime | None

    def works(self, now: datetime) -> bool:
        """Say whether it is neither revoked nor expired."""
        return self.revoked_at is None and now < self.expires_at


def token_hash(text: str) -> str:
    """Return what the books keep of a token; it has 256 bits, so a plain hash is enough."""
    return hashlib.sha256(b"token " + text.encode("utf-8", "replace")).hexdigest()
