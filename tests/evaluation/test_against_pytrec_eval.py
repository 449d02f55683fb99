"""Random runs: every value equals pytrec_eval's to the last bit, wherever the definitions coincide."""

import gzip
import random

import pytest
import pytrec_eval
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation import Qrels, evaluate
from tests.evaluation.inputs import TREC_NAMES, a_run, read

# 32-bit floats, because pytrec_eval compares scores as such; few values, so that ties are common
SCORES = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 0.5, -3.25, 2.0]),
    st.floats(width=32, allow_nan=False, allow_infinity=False),
)
TOPICS = st.sampled_from([f"q{number}" for number in range(6)])
DOCUMENTS = st.sampled_from([f"d{number}" for number in range(20)] + ["é", "雾", "D1", "d1.5", 'a,"b"'])
GRADES = st.sampled_from([0, 0, 1, 1, 2, 3, 4, -1])
RELEVANT_FROM = st.sampled_from([1, 1, 2, 3])
# pytrec_eval 0.5.11 never returns when a topic has negative grades only and another topic follows
JUDGED = st.dictionaries(DOCUMENTS, GRADES, min_size=1, max_size=15).filter(lambda grades: max(grades.values()) >= 0)
JUDGEMENTS = st.dictionaries(TOPICS, JUDGED, min_size=1)
RUNS = st.dictionaries(TOPICS, st.dictionaries(DOCUMENTS, SCORES, min_size=1, max_size=25), min_size=1)


def theirs(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], relevant_from: int
) -> dict[str, list[float]]:
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(TREC_NAMES.values()), relevance_level=relevant_from)
    found = evaluator.evaluate(run)
    return {t: [found.get(t, {}).get(trec, 0.0) for trec in TREC_NAMES.values()] for t in qrels}


@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    qrels=JUDGEMENTS,
    run=RUNS,
    relevant_from=RELEVANT_FROM,
    is_packed=st.booleans(),
    seed=st.one_of(st.none(), st.integers(0, 1000)),
    engine=st.sampled_from(["plain", "compiled"]),
)
def test_random_runs_score_as_pytrec_eval_scores_them(
    qrels: dict[str, dict[str, int]],
    run: dict[str, dict[str, float]],
    relevant_from: int,
    is_packed: bool,
    seed: int | None,
    engine: str,
) -> None:
    gold = Qrels.of(qrels)
    run = {**run, next(iter(qrels)): run.get(next(iter(qrels)), {"d1": 1.0})}
    lines = a_run({**run, "foreign": {"d1": 1.0}}).splitlines(keepends=True)
    if seed is not None:
        random.Random(seed).shuffle(lines)
    text = "".join(lines).encode()

    reading = read(gzip.compress(text) if is_packed else text, qrels=gold, engine=engine)
    scores = evaluate(gold, reading, list(TREC_NAMES), relevant_from=relevant_from).scores

    actual = dict(zip(scores.topic_ids, scores.values.T.tolist(), strict=True))
    assert theirs(qrels, run, relevant_from) == actual


@pytest.mark.parametrize("depth", [10, 1000])
def test_deep_graded_rankings_score_as_pytrec_eval_scores_them(depth: int) -> None:
    chance = random.Random(depth)
    documents = [f"doc{number}" for number in range(2 * depth)]
    qrels = {f"q{n}": {d: chance.randrange(5) for d in chance.sample(documents, depth)} for n in range(20)}
    run = {f"q{n}": {d: float(chance.randrange(depth)) for d in chance.sample(documents, depth)} for n in range(20)}
    gold = Qrels.of(qrels)

    scores = evaluate(gold, read(a_run(run), qrels=gold), list(TREC_NAMES)).scores

    assert theirs(qrels, run, 1) == dict(zip(scores.topic_ids, scores.values.T.tolist(), strict=True))


def test_scores_that_differ_beyond_single_precision_are_told_apart() -> None:
    qrels = {"q1": {"aa": 1, "zz": 0}}
    run = {"q1": {"aa": 0.60000000002, "zz": 0.60000000001}}
    gold = Qrels.of(qrels)

    ours = evaluate(gold, read(a_run(run), qrels=gold), ["nDCG@10"]).means["nDCG@10"]

    # trec_eval 10 compares doubles as we do; trec_eval 9, which pytrec_eval wraps, compares 32-bit floats
    assert ours == 1.0
    assert pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut_10"}).evaluate(run)["q1"]["ndcg_cut_10"] < 0.7
