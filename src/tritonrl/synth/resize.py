"""Resize: the same structure at other sizes. Operators, wiring, attributes and ones stay; sizes are drawn and
solved anew, and kept if the values are as healthy as those of any program."""

import random

from tritonrl.program import Program
from tritonrl.program.op import ITEM_BYTES
from tritonrl.synth.generate import Config, NoTwin, derive_seed, first_sick_position
from tritonrl.synth.profile import Profile, profile

MOST_ATTEMPTS = 8


def resized(config: Config, made: Program, number: int) -> Program | None:
    """Instance number `number` of a program of a run, from these alone; None where no other sizes were found.

    Different numbers may give the same sizes.
    """
    from tritonrl.synth.sample import retarget

    rng = random.Random(derive_seed("sizes", config, made.program_id, number))
    bounds = profile(config.profile).of_items(ITEM_BYTES[config.dtype])
    for _ in range(MOST_ATTEMPTS):
        other = retarget(made, rng, bounds)
        if other is not None and other.values != made.values and _is_healthy(other, rng, bounds):
            return other
    return None


def _is_healthy(made: Program, rng: random.Random, bounds: Profile) -> bool:
    try:
        return first_sick_position(made, rng, bounds) is None
    except NoTwin:
        return False
