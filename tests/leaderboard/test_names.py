import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.names import clean, link_flaw, name_flaw, name_skeleton, text_flaw

GOOD = [
    "混元 BM25", "검색 BM25", "BM25", "SPLADE++ (v2)", "e5-mistral_7b.v1", "Système d essai",
    "混元检索", "東京ランキング", "Поиск-1",
    "Łódź Größe", "Việt Ơi", "Știință", "Ñandú ǎ",
    "Ξένος", "검색 2", "ab", "x" * 80, "3.5", "محرك بحث", "a/b",
]  # fmt: skip
BAD = {
    "name-too-short": ["", "x"],
    "text-too-long": ["x" * 81],
    "hidden-character": [
        "abc\u200bd", "abc\u202ed", "ab\u2066c\u2069", "tab\tname", "line\nname", "nul\x00x", "soft\u00adhyphen",
        "\ufeffab", "ab\u3164", "e\ue000e", "ab\U000e0041", "line\u2028name",
    ],
    "name-formula": ["=1+1", "+5", "-name", "@SUM"],
    "name-character": [
        "a<b>", 'say "x"', "50%", "a|b", "b\u0301c", "a😀b",
        "ꜱample Hybrid", "CoǀBERT", "BM2ƽ", "SPꞁADE", "SPLADƐ", "CoƖBERT", "CoɩBERT", "ColBEꞄT", "Coᅵbert",
        "Cᄋlbert", "Hyƅrid", "Hybriɗ", "Samƿle", "ꜰlash FS", "Fɭash FS", "Flaꜱh FS",
        "a&b", "it's", "ᏌᎪ", "٣٤", "a,b", "a:b", "x∞",
    ],
    "name-two-scripts": ["Bм25", "раypal", "混元αβ", "混元кот", "αBC"],
    "name-no-letter": ["(.)", "..", "/ /"],
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_plain_name_of_any_script_is_taken(name: str) -> None:
    assert name_flaw(clean(name)) is None


@pytest.mark.parametrize(("code", "name"), [(code, name) for code, names in BAD.items() for name in names])
def test_deceiving_name_is_refused_with_its_reason(code: str, name: str) -> None:
    flaw = name_flaw(clean(name))

    assert flaw is not None
    assert flaw.code == code


def test_facts_of_a_refusal_never_hold_a_hidden_character() -> None:
    flaw = name_flaw("abc\u202ed")

    assert flaw is not None
    assert flaw.facts == {"codepoint": "U+202E"}


@pytest.mark.parametrize(
    ("written", "stored"),
    [("  BM25   tuned ", "BM25 tuned"), ("ＢＭ２５", "BM25"), ("混元\u3000检索", "混元 检索"), ("ﬁnder", "finder")],
)
def test_name_is_stored_in_one_spelling(written: str, stored: str) -> None:
    assert clean(written) == stored


ALIKE = [
    ("BM25", "bm25"), ("BM 25", "BM-25"), ("BM_25", "bm.25"), ("Résumé", "resume"), ("ВМ25", "BM25"), ("Соrе", "Core"),
    ("ΒΜ25", "BM25"), ("l1ama", "Ilama"), ("Llama", "L1ama"), ("modern", "modem"), ("0racle", "Oracle"),
    ("vvave", "wave"), ("B M25", "BM25"), ("Co丨BERT", "ColBERT"), ("Col-BERT", "ColBERT"), ("Model (1)", "model1"),
    ("BGE (large)", "BGE large"), ("ＢＭ２５", "BM25"),
    ("工nstructOR", "InstructOR"), ("口racle", "Oracle"), ("ロracle", "Oracle"), ("エンジン", "工ンジン"),
    ("ニ力国", "二カ国"), ("ĸaLM", "KaLM"), ("Łucene", "Lucene"),
]  # fmt: skip
DIFFERENT = [
    ("SPLADE", "SPLADE++"),
    ("e5-1.5b", "e5-15b"),
    ("v1 2", "v12"),
    ("BM25", "BM52"),
    ("混元", "混沌"),
    ("bge-m3", "bge-m4"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_that_look_alike_share_a_skeleton(one: str, other: str) -> None:
    assert name_skeleton(one) == name_skeleton(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_names_that_differ_to_the_eye_do_not(one: str, other: str) -> None:
    assert name_skeleton(one) != name_skeleton(other)


@given(st.text(max_size=90))
def test_any_text_is_judged_and_what_passes_is_visible(text: str) -> None:
    name = clean(text)

    if name_flaw(name) is None:
        assert name_skeleton(name)
        assert clean(name) == name
        assert all(unicodedata.category(character)[0] in "LMNPSZ" for character in name)
        assert name[0] not in "=+-@"


GOOD_LINKS = [
    "https://example.org", "https://example.org/a/b?c=d#e", "https://sub.example.co.uk:8443/x", "HTTPS://Example.org/x",
    "https://arxiv.org/abs/2302.07738", "https://xn--bcher-kva.example/x",
]  # fmt: skip
BAD_LINKS = {
    "link-not-https": ["http://example.org", "javascript:alert(1)", "//example.org", "example.org", "data:text/html,x"],
    "link-malformed": [
        "https://exa mple.org", "https://example.org/<script>", 'https://example.org/"x', "https://example.org\\@evil.org",
        "https://example.org:port/", "https://bücher.example", "https://example.org/\u202ex", "https://[::1",
    ],
    "link-credentials": ["https://user:pass@example.org", "https://user@example.org", "https://example.org@evil.org/"],
    "link-host": ["https://", "https://localhost/x", "https://127.0.0.1/", "https://[::1]/", "https://-a.example", "https://a..b"],
    "text-too-long": ["https://example.org/" + "x" * 300],
}  # fmt: skip


@pytest.mark.parametrize("link", GOOD_LINKS)
def test_plain_https_link_is_taken(link: str) -> None:
    assert link_flaw(link) is None


@pytest.mark.parametrize(("code", "link"), [(code, link) for code, links in BAD_LINKS.items() for link in links])
def test_unsafe_link_is_refused_with_its_reason(code: str, link: str) -> None:
    flaw = link_flaw(link)

    assert flaw is not None
    assert flaw.code == code


def test_notes_may_have_lines_and_other_texts_not() -> None:
    assert text_flaw("one\ntwo", 100, has_lines=True) is None
    assert text_flaw("one\ntwo", 100) is not None
