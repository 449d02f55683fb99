from pathlib import Path

import pytest

from data.cards import load_card, load_catalogue, read_about
from evaluation import CardError
from tests.data.makers import CARD, PLAIN_CARD, SEALED_CARD, SHIPPED, a_card, a_task, shipped

TASK_IDS = (
    *("irsc", "instructir", "alloprof-pages", "alloprof-questions", "alloprof-both", "alloprof-mteb"),
    "sample-sealed",
)
LANGUAGES = {"en", "fr", "zh"}


def test_shipped_tasks_stand_in_the_order_of_the_home_page() -> None:
    assert tuple(load_catalogue([SHIPPED])) == TASK_IDS


@pytest.mark.parametrize("task_id", TASK_IDS)
def test_shipped_card_is_complete_in_three_languages(task_id: str) -> None:
    task = shipped(task_id)

    words = [task.name, task.summary, task.description, task.pitfalls]
    words += [column.words for column in task.measures]
    words += [axis.name for axis in task.axes]
    words += [label for axis in task.axes for label in axis.labels.values()]

    assert [LANGUAGES] * len(words) == [set(word) for word in words]


@pytest.mark.parametrize("task_id", TASK_IDS)
@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_shipped_task_has_an_about_text_of_its_own(task_id: str, language: str) -> None:
    text = (SHIPPED / task_id / f"about.{language}.md").read_text(encoding="utf-8")

    assert text.startswith("## ")
    assert text == read_about(shipped(task_id), language)


@pytest.mark.parametrize("task_id", TASK_IDS)
def test_every_value_of_a_shipped_axis_has_a_label(task_id: str) -> None:
    axes = shipped(task_id).axes

    assert [set(axis.order) for axis in axes] == [set(axis.labels) for axis in axes]


@pytest.mark.parametrize("task_id", TASK_IDS)
def test_french_of_a_shipped_card_has_narrow_spaces_before_high_signs(task_id: str) -> None:
    card = (SHIPPED / task_id / "card.toml").read_text(encoding="utf-8")
    about = (SHIPPED / task_id / "about.fr.md").read_text(encoding="utf-8")
    french = [line for line in card.splitlines() if line.startswith("fr = ")]

    assert [sign for text in [*french, about] for sign in (" ;", " ?", " !", " %", " :", "« ") if sign in text] == []


@pytest.mark.parametrize(
    ("task_id", "primary", "mean"),
    [
        ("irsc", "R@10", "macro:query_type"),
        ("instructir", "nDCG@10", "topics"),
        ("alloprof-pages", "nDCG", "topics"),
        ("alloprof-questions", "nDCG", "topics"),
        ("alloprof-both", "nDCG", "topics"),
    ],
)
def test_shipped_task_ranks_by_the_measure_of_the_method_page(task_id: str, primary: str, mean: str) -> None:
    task = shipped(task_id)

    assert (primary, mean) == (task.primary.name, task.mean)


@pytest.mark.parametrize(
    ("task_id", "headings"),
    [
        ("irsc", ["r@10", "m@10", "n@10", "RR@10", "P@3"]),
        ("instructir", ["nDCG@10", "Robustness@10", "GroupMean(nDCG@10)", "R@10", "AP@10", "MRR", "nDCG"]),
        ("alloprof-both", ["nDCG", "MRR", "Success@3", "nDCG@10"]),
    ],
)
def test_shipped_columns_carry_the_names_that_readers_know(task_id: str, headings: list[str]) -> None:
    assert headings == [column.heading for column in shipped(task_id).measures]


def test_grades_are_in_school_order() -> None:
    grades = shipped("alloprof-pages").axis("grade").order

    primary = [f"primary-{year}" for year in range(1, 7)]
    secondary = [f"secondary-{year}" for year in range(1, 6)]
    assert (*primary, *secondary, "post-secondary", "unspecified") == grades


def test_alloprof_tasks_are_one_family() -> None:
    catalogue = load_catalogue([SHIPPED])

    family = catalogue.family(catalogue["alloprof-questions"])

    assert [task.id for task in family] == ["alloprof-pages", "alloprof-questions", "alloprof-both"]


def test_task_without_a_family_is_alone() -> None:
    catalogue = load_catalogue([SHIPPED])

    assert (catalogue["irsc"],) == catalogue.family(catalogue["irsc"])


def test_question_is_dropped_from_its_own_candidates() -> None:
    switched = [task.id for task in load_catalogue([SHIPPED]).values() if task.remove_identical]

    assert switched == ["alloprof-questions", "alloprof-both"]


def test_full_card_is_read_as_written(tmp_path: Path) -> None:
    task = a_task(tmp_path)

    assert (task.id, task.benchmark, task.version, task.gold, task.depth) == ("toy", "Toy", "1", "open", 100)
    assert (task.primary.name, task.primary.label, task.macro_axis, task.family) == ("nDCG@10", "n@10", "kind", "toys")
    assert [column.is_group for column in task.measures] == [False, True]
    assert [(a.chart, a.order) for a in task.axes] == [("heatmap", ("car", "doll")), ("dots", ("small", "large"))]


def test_short_card_gets_the_defaults_of_open_gold(tmp_path: Path) -> None:
    task = a_task(tmp_path, PLAIN_CARD)

    limits = task.limits
    assert (limits.per_day, limits.per_month, limits.total, limits.min_slice_topics) == (3, 30, 200, 20)
    assert (task.depth, task.mean, task.relevant_from, task.has_groups) == (1000, "topics", 1, False)


def test_short_sealed_card_gets_the_smaller_quota_and_larger_slices(tmp_path: Path) -> None:
    limits = a_task(tmp_path, SEALED_CARD).limits

    assert (limits.per_day, limits.per_month, limits.total, limits.min_slice_topics) == (2, 20, 100, 100)


def test_label_falls_back_to_english_and_then_to_the_value(tmp_path: Path) -> None:
    task = a_task(tmp_path)

    labels = [task.label("kind", value, "fr") for value in ("car", "doll", "train", "unspecified")]

    assert labels == ["Voiture", "Doll", "train", "Non précisé"]


def test_about_text_falls_back_to_english_and_then_to_nothing(tmp_path: Path) -> None:
    task = a_task(tmp_path)
    before = read_about(task, "fr")
    (task.folder / "about.en.md").write_text("In English.", encoding="utf-8")

    assert (before, read_about(task, "fr")) == ("", "In English.")


# what the host wrote → what it is replaced by, the key named, and a word of the cure
BROKEN = {
    "key that no card has": ('family = "toys"', 'famly = "toys"', "famly", 'did you mean "family"'),
    "key misspelt that must be there": (
        'benchmark = "Toy"',
        'benchmrk = "Toy"',
        "benchmark",
        '"benchmrk" is not a key',
    ),
    "id missing": ('id = "toy"\n', "", "id", "is missing"),
    "id with capitals": ('id = "toy"', 'id = "Toy"', "id", "small letters"),
    "id of another folder": ('id = "toy"', 'id = "ball"', "id", 'the folder is "toy"'),
    "version as a number": ('version = "1"', "version = 1.0", "version", "text in quotes"),
    "version empty": ('version = "1"', 'version = " "', "version", "is empty"),
    "gold misspelt": ('gold = "open"', 'gold = "opne"', "gold", 'did you mean "open"'),
    "depth as text": ("depth = 100", 'depth = "100"', "depth", "a whole number"),
    "depth as truth": ("depth = 100", "depth = true", "depth", "a whole number"),
    "depth zero": ("depth = 100", "depth = 0", "depth", "from 1 to"),
    "mean over an unknown axis": ("macro:kind", "macro:knd", "mean", 'did you mean "macro:kind"'),
    "mean of a group measure over an axis": (
        'name = "nDCG@10"\nlabel = "n@10"',
        'name = "Robustness@5"',
        "mean",
        'write "topics"',
    ),
    "switch as text": ("has_groups = true", 'has_groups = "yes"', "has_groups", "true or false"),
    "languages as one text": ('languages = ["en"]', 'languages = "en"', "languages", "a list of texts"),
    "language in words": ('languages = ["en"]', 'languages = ["English"]', "languages[1]", "a code such as"),
    "language twice": ('languages = ["en"]', 'languages = ["en", "en"]', "languages[2]", "stands twice"),
    "name without English": ('en = "Toy task"\n', "", "name.en", "is missing"),
    "name in an unknown language": ('fr = "Tâche jouet"', 'de = "Spielzeug"', "name.de", "not a key"),
    "name too long": ("Toy task", "Toy " * 30, "name.en", "at most 80"),
    "summary missing": ('[summary]\nen = "Find the toy."\n', "", "summary.en", "is missing"),
    "pitfalls translated in part": (
        '["It is a toy."]',
        '["It is a toy.", "It breaks."]',
        "pitfalls.fr",
        "translate all",
    ),
    "pitfall that is no text": ('["It is a toy."]', "[7]", "pitfalls.en[1]", "text in quotes"),
    "no primary measure": ("primary = true\n", "", "measure", "exactly one"),
    "two primary measures": (
        'name = "Robustness@10"',
        'name = "RR"\nprimary = true',
        "measure",
        "exactly one",
    ),
    "unknown measure": ('name = "nDCG@10"', 'name = "nDGC@10"', "measure[1].name", 'did you mean "nDCG@10"'),
    "measure twice": ('name = "Robustness@10"', 'name = "nDCG@10"', "measure[2].name", "stands twice"),
    "group measure without groups": ("has_groups = true\n", "", "measure[2].name", "has_groups = true"),
    "measure key unknown": ('label = "n@10"', 'labell = "n@10"', "measure[1].labell", 'did you mean "label"'),
    "axis id with a hyphen": ('id = "kind"', 'id = "ki-nd"', "axis[1].id", "small letters"),
    "axis id of the table's own columns": ('id = "size"', 'id = "group"', "axis[2].id", "column of its own"),
    "axis twice": ('id = "size"', 'id = "kind"', "axis[2].id", "stands twice"),
    "ordinal axis without order": ('order = ["small", "large"]\n', "", "axis[2].order", "first to last"),
    "order with a value twice": ('["small", "large"]', '["small", "small"]', "axis[2].order[2]", "stands twice"),
    "label outside the order": (
        'name = { en = "Size" }',
        'name = { en = "Size" }\nlabel = { smal = { en = "S" } }',
        "axis[2].label.smal",
        'did you mean "small"',
    ),
    "chart unknown": ("ordinal = true", 'ordinal = true\nchart = "pie"', "axis[2].chart", '"heatmap", "dots"'),
    "axis without a name": ('name = { en = "Size" }\n', "", "axis[2].name.en", "is missing"),
    "quota of a day above that of a month": ("per_day = 2", "per_day = 11", "limits.per_day", "per_month"),
    "quota of a month above the total": ("per_month = 10", "per_month = 21", "limits.per_month", "total"),
    "limit unknown": ("per_month = 10", "per_mnth = 10", "limits.per_mnth", 'did you mean "per_month"'),
    "link without https": ("https://example.org/paper", "http://example.org/paper", "source.paper", "https://"),
    "link with credentials": ("https://example.org", "https://me:pw@example.org", "source.paper", "https://"),
    "bibtex that is none": ("@misc{toy}", "Toy, 2026", "source.bibtex", "BibTeX"),
    "table where a text belongs": ('benchmark = "Toy"', 'benchmark = { en = "Toy" }', "benchmark", "text in quotes"),
    "text where a table belongs": ('[summary]\nen = "Find the toy."', "", "summary.en", "is missing"),
}


@pytest.mark.parametrize(("old", "new", "key", "cure"), BROKEN.values(), ids=BROKEN.keys())
def test_broken_card_is_refused_with_file_key_and_cure(tmp_path: Path, old: str, new: str, key: str, cure: str) -> None:
    assert old in CARD
    folder = a_card(tmp_path, CARD.replace(old, new, 1))

    with pytest.raises(CardError) as refusal:
        load_card(folder)

    assert ("toy/card.toml", key) == (refusal.value.facts["file"], refusal.value.facts["key"])
    assert f'toy/card.toml: key "{key}"' in str(refusal.value)
    assert cure in str(refusal.value)


def test_sealed_card_cannot_show_small_slices(tmp_path: Path) -> None:
    folder = a_card(tmp_path, SEALED_CARD + "\n[limits]\nmin_slice_topics = 20\n")

    with pytest.raises(CardError, match=r'key "limits.min_slice_topics" is 20; expected a whole number from 100'):
        load_card(folder)


def test_task_cannot_take_the_address_of_a_page(tmp_path: Path) -> None:
    folder = a_card(tmp_path, PLAIN_CARD.replace('"toy"', '"submit"'), task_id="submit")

    with pytest.raises(CardError, match="address of a page"):
        load_card(folder)


def test_card_that_is_not_toml_is_refused_with_its_line(tmp_path: Path) -> None:
    folder = a_card(tmp_path, 'id = "toy"\nbenchmark = Toy\n')

    with pytest.raises(CardError, match=r"toy/card.toml is not TOML: .*line 2"):
        load_card(folder)


def test_card_in_another_encoding_is_refused_with_its_byte(tmp_path: Path) -> None:
    folder = a_card(tmp_path)
    (folder / "card.toml").write_bytes('id = "é"'.encode("latin-1"))

    with pytest.raises(CardError, match=r"is not UTF-8 \(byte 6\)"):
        load_card(folder)


def test_folder_without_a_card_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "toy").mkdir()

    with pytest.raises(CardError, match=r"toy/card.toml the folder has no card.toml"):
        load_catalogue([tmp_path])


def test_hidden_folders_and_files_are_no_tasks(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "notes.txt").write_text("notes", encoding="utf-8")

    assert len(load_catalogue([tmp_path, tmp_path / "not-there"])) == 0


def test_task_folder_alone_is_a_catalogue_of_one(tmp_path: Path) -> None:
    assert list(load_catalogue([a_card(tmp_path)])) == ["toy"]


def test_same_id_in_two_folders_is_refused(tmp_path: Path) -> None:
    a_card(tmp_path / "one")
    a_card(tmp_path / "two")

    with pytest.raises(CardError, match=r'key "id" "toy" is also the task of'):
        load_catalogue([tmp_path / "one", tmp_path / "two"])


def test_task_of_the_host_stands_after_the_shipped_ones(tmp_path: Path) -> None:
    a_card(tmp_path)

    assert (*TASK_IDS, "toy") == tuple(load_catalogue([tmp_path, SHIPPED]))


@pytest.mark.parametrize(
    ("card", "panels", "says"),
    [
        (PLAIN_CARD, "nothing", "expected the id of another axis"),
        (PLAIN_CARD, "kind", "expected the id of another axis"),
        (SEALED_CARD, "size", "sealed gold shows no crossed slices"),
    ],
)
def test_panels_are_another_axis_of_open_gold(tmp_path: Path, card: str, panels: str, says: str) -> None:
    axes = f'''
[[axis]]
id = "kind"
name = {{ en = "Kind" }}
panels = "{panels}"
[[axis]]
id = "size"
name = {{ en = "Size" }}
'''

    with pytest.raises(CardError, match=says):
        load_card(a_card(tmp_path, card + axes))
    assert shipped("irsc").axis("query_type").panels == "language"
