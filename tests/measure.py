"""Measure how reliable the app is and write the figures for its Reliability page: `python -m tests.measure [FIGURE …]`.

Each figure comes from tests that anybody can run; they say as properties what they counted. A test that fails is
counted and shown, not left out.
"""

import argparse
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

from leaderboard.measured import FILE, read_measured
from tests.running import ROOT

# what pytest is asked for; the page shows the same words as the command
FIGURES: Mapping[str, str] = {
    "intake": "tests/outages/test_intake_kills.py",
    "scoring": "tests/outages/test_workers.py -k killed_at_each_step",
    "restart": "tests/outages/test_app.py -k killed_in_mid_job",
    "canaries": "tests/attacks/test_canaries.py -k no_canary",
    "malformed": "tests/malformed/test_malformed.py",
}


def main() -> None:
    """Measure the named figures, all where none is named, and keep the others as they are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figures", nargs="*", choices=[*FIGURES, []], help="which figures, all where none is named")
    asked = parser.parse_args().figures or list(FIGURES)
    known = {name: dict(figure) for name, figure in read_measured().items()}
    for name in asked:
        known[name] = measure(FIGURES[name])
        print(name, known[name], flush=True)
        FILE.write_text("\n".join(_section(one, known[one]) for one in FIGURES if one in known), encoding="utf-8")


def measure(arguments: str) -> dict[str, str | int | float]:
    """Run the tests and return the command, the day, how many ran and failed, and the sum of what each counted."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        # the newer kind of report has no place for what a test counted
        written = ["-o", "junit_family=xunit1", f"--junitxml={report}"]
        command = [sys.executable, "-m", "pytest", "-q", *arguments.split(), *written]
        subprocess.run(command, cwd=ROOT, check=False)
        cases = list(ElementTree.parse(report).iter("testcase"))
    day = datetime.now(UTC).strftime("%Y-%m-%d")
    return {"command": f"python -m pytest {arguments}", "on": day, **summed(cases)}


def summed(cases: Sequence[ElementTree.Element]) -> dict[str, int | float]:
    """Return how many test cases ran, failed and were skipped, and the sum of what those that ran counted."""
    ran = [case for case in cases if case.find("skipped") is None]
    counted: dict[str, float] = defaultdict(float)
    for one in (found for case in ran for found in case.iter("property")):
        counted[str(one.get("name"))] += float(str(one.get("value")))
    return {
        "tests": len(ran),
        "failed": sum(case.find("failure") is not None or case.find("error") is not None for case in ran),
        "skipped": len(cases) - len(ran),
        **{name: int(value) if value == int(value) else round(value, 1) for name, value in sorted(counted.items())},
    }


def _section(name: str, figure: Mapping[str, str | int | float]) -> str:
    lines = [f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {value}" for key, value in figure.items()]
    return "\n".join([f"[{name}]", *lines, ""])


if __name__ == "__main__":
    main()
