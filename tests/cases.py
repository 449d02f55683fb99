"""Where the conformance cases lie: a folder with `cases/`, `benchmarks/` and `tools/`, named by QRELBOARD_CASES."""

import os
from pathlib import Path

import pytest

CASES = Path(os.environ.get("QRELBOARD_CASES") or "QRELBOARD_CASES-is-not-set")
needs_cases = pytest.mark.skipif(
    not CASES.is_dir(), reason="QRELBOARD_CASES is not set: the conformance cases are not on this machine"
)


def cases(*parts: str) -> Path:
    """A path inside the folder of conformance cases; skips the test where that folder is not given."""
    if not CASES.is_dir():
        pytest.skip("QRELBOARD_CASES is not set: the conformance cases are not on this machine")
    return CASES.joinpath(*parts)
