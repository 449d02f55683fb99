"""Photograph every page in both themes, all languages and two widths: `make shots` writes them to shots/.

A look at a page finds what no assertion does. The app runs as `make serve` starts it, on sample gold, in a folder that
is thrown away.
"""

import argparse
import json
import shutil
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

from playwright.sync_api import Browser, Page, sync_playwright

from data.cards import load_catalogue
from leaderboard.texts import LANGUAGES
from tests.running import ROOT, running_app

FLAGS = ["--no-sandbox", "--disable-background-networking"]
THEMES = ("light", "dark")
WIDTHS = (1280, 390)
N_SAMPLES = 6
CATALOGUE = load_catalogue([ROOT / "data" / "tasks"])
# The load event and the drawing of an opened tab come after the page; a picture has no claim to wait for.
SETTLE_MS = 1500


def main() -> None:
    """Start the app unless one is named, wait for its sample boards, and photograph what the arguments leave in."""
    asked = _arguments()
    if asked.url:
        _photograph_site(asked.url, asked)
        return
    with tempfile.TemporaryDirectory(prefix="qrelboard-shots-") as folder, running_app(Path(folder)) as app:
        tasks = [task.id for task in CATALOGUE.values() if task.has_gold]
        app.until(lambda: all(len(app.board(task)["rows"]) == N_SAMPLES for task in tasks), patience_s=300)
        _photograph_site(app.url, asked)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="photograph the pages whose name holds this text")
    parser.add_argument("--url", default="", help="photograph the app that runs there")
    parser.add_argument("--langs", nargs="+", default=list(LANGUAGES), choices=list(LANGUAGES))
    parser.add_argument("--themes", nargs="+", default=list(THEMES), choices=THEMES)
    parser.add_argument("--widths", nargs="+", default=list(WIDTHS), type=int)
    parser.add_argument("--out", default=ROOT / "shots", type=Path)
    return parser.parse_args()


def _addresses(url: str) -> Iterator[tuple[str, str]]:
    """Yield (name of the picture, address) of every page, with one for each tab of a task."""
    with urlopen(f"{url}/boards/irsc.json") as answer:
        rows = json.load(answer)["rows"]
    first = rows[0]
    yield "home", ""
    for task in CATALOGUE.values():
        yield task.id, task.id
        tabs = [*(axis.id for axis in task.axes), "charts", "about"] if task.has_gold else []
        for tab in tabs:
            yield f"{task.id}-{tab}", f"{task.id}?tab={tab}"
    yield "embed", "irsc?embed=1&top=5"
    yield "submit", "submit?task=irsc"
    yield "submission", f"submission?id={first['id']}"
    yield "system", f"system?id={first['system']}"
    yield "compare", f"compare?task=irsc&ids={rows[1]['id']},{rows[0]['id']},{rows[-1]['id']}"
    yield "about", "about"
    yield "hosting", "hosting"
    yield "reliability", "reliability"
    yield "not-found", "no-such-page"


def _photograph_site(url: str, asked: argparse.Namespace) -> None:
    addresses = {name: path for name, path in _addresses(url) if asked.only in name}
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        _photograph(chromium, url, addresses, asked)
        chromium.close()


def _photograph(chromium: Browser, url: str, addresses: dict[str, str], asked: argparse.Namespace) -> None:
    for theme, lang, width in product(asked.themes, asked.langs, asked.widths):
        context = chromium.new_context(viewport={"width": width, "height": 800}, color_scheme=theme)
        page = context.new_page()
        for name, address in addresses.items():
            path, _, query = address.partition("?")
            shown = f"{url}/{path}?{query}{'&' if query else ''}{urlencode({'lang': lang})}"
            target = asked.out / f"{name}.{lang}.{theme}.{width}.png"
            target.parent.mkdir(parents=True, exist_ok=True)
            _photograph_one(page, shown, target)
            print(target.relative_to(asked.out), flush=True)
        context.close()


def _photograph_one(page: Page, address: str, target: Path) -> None:
    page.goto(address)
    page.wait_for_function("!document.querySelector('gradio-app') || document.querySelector('gradio-app .main')")
    page.wait_for_timeout(SETTLE_MS)
    page.screenshot(path=target, full_page=True)


if __name__ == "__main__":
    main()
