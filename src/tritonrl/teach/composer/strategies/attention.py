"""Attention: scores are never stored; a running softmax goes over the keys."""

import math

from tritonrl.program.emit import variable
from tritonrl.program.op import literal
from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.indexing import Axis, Index, split
from tritonrl.teach.composer.kernel import Kernel, batched, function, launch, power_of_two
from tritonrl.teach.composer.numbers import extent
from tritonrl.teach.composer.scope import Scope
from tritonrl.teach.composer.strategies.cost import (
    FLOPS_PER_US,
    LAUNCH_US,
    NUM_PROCESSORS,
    memory_us,
    moved_bytes,
)
from tritonrl.teach.composer.strategies.strategy import Sizes

SHAPES = (
    (64, 64, 4, 3), (128, 64, 8, 3), (64, 32, 4, 3), (64, 32, 8, 2), (128, 16, 8, 2), (32, 32, 4, 3),
    (128, 32, 8, 3), (32, 64, 4, 2), (64, 16, 4, 2), (64, 16, 8, 2), (32, 32, 8, 2), (32, 16, 4, 2),
    (32, 16, 8, 2), (16, 32, 4, 2), (16, 16, 4, 2), (16, 16, 8, 2), (16, 16, 8, 1),
)  # fmt: skip
"""Queries and keys of a block, warps and stages."""
LEAST = 16
MOST_SHARED_BYTES = 230_000
"""That a program may have; an H100 gives it 232,448."""
MOST_PRODUCTS = 1100
"""Of float32 that a thread sums up for a block of keys, all written out by the compiler: 1,072 take 80 to 158
registers, 2,104 spill 24 to 152 bytes, and 4,136 up to 15 KB, with which attention took 4 to 30 times as long
as PyTorch's."""
MOST_SUMS = 192
"""Of narrower types that a thread holds in registers."""
TILE_SIDE = 48
"""Of queries and keys, from which on what is read for a block is little beside what is computed."""
WARPS_TO_COMPUTE = 8
"""On each processor, until its arithmetic is busy all the time."""

BODY = """head = tl.arange(0, HEAD)[None, :]
queries = tl.load({q}_ptr + batch * {q_batch} + row * {width} + head, mask={q_mask}, other=0.0)
largest = tl.full((QUERIES, 1), -float("inf"), dtype=tl.float32)
total = tl.zeros((QUERIES, 1), dtype=tl.float32)
sums = tl.zeros((QUERIES, VALUE), dtype=tl.float32)
# Over all keys: scores, a running largest and total, and the weighted values.
for start in range(0, {last}, KEYS):
    across = start + tl.arange(0, KEYS)[None, :]
    down = start + tl.arange(0, KEYS)[:, None]
    head_down = tl.arange(0, HEAD)[:, None]
    keys = tl.load({k}_ptr + batch * {k_batch} + across * {width} + head_down, mask={k_mask}, other=0.0)
    scores = tl.dot(queries, keys{ieee}) * {scale}
    scores = tl.where({seen}, scores, -float("inf"))
    larger = tl.maximum(largest, tl.max(scores, axis=1, keep_dims=True))
    shrink = tl.exp(largest - larger)
    weights = tl.exp(scores - larger)
    total = total * shrink + tl.sum(weights, axis=1, keep_dims=True)
    values = tl.load({v}_ptr + batch * {v_batch} + down * {v_width} + col, mask={v_mask}, other=0.0)
    sums = sums * shrink + tl.dot(weights{cast}, values{ieee})
    largest = larger"""


class Attention:
    """A program has a block of queries and goes over all keys."""

    name = "attention"

    def fits(self, program: Program, group: Group) -> bool:
        node = program.node_of(group.anchor) if group.anchor is not None else None
        return node is not None and node.row.category == "attention" and len(node.operands) == 3

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        names = ("QUERIES", "KEYS", "warps", "stages")
        ways: list[Sizes] = [dict(zip(names, shape, strict=True)) for shape in SHAPES]
        fitting = [each for each in ways if _is_held(program, group, each)]
        return fitting or ways[-1:]

    def cost(self, program: Program, group: Group, sizes: Sizes) -> float:
        node = program.node_of(group.anchor) if group.anchor is not None else None
        assert node is not None
        q, k = (program.values[each].shape for each in node.operands[:2])
        blocks = math.prod(q[:-2]) * -(-q[-2] // sizes["QUERIES"])
        # What lies beyond the last query, the last key and the end of a head is computed as well.
        keys = -(-k[-2] // sizes["KEYS"]) * sizes["KEYS"]
        flops = 2 * blocks * sizes["QUERIES"] * keys * sum(_widths(program, group))
        waves = -(-blocks // NUM_PROCESSORS)
        busy = blocks / (waves * NUM_PROCESSORS)
        busy *= min(1.0, math.sqrt(sizes["QUERIES"] * sizes["KEYS"]) / TILE_SIDE)
        busy *= min(1.0, blocks * sizes["warps"] / (NUM_PROCESSORS * WARPS_TO_COMPUTE))
        computing = flops / (FLOPS_PER_US[program.values[node.operands[0]].dtype] * busy)
        return max(LAUNCH_US + computing, memory_us(moved_bytes(program, group), blocks, sizes["warps"]))

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        assert group.anchor is not None
        node = program.node_of(group.anchor)
        assert node is not None
        written = group.outputs(program)
        q, k, v = (program.values[each].shape for each in node.operands)
        batches = extent(q, range(len(q) - 2))

        def special(scope: Scope, value: int, index: Index) -> str | None:
            return _attend(scope, program, value, tile) if value == group.anchor else None

        grid, tile, batch = batched(f"triton.cdiv({q[-2]}, {sizes['QUERIES']})", batches)
        scope = Scope(program, stored, {"row": f"(row < {q[-2]})", "col": f"(col < {v[-1]})"}, special)
        scope.comment("This program's queries, and the columns of the result.")
        scope.line(f"row = {tile} * QUERIES + tl.arange(0, QUERIES)[:, None]")
        scope.line("col = tl.arange(0, VALUE)[None, :]")
        scope.line(f"batch = {batch}")
        index = (
            *split("batch", q, range(len(q) - 2)),
            Axis("row", q[-2], 1, q[-2]),
            Axis("col", v[-1], 1, v[-1]),
        )
        scope.store(dict.fromkeys(written, index))
        read = scope.loaded
        widths = dict(zip(("HEAD", "VALUE"), _widths(program, group), strict=True))
        constants = {"QUERIES": sizes["QUERIES"], "KEYS": sizes["KEYS"], **widths}
        given = {**constants, "num_stages": sizes["stages"]}
        return Kernel(
            function(name, read, written, list(constants), scope.lines),
            launch(program, name, read, written, grid, given, sizes["warps"]),
            f"{self.name}, {batches} heads of {q[-2]} queries and {k[-2]} keys; "
            f"{sizes['QUERIES']} queries a program, "
            f"{sizes['KEYS']} keys at a time, {sizes['warps']} warps, {sizes['stages']} stages, a running "
            "softmax, so that scores are never stored.",
        )


def _widths(program: Program, group: Group) -> tuple[int, int]:
    """Of blocks that hold a head, and a value."""
    node = program.node_of(group.anchor) if group.anchor is not None else None
    assert node is not None
    head, value = (program.values[node.operands[place]].shape[-1] for place in (1, 2))
    return max(LEAST, power_of_two(head)), max(LEAST, power_of_two(value))


def _is_held(program: Program, group: Group, sizes: Sizes) -> bool:
    """Whether registers and shared memory are enough."""
    assert group.anchor is not None
    (head, value), threads = _widths(program, group), 32 * sizes["warps"]
    if program.values[group.anchor].dtype == "float32":
        fits = sizes["QUERIES"] * sizes["KEYS"] * (head + value) <= MOST_PRODUCTS * threads
    else:
        fits = sizes["QUERIES"] * (sizes["KEYS"] + value) <= MOST_SUMS * threads
    return fits and _shared_bytes(program, group, sizes) <= MOST_SHARED_BYTES


def _shared_bytes(program: Program, group: Group, sizes: Sizes) -> int:
    """Of shared memory: queries, weights, and keys and values as often as the pipeline has them."""
    assert group.anchor is not None
    spec, (head, value) = program.values[group.anchor], _widths(program, group)
    is_wide = spec.dtype == "float32"
    copies = max(1, sizes["stages"] - is_wide)  # of narrower types products run while the next is read
    elements = sizes["QUERIES"] * (head + sizes["KEYS"]) + copies * sizes["KEYS"] * (head + value)
    return elements * (4 if is_wide else 2)


def _attend(scope: Scope, program: Program, value: int, tile: str) -> str:
    node = program.node_of(value)
    assert node is not None
    q, k, v = (program.values[each] for each in node.operands)
    scope.reads(*node.operands)
    in_keys = f"< {k.shape[-2]})"
    words = {
        **dict(zip("qkv", map(variable, node.operands), strict=True)),
        "q_batch": q.shape[-2] * q.shape[-1], "k_batch": k.shape[-2] * k.shape[-1],
        "v_batch": v.shape[-2] * v.shape[-1], "width": q.shape[-1], "v_width": v.shape[-1],
        "last": f"tl.minimum({k.shape[-2]}, ({tile} + 1) * QUERIES)"
        if node.attrs["is_causal"] else k.shape[-2],
        "scale": literal(node.attrs["scale"]) if node.attrs["scale"] else f"{q.shape[-1]} ** -0.5",
        "q_mask": f"(row < {q.shape[-2]}) & (head < {q.shape[-1]})",
        "k_mask": f"(across {in_keys} & (head_down < {q.shape[-1]})",
        "v_mask": f"(down {in_keys} & (col < {v.shape[-1]})",
        "seen": f"(across {in_keys}" + (" & (across <= row)" if node.attrs["is_causal"] else ""),
        "ieee": ', input_precision="ieee"' if q.dtype == "float32" else "",
        "cast": "" if q.dtype == "float32" else f".to(tl.{q.dtype})",
    }  # fmt: skip
    for line in BODY.format(**words).splitlines():
        scope.line(line)
    return scope.named(value, "sums / total")
