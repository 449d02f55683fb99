"""The quota in the books, the same on SQLite and on PostgreSQL: places taken, refused, given back."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from leaderboard.engine import open_engine
from leaderboard.quota import Claim, Limit, Period, QuotaExceeded, Scope, limits_of, tightest
from leaderboard.store import Store
from leaderboard.submissions import Actor, Progress, Visibility
from tests.builders import NOON, a_sheet, a_submission, a_task, at, some_facts
from tests.leaderboard.test_store import at_once

DAY = 24 * 60
THREE_A_DAY = (Limit(Scope.ACCOUNT, Period.DAY, 3),)


def a_claim(account: str = "ann", limits: tuple[Limit, ...] = THREE_A_DAY, *, address: str = "") -> Claim:
    return Claim(account, address, limits)


def take(store: Store, number: int, claim: Claim, minutes: float = 0, *, task_id: str = "toy") -> str:
    """Hand in the run of this number; returns its id."""
    new = a_submission(run=b"%d" % number, task_id=task_id)
    return store.add_submission(new, at(minutes), claim=claim)[0].id


def is_refused(store: Store, number: int, claim: Claim, minutes: float = 0, *, task_id: str = "toy") -> bool:
    try:
        take(store, number, claim, minutes, task_id=task_id)
    except QuotaExceeded:
        return True
    return False


def left(store: Store, claim: Claim, minutes: float = 0) -> int:
    return tightest(store.quota_uses("toy", claim, at(minutes))).n_left


@pytest.fixture
def gold(store: Store) -> Store:
    store.publish_gold(some_facts(), ["t1", "t2"], NOON)
    return store


class TestTaking:
    def test_the_fourth_of_three_a_day_is_refused_with_limit_and_time_and_leaves_no_row(self, gold: Store) -> None:
        for number in range(3):
            take(gold, number, a_claim())

        with pytest.raises(QuotaExceeded) as refused:
            take(gold, 3, a_claim(), minutes=1)

        midnight = datetime(2026, 3, 2, tzinfo=UTC)
        assert refused.value.use.next_at == midnight
        assert refused.value.facts == {
            "scope": "account",
            "period": "day",
            "limit": 3,
            "next_at": midnight.isoformat(),
        }
        assert len(gold.waiting()) == 3

    def test_20_at_once_at_quota_3_give_exactly_3(self, gold: Store) -> None:
        refusals = at_once(20, lambda number: is_refused(gold, number, a_claim()))

        assert refusals.count(False) == 3
        assert len(gold.waiting()) == 3

    def test_20_at_once_from_two_processes_and_four_accounts_give_each_its_3(
        self, gold: Store, database_url: str
    ) -> None:
        both = [gold, Store.open(database_url)]

        refusals = at_once(20, lambda n: is_refused(both[n % 2], n, a_claim("abcd"[n // 5])))

        both[1].close()
        assert refusals.count(False) == 12
        assert [left(gold, a_claim(account)) for account in "abcd"] == [0, 0, 0, 0]

    def test_the_same_submission_50_times_at_once_takes_one_place(self, gold: Store) -> None:
        ids = at_once(50, lambda _: take(gold, 1, a_claim()))

        assert len(set(ids)) == 1
        assert left(gold, a_claim()) == 2

    def test_the_same_submission_again_is_received_when_no_place_is_left(self, gold: Store) -> None:
        first = [take(gold, number, a_claim()) for number in range(3)]

        assert take(gold, 0, a_claim()) == first[0]

    def test_tasks_have_a_quota_each(self, gold: Store) -> None:
        gold.publish_gold(some_facts("other"), ["t1"], NOON)
        for number in range(3):
            take(gold, number, a_claim())

        assert not is_refused(gold, 0, a_claim(), task_id="other")

    def test_without_a_claim_nothing_is_counted(self, gold: Store) -> None:
        gold.add_submission(a_submission(run=b"free"), NOON)

        assert left(gold, a_claim()) == 3


class TestPeriods:
    def test_a_day_begins_at_midnight_utc(self, gold: Store) -> None:
        for number in range(3):
            take(gold, number, a_claim(), minutes=0)

        assert is_refused(gold, 3, a_claim(), minutes=12 * 60 - 1)
        assert not is_refused(gold, 4, a_claim(), minutes=12 * 60)

    def test_a_month_is_refused_until_the_next_one(self, gold: Store) -> None:
        claim = a_claim(limits=(Limit(Scope.ACCOUNT, Period.MONTH, 2),))
        for number in range(2):
            take(gold, number, claim, minutes=number * DAY)

        with pytest.raises(QuotaExceeded) as refused:
            take(gold, 2, claim, minutes=20 * DAY)

        assert refused.value.use.next_at == datetime(2026, 4, 1, tzinfo=UTC)
        assert not is_refused(gold, 3, claim, minutes=31 * DAY)

    def test_a_total_is_refused_for_good(self, gold: Store) -> None:
        claim = a_claim(limits=(Limit(Scope.ACCOUNT, Period.TOTAL, 1),))
        take(gold, 0, claim)

        with pytest.raises(QuotaExceeded) as refused:
            take(gold, 1, claim, minutes=4000 * DAY)

        assert refused.value.use.next_at is None

    @pytest.mark.parametrize(
        ("now", "next_month"), [("2026-12-31T23:59", "2027-01-01T00:00"), ("2027-01-31T12:00", "2027-02-01T00:00")]
    )
    def test_the_next_month_of_the_last_days(self, now: str, next_month: str) -> None:
        moment = datetime.fromisoformat(now).replace(tzinfo=UTC)

        assert Period.MONTH.next_start(moment) == datetime.fromisoformat(next_month).replace(tzinfo=UTC)


class TestGivingBack:
    def test_a_job_that_fails_gives_its_place_back(self, gold: Store) -> None:
        taken = [take(gold, number, a_claim()) for number in range(3)]

        assert gold.fail(taken[1], "crashed", {}, at(1))

        assert left(gold, a_claim()) == 1
        assert not is_refused(gold, 3, a_claim(), minutes=2)
        assert is_refused(gold, 4, a_claim(), minutes=2)

    @pytest.mark.parametrize("end", [Visibility.WITHDRAWN, Visibility.DELETED])
    @pytest.mark.parametrize("is_scored", [True, False], ids=["scored", "waiting"])
    def test_what_its_owner_takes_back_keeps_its_place(self, gold: Store, end: Visibility, is_scored: bool) -> None:
        taken = take(gold, 0, a_claim())
        if is_scored:
            gold.record_scores(taken, a_sheet(), at(1))

        gold.move_visibility(taken, end, Actor.OWNER, at(2))

        assert left(gold, a_claim(), minutes=3) == 2

    def test_a_job_that_fails_after_its_owner_took_it_back_gives_nothing_back(self, gold: Store) -> None:
        taken = take(gold, 0, a_claim())
        found = gold.move_visibility(taken, Visibility.WITHDRAWN, Actor.OWNER, at(1))

        assert found.progress is Progress.FAILED
        assert not gold.fail(taken, "crashed", {}, at(2))
        assert left(gold, a_claim()) == 2


class TestAddresses:
    LIMITS = (*THREE_A_DAY, Limit(Scope.ADDRESS, Period.DAY, 4))

    def test_new_accounts_of_one_address_share_its_limit(self, gold: Store) -> None:
        claims = [a_claim(f"new-{n}", self.LIMITS, address="192.0.2.7") for n in range(5)]

        assert [is_refused(gold, n, claim) for n, claim in enumerate(claims)] == [False] * 4 + [True]

    def test_other_addresses_and_none_are_not_touched(self, gold: Store) -> None:
        for number in range(4):
            take(gold, number, a_claim(f"new-{number}", self.LIMITS, address="192.0.2.7"))

        assert not is_refused(gold, 8, a_claim("eve", self.LIMITS, address="192.0.2.8"))
        assert not is_refused(gold, 9, a_claim("fay", self.LIMITS))

    def test_the_first_of_a_month_at_once_share_one_salt(self, gold: Store) -> None:
        refusals = at_once(20, lambda n: is_refused(gold, n, a_claim(f"new-{n}", self.LIMITS, address="192.0.2.7")))

        assert refusals.count(False) == 4

    def test_the_address_itself_is_nowhere_and_the_salt_goes_with_the_next_month(
        self, gold: Store, database_url: str
    ) -> None:
        claim = a_claim("ann", self.LIMITS, address="192.0.2.7")
        take(gold, 0, claim)
        march = rows(database_url)
        take(gold, 1, claim, minutes=31 * DAY)
        april = rows(database_url)

        assert "192.0.2.7" not in repr([march, april])
        assert [len(march["address_salts"]), len(april["address_salts"])] == [1, 1]
        assert march["address_salts"] != april["address_salts"]
        assert len({row[3] for row in april["places"]}) == 2


class TestHostWide:
    def test_all_accounts_together_have_a_limit(self, gold: Store) -> None:
        limits = (*THREE_A_DAY, Limit(Scope.HOST, Period.DAY, 5))

        refusals = at_once(20, lambda n: is_refused(gold, n, a_claim(f"account-{n}", limits)))

        assert refusals.count(False) == 5


def test_limits_of_a_card() -> None:
    found = {(limit.scope, limit.period): limit.most for limit in limits_of(a_task())}

    assert found == {
        (Scope.ACCOUNT, Period.DAY): 3,
        (Scope.ACCOUNT, Period.MONTH): 30,
        (Scope.ACCOUNT, Period.TOTAL): 200,
        (Scope.ADDRESS, Period.DAY): 12,
        (Scope.ADDRESS, Period.MONTH): 120,
        (Scope.HOST, Period.DAY): 300,
        (Scope.HOST, Period.MONTH): 3000,
    }


def test_sealed_gold_has_ten_accounts_worth_in_all() -> None:
    found = {limit.period: limit.most for limit in limits_of(a_task(gold="sealed")) if limit.scope is Scope.HOST}

    assert found == {Period.DAY: 30, Period.MONTH: 300, Period.TOTAL: 2000}


def test_of_several_limits_that_are_used_up_the_longest_is_told(store: Store) -> None:
    store.publish_gold(some_facts(), ["t1"], NOON)
    limits = (Limit(Scope.ACCOUNT, Period.DAY, 1), Limit(Scope.ACCOUNT, Period.MONTH, 1))
    take(store, 0, a_claim(limits=limits))

    met = tightest(store.quota_uses("toy", a_claim(limits=limits), at(1)))

    assert (met.n_left, met.limit.period, met.next_at) == (0, Period.MONTH, datetime(2026, 4, 1, tzinfo=UTC))
    assert met.next_at is not None
    assert met.next_at - NOON > timedelta(days=30)


def rows(database_url: str) -> dict[str, list[Any]]:
    """Return all that the books keep of places and salts."""
    engine = open_engine(database_url)
    with engine.begin() as connection:
        found = {
            name: list(connection.execute(sa.text(f"SELECT * FROM {name}"))) for name in ("places", "address_salts")
        }
    engine.dispose()
    return found
