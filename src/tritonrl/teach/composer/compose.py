"""Compose: a program to a plan and code, in the format of a completion."""

import random
from collections import Counter

from tritonrl.errors import UserError
from tritonrl.program.emit import variable
from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group, Partition
from tritonrl.teach.composer.kernel import Kernel, kernel_name, steps
from tritonrl.teach.composer.strategies import STRATEGIES
from tritonrl.teach.composer.strategies.strategy import choose

HEAD = "import torch\nimport triton\nimport triton.language as tl\n"
LIBDEVICE = "from triton.language.extra import libdevice\n"


HELPERS = {
    "larger": "tl.maximum(a, b)",
    "smaller": "tl.minimum(a, b)",
    "times": "a * b",
}
"""Functions that a scan is given."""


class NotComposed(UserError):
    """The composer has no way to write this program."""


def compose(program: Program, rng: random.Random | None = None) -> str:
    """A whole answer: the plan, then the code. With a generator strategies and sizes are drawn, without one
    the likely fastest are taken."""
    stored = frozenset(range(len(program.inputs)))
    kernels: list[Kernel] = []
    names: Counter[str] = Counter()
    for group in Partition(program).groups:
        name = kernel_name(program, group)
        names[name] += 1
        if names[name] > 1:
            name = name.replace("_kernel", f"_{names[name]}_kernel")
        kernels.append(_kernel(program, group, name, stored, rng))
        stored |= frozenset(group.outputs(program))
    plan = "\n".join(kernel.plan for kernel in kernels)
    return f"<think>\n{plan}\n</think>\n```python\n{_code(program, kernels)}```\n"


def _kernel(
    program: Program, group: Group, name: str, stored: frozenset[int], rng: random.Random | None
) -> Kernel:
    chosen = choose(STRATEGIES, program, group, rng)
    if chosen is None:
        raise NotComposed(f"the composer has no strategy for {steps(program, group)}")
    strategy, sizes = chosen
    return strategy.write(program, group, name, stored, sizes)


def _code(program: Program, kernels: list[Kernel]) -> str:
    body = "\n\n\n".join(kernel.function for kernel in kernels)
    for name, text in HELPERS.items():
        if f", {name})" in body:
            body = f"@triton.jit\ndef {name}(a, b):\n    return {text}\n\n\n{body}"
    head = HEAD + (LIBDEVICE if "libdevice." in body else "")
    arguments = ", ".join(variable(value) for value in range(len(program.inputs)))
    returned = ", ".join(variable(value) for value in program.outputs)
    launches = [kernel.launch for kernel in kernels]
    host = "\n".join([f"def triton_fused_operator({arguments}):", *launches, f"    return [{returned}]", ""])
    return f"{head}\n\n{body}\n\n\n{host}"
