"""Models behind an endpoint, asked over a real socket."""

import json
import os
from pathlib import Path

import pytest

from tests.command import run
from tests.llm.server import Server, completion, sent
from tests.search.test_optimize import DOUBLE, KERNEL
from tritonrl.errors import UserError
from tritonrl.llm import Endpoint, Refused, Unreachable
from tritonrl.policy.endpoint import EndpointPolicy
from tritonrl.policy.prompts import messages
from tritonrl.tasks import Task
from tritonrl.teach.policies import policy

KEY = "sk-not-to-be-seen-anywhere-1234567890"
TASK = Task.functional("double", DOUBLE)
ANSWER = f"<think>\none block\n</think>\n```python\n{KERNEL.format(factor='2')}```\n"


def endpoint(server: Server, **changes: object) -> Endpoint:
    return Endpoint(model="tiny", base_url=server.url, retries=0, seconds=5.0, **changes)  # type: ignore[arg-type]


def test_a_prompt_has_the_source_and_the_name_to_define():
    system, user = messages(TASK)
    assert "@triton.jit" in system.content
    assert DOUBLE.strip() in user.content
    assert "`triton_fused_operator`" in user.content
    module = Task(id="m", kind="module", source="x = '$made'", entry="Net", init_style="none")
    assert "`ModelNew`" in messages(module)[1].content
    assert "x = '$made'" in messages(module)[1].content, "what a task says is not filled in"


def test_each_sample_is_a_request_and_a_failure_costs_one(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Server(
        sent(completion(ANSWER)), sent({"no": "choices"}), sent(completion("cut", "length"))
    ) as server:
        given = {
            each.sample: each
            for each in EndpointPolicy(endpoint(server, concurrency=1)).propose(TASK, [0, 1, 2])
        }
    assert given[0].text == ANSWER
    assert given[1].text is None
    assert given[1].error
    assert given[2].text == "cut", "the verifier says what is wrong with it"
    assert len(server.seen) == 3
    assert not any(each.blames_task for each in given.values())


def test_an_endpoint_that_cannot_be_used_is_an_error_of_the_user(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Server(sent({"error": {"message": f"bad key {KEY}"}}, 401)) as server:
        with pytest.raises(Refused) as refused:
            list(EndpointPolicy(endpoint(server)).propose(TASK, range(3)))
        url = server.url
    assert KEY not in str(refused.value)
    gone = Endpoint(model="tiny", base_url=url, retries=0, seconds=2.0)
    with pytest.raises(Unreachable):
        list(EndpointPolicy(gone).propose(TASK, range(3)))


def test_an_endpoint_that_goes_away_costs_no_answer_that_it_gave(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Server(sent(completion(ANSWER)), sent({"error": {"message": "no credit"}}, 403)) as server:
        first, second = EndpointPolicy(endpoint(server, concurrency=1)).propose(TASK, range(2))
    assert first.text == ANSWER
    assert second.text is None
    assert "no credit" in str(second.error)


def test_an_unknown_model_lists_the_known_ones():
    with pytest.raises(UserError, match="known: composer, nano, openai:NAME"):
        policy("oracle")


@pytest.mark.slow
def test_optimize_asks_an_endpoint_and_no_secret_is_left(tmp_path: Path):
    (tmp_path / "double.py").write_text(DOUBLE)
    wrong = ANSWER.replace("* 2,", "* 3,")
    with Server(sent(completion(wrong)), sent(completion(ANSWER))) as server:
        environment = {**os.environ, "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url}
        arguments = ["--model", "openai:tiny", "--samples", "3", "--json"]
        done = run("optimize", tmp_path / "double.py", *arguments, env=environment)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert (facts["num_candidates"], facts["num_accepted"]) == (3, 2)
    assert [(each["tokens_in"], each["tokens_out"]) for each in facts["candidates"]] == [(7, 3)] * 3
    texts = [done.stdout, done.stderr, *(each.read_text() for each in tmp_path.iterdir())]
    assert len(texts) == 6
    assert not any(KEY in text for text in texts)
