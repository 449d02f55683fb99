"""The method page: sections of sentences, one worked example, the queue, calls from a script. Finished HTML."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from evaluation import MIN_UNITS, N_FLIPS, N_RESAMPLES
from leaderboard.parts import blocks
from leaderboard.texts import Texts, format_bytes, format_moment, format_number
from leaderboard.views import QueueHealth

# section → how many sentences it has
_RULES = {"score": 5, "rank": 4, "sure": 6}
_MORE_RULES = {"compare": 4, "alarms": 2, "hidden": 6, "yours": 4}
_CALLS = """from gradio_client import Client, handle_file

client = Client("{address}")
print(client.predict("{task}", handle_file("my.run"), api_name="/check"))
rows = client.predict("{task}", api_name="/board")["rows"]
print(rows[0]["name"])
print(client.predict("{task}", [rows[1]["id"], rows[0]["id"]], api_name="/compare"))  # again until "answered"
"""
_CITATION = """@misc{{qrelboard,
  title = {{Qrelboard {version}: retrieval runs, scored alike, with the error shown}},
  howpublished = {{{address}}},
  note = {{Board, gold version and day as in its caption}}
}}"""


@dataclass(frozen=True, slots=True)
class Site:
    """What the page tells of this site: sizes of uploads, its address, its version, where the guides are.

    `runs_at_once` and `runs_a_minute` are None where nobody is limited; `task_id` stands in the example call.
    """

    max_upload_bytes: int
    max_unpacked_bytes: int
    runs_at_once: int | None
    runs_a_minute: int | None
    address: str
    version: str
    task_id: str
    guide: str


def method(words: Texts, site: Site, *, example: str, health: QueueHealth) -> str:
    """Return all sections; `example` is the finished HTML of the worked example, "" where there is none."""
    shown = section("example", words, example) if example else ""
    calls = blocks.copy_box(_CALLS.format(address=site.address, task=site.task_id).strip(), words)
    api = f"{_sentence('method.api_1', words)}{calls}{_sentence('method.api_2', words)}"
    citation = blocks.copy_box(_CITATION.format(version=site.version, address=site.address), words)
    guide = f'<p><a href="{escape(site.guide)}">{escape(words.get("method.host_3"))}</a></p>'
    return blocks.block(
        _sections(_RULES, words, units=MIN_UNITS, resamples=format_number(N_RESAMPLES, words.lang))
        + shown
        + _sections(_MORE_RULES, words, flips=format_number(N_FLIPS, words.lang))
        + section("limits", words, _limits(words, site))
        + section("host", words, _sentence("method.host_1", words) + _sentence("method.host_2", words) + guide)
        + section("api", words, api)
        + section("changes", words, _sentence("method.changes_1", words))
        + section("cite", words, _sentence("method.cite_1", words) + citation)
        + section("health", words, queue_state(words, health))
    )


def section(name: str, words: Texts, content: str) -> str:
    """Return a section of the page under its heading; other pages link to its name."""
    return f'<section id="{name}"><h2>{escape(words.get(f"method.{name}"))}</h2>{content}</section>'


def _sections(sections: Mapping[str, int], words: Texts, **fields: object) -> str:
    return "".join(
        section(name, words, "".join(_sentence(f"method.{name}_{n}", words, **fields) for n in range(1, n_all + 1)))
        for name, n_all in sections.items()
    )


def _sentence(key: str, words: Texts, **fields: object) -> str:
    return f"<p>{escape(words.get(key, **fields))}</p>"


def _limits(words: Texts, site: Site) -> str:
    upload, unpacked = (format_bytes(size, words.lang) for size in (site.max_upload_bytes, site.max_unpacked_bytes))
    told = _sentence("method.limits_1", words, upload=upload, unpacked=unpacked) + _sentence("method.limits_2", words)
    if site.runs_at_once is None or site.runs_a_minute is None:
        return told
    return told + _sentence("method.limits_3", words, burst=site.runs_at_once, a_minute=site.runs_a_minute)


def queue_state(words: Texts, health: QueueHealth) -> str:
    """Return how the queue does, as one paragraph."""
    told = [words.get("method.health_1", n=format_number(health.n_waiting, words.lang))]
    if health.oldest_at is not None:
        told.append(words.get("method.health_oldest", moment=format_moment(health.oldest_at, words.lang)))
    if health.is_paused or health.heard_at is None:
        told.append(words.get("method.health_paused"))
    else:
        told.append(words.get("method.health_alive", moment=format_moment(health.heard_at, words.lang)))
    return f"<p>{escape(('' if words.lang == 'zh' else ' ').join(told))}</p>"
