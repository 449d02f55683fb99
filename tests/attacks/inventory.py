"""Print what the app serves, from its own lists: routes, pages, events, systems. Run as a process of its own."""

import json
import os
from collections.abc import Iterator
from typing import Any

from gradio.routes import App

from leaderboard.settings import Settings
from leaderboard.store import Store
from leaderboard.web import all_routes, build_site, open_hall


def routes_of(router: Any) -> Iterator[tuple[str, list[str]]]:
    """Every route of a router and of the routers inside it."""
    for route in router.routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from routes_of(inner)
        else:
            yield route.path, sorted(getattr(route, "methods", None) or {"GET"})


def main() -> None:
    """Print the lists as JSON."""
    settings = Settings.from_env(os.environ, "web")
    hall = open_hall(settings)
    demo, heads = build_site(hall)
    app = App.create_app(demo, app_kwargs={"routes": all_routes(hall)})
    store = Store.open(settings.database_url)
    lists = {
        "routes": list(routes_of(app)),
        "pages": sorted(heads),
        "events": {number: len(event.inputs) for number, event in demo.fns.items()},
        "named": sorted(event.api_name for event in demo.fns.values() if event.api_visibility == "public"),
        "systems": [row.system_id for task in hall.board.catalogue for row, _ in store.published(task)],
    }
    print(json.dumps(lists))


if __name__ == "__main__":
    main()
