"""Convolutions and transposed convolutions in one, two and three dims."""

from collections.abc import Callable, Mapping
from typing import Any

from tritonrl.program.aten import Match
from tritonrl.program.op import Attr, Draw, Op, Slot
from tritonrl.program.ops.domains import one_for_all, per_axis
from tritonrl.program.ops.norm import LEAST_CHANNELS
from tritonrl.program.shapes import Algebra, Dim, Shape

LARGEST_KERNEL = 7
"""Widest kernel that the synthesiser draws."""

LEAST_WEIGHTS = 16
"""Fewest weights that the synthesiser gives a convolution: of four, all may happen to be small."""

GROUPS = Attr("groups", lambda draw: 1 if draw.rng.random() < 0.7 else draw.rng.choice((2, 4)), 1)


def _padding(axes: int) -> Attr:
    """Padding is at most half the kernel, which is at least 1: zero or one, mostly."""
    return per_axis("padding", axes, (0, 0, 1, 1, 2), default=0)


def _bias(s: Algebra, channels: Dim, bias: Shape | None) -> Dim:
    if bias is not None:
        s.prefer(s.same(channels, bias[0]), LEAST_CHANNELS)
    return channels


def _taste(s: Algebra, size: Dim, kernel: Dim, padding: int) -> None:
    """Usual kernels, on more than one element: around one a dilated kernel may see only padding."""
    s.prefer(size, 2)
    s.prefer(kernel, max(1, 2 * padding), LARGEST_KERNEL)


def _conv(
    s: Algebra, attrs: Mapping[str, Any], x: Shape, weight: Shape, bias: Shape | None = None
) -> list[Dim]:
    groups = attrs["groups"]
    s.same(s.divided(x[1], groups), weight[1])
    s.divided(weight[0], groups)
    out = [x[0], _bias(s, weight[0], bias)]
    for axis, (size, kernel) in enumerate(zip(x[2:], weight[2:], strict=True)):
        _taste(s, size, kernel, attrs["padding"][axis])
        out.append(
            s.window(size, kernel, attrs["stride"][axis], attrs["padding"][axis], attrs["dilation"][axis])
        )
    s.prefer(s.product(weight), LEAST_WEIGHTS)
    return out


def _conv_terms(
    s: Algebra, attrs: Mapping[str, Any], out: Shape, x: Shape, weight: Shape, *_: Shape
) -> list[Dim]:
    return list(weight[1:])


def _conv_transpose(
    s: Algebra, attrs: Mapping[str, Any], x: Shape, weight: Shape, bias: Shape | None = None
) -> list[Dim]:
    groups = attrs["groups"]
    s.divided(s.same(x[1], weight[0]), groups)
    channels = weight[1] if groups == 1 else s.total([weight[1]] * groups)
    out = [x[0], _bias(s, channels, bias)]
    for axis, (size, kernel) in enumerate(zip(x[2:], weight[2:], strict=True)):
        _taste(s, size, kernel, attrs["padding"][axis])
        out.append(
            s.unwindow(
                size, kernel, attrs["stride"][axis], attrs["padding"][axis], attrs["dilation"][axis],
                attrs["output_padding"][axis],
            )
        )  # fmt: skip
    s.prefer(s.product(weight), LEAST_WEIGHTS)
    return out


def _conv_transpose_terms(
    s: Algebra, attrs: Mapping[str, Any], out: Shape, x: Shape, weight: Shape, *_: Shape
) -> list[Dim]:
    return [s.divided(weight[0], attrs["groups"]), *weight[2:]]


def _output_padding(axes: int) -> Attr:
    def draw(context: Draw) -> tuple[int, ...]:
        return tuple(context.rng.randrange(2) if stride > 1 else 0 for stride in context.attrs["stride"])

    return Attr(
        "output_padding", draw, (0,) * axes, per_axis("output_padding", axes, (0,)).normal, one_for_all
    )


def _same_padding(bound: dict[str, Any], shapes: list[tuple[int, ...] | None]) -> dict[str, Any] | None:
    """`padding="same"` and `"valid"` as numbers; None where the two sides would differ."""
    weight = shapes[1]
    assert weight is not None
    if bound["padding"] == "valid":
        return {**bound, "padding": (0,)}
    dilation = bound["dilation"] * (len(weight) - 2) if len(bound["dilation"]) == 1 else bound["dilation"]
    reach = [d * (kernel - 1) for d, kernel in zip(dilation, weight[2:], strict=True)]
    return None if any(each % 2 for each in reach) else {**bound, "padding": [each // 2 for each in reach]}


def _slots(axes: int) -> tuple[Slot, ...]:
    return (
        Slot("x", ranks=(axes + 2,)),
        Slot("weight", ranks=(axes + 2,), parameter=True),
        Slot("bias", ranks=(1,), optional=True, parameter=True),
    )


def _row(
    name: str, category: str, axes: int, rule: Callable[..., Shape], terms: Any, aten: Any, *attrs: Attr
) -> Op:
    return Op(
        name, category, _slots(axes), rule, f"F.{name}", aten, attrs,
        terms=terms, flops_per_output=0, flops_per_term=2, with_terms="sum",
    )  # fmt: skip


def _stride_and_dilation(axes: int) -> tuple[Attr, Attr]:
    return per_axis("stride", axes, (1, 1, 2), default=1), per_axis("dilation", axes, (1, 1, 1, 2), default=1)


def _rows(axes: int) -> tuple[Op, Op]:
    stride, dilation = _stride_and_dilation(axes)
    arguments = "x, weight, bias, stride, padding"
    forward, transposed = f"conv{axes}d", f"conv_transpose{axes}d"
    overload = "default" if axes == 1 else "input"
    return (
        _row(
            forward, "conv", axes, _conv, _conv_terms,
            (
                f"aten.{forward}.default({arguments}, dilation, groups)",
                Match(f"aten.{forward}.padding({arguments}, dilation, groups)", convert=_same_padding),
            ),
            stride, _padding(axes), dilation, GROUPS,
        ),
        _row(
            transposed, "conv_transpose", axes, _conv_transpose, _conv_transpose_terms,
            (f"aten.{transposed}.{overload}({arguments}, output_padding, groups, dilation)",),
            stride, _padding(axes), _output_padding(axes), GROUPS, dilation,
        ),
    )  # fmt: skip


OPS = tuple(row for axes in (1, 2, 3) for row in _rows(axes))
