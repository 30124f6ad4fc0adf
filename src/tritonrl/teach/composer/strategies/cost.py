"""A rule for how long a kernel may take on a large GPU: enough to order what fits, no more."""

import math

from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.rows import Rows

NUM_PROCESSORS = 132
WARPS_TO_FILL = 16
"""On each processor, until memory is busy all the time."""
BYTES_PER_US = 4.0e6
LAUNCH_US = 3.0
LEAST_ACROSS = 32
"""Rows beside each other that are read together, for all that is read to be of use."""
READ_AGAIN = 0.4
"""Of the time of a first pass over rows: much is still in the cache."""
FLOPS_PER_US = {"float32": 2.5e7, "float16": 4.0e8, "bfloat16": 4.0e8}
"""Of a dot. In float32 it has no tensor cores."""
MOST_INNER_IN_FLOAT32 = 32
"""Elements of a step that are of use: all products of a step are written out, and with 64 a masked tile of
64 x 64 spills 568 bytes a thread, with 32 none."""


def moved_bytes(program: Program, group: Group) -> int:
    """Of what a group reads and writes, each tensor once."""
    values = group.reads(program) | set(group.outputs(program))
    return sum(program.values[value].num_bytes for value in values)


def memory_us(moved: float, programs: int, warps: int) -> float:
    """For so many bytes, by so many programs."""
    filled = min(1.0, programs * warps / (NUM_PROCESSORS * WARPS_TO_FILL))
    return LAUNCH_US + moved / (BYTES_PER_US * filled)


def apart(rows: Rows, rows_a_program: int) -> float:
    """Times as many bytes: where rows lie beside each other, a program that has few of them reads what it
    has no use for."""
    return max(1.0, LEAST_ACROSS / rows_a_program) if rows.is_across else 1.0


def product_us(flops: float, dtype: str, programs: int, tile: tuple[int, int], inner: int) -> float:
    """For so many, by programs that have a tile each: all processors wait for those of the last wave, small
    tiles read more than they compute, and long steps keep the pipeline full."""
    if dtype == "float32":
        inner = min(inner, MOST_INNER_IN_FLOAT32)
    waves = math.ceil(programs / NUM_PROCESSORS)
    filled = programs / (waves * NUM_PROCESSORS)
    busy = min(1.0, math.sqrt(tile[0] * tile[1]) / 96) * min(1.0, (16 + inner) / 64)
    return LAUNCH_US + flops / (FLOPS_PER_US[dtype] * filled * busy)
