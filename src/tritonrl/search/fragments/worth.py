"""What a fragment could save, before anybody has written it: memory traffic and launches that go away.

A guess, in microseconds of an idealised GPU, and on the hopeful side: it decides what is tried first, and
measured times take its place. Only ratios between guesses matter.
"""

from tritonrl.program import Program
from tritonrl.program.fragment import Fragment

BYTES_PER_US = 3.35e6
FLOPS_PER_US = {"float16": 8e8, "bfloat16": 8e8}
FLOAT32_FLOPS_PER_US = 6.7e7
"""Of an H100, without tensor cores for float32."""
LAUNCH_US = 5.0
"""What an operator costs its caller, however small it is."""
PRODUCTS = ("conv", "conv_transpose", "attention")
PRODUCT_OPS = ("matmul", "bmm", "linear")
PRODUCT_SHARE = 0.6
"""Of the library's rate that a product in plain Triton reaches; its neighbours must pay for the rest."""
FREE = ("transpose",)
"""Operators of the table that are views in PyTorch."""


def saving_us(program: Program, fragment: Fragment) -> float:
    """What is saved where kernels take the place of PyTorch's operators: one, and another for each further
    product, whose result goes through memory."""
    alone = sum(alone_us(program, position) for position in fragment.positions)
    products = [position for position in fragment.positions if _is_product(program, position)]
    through = [program.values[program.value_of(position)].num_bytes for position in products[:-1]]
    moved = (fragment.program.fused_bytes + 2 * sum(through)) / BYTES_PER_US
    others = sum(_flops_us(program, p) for p in fragment.positions if p not in products)
    computed = sum(_flops_us(program, position) for position in products) / PRODUCT_SHARE + others
    return alone - max(moved, computed) - LAUNCH_US * max(1, len(products))


def alone_us(program: Program, position: int) -> float:
    """One operator by PyTorch."""
    if program.nodes[position].row.is_view or program.nodes[position].op in FREE:
        return 0.0
    return LAUNCH_US + max(program.node_bytes(position) / BYTES_PER_US, _flops_us(program, position))


def _is_product(program: Program, position: int) -> bool:
    row = program.nodes[position].row
    return row.category in PRODUCTS or row.name in PRODUCT_OPS


def _flops_us(program: Program, position: int) -> float:
    dtype = program.values[program.value_of(position)].dtype
    rate = FLOPS_PER_US.get(dtype, FLOAT32_FLOPS_PER_US) if _is_product(program, position) else None
    return program.node_flops(position) / (rate or FLOAT32_FLOPS_PER_US)
