"""Choices by comparison. The outcome of a comparison stays inside its row: programs compute with numbers.

What is compared is an input of the program wherever the synthesiser wires it: a rounding error in a computed
value would make the choice, and with it the result, another.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tritonrl.program.aten import Match
from tritonrl.program.op import Attr, Op, Slot, literal, same_dtype
from tritonrl.program.ops.arithmetic import X, Y, broadcast

ATEN = {">": "gt", "<": "lt", ">=": "ge", "<=": "le", "==": "eq", "!=": "ne"}
COMPARISON = Attr("comparison", (">", "<", ">=", "<="))
THRESHOLD = Attr("threshold", (0.0, 0.5, -0.25))
LEFT, RIGHT = Slot("left", needs="exact"), Slot("right", needs="exact")


def _dtype_of_the_chosen(count: int) -> Any:
    return lambda dtypes, attrs: same_dtype(dtypes[:count], attrs)


def _forms(right: str, *aten: str) -> tuple[Match, ...]:
    """The patterns with each comparison as their mask. A mask that is given is a number that is not 0."""
    overload = "Tensor" if right == "right" else "Scalar"
    compared = [
        Match(each.format(mask=f"aten.{name}.{overload}(left, {right})"), {"comparison": sign})
        for each in aten
        for sign, name in ATEN.items()
    ]
    given = [Match(each.format(mask="left"), {"comparison": "!=", "threshold": 0}) for each in aten]
    return (*compared, *(given if overload == "Scalar" else ()))


def _where(operands: Sequence[str | None], attrs: Mapping[str, Any]) -> str:
    x, y, left, right = (*operands, literal(attrs.get("threshold")))[:4]
    return f"torch.where({left} {attrs['comparison']} {right}, {x}, {y})"


def _masked_fill(operands: Sequence[str | None], attrs: Mapping[str, Any]) -> str:
    x, left = operands
    threshold, value = literal(attrs["threshold"]), literal(attrs["value"])
    return f"torch.masked_fill({x}, {left} {attrs['comparison']} {threshold}, {value})"


OPS = (
    Op(
        "where", "compare", (X, Y, LEFT, RIGHT), broadcast, _where,
        _forms("right", "aten.where.self({mask}, x, y)"), (COMPARISON,), dtype=_dtype_of_the_chosen(2),
    ),
    Op(
        "where_scalar", "compare", (X, Y, LEFT), broadcast, _where,
        _forms("threshold", "aten.where.self({mask}, x, y)"), (COMPARISON, THRESHOLD),
        dtype=_dtype_of_the_chosen(2),
    ),
    Op(
        "masked_fill", "compare", (X, LEFT), broadcast, _masked_fill,
        _forms(
            "threshold",
            "aten.masked_fill.Scalar(x, {mask}, value)", "aten.where.ScalarSelf({mask}, value, x)",
        ),
        (COMPARISON, THRESHOLD, Attr("value", (0.0, -1.0, 2.0))), dtype=_dtype_of_the_chosen(1),
    ),
)  # fmt: skip
