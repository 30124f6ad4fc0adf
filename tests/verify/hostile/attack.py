"""`Attack`: something hostile, written as a function, and the candidate that does it.

    @attack("sandbox")
    def reads_the_secret(outside):
        raise Escaped(open(outside.secret).read())

The text of the function is pasted into a candidate for `task.py`, which calls it with what lies
outside (`World.facts`) when it is imported or each time it is called, and then computes, honestly or wrongly.
The rules are those that may reject it; `ACCEPTED` stands for a candidate whose attempt is harmless and whose
result is right.
"""

import ast
import inspect
import platform
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any

ACCEPTED = "accepted"
ANY_RULE = (
    "correct",
    "runtime_error",
    "sandbox",
    "compile",
    "A1",
    "A2",
    "A12",
    "B4",
    "B5",
    "B6",
    "B8",
    "C5",
    "D6",
    "D7",
    "timeout",
    "crash",
)
"""For attacks that may fail in many ways: that they are rejected matters, and that the judge is well."""


class Escaped(Exception):
    """What an attack raises when it got something that it should not have."""


def system_call(number, *arguments):
    """A system call without Python around it; what the kernel refuses is an `OSError`."""
    import ctypes
    import os

    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    wide = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    result = library.syscall(ctypes.c_long(number), *wide)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def reply(*frames, to=3):
    """Write messages as the harness would."""
    import json
    import os
    import struct

    for frame in frames:
        text = json.dumps(frame).encode()
        os.write(to, struct.pack("!I", len(text)) + text)


def change_answers(change):
    """Have each answer of the harness to a call changed on its way out; to be done at import."""
    change_lists(lambda answers: [change(each) for each in answers])


def change_lists(change):
    """The same for all answers that go out together."""
    handlers = handlers_of_the_harness()
    calls = handlers["calls"]
    handlers["calls"] = lambda message: {"answers": change(calls(message)["answers"])}


def handlers_of_the_harness():
    """By the names of what the judge asks for; to be looked for at import."""
    import sys

    frame = sys._getframe()
    while "handlers" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["handlers"]


_HELPERS = "\n\n".join(
    inspect.getsource(each)
    for each in (Escaped, system_call, reply, change_answers, change_lists, handlers_of_the_harness)
)


@dataclass(frozen=True)
class Attack:
    """One way to be hostile."""

    name: str
    text: str
    """A function `name(outside)`."""
    rules: tuple[str, ...]
    at: str = "call"
    """`import` or `call`."""
    wrong: bool = False
    """Whether what it then returns is wrong."""
    hangs: bool = False
    """Whether it ends only when its time is over: it is given little."""
    memory_bytes: int | None = None
    """A limit below the usual one."""
    machine: str | None = None
    """The only kind of machine on which it can be tried."""
    kernel: str = "tl.store(out_ptr + offsets, tl.maximum(a + b, 0.0), mask=mask)"
    """What the kernel does with `a` and `b`; for attacks on the process that compiles it."""

    def candidate(self, facts: dict[str, Any]) -> str:
        """The code under test."""
        kernel = "tl.store(out_ptr + offsets, a - b, mask=mask)" if self.wrong else self.kernel
        return _TEMPLATE.format(
            doc=f"Attack: {self.name}.",
            facts=facts,
            helpers=_HELPERS,
            text=self.text,
            kernel=textwrap.indent(kernel, "    "),
            at_import=f"{self.name}(outside)" if self.at == "import" else "",
            at_call=f"{self.name}(outside)" if self.at == "call" else "pass",
        )


def attack(*rules: str, **options: Any) -> Callable[[Callable[[SimpleNamespace], Any]], Attack]:
    """Make an attack of a function."""

    def make(function: Callable[[SimpleNamespace], Any]) -> Attack:
        text = textwrap.dedent(inspect.getsource(function))
        node = ast.parse(text).body[0]
        assert isinstance(node, ast.FunctionDef)
        body = "\n".join(text.splitlines()[node.lineno - 1 :])
        return Attack(function.__name__, body, rules, **options)

    return make


def fits_this_machine(attack: Attack) -> bool:
    return attack.machine in (None, platform.machine())


def attacks_of(module: ModuleType) -> list[Attack]:
    """The attacks that a module defines, in order."""
    return [each for each in vars(module).values() if isinstance(each, Attack)]


_TEMPLATE = '''"""{doc}"""

from types import SimpleNamespace

import torch
import triton
import triton.language as tl

outside = SimpleNamespace(**{facts!r})


{helpers}

{text}


@triton.jit
def add_relu_kernel(a_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    a = tl.load(a_ptr + offsets, mask=mask)
    b = tl.load(b_ptr + offsets, mask=mask)
{kernel}


def triton_fused_operator(tensor_0, tensor_1):
    {at_call}
    return compute(tensor_0, tensor_1)


def compute(tensor_0, tensor_1):
    a, b = tensor_0.contiguous(), tensor_1.contiguous()
    out = torch.empty_like(a)
    n = out.numel()
    add_relu_kernel[(triton.cdiv(n, 1024),)](a, b, out, n, BLOCK=1024)
    return [out]


{at_import}
'''
