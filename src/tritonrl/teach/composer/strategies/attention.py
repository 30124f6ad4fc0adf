"""Attention: scores are never stored; a running softmax goes over the keys."""

import math

from tritonrl.program.emit import variable
from tritonrl.program.op import literal
from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.indexing import Axis, Index, split
from tritonrl.teach.composer.kernel import Kernel, function, launch, power_of_two
from tritonrl.teach.composer.numbers import extent
from tritonrl.teach.composer.scope import Scope
from tritonrl.teach.composer.strategies.cost import product_us
from tritonrl.teach.composer.strategies.strategy import Sizes

SHAPES = ((64, 64, 4), (64, 32, 4), (32, 32, 4), (128, 32, 8), (32, 64, 4), (16, 16, 4))
"""Queries and keys of a block, and warps."""
LEAST = 16

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
        return [{"QUERIES": queries, "KEYS": keys, "warps": warps} for queries, keys, warps in SHAPES]

    def cost(self, program: Program, group: Group, sizes: Sizes) -> float:
        node = program.node_of(group.anchor) if group.anchor is not None else None
        assert node is not None
        q, k, v = (program.values[each].shape for each in node.operands)
        batches, tile = math.prod(q[:-2]), (sizes["QUERIES"], sizes["KEYS"])
        flops = 2 * batches * q[-2] * k[-2] * (q[-1] + v[-1])
        programs = batches * -(-q[-2] // sizes["QUERIES"])
        return product_us(flops, program.values[node.operands[0]].dtype, programs, tile, q[-1])

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
            return _attend(scope, program, value) if value == group.anchor else None

        scope = Scope(program, stored, {"row": f"(row < {q[-2]})", "col": f"(col < {v[-1]})"}, special)
        scope.comment("This program's queries, and the columns of the result.")
        scope.line("row = tl.program_id(0) * QUERIES + tl.arange(0, QUERIES)[:, None]")
        scope.line("col = tl.arange(0, VALUE)[None, :]")
        scope.line("batch = tl.program_id(1)")
        index = (
            *split("batch", q, range(len(q) - 2)),
            Axis("row", q[-2], 1, q[-2]),
            Axis("col", v[-1], 1, v[-1]),
        )
        scope.store(dict.fromkeys(written, index))
        read = scope.loaded
        constants = {
            "QUERIES": sizes["QUERIES"],
            "KEYS": sizes["KEYS"],
            "HEAD": max(LEAST, power_of_two(q[-1])),
            "VALUE": max(LEAST, power_of_two(v[-1])),
        }
        grid = (f"triton.cdiv({q[-2]}, {sizes['QUERIES']})", batches)
        return Kernel(
            function(name, read, written, list(constants), scope.lines),
            launch(program, name, read, written, grid, constants, sizes["warps"]),
            f"{name}: {self.name}, {batches} heads of {q[-2]} queries and {k[-2]} keys; "
            f"{sizes['QUERIES']} queries a program, "
            f"{sizes['KEYS']} keys at a time, {sizes['warps']} warps, a running softmax, so that "
            "scores are never stored.",
        )


def _attend(scope: Scope, program: Program, value: int) -> str:
    node = program.node_of(value)
    assert node is not None
    q, k, v = (program.values[each] for each in node.operands)
    scope.reads(*node.operands)
    in_keys = f"< {k.shape[-2]})"
    words = {
        **dict(zip("qkv", map(variable, node.operands), strict=True)),
        "q_batch": q.shape[-2] * q.shape[-1], "k_batch": k.shape[-2] * k.shape[-1],
        "v_batch": v.shape[-2] * v.shape[-1], "width": q.shape[-1], "v_width": v.shape[-1],
        "last": f"tl.minimum({k.shape[-2]}, (tl.program_id(0) + 1) * QUERIES)"
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
