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
FLOPS_PER_US = {"float32": 4.5e7, "float16": 7.2e8, "bfloat16": 7.2e8}
"""Of a dot of large tiles. In float32 it has no tensor cores."""
PRODUCTS_A_READ = {"float32": 24, "float16": 64, "bfloat16": 64}
"""For each element of a tile that is read, from which on a dot is as fast as that."""
OPERATIONS_PER_US = 2.2e7
"""To find an element, of four warps: each warp looks for itself."""


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


def product_us(
    flops: float, operations: float, dtype: str, programs: int, tile: tuple[int, int], inner: int
) -> float:
    """For so many, and as many operations to find what is multiplied, by programs that have a tile each: all
    processors wait for those of the last wave, small tiles read more than they compute, and tensor cores wait
    between short steps."""
    waves = math.ceil(programs / NUM_PROCESSORS)
    filled = programs / (waves * NUM_PROCESSORS)
    busy = min(1.0, math.prod(tile) / sum(tile) / PRODUCTS_A_READ[dtype])
    if dtype != "float32":
        busy *= min(1.0, (16 + inner) / 64)
    computing = flops / (FLOPS_PER_US[dtype] * busy)
    return LAUNCH_US + (computing + operations / OPERATIONS_PER_US) / filled
