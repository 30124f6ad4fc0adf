"""Generate: program number i of a run, from its configuration and i alone.

So any process can make any program of a run. A duplicate (same `program_id` as an earlier one) keeps its
operators and is wired anew, with another `retry`.
"""

import hashlib
import random
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tritonrl.errors import TritonrlError, UnknownNameError, UserError
from tritonrl.program import COMPUTE, Program, lookup
from tritonrl.program.op import ITEM_BYTES
from tritonrl.synth.profile import PROFILES, Profile, profile

if TYPE_CHECKING:
    from tritonrl.synth.sample import Sketch

LEVELS = (1, 2, 3, 5, 10, 20)
MOST_OPERATORS = 64
MOST_ATTEMPTS = 2000
DTYPES = ("float32", "float16", "bfloat16")


def derive_seed(*purpose: Any) -> int:
    """A seed for one purpose: any change of the purpose gives an unrelated one."""
    return int.from_bytes(hashlib.sha256(repr(purpose).encode()).digest()[:8])


@dataclass(frozen=True)
class Config:
    """What a run makes. All of it goes into the seeds of its programs."""

    level: int
    seed: int = 0
    profile: str = "cpu"
    ops: tuple[str, ...] = COMPUTE
    """By default all that are drawn in this type."""
    views: float = 0.0
    dtype: str = "float32"
    """Of all inputs, and so of all values but indices."""

    def __post_init__(self) -> None:
        if not 1 <= self.level <= MOST_OPERATORS:
            raise UserError(f"level {self.level} is not between 1 and {MOST_OPERATORS} (usual: {LEVELS})")
        if not 0 <= self.views <= 1:
            raise UserError(f"views is a share between 0 and 1, not {self.views}")
        if self.dtype not in DTYPES:
            raise UnknownNameError("dtype", self.dtype, list(DTYPES))
        for name in self.ops:
            if name not in COMPUTE:
                raise UnknownNameError("operator", name, list(COMPUTE))
        without = [name for name in self.ops if self.dtype not in _dtypes(name)]
        if without and self.ops != COMPUTE:
            raise UserError(f"{without[0]} is not drawn in {self.dtype}")
        object.__setattr__(self, "ops", tuple(name for name in self.ops if name not in without))
        profile(self.profile)


def _dtypes(op: str) -> tuple[str, ...]:
    row = lookup(op)
    return row.sampled_dtypes or row.dtypes


def operators(config: Config, index: int) -> list[str]:
    """The operators of program number `index`: uniform and independent, whatever can be wired from them."""
    rng = random.Random(derive_seed("operators", config.seed, config.level, index))
    return [rng.choice(config.ops) for _ in range(config.level)]


def program(config: Config, index: int, retry: int = 0) -> Program:
    """Program number `index`; `retry` counts how often it came out as a duplicate."""
    from tritonrl.synth.sample import extend, sketch

    ops = operators(config, index)
    rng = random.Random(derive_seed("wiring", config, index, retry))
    bounds = profile(config.profile).of_items(ITEM_BYTES[config.dtype])
    drawn = sketch(rng, ops, bounds, config.dtype, config.views)
    blamed: Counter[int] = Counter()
    for _ in range(MOST_ATTEMPTS):
        made = drawn.solve()
        sick = rng.choice(drawn.suspects()) if made is None else _first_sick_operator(drawn, made, rng)
        if made is not None and sick is None:
            return made
        # Redraw from the operator at fault; one that is at fault again and again gets inputs of its own, then
        # the next one as well, and so on: what others ask of an input that they share may make it sick.
        assert sick is not None
        blamed[sick] += 1
        drawn.rewind(sick)
        apart = blamed[sick] // 4 if blamed[sick] % 4 == 0 else 0
        extend(drawn, ops, config.views, apart=apart)
    raise NoHealthyProgram(f"no healthy program of {ops} in {MOST_ATTEMPTS} attempts")


def _first_sick_operator(drawn: "Sketch", made: Program, rng: random.Random) -> int | None:
    """Which compute operator has the first unhealthy value; None if all values are healthy."""
    try:
        position = first_sick_position(made, rng, drawn.unknowns.profile)
    except NoTwin:
        return rng.choice(drawn.suspects())
    if position is None:
        return None
    return sum(not node.row.is_view for node in made.nodes[:position])


class NoHealthyProgram(TritonrlError):
    """Of operators that were drawn; not seen in 20,000 draws of all types and profiles."""


class NoTwin(Exception):
    """A large program has no small one like it."""


def first_sick_position(made: Program, rng: random.Random, bounds: Profile) -> int | None:
    """The first node with an unhealthy value; None if all are healthy. A program too large to be run is
    judged by a small twin."""
    from tritonrl.synth.health import first_sick_node
    from tritonrl.synth.sample import retarget

    seed = rng.getrandbits(32)
    if bounds.name == "cpu":
        return first_sick_node(made, seed)
    twin = retarget(made, rng, PROFILES["cpu"])
    if twin is None:
        raise NoTwin
    return first_sick_node(twin, seed, large=made)
