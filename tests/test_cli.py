"""The command line as a user meets it: exit codes, stdout and stderr, and what its process leaves."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.command import TRITONRL, run, run_process
from tritonrl import __version__

ROOT = Path(__file__).parent.parent


def test_help_loads_nothing_heavy():
    script = (
        "import sys\nsys.argv = ['tritonrl', '--help']\nimport tritonrl.cli\n"
        "try:\n    tritonrl.cli.main()\n"
        "except SystemExit as end:\n    assert end.code in (0, None), end.code\n"
        "heavy = {'torch', 'pydantic', 'transformers', 'trl', 'ray', 'ortools', 'datasets', 'numpy'}\n"
        "loaded = heavy & set(sys.modules)\nassert not loaded, loaded\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "synth" in done.stdout


def test_version():
    done = run_process("--version")
    assert (done.returncode, done.stdout) == (0, f"tritonrl {__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["synth", "--level", "0", "--count", "1"], "level 0 is not between 1 and 64"),
        (["synth", "--level", "many", "--count", "1"], "Invalid value for '--level'"),
        (["synth", "--level", "1", "--count", "-3"], "Invalid value for '--count'"),
        (["synth", "--count", "1"], "Missing option '--level'"),
        (
            ["synth", "--level", "1", "--count", "1", "--ops", "relu,fold"],
            "unknown operator 'fold'; known: add",
        ),
        (
            ["synth", "--level", "1", "--count", "1", "--profile", "tpu"],
            "unknown profile 'tpu'; known: cpu, gpu",
        ),
        (["synth", "--level", "1", "--count", "1", "--resume"], "--resume needs the --out file"),
        (["synth", "--level", "1", "--count", "1", "--out", "/no/such/folder/t.jsonl"], "cannot be written"),
        (["synth", "--level", "1", "--count", "1", "--colour"], "No such option"),
        (["tasks", "show", "nowhere.py"], "nowhere.py: cannot be read: No such file"),
        (["tasks", "list", "nowhere"], "no such file or folder; expected one of"),
        (["optimise"], "No such command 'optimise'"),
        (["synth", "--level", "1", "--count", "1", "--out", "/usr"], "/usr: is a folder; name a file"),
        (["redteam", "--only", ","], "--only ,: names no case"),
        (["judge-check", "openai:m", "--only", " "], "names no case"),
        (
            ["distil", "--teacher", "composer", "--out", "x", "--label"],
            "--label is for --teacher openai:NAME",
        ),
        (
            ["distil", "--teacher", "openai:m", "--out", "x", "--verify", "2"],
            "--verify is for --teacher composer",
        ),
    ],
)
def test_a_wrong_question_is_one_line_and_exit_2(arguments: list[str], message: str):
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def get_inputs(:\n    pass\n", "task.py:1: not valid Python"),
        ("x = 1\n", "task.py:1: no entry points"),
        ("def fused_operator(x):\n    return [x]\n", "task.py:1: "),
    ],
)
def test_a_file_that_is_no_task_is_named_with_its_line(tmp_path: Path, source: str, message: str):
    (tmp_path / "task.py").write_text(source)
    done = run("tasks", "show", "task.py", cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("group", [[], ["tasks"], ["library"], ["train"]])
def test_help_is_no_complaint(group: list[str]):
    done = run(*group)
    assert (done.returncode, done.stderr) == (2, "")
    assert "Usage" in done.stdout


INTERRUPTED_WHILE_IMPORTING = """
import os, signal, sys
_, name, *sys.argv[1:] = sys.argv

class Interrupts:
    def find_spec(self, asked, path=None, target=None):
        if asked == name:
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
from tritonrl import cli
sys.meta_path.insert(0, Interrupts())
cli.main()
"""


@pytest.mark.parametrize("name", ["typer", "pydantic", "numpy.linalg", "torch._tensor"])
def test_an_interrupt_while_it_imports_is_one_line(name: str, tmp_path: Path):
    """Python makes an ImportError of it in one place, libraries something else in another."""
    (tmp_path / "kernel.py").write_text("x = 1\n")
    command = [sys.executable, "-c", INTERRUPTED_WHILE_IMPORTING, name]
    command += ["verify", "examples/row_softmax.py", str(tmp_path / "kernel.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "tritonrl: interrupted\n")


def test_a_file_s_folder_must_be_there_and_its_source_is_not_written_over(tmp_path: Path):
    task = tmp_path / "task.py"
    task.write_bytes((ROOT / "examples/residual_mlp.py").read_bytes())
    before, missing = task.read_bytes(), tmp_path / "none" / "file"
    for arguments, message in (
        (["optimize", task, "--out", task], "that is the file to optimize"),
        (["optimize", task, "--out", tmp_path / "." / "task.py"], "that is the file to optimize"),
        (["optimize", task, "--out", tmp_path], "is a folder"),
        (["optimize", task, "--out", missing], "cannot be written: No such file"),
        (["optimize", task, "--library", missing], "cannot be written: No such file"),
        (["library", "list", "--library", tmp_path / "none"], "there is no such library"),
        (["library", "export", missing], "cannot be written: No such file"),
        (["synth", "--level", "1", "--count", "1", "--out", missing], "cannot be written: No such file"),
        (["redteam", "--only", "A2", "--out", missing], "cannot be written: No such file"),
    ):
        done = run(*arguments)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
        assert message in done.stderr
    assert task.read_bytes() == before
    assert list(tmp_path.iterdir()) == [task]


def test_an_empty_candidate_is_said_to_be_empty(tmp_path: Path):
    (tmp_path / "kernel.py").write_text("\n")
    done = run("verify", "examples/row_softmax.py", tmp_path / "kernel.py", cwd=ROOT)
    assert (done.returncode, done.stdout) == (2, "")
    assert "kernel.py: is empty" in done.stderr


def test_synth_writes_rows_to_stdout():
    done = run("synth", "--level", "2", "--count", "3", "--seed", "4")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert [row["index"] for row in rows] == [0, 1, 2]
    assert all({"id", "level", "ops", "source", "seed"} <= set(row) for row in rows)
    assert all(row["level"] == 2 and row["seed"] == 4 and len(row["ops"]) == 2 for row in rows)


def test_synth_json_is_one_document():
    done = run("synth", "--level", "1", "--count", "2", "--json")
    document = json.loads(done.stdout)
    assert (document["level"], document["count"], len(document["programs"])) == (1, 2, 2)
    done = run("synth", "--level", "1", "--count", "30", "--report", "--json", "--ops", "relu,add")
    report = json.loads(done.stdout)["report"]
    assert sum(report["operators"].values()) == 30
    assert set(report["operators"]) == {"relu", "add"}


def test_synth_report_names_every_operator():
    done = run("synth", "--level", "3", "--count", "60", "--ops", "relu,add,sum", "--report")
    assert done.returncode == 0
    assert "chi-square" in done.stdout
    assert "pairs" in done.stdout
    assert "relu → add" in done.stdout


def test_an_interrupt_leaves_whole_lines_and_resume_completes_them(tmp_path: Path):
    arguments = ["synth", "--level", "3", "--count", "150", "--seed", "2", "--workers", "2"]
    out, whole = tmp_path / "t.jsonl", tmp_path / "whole.jsonl"
    process = subprocess.Popen([TRITONRL, *arguments, "--out", str(out)], stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while (not out.exists() or out.stat().st_size < 5000) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in errors
    lines = out.read_text().splitlines()
    assert 0 < len(lines) < 150
    assert [json.loads(line)["index"] for line in lines] == list(range(len(lines)))
    resumed = run_process(*arguments, "--out", str(out), "--resume", "--json")
    assert resumed.returncode == 0, resumed.stderr
    assert json.loads(resumed.stdout)["resumed"] == len(lines)
    assert run(*arguments[:-1], "1", "--out", str(whole)).returncode == 0
    assert out.read_bytes() == whole.read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_killed_run_leaves_no_process(tmp_path: Path):
    out = tmp_path / "t.jsonl"
    command = [TRITONRL, "synth", "--level", "3", "--count", "4000", "--workers", "2", "--out", str(out)]
    process = subprocess.Popen(command, start_new_session=True)
    deadline = time.monotonic() + 60
    while (not out.exists() or out.stat().st_size < 20000) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.kill()
    process.wait()
    while session_members(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert session_members(process.pid) == []


def session_members(session: int) -> list[int]:
    """Processes of a session that still run."""
    members = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, *fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == session and state != "Z":
            members.append(int(stat.parent.name))
    return members


def test_tasks_of_a_synth_file(tmp_path: Path):
    out = tmp_path / "t.jsonl"
    assert run("synth", "--level", "1", "--count", "3", "--out", str(out)).returncode == 0
    listed = json.loads(run("tasks", "list", str(out), "--json").stdout)["tasks"]
    assert len(listed) == 3
    assert {task["kind"] for task in listed} == {"functional"}
    shown = json.loads(run("tasks", "show", f"{out}:{listed[1]['id']}", "--json").stdout)
    assert shown["candidate_entry"] == "triton_fused_operator"
    assert shown["source"].startswith("import torch")
    assert "def fused_operator" in run("tasks", "show", f"{out}:2").stdout


def test_tasks_of_the_examples():
    done = run("tasks", "show", "examples/residual_mlp.py", "--json", cwd=ROOT)
    assert json.loads(done.stdout)["entry"] == "ResidualMLP"
    done = run("tasks", "show", "examples/scaled_softmax.py", cwd=ROOT)
    assert "triton_fused_operator" in done.stdout


def test_doctor_tells_versions_and_sandbox():
    document = json.loads(run("doctor", "--json").stdout)
    assert document["versions"]["tritonrl"] == __version__
    assert {"landlock", "seccomp", "network_namespace"} <= set(document["sandbox"])
    assert "train" in document["extras"]


def test_a_reader_that_leaves_is_no_error(tmp_path: Path):
    command = f"{TRITONRL} synth --level 1 --count 400 --workers 1 | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    assert json.loads(done.stdout)["index"] == 0
