"""What earlier calls have left: tensors that a host makes once and keeps, and how they were made.

A table of sines, made by a kernel on the first call; slopes, `torch.tensor([…])` under a cache. The log of a
later call begins with the steps that made them, of literals, constants and fills alone: what an earlier call
made of its inputs or weights stays foreign. As everything in a log this is a claim. A replay does those steps
beside other inputs and weights, and what depended on the old ones is wrong there.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from tritonrl.verify.inside.encoding import tensors_within

Log = dict[str, Any]


@dataclass(frozen=True)
class Made:
    """A memory of a call that is over."""

    storage: StorageWeakRef
    """As long as this is kept, no other storage has its identity."""
    log: Log
    memory: int
    """Its number in that log."""
    steps: tuple[int, ...]
    """Those of the log that made it, and what it is made of."""


class Earlier:
    """Memories by the identity of their storage; those that the present call has come upon are told again."""

    def __init__(self) -> None:
        self._made: dict[int, Made] = {}
        self._told: dict[int, _Told] = {}

    def find(self, key: int) -> Made | None:
        return self._made.get(key)

    def recall(self, made: Made, log: Log) -> int:
        """The number of a memory in the present log, which is to begin with what made it."""
        told = self._told.setdefault(id(made.log), _Told(made.log, {}, {}))
        for number in made.steps:
            if number not in told.steps:
                told.steps[number] = told.renamed(made.log["steps"][number], log)
        return told.number(made.memory, log)

    def prologue(self) -> list[dict[str, Any]]:
        """The steps that are told again, in order; the next call starts anew."""
        told, self._told = self._told.values(), {}
        return [step for each in told for _, step in sorted(each.steps.items())]

    def keep(self, log: Log, memories: dict[int, int], storages: dict[int, torch.UntypedStorage]) -> None:
        """A call is over: remember how its memories were made, where nothing of the question is in them."""
        self._made = {key: made for key, made in self._made.items() if not made.storage.expired()}
        origins = _origins(log)
        for key, memory in memories.items():
            self._made.pop(key, None)
            if memory in origins:
                self._made[key] = Made(StorageWeakRef(storages[key]), log, memory, tuple(origins[memory]))


@dataclass(frozen=True)
class _Told:
    """What the present log says again of an earlier one."""

    log: Log
    steps: dict[int, dict[str, Any]]
    numbers: dict[int, int]
    """Of memories: there → now."""

    def renamed(self, value: Any, log: Log) -> Any:
        """A step, or a part of one, in the numbers of the present log."""
        if isinstance(value, dict):
            return {name: self.renamed(each, log) for name, each in value.items()}
        if isinstance(value, list) and value[:1] == ["tensor"]:
            return ["tensor", self.number(value[1], log), *value[2:]]
        return [self.renamed(each, log) for each in value] if isinstance(value, list) else value

    def number(self, memory: int, log: Log) -> int:
        if memory not in self.numbers:
            self.numbers[memory] = len(log["sizes"])
            log["sizes"].append(self.log["sizes"][memory])
            for kind in ("constants", "literals"):
                own = [what for number, what in self.log[kind] if number == memory]
                log[kind] += [[self.numbers[memory], what] for what in own]
        return self.numbers[memory]


def _origins(log: Log) -> dict[int, list[int]]:
    """The memories that nothing of the question is in → the steps that made them. A launch beside something
    of the question is taken to read what was written before and to write the rest."""
    tainted = {value[1] for value in (*log["inputs"], *log["state"])} | set(log["foreign"])
    made: dict[int, list[int]] = {memory: [] for memory, _ in (*log["constants"], *log["literals"])}
    for number, step in enumerate(log["steps"]):
        used = {value[1] for value in tensors_within(step)}
        outputs = {value[1] for value in step["outputs"]} if step["do"] == "op" else None
        if used & tainted:
            written = used - made.keys() if outputs is None else outputs
            tainted |= written
            made = {memory: steps for memory, steps in made.items() if memory not in written}
        else:
            steps = sorted({number, *(each for memory in used for each in made.get(memory, ()))})
            made |= dict.fromkeys(used if outputs is None else outputs, steps)
    return made
