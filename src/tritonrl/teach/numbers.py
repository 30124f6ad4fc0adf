"""Numbers as people write them: `3`, `0.85`, `1e-05`, `0.1767766952966369`.

The operator table draws from a few, which an exam tells apart well. Who learns from those alone cannot copy
others.
"""

import random
from collections.abc import Callable, Mapping
from typing import Any

from tritonrl.program import Program
from tritonrl.program.op import FLOATS, Attrs
from tritonrl.program.program import Node

Draw = Callable[[random.Random], float]

WHOLE = (
    *range(1, 13), 15, 16, 20, 24, 30, 32, 48, 50, 64, 100, 127, 128, 192, 255, 256, 512, 1000, 1024, 10000,
)  # fmt: skip
FAR = (float("-inf"), -1e9, -1e4, -1e30, -65504.0)


def _whole(rng: random.Random) -> float:
    return rng.choice(WHOLE)


def _as_float(rng: random.Random) -> float:
    return float(_whole(rng))


def _short(rng: random.Random) -> float:
    return max(round(rng.choice((1, 1, 3, 10, 30)) * rng.random(), rng.choice((1, 2, 3, 4))), 0.1)


def _small(rng: random.Random) -> float:
    """A power of ten, or a few times one."""
    return float(f"{rng.choice((1, 1, 1, 1, rng.randint(2, 9), 2.5))}e-{rng.randint(2, 12)}")


def _long(rng: random.Random) -> float:
    """As a quotient or a root gives it: with all of its digits."""
    size = rng.choice((rng.randint(3, 4096), 1 << rng.randint(1, 12)))
    return rng.choice((size**-0.5, 1 / size, size**0.5, rng.random(), 3 * rng.random()))


def _positive(rng: random.Random) -> float:
    return rng.choice((_whole, _as_float, _short, _short, _small, _long))(rng)


def _any(rng: random.Random) -> float:
    return _positive(rng) * rng.choice((1, 1, -1))


def _share(rng: random.Random) -> float:
    """Between 0 and 1."""
    short = round(rng.uniform(0.01, 0.99), rng.choice((2, 3)))
    return rng.choice((short, round(1 - _small(rng), 12), rng.random()))


def _filling(rng: random.Random) -> float:
    return rng.choice((_any(rng), rng.choice(FAR)))


def _no_whole_exponent(rng: random.Random) -> float:
    return rng.choice((-rng.randint(1, 4), rng.randint(0, 3) + rng.choice((0.5, 0.25, 0.333, 0.7, 1 / 3))))


DRAWS: Mapping[str, Draw] = {
    "value": _any, "threshold": _any, "min": _any, "max": _any, "min_val": _any, "max_val": _any,
    "eps": _small, "negative_slope": _share, "label_smoothing": _share, "alpha": _positive,
    "beta": _positive, "delta": _positive, "margin": _positive, "exponent": _no_whole_exponent,
    "lerp_scalar value": _share, "masked_fill value": _filling, "softplus threshold": _positive,
    "pow exponent": lambda rng: rng.randint(2, 6),
}  # fmt: skip
"""Of attributes by their names, or by the operator's too."""
BOUNDS = (("min", "max"), ("min_val", "max_val"))


def with_other_numbers(program: Program, rng: random.Random, share: float) -> Program:
    """The same program, in which so many of its numbers are drawn anew."""
    nodes = tuple(_changed(node, program, rng, share) for node in program.nodes)
    return Program(program.inputs, nodes, program.outputs)


def _changed(node: Node, program: Program, rng: random.Random, share: float) -> Node:
    attrs: dict[str, Any] = dict(node.attrs)
    for name, value in node.attrs.items():
        draw = DRAWS.get(f"{node.op} {name}", DRAWS.get(name))
        # What a threshold is compared with comes last; a mask of bools has one, too.
        beside = program.values[node.operands[-1 if name == "threshold" else 0]].dtype
        if draw and value is not None and beside in FLOATS and rng.random() < share:
            attrs[name] = draw(rng)
    for low, high in BOUNDS:
        if attrs.get(low) is not None and attrs.get(high) is not None and attrs[low] >= attrs[high]:
            attrs |= {low: node.attrs[low], high: node.attrs[high]}
    return Node(node.op, node.inputs, Attrs(attrs))
