"""Average and maximum over sliding windows, or down to a given size, in one, two and three dims."""

import math
from collections.abc import Mapping
from typing import Any

from tritonrl.program.op import Attr, Op, Slot
from tritonrl.program.ops.domains import one_for_all, per_axis
from tritonrl.program.shapes import Algebra, Dim, Shape

WIDE = ("float32", "float64")
"""PyTorch 2.13 has no avg_pool3d of narrower types on a CPU, where the synthesiser tries its programs."""

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


def _adaptive(s: Algebra, attrs: Mapping[str, Any], x: Shape) -> list[Dim]:
    """Any size to any other; the synthesiser's windows are alike and hold more than one element."""
    sizes = attrs["output_size"]
    for size, out in zip(x[-len(sizes) :], sizes, strict=True):
        s.prefer_multiple(size, out)
        s.prefer(size, 2 * out)
    return [*x[: -len(sizes)], *sizes]


def _adaptive_terms(s: Algebra, attrs: Mapping[str, Any], out: Shape, x: Shape) -> list[Dim]:
    sizes = attrs["output_size"]
    return [s.strided(size, 0, None, to) for size, to in zip(x[-len(sizes) :], sizes, strict=True)]


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


def _slots(axes: int) -> tuple[Slot, ...]:
    return (Slot("x", ranks=(axes + 1, axes + 2), prefer=(axes + 2,)),)


def _row(kind: str, axes: int, aten: str, last: Attr) -> Op:
    name = f"{kind}_pool{axes}d"
    kernel = per_axis("kernel_size", axes, (2, 2, 3, 3, 5))
    return Op(
        name, "pool", _slots(axes), _pool, f"F.{name}",
        (aten,), (kernel, _stride(axes), _padding(axes), last),
        sampled_dtypes=WIDE if name == "avg_pool3d" else None,
        terms=_pool_terms, flops_per_output=0, flops_per_term=1,
    )  # fmt: skip


def _adaptive_row(kind: str, axes: int, output: str, with_terms: str) -> Op:
    name = f"adaptive_{kind}_pool{axes}d"
    size = per_axis("output_size", axes, (1, 1, 1, 2, 4, 7))
    return Op(
        name, "pool", _slots(axes), _adaptive, f"F.{name}", (f"aten.{name}.default(x, output_size){output}",),
        (size,), terms=_adaptive_terms, flops_per_output=0, flops_per_term=1, with_terms=with_terms,
    )  # fmt: skip


def _rows(axes: int) -> tuple[Op, ...]:
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
        _adaptive_row("avg", axes, "", "mean"),
        _adaptive_row("max", axes, "[0]", "maximum"),
    )


OPS = tuple(row for axes in (1, 2, 3) for row in _rows(axes))
