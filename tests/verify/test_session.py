"""How a candidate is asked: several calls at once, each in a room of its own, as long as it is quick."""

from typing import Any

import pytest

from tritonrl.redteam.corpus import FOLDER
from tritonrl.tasks import load_task
from tritonrl.verify import Settings, Verdict, Zygotes, session, verify
from tritonrl.verify.process import Process

TASK = load_task(FOLDER / "tasks" / "add_relu.py")
CODE = (FOLDER / "cases" / "honest" / "add_relu_flat.py").read_text()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[dict[str, Any]]]:
    """The calls of each message to a candidate."""
    found, ask = [], Process.ask

    def recorded(process: Process, message: dict[str, Any], *rest: Any, **options: Any) -> dict[str, Any]:
        if message.get("do") == "calls":
            found.append([dict(each) for each in message["calls"]])
        return ask(process, message, *rest, **options)

    monkeypatch.setattr(Process, "ask", recorded)
    return found


def test_calls_are_asked_for_together_each_in_a_room_of_its_own(asked, zygotes: Zygotes):
    verdict = verify(TASK, CODE, Settings(), zygotes=zygotes)
    assert verdict.accepted
    numbers = [call["number"] for calls in asked for call in calls]
    assert numbers == list(range(1, verdict.num_calls + 1))
    assert max(map(len, asked)) > 1
    for calls in asked:
        rooms = {(call["arena"], call["outputs"][0]["offset"]) for call in calls}
        assert len(rooms) == len(calls)


def test_a_slow_candidate_is_asked_one_call_at_a_time(asked, zygotes: Zygotes, monkeypatch):
    monkeypatch.setattr(session, "SLOW_SECONDS", 0.0)
    assert verify(TASK, CODE, Settings(), zygotes=zygotes).accepted
    assert {len(calls) for calls in asked} == {1}


def rejected(at: str, zygotes: Zygotes) -> Verdict:
    """The verdict on a candidate that does something at its seventh call."""
    entry = "def triton_fused_operator("
    assert entry in CODE
    count = "calls = []\n\n\n"
    started = CODE.index(entry)
    end = CODE.index(":\n", started) + 2
    body = f"    calls.append(1)\n    if len(calls) == 7:\n        {at}\n"
    code = CODE[:started] + count + CODE[started:end] + body + CODE[end:]
    return verify(TASK, code, Settings(skip_layers=("lint",)), zygotes=zygotes)


def test_who_raises_among_several_calls_is_told_at_which(zygotes: Zygotes):
    rejection = rejected("raise ValueError('seven')", zygotes).rejection
    assert rejection is not None
    assert rejection.rule == "runtime_error"
    assert "at call 7:" in rejection.message


def test_who_is_wrong_among_several_calls_is_told_at_which(zygotes: Zygotes):
    rejection = rejected("return [tensor_0 * 0.0]", zygotes).rejection
    assert rejection is not None
    assert rejection.message.startswith("call 7, ")
