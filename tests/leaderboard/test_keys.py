from leaderboard.keys import is_owner_key, key_hash, link_key, new_owner_key, opens


def test_new_keys_are_long_and_never_the_same() -> None:
    keys = {new_owner_key() for _ in range(100)}

    assert len(keys) == 100
    assert all(is_owner_key(key) for key in keys)


def test_short_or_odd_text_is_no_owner_key() -> None:
    assert not any(is_owner_key(text) for text in ("", "a" * 31, "a" * 129, "a" * 31 + " ", "é" * 40, "a" * 32 + "\n"))


def test_link_key_is_the_same_for_the_same_owner_and_submission_alone() -> None:
    one, two = new_owner_key(), new_owner_key()

    assert link_key(one, "id") == link_key(one, "id")
    assert len({link_key(one, "id"), link_key(one, "other"), link_key(two, "id")}) == 3


def test_key_opens_what_holds_its_hash() -> None:
    assert opens("secret", key_hash("other"), key_hash("secret"))
    assert not opens("secret", key_hash("other"))


def test_nothing_opens_what_does_not_exist() -> None:
    assert not opens("secret", None, None)


def test_missing_key_opens_nothing_not_even_the_hash_of_nothing() -> None:
    assert not opens(None, key_hash(""))
    assert not opens("", key_hash(""))


def test_key_that_is_no_proper_text_opens_nothing() -> None:
    assert not opens("\ud800", key_hash("secret"))
