"""The figures of the Reliability page: what tests of this repository counted, kept beside the code that they ran.

`python -m tests.measure` writes the file; nobody else does.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path

FILE = Path(__file__).parent / "measured.toml"

Figure = Mapping[str, str | int | float]


def read_measured(path: Path = FILE) -> Mapping[str, Figure]:
    """Return all figures by name, each with `command`, `on`, `tests`, `failed`, `skipped` and its own counts."""
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
