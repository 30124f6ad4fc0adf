"""`tritonrl optimize` with a model behind a real socket: what it hears, keeps, and never tells."""

import contextlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.command import TRITONRL, Done, run_process
from tests.command import run as run_here
from tests.llm.server import DONE, Act, Server, completion, event, events, hang, sent, status
from tests.search.test_optimize import DOUBLE, KERNEL
from tritonrl.llm import Endpoint
from tritonrl.policy.endpoint import EndpointPolicy
from tritonrl.tasks import Task

KEY = "sk-not-to-be-seen-anywhere-1234567890"
RIGHT = f"<think>\none block\n</think>\n```python\n{KERNEL.format(factor='2')}```\n"
TELLS = RIGHT.replace(
    "@triton.jit",
    "import os\n\n\ndef told():\n"
    "    yield str(dict(os.environ))\n"
    "    for path in ('self', os.getppid(), 1):\n"
    "        try:\n"
    "            yield open(f'/proc/{path}/environ').read()\n"
    "        except OSError as error:\n"
    "            yield str(error)\n\n\n"
    "print(*told())\nraise RuntimeError(' '.join(told()))\n\n\n@triton.jit",
    1,
)
"""A candidate that tells all it can see of its surroundings, in what it prints and in what it raises."""


def command(file: Path, *arguments: object) -> list[str]:
    return [str(each) for each in ("optimize", file, "--model", "openai:tiny", *arguments)]


def environment(server: Server) -> dict[str, str]:
    return {**os.environ, "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "double.py"
    made.write_text(DOUBLE)
    return made


def run(file: Path, server: Server, *arguments: object) -> Done:
    return run_here(*command(file, *arguments), env=environment(server))


def everything(file: Path, done: Done) -> str:
    return "\n".join([done.stdout, done.stderr, *(each.read_text() for each in file.parent.iterdir())])


def test_an_answer_is_heard_in_pieces(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    heard: list[tuple[int, str]] = []
    pieces = [event("<think>"), event("one"), event(" block"), event(reason="stop"), DONE]
    with Server(events(*pieces)) as server:
        policy = EndpointPolicy(Endpoint(model="tiny", base_url=server.url, retries=0, seconds=5.0))
        (given,) = policy.propose(Task.functional("double", DOUBLE), [3], lambda *each: heard.append(each))
    assert given.text == "<think>one block"
    assert {sample for sample, _ in heard} == {3}
    assert "".join(piece for _, piece in heard) == given.text
    assert server.seen[0]["stream"] is True


@pytest.mark.slow
def test_no_secret_reaches_a_candidate_or_a_report(file: Path):
    with Server(sent(completion(TELLS))) as server:
        done = run_process(*command(file, "--samples", 1, "--json"), env=environment(server))
    assert done.returncode == 1, done.stderr
    told = everything(file, done)
    assert "OMP_NUM_THREADS" in told, "it told of its surroundings"
    assert KEY not in told
    assert server.url not in told


@pytest.mark.slow
@pytest.mark.parametrize(
    ("act", "message"),
    [
        (status(401, f"bad key {KEY}"), "the key was looked for in OPENAI_API_KEY"),
        (status(404, "no such model"), "is there a model 'tiny'"),
    ],
    ids=["a wrong key", "an unknown model"],
)
def test_an_endpoint_that_refuses_is_one_line(file: Path, act: Act, message: str):
    with Server(act) as server:
        done = run(file, server)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert message in done.stderr
    assert KEY not in done.stderr
    assert [each.name for each in file.parent.iterdir()] == ["double.py"]


@pytest.mark.slow
def test_an_interrupt_keeps_what_was_found_and_leaves_no_process(file: Path):
    out = file.with_suffix(".triton.json")
    answers = sent(completion("no idea")), sent(completion(RIGHT)), hang
    with Server(*answers) as server:
        process = subprocess.Popen(
            [TRITONRL, *command(file, "--samples", 3)],
            env=environment(server),
            stderr=subprocess.PIPE,
            text=True,
        )
        wait_until(lambda: len(server.seen) == 3)
        wait_until(lambda: len(descendants(process.pid)) >= 3)
        time.sleep(8)  # for the second answer to be judged, or nearly so
        started = descendants(process.pid)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert errors.count("\n") == 1
    facts: dict[str, Any] = json.loads(out.read_text())
    assert facts["interrupted"] is True
    assert (facts["num_candidates"], facts["num_accepted"]) == (2, 1)
    assert file.with_suffix(".triton.py").exists()
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in started))


def wait_until(holds: Any, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def descendants(pid: int) -> set[int]:
    """The processes that it started, and those that these did."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    found, new = set[int](), {pid}
    while new := {child for child, parent in parents.items() if parent in new}:
        found |= new
    return found


@pytest.mark.slow
def test_what_was_found_goes_back_to_a_model_that_reads_it(file: Path):
    wrong = RIGHT.replace("* 2", "* 3")
    with Server(sent(completion(wrong)), sent(completion(RIGHT))) as server:
        done = run(file, server, "--samples", 2, "--search", "refine", "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert [each["verdict"]["accepted"] for each in facts["candidates"]] == [False, True]
    first, second = (each["messages"] for each in server.seen)
    assert second[: len(first)] == first
    assert second[-2] == {"role": "assistant", "content": wrong}
    assert facts["candidates"][0]["verdict"]["findings"][0]["message"] in second[-1]["content"]


def test_one_that_reads_nothing_cannot_refine(file: Path):
    done = run_here("optimize", file, "--model", "composer", "--search", "refine")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "composer cannot read what the verifier finds" in done.stderr
