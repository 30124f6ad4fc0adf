"""Our client against a server of other makers: `transformers serve`, with a tiny model."""

import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command import run
from tests.policy import tiny
from tests.search.test_optimize import DOUBLE
from tritonrl.llm import Client, Endpoint, LlmError, Message, Rejected, Request
from tritonrl.policy.endpoint import EndpointPolicy
from tritonrl.tasks import Task

NEEDS = ("fastapi", "uvicorn", "accelerate")
MISSING = [name for name in NEEDS if importlib.util.find_spec(name) is None]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"`transformers serve` needs {', '.join(MISSING)}"),
]

TASK = Task.functional("double", DOUBLE)
ASKED = (Message(role="system", content="You write kernels."), Message(role="user", content="Write one."))
START_SECONDS = 120.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that has the one model `tiny`."""
    place = tmp_path_factory.mktemp("served")
    tiny.make(place / "tiny")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "transformers.cli.transformers", "serve", "tiny", "--device", "cpu"]
    with (place / "log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)], cwd=place, stdout=log, stderr=log,
            env={**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
    try:
        address = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + START_SECONDS
        while not _is_up(address):
            assert process.poll() is None, (place / "log").read_text()
            assert time.monotonic() < deadline, (place / "log").read_text()
            time.sleep(0.2)
        yield f"{address}/v1"
    finally:
        process.kill()
        process.wait()


def _is_up(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/health", timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False


def endpoint(server: str, **changes: object) -> Endpoint:
    settings = {"model": "tiny", "base_url": server, "retries": 0, "seconds": 60.0, "max_tokens": 16}
    return Endpoint.model_validate(settings | changes)


def test_a_question_is_answered_and_counted(server: str):
    with Client(endpoint(server, max_tokens=2)) as client:
        reply = client.ask(ASKED)
        assert reply.text
        assert (reply.finished, reply.tokens_out) == (False, 2), "it is cut off"
        assert client.usage.tokens_in == reply.tokens_in


def test_many_questions_are_answered(server: str):
    with Client(endpoint(server)) as client:
        replies = dict(client.ask_many([Request(messages=ASKED, sample=sample) for sample in range(6)]))
    assert sorted(replies) == list(range(6))
    assert not [each for each in replies.values() if isinstance(each, LlmError)]


def test_an_answer_is_streamed(server: str):
    with Client(endpoint(server)) as client:
        stream, pieces = client.stream(ASKED), []
        while True:
            try:
                pieces.append(next(stream))
            except StopIteration as end:
                reply = end.value
                break
    assert len(pieces) > 1
    assert "".join(pieces) == reply.text
    assert reply.tokens_out


def test_what_the_server_refuses_is_told_in_its_words(server: str):
    with Client(endpoint(server, model="other")) as client, pytest.raises(Rejected, match="pinned to 'tiny'"):
        client.ask(ASKED)


def test_a_policy_asks_it_heard_or_not(server: str):
    heard: dict[int, str] = {}
    who = EndpointPolicy(endpoint(server))
    for hear in ({}, {"hear": lambda sample, piece: heard.update({sample: heard.get(sample, "") + piece})}):
        given = list(who.propose(TASK, range(3), **hear))
        assert sorted(each.sample for each in given) == [0, 1, 2]
        assert all(each.text for each in given)
    assert heard == {each.sample: each.text for each in given}


def test_optimize_asks_it(server: str, tmp_path: Path):
    (tmp_path / "double.py").write_text(DOUBLE)
    environment = {**os.environ, "OPENAI_BASE_URL": server, "OPENAI_API_KEY": ""}
    arguments = ["--model", "openai:tiny", "--samples", 2, "--json"]
    done = run("optimize", tmp_path / "double.py", *arguments, env=environment)
    assert done.returncode == 1, done.stderr
    facts = json.loads(done.stdout)
    assert (facts["num_candidates"], facts["num_accepted"]) == (2, 0)
    assert all(each["verdict"] for each in facts["candidates"]), "both were answered and judged"
