"""Fault points fire for the step and the subject that were named, and for nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from leaderboard import faults, settings


def run(step: str, subject: str, spec: str, data: Path) -> int:
    """Pass one fault point in a process of its own; returns its exit code."""
    code = f"from leaderboard import faults; faults.at({step!r}, {subject!r})"
    environment = os.environ | {"QRELBOARD_FAULT": spec, "QRELBOARD_DATA": str(data)}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, check=False, stderr=subprocess.DEVNULL
    ).returncode


def test_no_fault_set_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QRELBOARD_FAULT", raising=False)

    faults.at("anywhere", "anyone")


@pytest.mark.parametrize("spec", ["here:error", "there:kill, here:error:me", "here:error:me,here:error:you"])
def test_error_is_raised_at_the_named_step_for_the_named_subject(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QRELBOARD_FAULT", spec)

    with pytest.raises(faults.InjectedError):
        faults.at("here", "me")


@pytest.mark.parametrize("spec", ["there:error", "here:error:you", "here-too:error"])
def test_other_steps_and_subjects_pass(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QRELBOARD_FAULT", spec)

    faults.at("here", "me")


def test_kill_is_a_kill_each_time_and_kill_once_is_one_only(tmp_path: Path) -> None:
    always = [run("here", "me", "here:kill", tmp_path) for _ in range(2)]
    once = [run("here", "me", "here:kill-once:me", tmp_path) for _ in range(2)]

    assert always == [-9, -9]
    assert once == [-9, 0]


def test_kind_that_does_not_exist_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QRELBOARD_FAULT", "here:explode")

    with pytest.raises(ValueError, match="explode"):
        faults.at("here")


def test_settings_know_the_same_kinds() -> None:
    assert settings.FAULT_KINDS == faults.KINDS
