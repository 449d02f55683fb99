"""Shared pieces of HTML: whatever comes from people shows as text, links lead where they say."""

import pytest

from leaderboard.parts import blocks
from leaderboard.texts import LANGUAGES, texts

HOSTILE = "\"><script>alert('1')</script>\u202e"
WORDS = texts("en")


@pytest.mark.parametrize(
    "html",
    [
        blocks.intro(HOSTILE, HOSTILE),
        blocks.button(HOSTILE, HOSTILE),
        blocks.badge(HOSTILE, title=HOSTILE),
        blocks.notice(HOSTILE, kind="error", is_announced=True),
        blocks.empty(HOSTILE),
        blocks.table([HOSTILE], [], caption=HOSTILE),
        blocks.copy_box(HOSTILE, WORDS),
        blocks.outside_link("https://example.org/" + HOSTILE, HOSTILE),
        blocks.outside_link(HOSTILE),
        blocks.header(WORDS, links=dict.fromkeys(("home", "submit", "about"), HOSTILE), current="home",
                      languages=dict.fromkeys(LANGUAGES, HOSTILE)),
        blocks.footer(WORDS, version=HOSTILE, links={"foot_about": HOSTILE}),
    ],
    ids=["intro", "button", "badge", "notice", "empty", "table", "copy", "link", "no link", "header", "footer"],
)  # fmt: skip
def test_markup_of_people_shows_as_text(html: str) -> None:
    assert "<script" not in html
    assert '"><' + "script" not in html
    assert "&lt;script&gt;" in html


def test_intro_has_the_one_heading_of_the_page() -> None:
    assert blocks.intro("Toy", "Lead").count("<h1>") == 1


def test_header_names_the_place_and_the_language_of_the_reader() -> None:
    html = blocks.header(
        texts("fr"),
        links={"home": "./", "submit": "./submit", "about": "./about"},
        current="submit",
        languages={"en": "?lang=en", "fr": "?lang=fr", "zh": "?lang=zh"},
    )

    assert '<a href="./submit" aria-current="page">Soumettre</a>' in html
    assert 'lang="fr" hreflang="fr" data-q-lang="fr" aria-current="true">Français</a>' in html
    assert 'href="?lang=fr#q-main"' in html


@pytest.mark.parametrize(
    "href",
    ["http://example.org", "javascript:alert(1)", "https://user:pass@example.org", "https://", "data:text/html,x"],
)
def test_anything_but_a_plain_https_address_is_no_link(href: str) -> None:
    assert "<a " not in blocks.outside_link(href)


def test_link_to_elsewhere_shows_its_host_and_passes_nothing_on() -> None:
    html = blocks.outside_link("https://arxiv.org/abs/1", "Paper")

    assert html == '<a href="https://arxiv.org/abs/1" rel="nofollow noopener" target="_blank">Paper (arxiv.org)</a>'


def test_table_has_caption_scopes_and_a_focusable_box() -> None:
    html = blocks.table(["System", "Score"], [["A", "0.5"]], caption="Scores", numbers={1})

    assert "<caption>Scores</caption>" in html
    assert '<th scope="row">A</th><td class="is-number">0.5</td>' in html
    assert html.startswith('<div class="q-scroll" tabindex="0" role="region" aria-label="Scores">')


def test_faults_are_announced_as_alerts_and_news_as_status() -> None:
    assert 'role="alert"' in blocks.notice("x", kind="error", is_announced=True)
    assert 'role="status"' in blocks.notice("x", is_announced=True)
    assert "role=" not in blocks.notice("x")
