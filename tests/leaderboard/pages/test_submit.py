"""The submit page's handlers over real books: what is checked, what is refused, what is stored."""

import dataclasses
import gzip
import hashlib
import io
import json
import re
import zipfile
from typing import Any

import pytest

from leaderboard.hall import Hall as Doors
from leaderboard.pages.form_inputs import unmarked
from leaderboard.pages.handing_in import Keys, check_source, submit_source
from leaderboard.pages.kit import first_line
from leaderboard.pages.reading import FIELDS, write_fields
from leaderboard.pages.submit import draw, head
from leaderboard.quota import QuotaRule
from leaderboard.visit import Visit
from tests.builders import a_form, a_run
from tests.leaderboard.hall import OWNER, TOPICS, Hall
from tests.leaderboard.pages.conftest import Upload

VISIT = Visit.of("submit", {})
FRENCH = Visit.of("submit", {"lang": "fr"})
GOOD = a_run(TOPICS)
BROWSER = Keys(OWNER)


def a_zip() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("my.run", GOOD)
    return packed.getvalue()


BOMB = "more than 200 times its size"
BAD = {
    "empty": (b"", "The file is empty."),
    "five columns": (b"t1 Q0 d1 1 2.0\n", "Line 1"),
    "nan": (GOOD + b"t1 Q0 d9 9 nan t\n", "Line 10"),
    "duplicate": (GOOD + b"t1 Q0 d1 9 0.5 t\n", "first on line 1"),
    "zip": (a_zip(), "not plain text"),
    "bomb": (gzip.compress(GOOD + b"\n" * 60_000_000, mtime=0), BOMB),
    "bomb of repeated lines": (gzip.compress(b"t1 Q0 d1 1 1.0 t\n" * 4_000_000, mtime=0), BOMB),
    "wrong task": (a_run(("q1", "q2")), "None of the topics in the file (2) belongs to this task"),
}


def fields(name: str = "My retriever", **more: Any) -> list[Any]:
    return write_fields(a_form(name, **more))


def submit(
    site: Doors,
    path: str | None,
    inputs: list[Any],
    *,
    visit: Visit = VISIT,
    pasted: str = "",
    keys: Keys = BROWSER,
) -> tuple[str, Any]:
    told, receipt, *_ = submit_source(site, visit, "toy", (path, pasted), keys, inputs)
    return told, json.loads(receipt) if receipt else None


def test_good_file_is_accepted_and_nothing_stored(site: Doors, hall: Hall, upload: Upload) -> None:
    panel, counts, *_ = check_source(site, VISIT, "toy", (upload(GOOD), ""), unmarked())

    assert "3 of 3 topics" in panel
    assert counts == (3, 3)
    assert hall.store.waiting() == []


@pytest.mark.parametrize("kind", BAD)
def test_bad_file_is_refused_by_check_and_by_submit(site: Doors, hall: Hall, upload: Upload, kind: str) -> None:
    content, reason = BAD[kind]
    path = upload(content)

    panel, counts, *_ = check_source(site, VISIT, "toy", (path, ""), unmarked())
    told, receipt = submit(site, path, fields())

    assert 'role="alert"' in panel
    assert reason in panel
    assert counts is None
    assert "named under the file" in told
    assert receipt is None
    assert hall.store.waiting() == []
    assert hall.queue.enqueued == []


def test_wrong_task_names_the_one_that_fits(site: Doors, upload: Upload) -> None:
    panel, *_ = check_source(site, FRENCH, "toy", (upload(BAD["wrong task"][0]), ""), unmarked())

    assert "semble fait pour une autre tâche\u202f: Tâche jouet" in panel


def test_header_fills_the_form_and_leaves_what_was_typed(site: Doors, upload: Upload) -> None:
    header = "ir_metadata.start\nmethod:\n  retrieval:\n    - name: x\n      reranks: bm25\nir_metadata.end"
    run = a_run(TOPICS, tag="from-the-file", header=header)

    panel, _, *inputs = check_source(site, VISIT, "toy", (upload(run), ""), fields("Typed"))

    filled = dict(zip(FIELDS, inputs, strict=True))
    assert "header filled in" in panel
    assert (filled["name"], filled["run_type"]) == ("Typed", "reranker")


def test_submit_leads_to_the_submissions_own_address(site: Doors, hall: Hall, upload: Upload) -> None:
    told, receipt = submit(site, upload(GOOD), fields(), visit=FRENCH)

    (waiting,) = hall.store.waiting()
    assert told == ""
    assert receipt["href"].startswith(f"./submission?id={waiting.id}&key=")
    assert receipt["href"].endswith("&lang=fr")
    assert waiting.form == a_form("My retriever")
    assert hall.queue.enqueued == [waiting.id]


def test_second_click_is_the_same_submission(site: Doors, hall: Hall, upload: Upload) -> None:
    path = upload(GOOD)

    first, second = submit(site, path, fields())[1], submit(site, path, fields())[1]

    assert first == second
    assert len(hall.store.waiting()) == 1


def test_pasted_lines_can_be_submitted(site: Doors, hall: Hall, upload: Upload) -> None:
    _, receipt = submit(site, None, fields(), pasted=GOOD.decode())

    assert receipt is not None
    assert len(hall.store.waiting()) == 1


def test_broken_queue_does_not_lose_the_submission(site: Doors, hall: Hall, upload: Upload) -> None:
    hall.queue.is_broken = True

    _, receipt = submit(site, upload(GOOD), fields())

    assert receipt is not None
    assert len(hall.store.waiting()) == 1


def test_faults_of_the_form_stand_in_the_summary_and_at_their_fields(site: Doors, hall: Hall, upload: Upload) -> None:
    inputs = fields("<img src=x onerror=alert(1)>", link="http://example.org")

    told, receipt, _, *updates = submit_source(site, VISIT, "toy", (upload(GOOD), ""), BROWSER, inputs)

    marked = dict(zip(FIELDS, updates, strict=True))
    assert receipt == ""
    assert "2 things to mend" in told
    assert 'data-q-go="field-name"' in told
    assert "<img" not in told
    assert "q-field-wrong" in marked["name"]["elem_classes"]
    assert marked["link"]["info"] == "Begin the link with https://"
    assert "q-field-wrong" not in marked["version"]["elem_classes"]
    assert hall.store.waiting() == []


def test_name_of_somebody_elses_system_is_refused_at_its_field(site: Doors, hall: Hall, upload: Upload) -> None:
    hall.publish(name="Splendid", owner="p" * 43)

    told, receipt = submit(site, upload(GOOD), fields("SPLENDID"))

    assert receipt is None
    assert "looks like the name of somebody else&#x27;s public system" in told


def test_all_that_is_to_mend_is_told_at_once(site: Doors, hall: Hall, upload: Upload) -> None:
    hall.publish(name="Splendid", owner="p" * 43)
    inputs = fields("SPLENDID", link="http://example.org", params_millions=-1)
    bad = upload(b"t1 Q0 d1 1 nan t\nt1 Q0 d2 2\n")

    told, receipt, panel, *updates = submit_source(site, VISIT, "toy", (bad, ""), BROWSER, inputs)

    assert receipt == ""
    assert "4 things to mend" in told
    places = re.findall(r'data-q-go="([^"]+)"', told)
    assert places == ["submit-check", "field-name", "field-link", "field-params-millions"]
    assert "Run file: 2 faults" in told
    assert "The file has 2 faults" in panel
    wrong = [name for name, update in zip(FIELDS, updates, strict=True) if "q-field-wrong" in update["elem_classes"]]
    assert wrong == ["name", "link", "params_millions"]


@pytest.mark.parametrize(
    ("path", "place"), [(None, "submit-file"), ("/etc/passwd", "submit-file")], ids=["no file", "foreign file"]
)
def test_form_is_judged_without_a_file_too(site: Doors, hall: Hall, upload: Upload, path: str, place: str) -> None:
    hall.publish(name="Splendid", owner="p" * 43)

    told, _ = submit(site, path, fields("SPLENDID", link="ftp://x"))

    assert re.findall(r'data-q-go="([^"]+)"', told) == [place, "field-name", "field-link"]


def test_closed_task_and_wrong_form_are_told_at_once(site: Doors, hall: Hall, upload: Upload) -> None:
    hall.store.withdraw_gold("toy", hall.now)

    told, _ = submit(site, upload(GOOD), fields(""))

    assert re.findall(r'data-q-go="([^"]+)"', told) == ["submit-task", "field-name"]


def test_file_that_was_checked_is_not_read_again_to_submit(
    site: Doors, hall: Hall, upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = upload(GOOD)
    check_source(site, VISIT, "toy", (path, ""), unmarked())
    monkeypatch.setattr("leaderboard.intake.read_run", None)

    _, receipt = submit(site, path, fields())

    assert receipt is not None


class TestQuota:
    """The card of `toy` allows three a day; the books of these tests begin on 2026-03-01 at noon."""

    @pytest.fixture
    def strict(self, site: Doors, hall: Hall) -> Doors:
        hall.set_quota(QuotaRule())
        return dataclasses.replace(site, intake=hall.intake)

    def shown(self, strict: Doors, keys: Keys = BROWSER, **query: str) -> str:
        drawn: str = draw(strict, Visit.of("submit", {"task": "toy", **query}), keys)[5]
        return drawn

    def test_page_says_what_is_left_before_and_after(self, strict: Doors, hall: Hall) -> None:
        before = self.shown(strict)
        hall.hand_in()

        after = self.shown(strict)

        assert "3 of 3 submissions left today.</p>" in before
        assert "2 of 3 submissions left today. The count begins anew on 2026-03-02 00:00 UTC (in 12 h)." in after
        assert "Soumissions restantes aujourd’hui\u202f: 2 sur 3." in self.shown(strict, lang="fr")
        assert "今天还可提交 2 次，共 3 次。2026-03-02 00:00 UTC" in self.shown(strict, lang="zh").replace("。 ", "。")

    def test_a_new_browser_has_all_of_its_quota(self, strict: Doors, hall: Hall) -> None:
        hall.hand_in()

        assert "3 of 3" in self.shown(strict, Keys(""))
        assert "3 of 3" in self.shown(strict, Keys("n" * 43))

    def test_who_holds_an_earlier_link_has_what_its_owner_has(self, strict: Doors, hall: Hall) -> None:
        earlier = hall.hand_in()

        shown = self.shown(strict, Keys("", earlier.link_key), **{"from": earlier.submission_id})

        assert "2 of 3" in shown

    def test_fourth_run_is_refused_in_words_and_not_kept(self, strict: Doors, hall: Hall, upload: Upload) -> None:
        for number in range(3):
            submit(strict, upload(a_run(TOPICS, tag=f"tag{number}")), fields(version=str(number)))

        told, receipt = submit(strict, upload(a_run(TOPICS, tag="tag3")), fields(version="3"))

        assert receipt is None
        assert "The run was not taken. 0 of 3 submissions left today. The count begins anew on 2026-03-02" in told
        assert len(hall.store.waiting()) == 3
        assert not hall.runs.exists(hashlib.sha256(a_run(TOPICS, tag="tag3")).hexdigest())

    def test_same_run_again_is_still_received(self, strict: Doors, hall: Hall, upload: Upload) -> None:
        for number in range(3):
            submit(strict, upload(a_run(TOPICS, tag=f"tag{number}")), fields(version=str(number)))

        told, receipt = submit(strict, upload(a_run(TOPICS, tag="tag0")), fields(version="0"))

        assert told == ""
        assert receipt is not None


class TestFurtherVersion:
    """The link of a submission, without the browser that made it, is enough to go on with the system."""

    def test_form_is_filled_in_for_the_holder_of_the_link(self, site: Doors, hall: Hall) -> None:
        form = a_form("Splendid", version="1", link="https://example.org", licence="CC0", open_weights=True)
        earlier = hall.hand_in(form=form)

        visit = Visit.of("submit", {"task": "toy", "from": earlier.submission_id})
        *_, preview, _, _, note, name, version, link, _, weights, _, _, _, licence, _, _ = draw(
            site, visit, Keys("", earlier.link_key)
        )

        assert (name, version, link, weights, licence) == ("Splendid", "", "https://example.org", "yes", "CC0")
        assert "Splendid" in preview
        assert "your earlier run of Splendid" in note

    @pytest.mark.parametrize("key", ["", "x" * 32, OWNER + "x"])
    def test_nobody_else_learns_anything(self, site: Doors, hall: Hall, key: str) -> None:
        earlier = hall.hand_in(form=a_form("Splendid"))

        drawn = draw(site, Visit.of("submit", {"task": "toy", "from": earlier.submission_id}), Keys("", key))

        assert "Splendid" not in str(drawn)
        assert "does not open" in drawn[7]

    def test_own_public_name_is_accepted_from_another_browser(self, site: Doors, hall: Hall, upload: Upload) -> None:
        earlier = hall.publish(name="Splendid")
        visit = Visit.of("submit", {"task": "toy", "from": earlier.submission_id})

        told, receipt = submit(
            site, upload(GOOD), fields("Splendid", version="2"), visit=visit, keys=Keys("p" * 43, earlier.link_key)
        )

        assert told == ""
        key = re.findall(r"key=([^&]+)", receipt["href"])[0]
        (waiting,) = hall.store.waiting()
        view = hall.board.submission(waiting.id, key)
        assert view is not None
        assert view.is_owner
        first = hall.store.submission(earlier.submission_id)
        assert first is not None
        assert waiting.system_id == first.system_id

    def test_wrong_key_does_not_speak_for_the_owner(self, site: Doors, hall: Hall, upload: Upload) -> None:
        earlier = hall.publish(name="Splendid")
        visit = Visit.of("submit", {"task": "toy", "from": earlier.submission_id})

        told, receipt = submit(
            site, upload(GOOD), fields("Splendid", version="2"), visit=visit, keys=Keys("p" * 43, "q" * 32)
        )

        assert receipt is None
        assert "looks like the name of somebody else" in told


@pytest.mark.parametrize("path", [None, ""])
def test_without_a_file_one_is_asked_for(site: Doors, upload: Upload, path: str | None) -> None:
    told, receipt = submit(site, path, fields())

    assert receipt is None
    assert "Choose a file, or paste some lines." in told
    assert 'data-q-go="submit-file"' in told


@pytest.mark.parametrize("task_id", ["no-such-task", "bare", "", "../toy", None])
def test_task_that_takes_no_runs_is_refused(site: Doors, upload: Upload, task_id: str) -> None:
    path = upload(GOOD)

    panel, *_ = check_source(site, VISIT, task_id, (path, ""), unmarked())
    told, receipt, *_ = submit_source(site, VISIT, task_id, (path, ""), BROWSER, fields())

    assert "Choose a task." in panel
    assert "Choose a task." in told
    assert receipt == ""


def test_path_of_the_callers_choice_is_refused(site: Doors, upload: Upload) -> None:
    panel, *_ = check_source(site, VISIT, "toy", ("/etc/passwd", ""), unmarked())
    told, _ = submit(site, "/etc/passwd", fields())

    assert "Hand the run over as an uploaded file." in panel
    assert "Hand the run over as an uploaded file." in told


def test_task_whose_gold_went_away_says_that_uploads_are_closed(site: Doors, hall: Hall, upload: Upload) -> None:
    hall.store.withdraw_gold("toy", hall.now)
    hall.seconds += 2

    told, receipt = submit(site, upload(GOOD), fields())
    _, card, *_ = draw(site, Visit.of("submit", {"task": "toy"}))

    assert receipt is None
    assert "no judgements for this task here" in told
    assert "Uploads are closed for this task" in card


def test_error_of_ours_shows_a_number_and_no_trace(
    site: Doors, hall: Hall, upload: Upload, caplog: pytest.LogCaptureFixture
) -> None:
    hall.store.close()
    hall.runs.put = None  # type: ignore[assignment,method-assign]

    told, receipt = submit(site, upload(GOOD), fields())

    assert receipt is None
    assert "Something went wrong on our side" in told
    assert "Traceback" not in told
    (record,) = [record for record in caplog.records if record.exc_info]
    assert record.getMessage().split(", ")[1] in told


def test_page_opens_on_the_task_of_the_address(site: Doors) -> None:
    dropdown, card, guide, panel, preview, quota, lost, note, *_ = draw(
        site, Visit.of("submit", {"task": "other", "lang": "zh"})
    )

    assert dropdown["value"] == "other"
    assert [name for name, _ in dropdown["choices"]] == ["玩具任务", "玩具任务"]
    assert "获取数据" in card
    assert "运行文件的格式" in guide
    assert "拖入文件" in panel
    assert "玩具任务" in preview
    assert (note, quota) == ("", "")
    assert "网站暂时没有响应" in lost


def test_page_of_an_unknown_task_opens_on_the_first(site: Doors) -> None:
    assert draw(site, Visit.of("submit", {"task": "<b>"}))[0]["value"] == "toy"


def test_served_page_has_title_and_a_word_for_readers_without_scripts() -> None:
    made = head(FRENCH)

    assert made.title == "Soumettre un run"
    assert "<h1>Soumettre un run</h1>" in made.intro
    assert "JavaScript" in made.fallback


def test_first_line_of_the_example_run_is_found_below_its_header(upload: Upload, tmp_path: Any) -> None:
    path = tmp_path / "example.run"
    path.write_bytes(a_run(("t7",), header="ir_metadata.start\na: b\nir_metadata.end"))

    assert first_line(path) == ["t7", "Q0", "d1", "1", "9", "tuned"]
