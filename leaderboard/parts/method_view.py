"""The method page: short sections of sentences, and one call from a script. Finished HTML from texts alone."""

from html import escape

from leaderboard.parts import blocks
from leaderboard.texts import Texts, format_bytes

# section → how many sentences it has
_SECTIONS = {"score": 5, "rank": 4, "hidden": 5, "yours": 3, "limits": 2, "host": 2}
_CALLS = """from gradio_client import Client, handle_file

client = Client("{address}")
print(client.predict("{task}", handle_file("my.run"), api_name="/check"))
print(client.predict("{task}", api_name="/board")["rows"][0]["name"])
"""


def method(words: Texts, *, max_upload_bytes: int, max_unpacked_bytes: int, address: str, task_id: str) -> str:
    """Return all sections; `address` and `task_id` stand in the example call."""
    sizes = {
        "upload": format_bytes(max_upload_bytes, words.lang),
        "unpacked": format_bytes(max_unpacked_bytes, words.lang),
    }
    told = "".join(
        f'<section id="{name}"><h2>{escape(words.get(f"method.{name}"))}</h2>'
        + "".join(f"<p>{escape(words.get(f'method.{name}_{n}', **sizes))}</p>" for n in range(1, n_sentences + 1))
        + "</section>"
        for name, n_sentences in _SECTIONS.items()
    )
    check = blocks.copy_box("python -m leaderboard check my-task", words)
    calls = blocks.copy_box(_CALLS.format(address=address, task=task_id).strip(), words)
    return blocks.block(
        f'{told}{check}<section id="api"><h2>{escape(words.get("method.api"))}</h2>'
        f"<p>{escape(words.get('method.api_1'))}</p>{calls}<p>{escape(words.get('method.api_2'))}</p></section>"
    )
