"""Draws: inputs beside the task's own that a wrong kernel does not survive, within what every own draw shows.

`observe` says what all draws of one input have in common: positive, between 0 and 1, rows that sum to 1,
triangular, the same every time. `KINDS` are ways to vary a tensor: mixed magnitudes, rows or columns shifted
beyond where exp overflows, structure (constant and spiked rows, a heavy tail), exact zeros, magnitudes near a
norm's epsilon. What a kind is for is there by construction, not by a lucky draw, however few rows there are.
What they make is brought back into the property. Of integers and booleans the meaning (an index, a mask) is
not to be guessed: where every draw is free of order and has elements twice, some rows are set to the ends of
their range, and all else is drawn by the task itself.

Two things that every draw shows are nobody's intention: the range of `torch.rand`, and that ones are ones.
One question each goes beyond them.

An `intensity` below 1 makes a variation milder, for tasks on which the full one is not finite.
"""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

import torch

from tritonrl.verify.oracle.properties import TRIANGLES, Properties, one_value

SHIFT = 150.0
"""exp(150) is beyond float32: a softmax that does not subtract its maximum overflows."""
FAR_SHIFT = 1e5
"""Beyond what a kernel may take for infinite: a maximum that is started from -65504, a score that is padded
with -1e4."""
MIXED_OCTAVES = 4.0
"""Magnitudes from 1/16 to 16: wide enough to see a kernel that treats them differently, narrow enough that
the small ones are not lost in the error of the large ones."""


@dataclass(frozen=True)
class Part:
    """What one input plays in a question of several."""

    number: int = 0
    """Of the input."""
    seed: int = 0
    """Of what all inputs of the question have in common."""
    chosen: bool = True
    """Whether it is among those that the kind is about; see `CHOOSY`."""


def vary(
    kind: str,
    own: torch.Tensor,
    properties: Properties,
    intensity: float,
    generator: torch.Generator,
    part: Part | None = None,
) -> torch.Tensor:
    """Another tensor of the same properties. `own` is a fresh draw of the task."""
    part = part or Part()
    if properties.ranged and kind == "structured":
        return _like(own, _to_the_ends(own, properties, part))
    if kind == "own" or (kind in CHOOSY and not (part.chosen and CHOOSY[kind](properties))):
        return own
    if properties.fixed:
        return _like(own, _other_constants(own, intensity, generator)) if kind == "constants" else own
    if properties.whole:
        return own
    made = own.double()
    if kind == "far":
        intensity *= min(1.0, torch.finfo(own.dtype).max / 4 / FAR_SHIFT)
    if kind == "beyond":
        made, properties = 6 * made - 3, Properties(fixed=False, lowest=-3.0, highest=3.0)
    return _like(own, _within(KINDS[kind](made, properties, intensity, generator, part), properties))


def _other_constants(own: torch.Tensor, intensity: float, g: torch.Generator) -> torch.Tensor:
    """What is always the same with other values: one value is spread out, a table is scaled."""
    if one_value(own) is not None:
        return redraw_parameter("parameter", own, intensity, g)
    return own * torch.exp2((1 + _uniform(torch.Size(), g)) / 2 * intensity)


def _to_the_ends(own: torch.Tensor, p: Properties, part: Part) -> torch.Tensor:
    """Rows of the lowest, of the highest, of both, and of one but for a single element of the other, the same
    rows in every input: a mask that lets nothing or one element through, a sum that is as large as it can be,
    one bin that takes half of all. A single row has both."""
    rows = own.reshape(-1, own.shape[-1])
    count, width = rows.shape
    shared = torch.Generator(own.device).manual_seed(part.seed)
    role = torch.randperm(count, generator=shared, device=own.device)[:, None] % EVERY
    lowest, highest = (torch.tensor(end, dtype=own.dtype, device=own.device) for end in (p.lowest, p.highest))
    column = torch.arange(width, device=own.device)
    both = torch.where(column < width // 2, lowest, highest)
    single = column == part.seed % width
    one_high, one_low = torch.where(single, highest, lowest), torch.where(single, lowest, highest)
    for place, end in enumerate((both, lowest, highest, one_high, one_low)):
        rows = torch.where(role == place, end, rows)
    return rows.reshape(own.shape)


Variation = Callable[[torch.Tensor, Properties, float, torch.Generator, Part], torch.Tensor]


def _mixed(x: torch.Tensor, p: Properties, intensity: float, g: torch.Generator, _: Part) -> torch.Tensor:
    octaves = MIXED_OCTAVES * intensity / (2 if p.away_from_zero else 1)
    return x * torch.exp2(_uniform(x.shape, g) * octaves)


def _row_shift(x: torch.Tensor, p: Properties, intensity: float, g: torch.Generator, _: Part) -> torch.Tensor:
    return _shift(x, p, intensity, (*x.shape[:-1], 1) if x.dim() else (), g)


def _far(x: torch.Tensor, p: Properties, intensity: float, g: torch.Generator, part: Part) -> torch.Tensor:
    return _row_shift(x, p, intensity * FAR_SHIFT / SHIFT, g, part) if p.signed else x


def _column_shift(
    x: torch.Tensor, p: Properties, intensity: float, g: torch.Generator, _: Part
) -> torch.Tensor:
    return _shift(x, p, intensity, (*(1 for _ in x.shape[:-1]), *x.shape[-1:]), g)


LEVELS = (1.0, -1.0, 0.02, 0.0)
"""Far above, far below, a little, none: of `SHIFT`."""
LEAST_FOR_RUNS = 8


def _shift(
    x: torch.Tensor, p: Properties, intensity: float, shape: tuple[int, ...], g: torch.Generator
) -> torch.Tensor:
    """Every level, none of them left to chance: in half of the places anywhere, in the others a run of each.
    A window over several rows that are all far below shows what its maximum is started from."""
    count, device = math.prod(shape), g.device
    num_in_runs = count // 2 if count >= LEAST_FOR_RUNS else 0
    runs = torch.arange(num_in_runs, device=device) * len(LEVELS) // max(1, num_in_runs)
    anywhere = torch.randperm(count - num_in_runs, generator=g, device=device) % len(LEVELS)
    start = torch.randint(0, count, (), generator=g, device=device)
    turned = (torch.arange(count, device=device) + start) % count
    level = torch.cat([runs, anywhere])[turned].reshape(shape)
    amount = torch.tensor(LEVELS, dtype=torch.float64, device=device)[level] * SHIFT * intensity
    return x + (amount if p.signed else amount.abs() * 0.05)


def _structured(
    x: torch.Tensor, p: Properties, intensity: float, g: torch.Generator, _: Part
) -> torch.Tensor:
    """Rows with a spike, rows that are constant, none of it left to chance where there are several; the last
    row and column weigh more than the rest."""
    rows = x.reshape(-1, x.shape[-1]) if x.dim() else x.reshape(1, 1)
    count, width = rows.shape
    role = torch.randperm(count, generator=g, device=g.device)[:, None] % 6
    rows = torch.where(role == 1, rows[:, :1], rows)
    if not p.away_from_zero:
        spikes = torch.randint(0, width, (count, 1), generator=g, device=g.device)
        is_spike = (torch.arange(width, device=g.device) == spikes) & (role == 0)
        rows = torch.where(is_spike, rows * (1 + 20 * intensity), rows)
    weight = 1 + (1 if p.away_from_zero else 6) * intensity
    rows[-1] *= weight
    rows[:, -1] *= weight
    return rows.reshape(x.shape)


EVERY = 8
"""One row in so many has zeros among its elements, and of those one in so many is zero."""


def _zeros(x: torch.Tensor, p: Properties, intensity: float, g: torch.Generator, part: Part) -> torch.Tensor:
    """Exact zeros: the one tie that rounding does not decide, so that only there a branch or an argmax is
    seen to take the right side. None is left to chance, however few elements there are: each input is zero
    where no other is, and all of them are zero together, among the elements of a row and along a line of
    every dim. The rest is as it was drawn, so that nothing outweighs what is beside a zero."""
    rows = x.reshape(-1, x.shape[-1]) if x.dim() else x.reshape(1, 1)
    count, width = rows.shape
    shared, scalars = torch.Generator(g.device).manual_seed(part.seed), random.Random(part.seed)
    step = min(EVERY, width)
    first = scalars.randrange(step)
    role = torch.randperm(count, generator=shared, device=g.device)[:, None] % EVERY
    turn = (torch.arange(width, device=g.device) - first) % step
    is_zero = (role == 0) & (turn == part.number % step)
    is_zero |= (role == 1) | (role == 2 + part.number % 2)
    made = torch.where(is_zero, 0.0, rows).reshape(x.shape)
    point = [scalars.randrange(size) for size in x.shape]
    for dim in range(x.dim() - 1):
        point[-1] = (first - 1) % step  # the last in turn: of most questions it is no single input's
        made[tuple(slice(None) if each == dim else at for each, at in enumerate(point))] = 0.0
    return torch.where(x == x.amax(-1, keepdim=True), x, made) if p.rows_sum_to_one else made


OCTAVES = (12, 24, 6, 18, 3, 21, 9, 15, 0)
"""In an order in which a few rows have most of the range."""


def _small(x: torch.Tensor, p: Properties, intensity: float, g: torch.Generator, _: Part) -> torch.Tensor:
    """Rows of magnitudes down to 2^-24: an epsilon of 1e-5 under a root is no longer nothing at 2^-12, and
    one of 1e-4 that a norm is held above is more than a row at 2^-18."""
    if p.away_from_zero:
        return x
    shape = (*x.shape[:-1], 1) if x.dim() else ()
    order = torch.randperm(math.prod(shape), generator=g, device=g.device).reshape(shape)
    octaves = torch.tensor(OCTAVES, dtype=torch.float64, device=g.device)[order % len(OCTAVES)]
    return x * torch.exp2(-octaves * intensity)


def _all_small(x: torch.Tensor, p: Properties, intensity: float, *_: object) -> torch.Tensor:
    """And of one sign: a minimum is not started from zero, as `all_low` shows it of a maximum."""
    if p.away_from_zero:
        return x
    return (x.abs() if p.highest > 0 else x) * 2.0 ** (-8 * intensity)


KINDS: dict[str, Variation] = {
    "mixed": _mixed,
    "beyond": _row_shift,  # of what `torch.rand` has drawn, as if it were of both signs
    "constants": lambda x, *_: x,  # of inputs that are always the same; see `vary`
    "row_shift": _row_shift,
    "column_shift": _column_shift,
    "far": _far,
    "structured": _structured,
    "zeros": _zeros,
    "small": _small,
    "all_small": _all_small,
    "all_low": lambda x, p, intensity, *_: x - SHIFT * intensity if p.signed else x,
    "all_large": lambda x, p, intensity, *_: x if p.away_from_zero else x * 2.0 ** (5 * intensity),
    "all_negative": lambda x, p, intensity, *_: -x.abs() * (1 + 3 * intensity) if p.signed else x,
    "all_positive": lambda x, p, intensity, *_: x.abs() * (1 + 3 * intensity) if p.signed else x,
}
EVERYDAY = (
    "mixed", "beyond", "constants", "row_shift", "column_shift", "far", "all_low", "structured", "zeros",
    "small", "all_small",
)  # fmt: skip
"""Asked of every candidate; the others are for tasks on which these leave a wrong program standing."""
EXTREME = {"far"}
"""Asked only where nothing in the answer is rounding error: of scores that are huge and nearly the same, an
honest softmax is anybody's guess."""
CHOOSY: dict[str, Callable[[Properties], bool]] = {
    "zeros": lambda p: p.may_be_zero,
    "beyond": lambda p: p.uniform,
    "constants": lambda p: p.constant,
}
"""Kinds that are about some inputs only: all of those or, where the reference does not take that, each
alone."""


def change_elements(
    own: torch.Tensor,
    other: torch.Tensor,
    count: int,
    generator: torch.Generator,
    properties: Properties | None = None,
) -> torch.Tensor:
    """The same tensor but for a few elements, taken from another draw: what a cache by sample does not
    notice. Of a tensor whose elements depend on each other whole rows are taken, or nothing."""
    if own.shape != other.shape or own.numel() == 0:
        return other
    if properties and (properties.fixed or properties.symmetric):
        return own
    changed = own.clone(memory_format=torch.contiguous_format)
    if properties and (properties.whole or properties.rows_sum_to_one):
        if own.dim() < 2:
            return own
        rows, others = changed.reshape(-1, own.shape[-1]), other.reshape(-1, own.shape[-1])
        few = torch.randint(0, len(rows), (count,), generator=generator, device=generator.device)
        rows[few] = others[few]
        return _like(own, rows.reshape(own.shape))
    changed = changed.reshape(-1)
    few = torch.randint(0, own.numel(), (count,), generator=generator, device=generator.device)
    changed[few] = other.reshape(-1)[few]
    return _like(own, changed.reshape(own.shape))


def reorder(own: torch.Tensor, properties: Properties, generator: torch.Generator) -> torch.Tensor:
    """The same values in another order, rows and columns exchanged: what a checksum does not notice."""
    if properties.fixed or properties.triangle or properties.symmetric or own.dim() == 0:
        return own
    rows = torch.randperm(own.shape[0], generator=generator, device=generator.device)
    columns = torch.randperm(own.shape[-1], generator=generator, device=generator.device)
    return _like(own, own[rows][..., columns] if own.dim() > 1 else own[rows])


MOST_LEFT_OUT = 4
"""One in so many of a range, at either end."""


def another(own: torch.Tensor, properties: Properties, generator: torch.Generator) -> torch.Tensor:
    """Other values of the same kind, for a question that has to be like this one in all but those."""
    if properties.free:
        return _like(own, _redrawn(own, properties, generator))
    if properties.whole:
        return in_another_order(own, properties, generator)
    return vary("mixed", own, properties, 0.3, generator)


def _redrawn(own: torch.Tensor, p: Properties, g: torch.Generator) -> torch.Tensor:
    """Whole numbers drawn anew, from a part of what they reach from and to here: a sum, a count and mostly a
    maximum are others, and no index is beyond those of this question."""
    lowest, highest = (int(end) for end in torch.aminmax(own.long()))
    if lowest == highest:
        lowest, highest = int(p.lowest), int(p.highest)
    least = (highest - lowest) // MOST_LEFT_OUT + 1
    below, above = torch.randint(0, least, (2,), generator=g, device=g.device).tolist()
    end = min(highest - above + 1, torch.iinfo(torch.int64).max)
    return torch.randint(lowest + below, end, own.shape, generator=g, device=g.device)


def in_another_order(own: torch.Tensor, p: Properties, g: torch.Generator) -> torch.Tensor:
    """Whole numbers, those of each row in another order, so that a permutation stays one and a row sums to
    what it did; where they grow, the steps between them."""
    if not p.whole or p.symmetric or p.triangle or own.dim() == 0 or own.numel() == 0:
        return own
    rows = (own.double() if own.is_floating_point() else own.long()).reshape(-1, own.shape[-1])
    if p.in_order:
        steps = _shuffled(rows.diff(), g)
        rows = torch.cat([rows[:, :1], rows[:, :1] + steps.cumsum(-1)], dim=-1)
    else:
        rows = _shuffled(rows, g)
    return _like(own, rows.reshape(own.shape))


def _shuffled(rows: torch.Tensor, g: torch.Generator) -> torch.Tensor:
    """Each row in an order of its own."""
    return rows.gather(-1, torch.rand(rows.shape, generator=g, device=g.device).argsort(-1))


def redraw_parameter(
    role: str, own: torch.Tensor, intensity: float, generator: torch.Generator
) -> torch.Tensor:
    """New values for an entry of a module's state; a constant one (ones, zeros) is spread out."""
    if not own.is_floating_point() or own.numel() == 0:
        return own
    if role == "buffer" and (own.numel() == 1 or one_value(own) is None):
        return own  # a number that the host may look at, a mask or a table
    normal = torch.randn(own.shape, generator=generator, dtype=torch.float64, device=generator.device)
    if role == "variance":
        # From 1/4096 to 2: near the small ones an epsilon of 1e-5 counts.
        octaves = (_uniform(own.shape, generator) + 1) * 6.5 * intensity
        return torch.exp2(1 - octaves).to(own.dtype)
    values = own.double()
    spread = float(values.std()) if values.numel() > 1 else 0.0
    middle = float(values.mean())
    if spread <= 1e-6 * max(abs(middle), 1e-30):
        spread = 0.5 * intensity
    return (middle + normal * spread).to(own.dtype)


def _within(x: torch.Tensor, p: Properties) -> torch.Tensor:
    """Brought back into the properties, where a variation left them."""
    if p.away_from_zero:
        x = x.clamp(p.lowest / 4, p.highest * 4)
    if p.unit_interval:
        x = x.clamp(0, 1)
    if p.symmetric:
        x = (x + x.mT) / 2
    if p.triangle:
        x = TRIANGLES[p.triangle](x)
    if not p.rows_sum_to_one:
        return x
    x = x.abs()
    return x / x.sum(-1, keepdim=True)


def _like(own: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """The values in a tensor of the same type and, where no two elements share a place, the same strides."""
    if 0 in own.stride():
        return values.to(own.dtype).contiguous()
    made = torch.empty_strided(own.shape, own.stride(), dtype=own.dtype, device=own.device)
    return made.copy_(values)


def _uniform(shape: torch.Size, g: torch.Generator) -> torch.Tensor:
    return torch.rand(shape, generator=g, dtype=torch.float64, device=g.device) * 2 - 1
