"""The web process: builds the Gradio app from pages, shell, gate and plain routes. It never opens gold."""

import os
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import Any

# Gradio reads these when it is imported: nothing may call out.
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")

import gradio as gr
from starlette.middleware import Middleware

from leaderboard.hall import Hall
from leaderboard.pages import home, task
from leaderboard.parts import theme
from leaderboard.routes import plain_routes
from leaderboard.shell import Shell
from leaderboard.visit import HeadOf

# Every page of the site: each offers `build(hall, demo)`, which returns the heads of the addresses that it made.
PAGES: tuple[ModuleType, ...] = (home, task)


def build_site(hall: Hall) -> tuple[gr.Blocks, dict[str, HeadOf]]:
    """Build all pages. Returns the Gradio app and what each page's served HTML says, by path."""
    demo = gr.Blocks(title="Gradio", analytics_enabled=False, delete_cache=(3600, 3600))
    heads: dict[str, HeadOf] = {}
    for module in PAGES:
        heads.update(module.build(hall, demo))
    return demo, heads


def launch_options(hall: Hall, heads: Mapping[str, HeadOf]) -> dict[str, Any]:
    """Return the arguments of `launch`: what is closed, what is limited, and what stands around Gradio."""
    settings = hall.settings
    middleware = [
        Middleware(Shell, heads=heads, card_words=lambda lang: task.card_words(hall, lang), version=_own_version())
    ]
    return {
        "server_name": "0.0.0.0" if settings.is_production else "127.0.0.1",
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
        "max_file_size": settings.max_upload_bytes,
        "theme": gr.themes.Base(font=theme.FONT, font_mono=theme.MONO).set(**theme.gradio_variables()),
        "app_kwargs": {"routes": plain_routes(hall), "middleware": middleware, "docs_url": None, "redoc_url": None},
    }


def _own_version() -> str:
    try:
        return version("qrelboard")
    except PackageNotFoundError:
        return "0.1.0"
