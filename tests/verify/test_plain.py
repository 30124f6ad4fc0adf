"""Plain tasks: what counts as one, and that a process which has run one runs the next as if it were new."""

import pytest
import torch

from tritonrl.program import Program, emit
from tritonrl.tasks import Task
from tritonrl.verify import Zygotes
from tritonrl.verify.oracle.plain import is_plain
from tritonrl.verify.oracle.worker import Worker
from tritonrl.verify.roles import REFERENCE, Process


def program(*nodes: list) -> Program:
    return Program.from_json({"inputs": ["float32[4,8]"], "nodes": list(nodes), "outputs": [len(nodes)]})


def task(made: Program) -> Task:
    return Task.functional(made.program_id, emit(made), program=made.to_json())


RELU, EXP = program(["relu", [0]]), program(["exp", [0]], ["sum", [1], {"dim": [1]}])


def test_a_task_is_plain_if_its_text_is_its_program_to_the_letter():
    plain = task(RELU)
    assert is_plain(plain)
    assert not is_plain(plain.model_copy(update={"program": None}))
    assert not is_plain(plain.model_copy(update={"source": plain.source + "\ntorch.manual_seed(1)\n"}))
    assert not is_plain(plain.model_copy(update={"program": EXP.to_json()}))
    assert not is_plain(plain.model_copy(update={"program": {"inputs": 3}}))
    call = {"call": "torch.relu({0})", "shape": [4, 8], "dtype": "float32"}
    assert not is_plain(task(program(["opaque", [0], call])))


def test_a_process_that_ran_a_plain_task_runs_the_next(zygotes: Zygotes, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Process, "may_go_on", True)  # as on a GPU, where a process is expensive
    pids = []
    for made, function in ((RELU, torch.relu), (EXP, lambda x: x.exp().sum(1)), (RELU, torch.relu)):
        with Worker(zygotes, task(made), 60.0) as worker:
            pids.append(worker.process.pid)
            inputs, state = worker.draw(3, {}), worker.build(0, 1, {})
            (value,) = worker.expect(0, inputs, state, 2**-24, range(2)).outputs
            assert torch.equal(value.native, function(inputs.tensors[0]))
    assert len(set(pids)) == 1
    other = Task.functional("other", emit(RELU))
    with Worker(zygotes, other, 60.0) as worker:
        assert worker.process.pid not in pids, "a text that may do anything has a process of its own"
    assert worker.process.ended is not None
    zygotes.take(REFERENCE, "cpu", fresh=False).end()
