"""What the bench runs against: each reads a qrels and a run file and scores every topic by the same five measures.

    python benchmarks/contenders.py NAME QRELS RUN

prints one JSON object: the means, and where it makes sense the seconds of the work without the start of the process.
"""

import json
import sys
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

OURS = ("nDCG@10", "AP", "R@10", "P@10", "RR")
TREC = {"ndcg_cut.10", "map", "recall.10", "P.10", "recip_rank"}
ROOT = Path(__file__).resolve().parent.parent


def ours_warm(qrels_path: str, run_path: str) -> Mapping[str, float]:
    """Read and score in a process that has done so before, as the worker has; judgements are read beforehand."""
    sys.path.insert(0, str(ROOT))
    evaluation = import_module("evaluation")
    evaluation.warm()
    with open(qrels_path, "rb") as stream:
        qrels = evaluation.read_qrels(stream).qrels
    began_s, began_cpu_s = time.perf_counter(), time.process_time()
    with open(run_path, "rb") as stream:
        limits = evaluation.Limits(size=2**40, lines=10**10)
        reading = evaluation.read_run(stream, qrels=qrels, limits=limits, engine="compiled")
    means = evaluation.evaluate(qrels, reading, OURS).means
    return {**means, "wall_s": time.perf_counter() - began_s, "cpu_s": time.process_time() - began_cpu_s}


def pytrec_eval(qrels_path: str, run_path: str) -> Mapping[str, float]:
    """Parse into dictionaries by split, as its users do, and take the mean over the topics of the judgements."""
    library = import_module("pytrec_eval")
    qrels: dict[str, dict[str, int]] = {}
    with open(qrels_path, encoding="utf-8") as lines:
        for line in lines:
            topic, _, document, grade = line.split()
            qrels.setdefault(topic, {})[document] = int(grade)
    run: dict[str, dict[str, float]] = {}
    with open(run_path, encoding="utf-8") as lines:
        for line in lines:
            topic, _, document, _, score, _ = line.split()
            run.setdefault(topic, {})[document] = float(score)
    scores = library.RelevanceEvaluator(qrels, TREC).evaluate(run)
    names = ("ndcg_cut_10", "map", "recall_10", "P_10", "recip_rank")
    return {name: sum(topic[name] for topic in scores.values()) / len(qrels) for name in names}


def ir_measures(qrels_path: str, run_path: str) -> Mapping[str, float]:
    """Let the library read both files and choose its provider."""
    library = import_module("ir_measures")
    measures = [library.parse_measure(name) for name in OURS]
    means = library.calc_aggregate(measures, library.read_trec_qrels(qrels_path), library.read_trec_run(run_path))
    return {str(measure): value for measure, value in means.items()}


def ranx(qrels_path: str, run_path: str) -> Mapping[str, float]:
    """Let the library read both files. Never run it on files of others: one long id takes all memory."""
    library = import_module("ranx")
    qrels = library.Qrels.from_file(qrels_path, kind="trec")
    run = library.Run.from_file(run_path, kind="trec")
    means = library.evaluate(qrels, run, ["ndcg@10", "map", "recall@10", "precision@10", "mrr"], make_comparable=True)
    return {name: float(value) for name, value in means.items()}


CONTENDERS: Mapping[str, Callable[[str, str], Mapping[str, float]]] = {
    contender.__name__: contender for contender in (ours_warm, pytrec_eval, ir_measures, ranx)
}

if __name__ == "__main__":
    json.dump(dict(CONTENDERS[sys.argv[1]](sys.argv[2], sys.argv[3])), sys.stdout)
