"""The commands as a shell sees them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "leaderboard", *arguments],
        env=os.environ | environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("role", ["web", "worker"])
def test_refused_setting_ends_each_process_with_its_name_and_no_trace(role: str, tmp_path: Path) -> None:
    done = run(role, QRELBOARD_DATA=str(tmp_path), QRELBOARD_JOB_SECONDS="soon")

    assert done.returncode == 2
    assert done.stderr.startswith("qrelboard: QRELBOARD_JOB_SECONDS: found 'soon'")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("role", ["web", "worker"])
def test_wrong_card_ends_each_process_with_file_and_key(role: str, tmp_path: Path) -> None:
    (tmp_path / "tasks" / "odd").mkdir(parents=True)
    (tmp_path / "tasks" / "odd" / "card.toml").write_text('id = "odd"\n', encoding="utf-8")

    done = run(role, QRELBOARD_DATA=str(tmp_path / "data"), QRELBOARD_TASKS=str(tmp_path / "tasks"))

    assert done.returncode == 2
    assert "odd/card.toml" in done.stderr
    assert "Traceback" not in done.stderr


def test_unknown_command_names_those_there_are() -> None:
    done = run("serve")

    assert done.returncode == 2
    assert all(command in done.stderr for command in ("web", "worker", "check"))


def test_check_prints_the_fingerprint_of_generated_gold(tmp_path: Path) -> None:
    done = run("check", "irsc", QRELBOARD_DATA=str(tmp_path / "data"))

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Fingerprint: sha256:" in done.stdout
