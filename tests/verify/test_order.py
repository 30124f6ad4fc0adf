"""The order of programs: in the interpreter they run one after the other, on a GPU in no order that is
promised. A kernel that is right in the first one only is rejected; one whose programs may speak with each
other, or wait, is not."""

import pytest

from tritonrl.tasks import Task
from tritonrl.verify import Settings, Verdict, Zygotes, verify

HEAD = """import torch
import triton
import triton.language as tl


@triton.jit
def total_kernel(x_ptr, out_ptr, lock_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x_ptr + at, mask=at < n, other=0.0), axis=0)
    {add}


@triton.jit
def scan_kernel(x_ptr, out_ptr, carry_ptr, told_ptr, n, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    at = p * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    {wait}
    before = tl.load(carry_ptr + p)
    tl.store(carry_ptr + p + 1, before + tl.sum(x, axis=0))
    {tell}
    tl.store(out_ptr + at, before + tl.cumsum(x, axis=0), mask=at < n)


@triton.jit
def double_kernel(x_ptr, out_ptr, places_ptr, n, BLOCK: tl.constexpr):
    {body}


def triton_fused_operator(x):
    n = x.numel()
    blocks = triton.cdiv(n, 64)
    {host}
"""
TOTAL = """out = torch.zeros(1)
lock = torch.zeros(1, dtype=torch.int32)
total_kernel[(blocks,)](x, out, lock, n, BLOCK=64)
return [out]"""
SCAN = """out, carry = torch.empty_like(x), torch.zeros(blocks + 1)
told = torch.zeros(blocks + 1, dtype=torch.int32)
scan_kernel[(blocks,)](x, out, carry, told, n, BLOCK=64)
return [out]"""
DOUBLE = """room, places = torch.empty(n + 128), torch.empty(blocks + 1, dtype=torch.int64)
double_kernel[(blocks,)](x, room, places, n, BLOCK=64)
return [room[:n]]"""
ADD = "tl.store(out_ptr + tl.arange(0, 1), tl.load(out_ptr + tl.arange(0, 1)) + part)"
RESULTS = {TOTAL: "x.sum(0, keepdim=True)", SCAN: "x.cumsum(0)", DOUBLE: "2 * x"}


def judge(zygotes: Zygotes, host: str, **parts: str) -> Verdict:
    texts = {"add": "pass", "wait": "", "tell": "", "body": "pass", "host": host, **parts}
    code = HEAD
    for name, text in texts.items():
        code = code.replace(f"{{{name}}}", text.replace("\n", "\n    "))
    source = (
        "import torch\n\n\ndef get_inputs():\n    return [torch.randn(300)]\n\n\n"
        f"def fused_operator(x):\n    return [{RESULTS[host]}]\n"
    )
    return verify(Task.functional("t", source), code, Settings(skip_layers=("lint",)), zygotes=zygotes)


RACES = {
    "load, add and store": (TOTAL, {"add": ADD}),
    "a carry that nobody waits for": (SCAN, {}),
    "what the next program mends": (
        DOUBLE,
        {
            "body": "at = tl.program_id(0) * BLOCK + tl.arange(0, 2 * BLOCK)\n"
            "mine = (tl.arange(0, 2 * BLOCK) < BLOCK) & (at < n)\n"
            "tl.store(out_ptr + at, 2.0 * tl.load(x_ptr + at, mask=mine, other=0.0))"
        },
    ),
    "what the next program mends, where a launch has an atomic": (
        DOUBLE,
        {
            "body": "p = tl.atomic_add(places_ptr, 0) * 0 + tl.program_id(0)\n"
            "at = p * BLOCK + tl.arange(0, 2 * BLOCK)\n"
            "mine = (tl.arange(0, 2 * BLOCK) < BLOCK) & (at < n)\n"
            "tl.store(out_ptr + at, 2.0 * tl.load(x_ptr + at, mask=mine, other=0.0))"
        },
    ),
}


@pytest.mark.parametrize("name", RACES)
def test_a_race_is_rejected(zygotes: Zygotes, name: str):
    host, parts = RACES[name]
    verdict = judge(zygotes, host, **parts)
    assert verdict.correct
    assert verdict.rejection is not None
    assert (verdict.rejection.layer, verdict.rejection.rule) == ("faithful", "race")
    assert "depends on the order in which its programs run" in verdict.rejection.message


HONEST = {
    "a sum by atomics": (TOTAL, {"add": "tl.atomic_add(out_ptr, part)"}),
    "a sum under a lock": (
        TOTAL,
        {
            "add": f"while tl.atomic_cas(lock_ptr, 0, 1) == 1:\n    pass\n{ADD}\n"
            "tl.debug_barrier()\ntl.atomic_xchg(lock_ptr, 0)"
        },
    ),
    "the same values stored twice": (
        DOUBLE,
        {
            "body": "at = tl.program_id(0) * BLOCK + tl.arange(0, 2 * BLOCK)\n"
            "tl.store(out_ptr + at, 2.0 * tl.load(x_ptr + at, mask=at < n), mask=at < n)"
        },
    ),
    "a program that reads what it has stored": (
        DOUBLE,
        {
            "body": "at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
            "tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n), mask=at < n)\n"
            "for _ in range(1):\n"
            "    tl.store(out_ptr + at, 2.0 * tl.load(out_ptr + at, mask=at < n), mask=at < n)"
        },
    ),
}


@pytest.mark.parametrize("name", HONEST)
def test_what_is_right_in_any_order_is_accepted(zygotes: Zygotes, name: str):
    host, parts = HONEST[name]
    verdict = judge(zygotes, host, **parts)
    assert verdict.accepted, verdict.findings
    assert "not seen in another order" not in _told(verdict)


def test_programs_that_wait_for_earlier_ones_are_accepted(zygotes: Zygotes):
    verdict = judge(
        zygotes,
        SCAN,
        wait="if p > 0:\n    while tl.atomic_add(told_ptr + p, 0) == 0:\n        pass",
        tell="tl.debug_barrier()\ntl.atomic_xchg(told_ptr + p + 1, 1)",
    )
    assert verdict.accepted, verdict.findings
    assert "its programs were not seen in another order: InterpreterError: TimeoutError" in _told(verdict)


def test_a_launch_that_waits_does_not_hide_the_race_of_another(zygotes: Zygotes):
    wait = "while tl.atomic_add(told_ptr + p, 0) == 0:\n            pass"
    scan = SCAN.replace("return [out]", f"again = torch.empty_like(x)\n{DOUBLE}")
    scan = scan.replace("return [room[:n]]", "return [out, room[:n]]")
    parts = {
        "wait": f"if p > 0:\n    {wait}",
        "tell": "tl.debug_barrier()\ntl.atomic_xchg(told_ptr + p + 1, 1)",
    }
    body = "at = tl.program_id(0) * BLOCK + tl.arange(0, {})\n" + (
        "mine = (tl.arange(0, {}) < BLOCK) & (at < n)\n"
        "tl.store(out_ptr + at, 2.0 * tl.load(x_ptr + at, mask=mine, other=0.0){})"
    )
    RESULTS[scan] = "x.cumsum(0), 2 * x"
    racing = judge(zygotes, scan, **parts, body=body.format("2 * BLOCK", "2 * BLOCK", ""))
    assert racing.rejection is not None
    assert racing.rejection.rule == "race"
    assert "its programs were not seen in another order: InterpreterError: TimeoutError" in _told(racing)
    honest = judge(zygotes, scan, **parts, body=body.format("BLOCK", "BLOCK", ", mask=mine"))
    assert honest.accepted, honest.findings


def test_who_goes_anywhere_in_another_order_has_a_race(zygotes: Zygotes):
    verdict = judge(
        zygotes,
        DOUBLE,
        body="p = tl.program_id(0)\n"
        "place = tl.load(places_ptr + p, mask=p > 0, other=0)\n"  # where no earlier program wrote: anywhere
        "tl.store(places_ptr + p + 1, (p + 1).to(tl.int64) * BLOCK)\n"
        "at = place + tl.arange(0, BLOCK)\n"
        "mask = p * BLOCK + tl.arange(0, BLOCK) < n\n"
        "tl.store(out_ptr + at, 2.0 * tl.load(x_ptr + at, mask=mask), mask=mask)",
    )
    assert verdict.rejection is not None
    assert verdict.rejection.rule == "race"


def _told(verdict: Verdict) -> str:
    return "; ".join(line for layer in verdict.layers for line in layer.story)
