"""What a host runs when the sealed half has served: rank the public runs by it, and show both ranks on the board.

It cannot be taken back, so nothing is published without being asked for. Only means leave, rounded as the live half is.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial

from data.cards import load_catalogue
from evaluation import CardError, GoldError
from leaderboard.evaluating import Examiner
from leaderboard.runs import RunStore
from leaderboard.settings import Settings
from leaderboard.standings import Json, make_board, sealed_digits
from leaderboard.store import Store
from leaderboard.submissions import Actor
from leaderboard.vault import Vault


def main(settings: Settings, task_id: str, *, is_published: bool) -> int:
    """Print live and sealed rank of every public run, and put them on the board if asked; 1 where it cannot be done."""
    store = Store.open(settings.database_url)
    try:
        tasks = load_catalogue(settings.task_folders)
        examiner = Examiner(
            store=store,
            runs=RunStore(settings.run_store_url),
            tasks=tasks,
            vault=Vault(settings, tasks),
            executor="reveal",
            max_unpacked_bytes=settings.max_unpacked_bytes,
            clock=partial(datetime.now, UTC),
            topic_scores_folder=settings.topic_scores_folder,
        )
        return _reveal(examiner, task_id, is_published=is_published)
    except (CardError, GoldError) as error:
        return _refused(str(error))
    finally:
        store.close()


def _reveal(examiner: Examiner, task_id: str, *, is_published: bool) -> int:
    task, opened = examiner.tasks.get(task_id), examiner.vault.open(task_id)
    if task is None or opened is None or not opened.gold.sealed_ids:
        return _refused(f"{task_id!r} is no task with a sealed half here.")
    facts = examiner.store.gold_facts(task_id)
    if facts is None or facts.fingerprint != opened.facts.fingerprint:
        return _refused(f"{task_id}: the books know another gold; start a worker first.")
    published = examiner.store.published(task_id)
    digits = sealed_digits(len(opened.gold.sealed_ids))
    values = {one.id: examiner.on_sealed_half(one) for one, _ in published}
    scores = {wanted: round(value, digits) for wanted, value in values.items() if value is not None}
    board = with_sealed_ranks(make_board(published, task, facts), scores)
    print("live rank → sealed rank  (live score → sealed score)  system")
    for row in board["rows"]:
        sealed = row["sealed"]
        found = "not scored" if sealed is None else f"{sealed['rank']}  ({row['scores'][0]} → {sealed['score']})"
        print(f"{row['rank']} → {found}  {row['name']}")
    if not is_published:
        print("Nothing was published. With --publish this stands on the board, for good.")
        return 0
    examiner.vault.reveal(opened, scores)
    now = examiner.clock()
    examiner.store.note(Actor.HOST, "revealed", now, task_id=task_id, facts={"n_runs": len(scores)})
    examiner.store.want_board(task_id)
    print("Published: the board shows both ranks with its next revision.")
    return 0


def with_sealed_ranks(board: Json, scores: Mapping[str, float]) -> Json:
    """Return a board whose rows have their rank and score on the sealed half; None for runs that came later.

    Ranked are the rows that have such a score; equal scores share a rank.
    """
    found = [scores[row["id"]] for row in board["rows"] if row["id"] in scores]

    def sealed(row: Json) -> Json | None:
        score = scores.get(row["id"])
        return None if score is None else {"rank": 1 + sum(other > score for other in found), "score": score}

    return {**board, "rows": [{**row, "sealed": sealed(row)} for row in board["rows"]]}


def _refused(problem: str) -> int:
    print(f"Problem: {problem}")
    return 1
