"""Average and maximum over sliding windows in one, two and three dims."""

import math
from collections.abc import Mapping
from typing import Any

from tritonrl.program.op import Attr, Op, Slot
from tritonrl.program.ops.domains import one_for_all, per_axis
from tritonrl.program.shapes import Algebra, Dim, Shape

COUNT_INCLUDE_PAD = Attr("count_include_pad", (True, True, False), True)


def _pool(s: Algebra, attrs: Mapping[str, Any], x: Shape) -> list[Dim]:
    axes = len(attrs["kernel_size"])
    dilation = attrs.get("dilation", (1,) * axes)
    for size, kernel in zip(x[-axes:], attrs["kernel_size"], strict=True):
        s.prefer(size, kernel)  # avg_pool3d on a CPU insists on it, padding or not
    windows = zip(x[-axes:], attrs["kernel_size"], attrs["stride"], attrs["padding"], dilation, strict=True)
    return [*x[:-axes], *(s.window(*each) for each in windows)]


def _pool_terms(s: Algebra, attrs: Mapping[str, Any], out: Shape, x: Shape) -> list[Dim]:
    return [math.prod(attrs["kernel_size"])]


def _stride(axes: int) -> Attr:
    """Where none is given the windows lie side by side."""
    form = per_axis("stride", axes, (1, 2, 3))
    assert form.normal is not None
    normal = form.normal
    return Attr(
        "stride",
        form.domain,
        None,
        lambda value, shapes, attrs: normal(value or attrs["kernel_size"], shapes, attrs),
        one_for_all,
    )


def _padding(axes: int) -> Attr:
    def draw(context: Any) -> tuple[int, ...]:
        return tuple(context.rng.randrange(kernel // 2 + 1) for kernel in context.attrs["kernel_size"])

    return Attr("padding", draw, (0,) * axes, per_axis("padding", axes, (0,)).normal, one_for_all)


def _row(kind: str, axes: int, aten: str, last: Attr) -> Op:
    name = f"{kind}_pool{axes}d"
    kernel = per_axis("kernel_size", axes, (2, 2, 3, 3, 5))
    return Op(
        name, "pool", (Slot("x", ranks=(axes + 1, axes + 2), prefer=(axes + 2,)),), _pool, f"F.{name}",
        (aten,), (kernel, _stride(axes), _padding(axes), last),
        terms=_pool_terms, flops_per_output=0, flops_per_term=1,
    )  # fmt: skip


def _rows(axes: int) -> tuple[Op, Op]:
    windows = "x, kernel_size, stride, padding"
    dilation = per_axis("dilation", axes, (1, 1, 1, 2), default=1)
    return (
        _row(
            "avg",
            axes,
            f"aten.avg_pool{axes}d.default({windows}, False, count_include_pad)",
            COUNT_INCLUDE_PAD,
        ),
        _row("max", axes, f"aten.max_pool{axes}d.default({windows}, dilation, False)", dilation),
    )


OPS = tuple(row for axes in (1, 2, 3) for row in _rows(axes))
