"""Plain tasks: what counts as one, and that a process which has run one runs the next as if it were new."""

import threading

import pytest
import torch

from tritonrl.program import Program, emit
from tritonrl.tasks import Task
from tritonrl.verify import Zygotes
from tritonrl.verify.oracle.plain import is_plain
from tritonrl.verify.oracle.tolerance import tolerance
from tritonrl.verify.oracle.worker import Worker
from tritonrl.verify.process import Process
from tritonrl.verify.roles import REFERENCE


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
            (value,) = worker.expect(0, inputs, state, tolerance("float32"), range(2)).outputs
            assert torch.equal(value.native, function(inputs.tensors[0]))
    assert len(set(pids)) == 1
    other = Task.functional("other", emit(RELU))
    with Worker(zygotes, other, 60.0) as worker:
        assert worker.process.pid not in pids, "a text that may do anything has a process of its own"
    assert worker.process.ended is not None
    zygotes.take(REFERENCE, "cpu", fresh=False).end()


class Reused:
    """A process that is always as new."""

    def __init__(self) -> None:
        self.ended, self.may_go_on, self.num_uses = None, True, 1
        self.kept_as, self.permit = (REFERENCE, "cuda"), None

    def ask(self, message: dict, *, seconds: float) -> dict:
        return {}

    def end(self) -> None:
        self.ended = {}


@pytest.fixture
def one_kept(monkeypatch: pytest.MonkeyPatch) -> Zygotes:
    """Of whose processes one may be in use."""
    monkeypatch.setattr(Zygotes, "start", lambda *_: Reused())
    monkeypatch.setattr(Zygotes, "_launch", lambda *_: None)
    monkeypatch.setattr(Zygotes, "close", lambda _: None)
    monkeypatch.setattr("tritonrl.verify.zygotes.MOST_KEPT", 1)
    return Zygotes(timing=False)


def test_one_that_has_nothing_to_do_is_in_nobodys_way(one_kept: Zygotes):
    first = one_kept.take(REFERENCE, "cuda", fresh=False)
    with one_kept.lent(first):
        second = one_kept.take(REFERENCE, "cuda", fresh=False)
        assert second is not first
        one_kept.give_back(second, 1.0)
    assert not one_kept._permits[REFERENCE, "cuda"].acquire(blocking=False), "the first has its place again"


def test_who_needs_one_more_process_than_may_be_kept_waits_for_it(one_kept: Zygotes):
    first = one_kept.take(REFERENCE, "cuda", fresh=False)
    assert one_kept.take(REFERENCE, "cuda", fresh=True) is not first, "a fresh one needs no permit"
    taken: list[object] = []
    waiting = threading.Thread(target=lambda: taken.append(one_kept.take(REFERENCE, "cuda", fresh=False)))
    waiting.start()
    waiting.join(0.2)
    assert taken == []
    one_kept.give_back(first, 1.0)
    waiting.join(20)
    assert taken == [first]
    first.end()
    one_kept.give_back(first, 1.0)
    assert one_kept.take(REFERENCE, "cuda", fresh=False) is not first, "one that ended leaves its place"
