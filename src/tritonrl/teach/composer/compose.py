"""Compose: a program to a plan and code, in the format of a completion."""

import random
from collections import Counter
from collections.abc import Sequence

from tritonrl import form
from tritonrl.errors import UserError
from tritonrl.program.emit import variable
from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group, Partition
from tritonrl.teach.composer.kernel import Kernel, kernel_name, steps
from tritonrl.teach.composer.spelling import spelled_out
from tritonrl.teach.composer.strategies import STRATEGIES
from tritonrl.teach.composer.strategies.strategy import Sizes, Strategy, choose

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
    return Composer(program).answer(rng)


class Composer:
    """One program, for any number of answers: groups and what fits them are found once."""

    def __init__(self, program: Program) -> None:
        self._program = program = spelled_out(program)
        self._stored: list[frozenset[int]] = []
        """For each group, the values that lie in memory when its kernel runs."""
        self._groups = Partition(program).groups
        self._names = _names(program, self._groups)
        self._tasks = [_task(program, group) for group in self._groups]
        self._fitting = [_fitting(program, group) for group in self._groups]
        stored = frozenset(range(len(program.inputs)))
        for group in self._groups:
            self._stored.append(stored)
            stored |= frozenset(group.outputs(program))

    def answer(self, rng: random.Random | None = None) -> str:
        """By strategies and sizes that are drawn, or likely the fastest."""
        groups = zip(self._fitting, self._groups, strict=True)
        return self.written([choose(fitting, self._program, group, rng) for fitting, group in groups])

    def written(self, ways: Sequence[tuple[Strategy, Sizes]]) -> str:
        """By these strategies and sizes, one for each group."""
        parts = zip(ways, self._groups, self._names, self._stored, strict=True)
        kernels = [
            strategy.write(self._program, group, name, stored, sizes)
            for (strategy, sizes), group, name, stored in parts
        ]
        plan = zip(self._tasks, self._names, kernels, strict=True)
        lines = [f"{task} in {name}: {kernel.way}" for task, name, kernel in plan]
        return form.answer("\n".join(lines), _code(self._program, kernels))


def _names(program: Program, groups: list[Group]) -> list[str]:
    """One for each kernel, none twice."""
    names: list[str] = []
    seen: Counter[str] = Counter()
    for group in groups:
        name = kernel_name(program, group)
        seen[name] += 1
        names.append(name if seen[name] == 1 else name.replace("_kernel", f"_{seen[name]}_kernel"))
    return names


def _task(program: Program, group: Group) -> str:
    """Which values a kernel computes, over which shape: what is read, and where, follows from these. A name
    would leave open which of two relus is meant."""
    first = len(program.inputs)
    values = ", ".join(variable(value) for value in sorted(group.values) if value >= first)
    return f"{values} over {group.shape}"


def _fitting(program: Program, group: Group) -> list[Strategy]:
    found = [strategy for strategy in STRATEGIES if strategy.fits(program, group)]
    if not found:
        raise NotComposed(f"the composer has no strategy for {steps(program, group)}")
    return found


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
