"""Write the made-up collection and what trec_eval gives for it, through pytrec_eval; the same bytes every time."""

import json
import random
from pathlib import Path

import pytrec_eval

HERE = Path(__file__).parent
MEASURES = {
    "nDCG": "ndcg",
    "nDCG@10": "ndcg_cut_10",
    "nDCG@3": "ndcg_cut_3",
    "AP": "map",
    "AP@10": "map_cut_10",
    "R@10": "recall_10",
    "P@10": "P_10",
    "P@3": "P_3",
    "RR": "recip_rank",
    "Success@3": "success_3",
}
LANGUAGES = ("en", "fr", "zh")
KINDS = ("lamp", "weather", "boat")
DOCUMENTS = [f"{kind}-{number:02d}" for kind in (*KINDS, "été", "雾") for number in range(1, 17)]


def main() -> None:
    chance = random.Random(1852)
    topic_ids = [f"q{group:02d}-{number}" for group in range(1, 7) for number in range(1, 5)]
    qrels = {topic_id: judge(topic_id, chance) for topic_id in topic_ids}
    run = {topic_id: rank(qrels[topic_id], chance) for topic_id in topic_ids if topic_id not in ("q02-4", "q06-1")}
    topics = [describe(topic_id, chance) for topic_id in topic_ids]

    write("qrels.trec", [f"{t} 0 {d} {grade}" for t, grades in qrels.items() for d, grade in grades.items()])
    write("topics.jsonl", [json.dumps(topic, ensure_ascii=False) for topic in topics])
    lines = [f"{t} Q0 {d} {place} {score} keeper" for t, ranking in run.items() for place, (d, score) in ranking]
    lines.append("x99-1 Q0 lamp-01 1 4.00 keeper")
    chance.shuffle(lines)
    write("run.trec", lines)

    values = measure(qrels, {t: {d: float(score) for _, (d, score) in ranking} for t, ranking in run.items()})
    write("expected.trec_eval-c-q.txt", printout(values))
    expected = {"per_topic": values, **summary(values, topics)}
    write("expected.values.json", [json.dumps(expected, indent=1, ensure_ascii=False)])


def judge(topic_id: str, chance: random.Random) -> dict[str, int]:
    pool = chance.sample(DOCUMENTS, chance.randrange(6, 22))
    grades = (-1, 0, 0) if topic_id == "q05-3" else (-1, 0, 0, 0, 1, 1, 2, 3)
    judged = {document: chance.choice(grades) for document in pool}
    if topic_id != "q05-3":
        judged[pool[0]] = 1 + chance.randrange(3)
    return judged


def rank(judged: dict[str, int], chance: random.Random) -> list[tuple[int, tuple[str, str]]]:
    found = chance.sample(sorted(judged), chance.randrange(len(judged) + 1))
    others = chance.sample([document for document in DOCUMENTS if document not in judged], chance.randrange(1, 20))
    # few different scores, so that ties are common
    scored = [(document, f"{judged.get(document, 0) + chance.randrange(12) / 4:.2f}") for document in found + others]
    scored.sort(key=lambda pair: -float(pair[1]))
    return list(enumerate(scored, 1))


def describe(topic_id: str, chance: random.Random) -> dict[str, object]:
    group = topic_id.split("-")[0]
    kinds = chance.sample(KINDS, chance.choice((1, 1, 2)))
    topic = {"topic_id": topic_id, "group": group, "language": chance.choice(LANGUAGES), "kind": kinds}
    if topic_id == "q03-2":
        del topic["kind"]
    return topic


def measure(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(MEASURES.values()) | {"ndcg_cut_3", "P_3"})
    found = evaluator.evaluate(run)
    return {t: {name: found.get(t, {}).get(trec, 0.0) for name, trec in MEASURES.items()} for t in qrels}


def printout(values: dict[str, dict[str, float]]) -> list[str]:
    lines = [f"{MEASURES[name]:<22}\t{t}\t{value:6.4f}" for t, row in values.items() for name, value in row.items()]
    means = average(list(values.values()))
    return lines + [f"{MEASURES[name]:<22}\tall\t{value:6.4f}" for name, value in means.items()]


def summary(values: dict[str, dict[str, float]], topics: list[dict[str, object]]) -> dict[str, object]:
    slices: dict[str, dict[str, object]] = {}
    macro = {}
    for axis in ("language", "kind"):
        pieces: dict[str, list[str]] = {}
        for topic in topics:
            several = topic.get(axis, "unspecified")
            for value in several if isinstance(several, list) else [several]:
                pieces.setdefault(value, []).append(topic["topic_id"])
        slices[axis] = {value: {"topics": len(ids), **piece(values, ids)} for value, ids in pieces.items()}
        macro[axis] = average([piece(values, ids) for ids in pieces.values()])
    return {"means": piece(values, list(values)), "macro": macro, "slices": slices}


def piece(values: dict[str, dict[str, float]], topic_ids: list[str]) -> dict[str, float]:
    groups: dict[str, list[float]] = {}
    for topic_id in topic_ids:
        groups.setdefault(topic_id.split("-")[0], []).append(values[topic_id]["nDCG@10"])
    return {
        **average([values[topic_id] for topic_id in topic_ids]),
        "Robustness@10": add([min(group) for group in groups.values()]) / len(groups),
        "GroupMean(nDCG@10)": add([add(group) / len(group) for group in groups.values()]) / len(groups),
    }


def average(rows: list[dict[str, float]]) -> dict[str, float]:
    return {name: add([row[name] for row in rows]) / len(rows) for name in rows[0]}


def add(numbers: list[float]) -> float:
    """Add one after another; Python's own sum() corrects rounding from 3.12 on."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def write(name: str, lines: list[str]) -> None:
    (HERE / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
