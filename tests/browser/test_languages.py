"""French and Chinese pages hold no English words of ours, and write numbers and signs as their readers do.

Looked at is everything that a reader can see or hear: text, also where it is folded or hidden, titles, labels, hints.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache

import pytest
from playwright.sync_api import Page, expect

from data.cards import load_catalogue
from data.published import read_published
from leaderboard.texts import LANGUAGES, texts
from tests.browser.everywhere import PAGES, Places
from tests.browser.submitting import open_form
from tests.running import ROOT, RunningApp

pytestmark = pytest.mark.browser

OTHERS = [lang for lang in LANGUAGES if lang != "en"]
# Names, code, quotations and what is marked as another language are the same for all readers.
READ_ALL = """() => {
  const attributes = ["title", "aria-label", "placeholder", "alt", "data-q-hint", "label", "aria-description"];
  const { lang } = document.documentElement;
  const same = `script, style, code, pre, textarea, .nav-holder, .q-version, [lang]:not(html):not(:lang(${lang}))`;
  const told = [];
  const read = (root) => {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { nodeValue, parentElement } = texts.currentNode;
      if (parentElement.localName === "noscript") read(new DOMParser().parseFromString(nodeValue, "text/html").body);
      else if (!parentElement.closest(same)) told.push(nodeValue);
    }
    for (const one of root.querySelectorAll("*")) {
      if (!one.closest(same)) told.push(...attributes.map((name) => one.getAttribute(name) || ""));
    }
  };
  read(document.body);
  const about = document.querySelectorAll("meta[name=description], meta[property^=og]");
  told.push(document.title, ...[...about].map((one) => one.content));
  return [...new Set(told.map((text) => text.replace(/[ \\t\\n]+/g, " ").trim()).filter(Boolean))];
}"""
ILL_WRITTEN = {
    "fr": [
        r"(?<![\w.:/-])\d+\.\d+(?![\w.-])",  # a point in a number
        r"(?<!\d)(?:[2-9]|\d\d+),\d{3}(?!\d)",  # thousands apart by a comma
        r"\w[^\S\u202f\u00a0]?[?!;»](?=\s|$)",  # no narrow space before a sign
        r"\w[^\S\u202f\u00a0]?:(?=\s|$)",
        r"\d (?:%|[kMG]?o\b|Md?\b)",  # no narrow space before a unit
    ],
    "zh": [
        r"[\u4e00-\u9fff] ?[,;:?!](?=\s|$)",  # signs of the West behind Chinese words
        r"[\u4e00-\u9fff]\.(?=\s|$)",
        r"\d,\d{1,2}(?!\d)",  # a comma in a number
    ],
}
CATALOGUE = load_catalogue([ROOT / "data" / "tasks"])
# how papers call their systems; and a label of Gradio's, which it has in no other language
REPORTED = {row.system for task in CATALOGUE for row in read_published(ROOT / "data" / "published", task)}
REPORTED.add("Click to upload or drop files")
# what the numbers in a text may be besides: names, versions, and how the format of a run writes them
AS_IT_IS = re.compile(
    r"https?://\S+|Sample [\w ]+ 1\.0$|arXiv:\S+|Llama 3\.\d|^1\.0$|^0\.1\u202f:|12\.5 ou 1e-3|mteb \d\S+|SA 4\.0"
)


def card_words() -> Iterator[Mapping[str, str]]:
    """Everything that the cards say in each language."""
    for task in CATALOGUE.values():
        yield from (task.name, task.summary, task.description)
        yield from (measure.words for measure in task.measures)
        for axis in task.axes:
            yield axis.name
            yield from axis.labels.values()
        for place, pitfall in enumerate(task.pitfalls_in("en")):
            yield {"en": pitfall, **{lang: task.pitfalls_in(lang)[place] for lang in OTHERS}}


@cache
def ours(lang: str) -> list[re.Pattern[str]]:
    """What English readers read and readers of this language must not: a text that is nothing but one of ours."""
    pairs = [
        (sentence, texts(lang).section(section)[key])
        for section in texts("en").sections
        for key, sentence in texts("en").section(section).items()
    ]
    pairs += [(words["en"], words.get(lang, "")) for words in card_words() if words.get("en")]
    spoken = {other for _, other in pairs}
    english = {sentence for sentence, other in pairs if sentence != other and sentence not in spoken}
    patterns = []
    for sentence in english:
        parts = re.split(r"\{\w+\}", sentence)
        if re.search("[A-Za-z]{3}", "".join(parts)):
            pattern = "(.{1,200}?)".join(re.escape(part) for part in parts)
            # a long sentence may stand among others; a short one is looked for alone
            patterns.append(re.compile(pattern if len(sentence) > 40 else f"^{pattern}$"))
    return patterns


def english_in(said: list[str], lang: str) -> list[str]:
    return [text for text in said if any(pattern.search(text) for pattern in ours(lang))]


def read(page: Page) -> list[str]:
    return page.evaluate(READ_ALL)  # type: ignore[no-any-return]


def ill_written(said: list[str], lang: str) -> list[str]:
    """Texts whose numbers or signs are those of another language. Versions, days and addresses are no numbers."""
    return [text for text in said if any(re.search(wrong, AS_IT_IS.sub("", text)) for wrong in ILL_WRITTEN[lang])]


@pytest.mark.parametrize("name", PAGES)
def test_page_has_no_english_and_writes_as_its_readers_do(page: Page, places: Places, name: str) -> None:
    said = {}
    for lang in LANGUAGES:
        places.open(page, name, lang)
        said[lang] = read(page)

    for lang in OTHERS:
        assert english_in(said[lang], lang) == []
        assert ill_written(said[lang], lang) == []
        # what no file of words knows, but stands word for word on the English page too
        same = set(said["en"]) & set(said[lang])
        assert sorted(text for text in same - REPORTED if is_sentence(text)) == []


def is_sentence(text: str) -> bool:
    """Several plain English words: no names of systems or papers, which begin with capitals or hold digits."""
    return len(re.findall(r"(?<!\S)[a-z]{2,}(?!\S)", text)) >= 2


A_RUN_LINE = "q1 Q0 doc7 1 12.5 my-system"  # as run files are written, in every language
GRADIOS_SIZE = re.compile(r"[0-9.]+\s[KMG]?B")  # stands in the page, but is not shown
FAULTS = {
    "kinds": b"irsc-0001 Q0 d1 1 2.0 t\nirsc-0001 Q0 d1 2 nan t\nonly three columns\nirsc-0001 Q0 d2 3 x t\n",
    "foreign": b"quelconque Q0 d1 1 2.0 t\n",
    "empty": b"",
    "short": b"irsc-0001 Q0 d1 9 1.0 t\nirsc-0001 Q0 d2 1 1.0 t\n",
}


@pytest.mark.parametrize("lang", OTHERS)
def test_faults_and_notices_have_no_english(page: Page, site: RunningApp, lang: str) -> None:
    open_form(page, site, lang)
    file = page.locator("#submit-file input[type=file]")
    said: list[str] = []
    for name, content in FAULTS.items():
        before = page.locator("#submit-check").inner_text()
        file.set_input_files({"name": f"{name}.run", "mimeType": "text/plain", "buffer": content})  # type: ignore[arg-type]
        expect(page.locator("#submit-check")).not_to_have_text(before, use_inner_text=True)
        page.locator("#field-name textarea, #field-name input").fill("=a name")
        page.locator("#submit-run").click()
        expect(page.locator("#submit-summary li").first).to_be_attached()
        expect(page.locator("#submit-file .download")).not_to_be_visible()
        said += [text for text in read(page) if not GRADIOS_SIZE.fullmatch(text)]
        page.reload()
        expect(page.locator("#submit-data dl")).to_be_attached()

    assert english_in(said, lang) == []
    assert ill_written([text.replace(A_RUN_LINE, "") for text in said if text not in FAULTS], lang) == []
