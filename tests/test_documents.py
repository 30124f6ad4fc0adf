"""Documents run: every Python block of the docs, every tritonrl command and make target of the README."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.command import run

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), flags=re.DOTALL)


def python_blocks() -> list:
    return [
        pytest.param(block, id=f"{page.name}-{number}")
        for page in PAGES
        for number, block in enumerate(blocks(page, "python"))
        if "import" in block
    ]


@pytest.mark.parametrize("block", python_blocks())
def test_python_blocks_run(block: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.chdir(ROOT)
    exec(compile(block, "<document>", "exec"), {})
    assert "print(" not in block or capsys.readouterr().out.strip()


def test_six_lines_of_the_readme_give_a_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (block,) = blocks(ROOT / "README.md", "python")
    assert len([line for line in block.splitlines() if line.strip()]) <= 6
    monkeypatch.chdir(ROOT)
    exec(compile(block, "<document>", "exec"), {})
    printed = capsys.readouterr().out
    assert printed.startswith("False call ")
    assert "not finite" in printed


def test_readme_commands_run(tmp_path: Path):
    for folder in ("examples", "recipes"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    lines = [
        line.partition("#")[0].split()
        for block in blocks(ROOT / "README.md", "bash")
        for line in block.splitlines()
    ]
    commands = [line for line in lines if line and line[0] == "tritonrl"]
    assert len(commands) >= 6
    for command in commands:
        done = run(*command[1:], cwd=tmp_path)
        assert done.returncode == 0, (command, done.stderr)


def test_make_targets_of_the_documents_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    named = {
        target
        for page in (*PAGES, ROOT / "CONTRIBUTING.md")
        for target in re.findall(r"`make ([a-z-]+)`|^make ([a-z-]+)", page.read_text(), flags=re.MULTILINE)
        for target in target
        if target
    }
    assert {"demo", "test", "check", "bench", "test-gpu"} <= named <= targets


def test_links_of_the_documents_lead_somewhere():
    for page in (*PAGES, ROOT / "CONTRIBUTING.md"):
        prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
        for link in re.findall(r"\]\(([^)#:]+)\)", prose):
            assert (page.parent / link).exists(), (page.name, link)


@pytest.mark.slow
def test_the_demo_turns_examples_into_verified_kernels():
    written = ROOT / "demo" / "biased_softmax.triton.py"
    written.unlink(missing_ok=True)
    command = ["make", "-C", str(ROOT), "demo", "EXAMPLES=biased_softmax"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "is kept" in done.stdout
    assert "@triton.jit" in written.read_text()
