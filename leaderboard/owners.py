"""Whose run it is that comes in: an account's; without one the browser's own key tells, or an earlier link."""

from dataclasses import dataclass

from leaderboard.keys import AccountKey, is_owner_key, key_hash, new_owner_key, opens
from leaderboard.store import Store


@dataclass(frozen=True, slots=True)
class Earlier:
    """A submission that a new run continues, and the key that shows whose it is: its link key or its owner's."""

    submission_id: str
    key: str


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose run it is: what the books keep, the secret that the link is made from, the key for the receipt."""

    owner_hash: str
    secret: str
    owner_key: str

    @classmethod
    def of_key(cls, owner_key: str) -> "Owner":
        """Return the owner whose own key this is."""
        return cls(key_hash(owner_key), owner_key, owner_key)


def owner_of(
    store: Store, owner_key: str | None, earlier: Earlier | None = None, account: AccountKey | None = None
) -> Owner:
    """Return whose run it is; an account comes first, then the browser's own key, since it opens more than a link does.

    Without a key, or with one too short to be a secret, it is a new owner's. An account needs no key on its receipt.
    """
    if account is not None:
        return Owner(key_hash(account), account.secret, "")
    mine = owner_key if owner_key is not None and is_owner_key(owner_key) else None
    known = store.submission(earlier.submission_id) if earlier else None
    if earlier and known and not opens(mine, known.owner_hash):
        if opens(earlier.key, known.owner_hash):
            return Owner.of_key(earlier.key)
        if opens(earlier.key, known.link_hash):
            return Owner(known.owner_hash, earlier.key, "")
    return Owner.of_key(mine or new_owner_key())
