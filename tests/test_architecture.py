"""The import table of the house: who may know whom, read from the source with `ast`."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("evaluation", "data", "leaderboard")

# module or package → prefixes of our own modules that it may import; the longest matching key decides
ALLOWED: dict[str, tuple[str, ...]] = {
    "app": ("leaderboard.settings",),
    "evaluation": ("evaluation",),
    "data.faults": ("evaluation",),
    "data.cards": ("evaluation", "data.faults", "data.task"),
    "data.task": ("evaluation", "data.faults"),
    "data.published": ("evaluation", "data.cards", "data.task"),
    "data": ("evaluation", "data"),
    "leaderboard.settings": (),
    "leaderboard.texts": ("leaderboard.texts",),
    "leaderboard.names": (),
    "leaderboard.faults": (),
    "leaderboard.processes": (),
    "leaderboard.hall": (
        "leaderboard.accounts",
        "leaderboard.intake",
        "leaderboard.desk",
        "leaderboard.board",
        "leaderboard.rates",
        "leaderboard.room",
        "leaderboard.settings",
    ),
    "leaderboard.room": (),
    "leaderboard.rates": (),
    "leaderboard.logs": (),
    "leaderboard.budget": ("evaluation", "data.task", "leaderboard.standings"),
    "leaderboard.opening": ("leaderboard.texts",),
    "leaderboard.submissions": ("evaluation", "data.cards", "data.task", "leaderboard.names"),
    "leaderboard.standings": ("evaluation", "data.cards", "data.task", "leaderboard.submissions"),
    "leaderboard.certainty": ("evaluation",),
    "leaderboard.alarms": ("evaluation",),
    "leaderboard.changes": ("leaderboard.submissions",),
    "leaderboard.comparisons": ("evaluation",),
    "leaderboard.comparing": ("evaluation", "leaderboard.certainty"),
    "leaderboard.keys": (),
    "leaderboard.quota": ("evaluation", "data.task", "leaderboard.keys"),
    "leaderboard.engine": (),
    "leaderboard.sniffing": (),
    "leaderboard.schema": ("leaderboard.submissions", "leaderboard.comparisons"),
    "leaderboard.runs": ("evaluation", "leaderboard.submissions"),
    "leaderboard.jobs": ("leaderboard.settings",),
    "leaderboard.tokens": (),
    "leaderboard.parts": (
        "leaderboard.accounts",
        "leaderboard.tokens",
        "evaluation",
        "data.task",
        "data.published",
        "leaderboard.changes",
        "leaderboard.comparisons",
        "leaderboard.parts",
        "leaderboard.quota",
        "leaderboard.submissions",
        "leaderboard.texts",
        "leaderboard.views",
        "leaderboard.visit",
    ),
}

# what must never be imported, whoever the reader is
FOREIGN: dict[str, tuple[str, ...]] = {
    "evaluation": ("pandas", "gradio", "sqlalchemy", "datasets", "plotly", "dbos"),
    "data": ("gradio", "sqlalchemy", "plotly", "dbos", "leaderboard"),
    "leaderboard.parts": ("gradio", "sqlalchemy", "dbos"),
}
GRADIO_ROOMS = ("leaderboard.pages", "leaderboard.web", "leaderboard.gate")
GOLD_ROOMS = (
    "leaderboard.worker",
    "leaderboard.vault",
    "leaderboard.seeding",
    "leaderboard.__main__",
    "leaderboard.checking",
    "leaderboard.splitting",
    "leaderboard.adding",
)


def modules() -> Iterator[tuple[str, Path]]:
    yield "app", ROOT / "app.py"
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imports(module: str, path: Path) -> set[str]:
    """Every module named in an import statement anywhere in the file, relative ones made absolute."""
    found: set[str] = set()
    base = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            head = base[: len(base) - node.level + 1] if node.level else []
            origin = ".".join([*head, *([node.module] if node.module else [])])
            found.add(origin)
            found.update(f"{origin}.{alias.name}" for alias in node.names)
    return found


def is_within(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(prefix + ".")


def rule_for(module: str) -> tuple[str, ...] | None:
    keys = [key for key in ALLOWED if is_within(module, key)]
    return ALLOWED[max(keys, key=len)] if keys else None


MODULES = list(modules())
IDS = [name for name, _ in MODULES]


@pytest.mark.parametrize(("module", "path"), MODULES, ids=IDS)
def test_module_imports_only_what_the_table_allows(module: str, path: Path) -> None:
    allowed = rule_for(module)
    if allowed is None:
        allowed = ("evaluation", "data", "leaderboard")
    known = {name for name, _ in MODULES}

    ours = {name for name in imports(module, path) if name in known and name not in PACKAGES}
    strangers = {name for name in ours if not any(is_within(name, prefix) for prefix in allowed)}

    assert strangers - {module} == set()


@pytest.mark.parametrize(("module", "path"), MODULES, ids=IDS)
def test_foreign_libraries_stay_in_their_rooms(module: str, path: Path) -> None:
    names = imports(module, path)
    banned = [lib for room, libs in FOREIGN.items() if is_within(module, room) for lib in libs]
    if module.startswith("leaderboard") and not any(is_within(module, room) for room in GRADIO_ROOMS):
        banned.append("gradio")
    if module != "leaderboard.jobs":
        banned.append("dbos")

    assert [name for name in names for lib in banned if is_within(name, lib)] == []


@pytest.mark.parametrize(("module", "path"), MODULES, ids=IDS)
def test_only_the_worker_can_open_gold(module: str, path: Path) -> None:
    if module.startswith("data") or any(is_within(module, room) for room in GOLD_ROOMS):
        return

    opens_gold = [n for n in imports(module, path) for g in ("data.gold", "data.samples") if is_within(n, g)]

    assert opens_gold == []


@pytest.mark.parametrize(("module", "path"), [m for m in MODULES if m[0].startswith("evaluation")])
def test_scales_touch_no_file_clock_or_environment(module: str, path: Path) -> None:
    if module == "evaluation.__main__":
        return

    outside = {"os", "pathlib", "time", "datetime", "logging", "random", "socket"}

    assert {name.split(".")[0] for name in imports(module, path)} & outside == set()


def web_process_modules() -> set[str]:
    """Every module of ours that the web process reaches through imports."""
    paths = dict(MODULES)
    reached, queue = set(), ["leaderboard.web"]
    while queue:
        module = queue.pop()
        if module in reached or module not in paths:
            continue
        reached.add(module)
        queue.extend(name for name in imports(module, paths[module]) if name in paths)
    return reached


def test_web_process_never_reaches_the_code_that_opens_gold() -> None:
    reached = web_process_modules()

    assert "leaderboard.web" in reached
    assert {"data.gold", "data.samples", "leaderboard.worker", "leaderboard.vault"} & reached == set()


def test_no_module_is_longer_than_a_long_read() -> None:
    long = {name: n for name, path in MODULES if (n := len(path.read_text(encoding="utf-8").splitlines())) > 400}

    # compiled functions stay in one file: the cache of one does not notice a change of another elsewhere
    assert long.keys() <= {"evaluation.scanner"}
