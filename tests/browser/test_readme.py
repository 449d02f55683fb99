"""What the README promises a newcomer holds for the running app: its header, its script, its commands."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.running import ROOT, RunningApp

pytestmark = pytest.mark.browser

README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_space_header_names_the_pinned_gradio() -> None:
    header = yaml.safe_load(README.split("---")[1])
    pins = dict(re.findall(r"^(gradio)==(\S+)$", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE))

    assert header["sdk"] == "gradio"
    assert header["sdk_version"] == pins["gradio"]
    assert isinstance(header["python_version"], str)
    assert (ROOT / header["app_file"]).is_file()
    assert header["hf_oauth"] is True


def test_script_of_the_readme_works_as_written(site: RunningApp, tmp_path: Path) -> None:
    (script,) = blocks("python")
    (tmp_path / "my.run").write_bytes(site.get("/examples/irsc.run")[1])

    run = subprocess.run(
        [sys.executable, "-c", script.replace("http://127.0.0.1:7860", site.url)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert run.returncode == 0, run.stderr
    assert "'accepted': True" in run.stdout
    assert "'progress': " in run.stdout
    assert site.board("irsc")["rows"][0]["name"] in run.stdout


def test_commands_of_the_readme_work_as_written(tmp_path: Path) -> None:
    commands = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("python ")]
    for name, source in (("my.run", "run.trec"), ("my.qrels", "qrels.trec")):
        (tmp_path / name).write_bytes((ROOT / "tests" / "collection" / source).read_bytes())

    codes = {
        command: subprocess.run(
            [sys.executable, *shlex.split(command)[1:]],
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin"},
            stdout=subprocess.DEVNULL,
            timeout=120,
            check=False,
        ).returncode
        for command in commands
    }

    assert codes
    assert set(codes.values()) == {0}, codes
