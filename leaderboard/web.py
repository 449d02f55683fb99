"""The web process: builds the Gradio app from pages, shell, gate and plain routes. It never opens gold."""

import logging
import os
import secrets
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

# Gradio reads these when it is imported: nothing may call out.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
# The server would believe anybody on this machine about the address of a request; the gate counts proxies itself.
os.environ["FORWARDED_ALLOW_IPS"] = ""

import gradio as gr
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Route

from data.cards import Catalogue, load_catalogue
from evaluation import Limits, warm
from leaderboard import logs, processes
from leaderboard.accounts import Accounts
from leaderboard.arrivals import Arrivals
from leaderboard.board import Board
from leaderboard.desk import Desk
from leaderboard.doorman import Doorman
from leaderboard.gate import Caps, Gate
from leaderboard.hall import Hall
from leaderboard.intake import Intake, SealedDoor
from leaderboard.jobs import Jobs
from leaderboard.login import login_routes
from leaderboard.pages import (
    about,
    account,
    api,
    compare,
    history,
    home,
    hosting,
    reliability,
    scripting,
    submission,
    submit,
    system,
    task,
)
from leaderboard.pages.opening import Opening, open_page
from leaderboard.pages.uploads import Site
from leaderboard.parts import theme
from leaderboard.quota import QuotaRule
from leaderboard.rates import Rates
from leaderboard.room import KEPT_S, Room
from leaderboard.routes import plain_routes
from leaderboard.runs import RunStore
from leaderboard.settings import SettingRefused, Settings
from leaderboard.shell import Shell
from leaderboard.store import Store
from leaderboard.upload_answer import UploadAnswer
from leaderboard.version import own_version
from leaderboard.visit import HeadOf

# Every page of the site: each offers `build(hall, demo)`, which returns the heads of the addresses that it made.
PAGES: tuple[ModuleType, ...] = (
    *(home, task, compare, submit, submission, system),
    *(history, about, hosting, reliability, account, scripting, api),
)

SWEEP_S = 30.0
WARM_AFTER_S = 60.0  # later than a worker of this machine, which then has compiled what we load
EVENTS_AT_ONCE = 8
MOST_WAITING = 200
MOST_SESSIONS = 2000
ROOT = Path(__file__).resolve().parent.parent

_log = logging.getLogger(__name__)


def main(settings: Settings | None = None) -> None:
    """Serve until SIGTERM or SIGINT; exit with 2 where a setting is refused, 1 where the port is taken."""
    settings = settings or Settings.from_env(os.environ, "web")
    logs.set_up((settings.data_folder, ROOT))
    arrivals = Arrivals(settings.task_folders, _log.error)
    try:
        hall = open_hall(settings, arrivals.catalogue)
    except SettingRefused as refusal:
        print(f"qrelboard: {refusal}", file=sys.stderr)
        raise SystemExit(2) from None
    demo, heads = build_site(hall)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    newcomers = Middleware(Opening, look=arrivals.look, open_page=partial(open_page, hall, demo, heads))
    try:
        demo.launch(**launch_options(hall, heads, newcomers), prevent_thread_lock=True)
    except OSError as error:
        print(f"qrelboard: PORT {settings.port} cannot be used ({error}); choose another", file=sys.stderr)
        raise SystemExit(1) from None
    logs.take_over("uvicorn", "uvicorn.error", "uvicorn.access")
    processes.later(WARM_AFTER_S, warm)
    while not stop.wait(SWEEP_S):
        hall.room.sweep()
    demo.close(verbose=False)


def open_hall(settings: Settings, catalogue: Catalogue | None = None) -> Hall:
    """Open the books and the run store for reading and intake, with the tasks of the settings' folders or those given.

    Raises:
        CardError: no tasks are given, and a task card is wrong.
        SettingRefused: Gradio's environment would hand out files of this machine.
    """
    if os.environ.get("GRADIO_ALLOWED_PATHS"):
        raise SettingRefused("GRADIO_ALLOWED_PATHS", "would hand out files of this machine; unset it")
    os.environ["GRADIO_TEMP_DIR"] = str(settings.temp_folder)
    store = Store.open(settings.database_url)
    if catalogue is None:
        catalogue = load_catalogue(settings.task_folders)
    runs = RunStore(settings.run_store_url)
    limits = Limits(size=settings.max_unpacked_bytes)
    return Hall(
        intake=Intake(
            store,
            runs,
            catalogue,
            Jobs(settings),
            now,
            limits=limits,
            sealed=_sealed_door(settings),
            quota=QuotaRule(settings.has_quota, settings.is_production),
        ),
        desk=Desk(store, runs, now),
        board=Board(
            store,
            catalogue,
            now,
            public_folder=settings.public_folder,
            topic_scores_folder=settings.topic_scores_folder,
        ),
        settings=settings,
        clock=now,
        room=Room(settings.temp_folder, settings.upload_room_bytes),
        rates=Rates(settings.n_proxies) if settings.has_address_limits else None,
        accounts=_accounts(settings, store),
    )


def build_site(hall: Hall) -> tuple[gr.Blocks, dict[str, HeadOf]]:
    """Build all pages. Returns the Gradio app and what each page's served HTML says, by path."""
    # The title is a mark that the shell replaces by the title of the page.
    demo = Site(title="Gradio", analytics_enabled=False, delete_cache=(int(KEPT_S), int(KEPT_S)))
    demo.rates = hall.rates
    heads: dict[str, HeadOf] = {}
    for module in PAGES:
        heads.update(module.build(hall, demo))
    demo.queue(default_concurrency_limit=EVENTS_AT_ONCE, max_size=MOST_WAITING)
    return demo, heads


def launch_options(hall: Hall, heads: Mapping[str, HeadOf], *more: Middleware) -> dict[str, Any]:
    """Return the arguments of `launch`: what is closed, what is limited, and what stands around Gradio."""
    settings = hall.settings
    return {
        "server_name": settings.server_address,
        "server_port": settings.port,
        "quiet": True,
        "show_error": False,
        "ssr_mode": False,
        "share": False,
        "run_history": False,
        "enable_monitoring": False,
        "mcp_server": False,
        "pwa": False,
        "footer_links": [],
        "blocked_paths": _blocked_paths(settings),
        "max_file_size": settings.max_upload_bytes,
        "state_session_capacity": MOST_SESSIONS,
        "theme": gr.themes.Base(font=theme.FONT, font_mono=theme.MONO).set(**theme.gradio_variables()),
        "app_kwargs": {
            "routes": all_routes(hall),
            "middleware": _middleware(hall, heads, more),
            "openapi_url": None,
            "redirect_slashes": False,  # the answer would lead to whatever host the sender named
        },
    }


def all_routes(hall: Hall) -> list[Route]:
    """Return the routes beside Gradio's; those of accounts only where somebody can log in."""
    settings, hosts = hall.settings, _space_hosts()
    if hall.accounts is None:
        return plain_routes(hall)
    site = f"https://{hosts[0]}" if hosts else ""
    return [
        *plain_routes(hall),
        *account.routes(hall),
        *login_routes(hall.accounts, settings.login, settings.dev_account, site),
    ]


def now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


def _sealed_door(settings: Settings) -> SealedDoor:
    if settings.login is not None or settings.dev_account is not None:
        return SealedDoor.ACCOUNTS
    return SealedDoor.CLOSED if settings.is_production else SealedDoor.OPEN


def _accounts(settings: Settings, store: Store) -> Accounts | None:
    """Return what recognises accounts, where there is a login or an account of development."""
    if settings.login is None and settings.dev_account is None:
        return None
    secret = settings.login.client_secret if settings.login else secrets.token_hex(32)
    return Accounts(store.accounts, secret, settings.host_accounts, now, is_secure=settings.is_production)


def _middleware(hall: Hall, heads: Mapping[str, HeadOf], more: Sequence[Middleware]) -> list[Middleware]:
    """Return what stands around Gradio, outermost first."""
    settings = hall.settings
    own_hosts = _space_hosts()
    doormen = (
        [Middleware(Doorman, accounts=hall.accounts, own_hosts=own_hosts, rates=hall.rates)] if hall.accounts else []
    )
    caps = Caps(settings.max_upload_bytes)
    return [
        Middleware(Gate, caps=caps, own_hosts=own_hosts, room=hall.room, rates=hall.rates),
        *doormen,
        *more,
        Middleware(GZipMiddleware, minimum_size=1000, compresslevel=5),
        Middleware(
            Shell,
            heads=heads,
            card_words=lambda lang: task.card_words(hall, lang),
            version=own_version(),
            has_login=hall.accounts is not None,
        ),
        Middleware(UploadAnswer, folder=settings.temp_folder, max_bytes=settings.max_upload_bytes),
    ]


def _space_hosts() -> list[str]:
    """Return the names under which a Space is reached; the first is the one that its login knows."""
    return [host.strip() for host in os.environ.get("SPACE_HOST", "").split(",") if host.strip()]


def _blocked_paths(settings: Settings) -> list[str]:
    """Name what Gradio must never hand out. The data folder as a whole holds the upload folder and cannot be named."""
    folder = settings.data_folder
    books = [folder / f"{name}.sqlite{part}" for name in ("books", "jobs") for part in ("", "-wal", "-shm", "-journal")]
    shut = (folder / "runs", folder / "gold", folder / "archiving", settings.topic_scores_folder, settings.vault_folder)
    return [str(path) for path in (*books, *shut)]
