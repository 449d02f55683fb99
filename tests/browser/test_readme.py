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


def run_script(site: RunningApp, folder: Path, run: bytes) -> subprocess.CompletedProcess[str]:
    (script,) = blocks("python")
    (folder / "my.run").write_bytes(run)
    return subprocess.run(
        [sys.executable, "-c", script.replace("http://127.0.0.1:7860", site.url)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_script_of_the_readme_works_as_written(site: RunningApp, tmp_path: Path) -> None:
    run = run_script(site, tmp_path, site.get("/examples/irsc.run")[1])

    assert run.returncode == 0, run.stderr
    assert re.search(r"keep this key: [A-Za-z0-9_-]{43}\n", run.stdout)
    assert "'progress': " in run.stdout
    assert site.board("irsc")["rows"][0]["name"] in run.stdout


def test_script_of_the_readme_names_the_faults_of_a_refused_file(site: RunningApp, tmp_path: Path) -> None:
    run = run_script(site, tmp_path, b"irsc-0001 Q0 d1 1 2.0 t\nirsc-0001 Q0 d2 2 nan t\nirsc-0001 Q0 d3 3\n")

    assert run.returncode == 1
    assert "Line 2: Column score: found nan" in run.stdout
    assert "Line 3: Columns found: 4" in run.stdout
    assert "Traceback" not in run.stderr


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
