"""The files that fuzzing kept: every property holds for each of them, and for some mutations of theirs."""

import random

import pytest

from tests.malformed.fuzz import CORPUS, BrokenProperty, check, insist, mutated

FILES = sorted(CORPUS.iterdir())


def test_there_is_a_corpus_of_many_mixes() -> None:
    assert len(FILES) >= 100
    assert len({check(path.read_bytes()) for path in FILES}) >= 100


@pytest.mark.parametrize("seed", range(8))
def test_properties_hold_for_mutations(seed: int) -> None:
    chance, pool = random.Random(seed), [path.read_bytes() for path in FILES]

    for _ in range(25):
        check(mutated(chance, pool))


def test_broken_property_is_told() -> None:
    with pytest.raises(BrokenProperty, match="so it is"):
        insist(False, "so it is")
