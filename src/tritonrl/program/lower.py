"""Lowering: an exported ATen node as one or more steps, each an operator of the table.

Most nodes are one step: a row whose pattern fits and whose rule agrees with what export saw. A few are
several (the new running mean of a batch norm is a mean and an interpolation). What nothing fits is an opaque
step.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from tritonrl.program.aten import Match, full_arguments, is_graph_node, target_name
from tritonrl.program.op import Attrs, Op, literal
from tritonrl.program.program import Node, Spec, infer
from tritonrl.program.shapes import ShapeError
from tritonrl.program.table import TABLE

IDENTITIES = frozenset(
    f"aten.{name}.default"
    for name in ("clone", "contiguous", "alias", "detach", "lift_fresh", "lift_fresh_copy", "detach_copy")
)
"""Calls that return the values of their operand: the program reads the operand itself."""


@dataclass(frozen=True)
class Step:
    """One operator to apply. An operand is a graph node, or the number of an earlier step."""

    op: str
    operands: tuple[Any, ...]
    attrs: Mapping[str, Any] = field(default_factory=dict)


class Unsupported(Exception):
    """The graph holds something that no Program can say, such as a size that depends on values."""


def lower(node: Any, device_of: Any) -> list[Step]:
    """The steps that compute a graph node; `device_of` is a tensor to read the device from, or None."""
    steps = _in_several_steps(node) or _by_a_row(node)
    return steps or [_opaque(node, device_of)]


def same_as(node: Any) -> Any:
    """The graph node whose values this one has: copies and dropouts are passed through."""
    while node.op == "call_function":
        if target_name(node) == "getitem" and is_random_dropout(node.args[0]) and node.args[1] == 0:
            node = node.args[0].args[0]
        elif target_name(node) in IDENTITIES:
            node = node.args[0]
        elif (operand := _broadcast_from(node)) is not None and spec_of(operand) == spec_of(node):
            node = operand
        else:
            break
    return node


def _broadcast_from(node: Any) -> Any:
    """What an output of `broadcast_tensors` was made from; losses call it on whatever they get."""
    if target_name(node) == "getitem" and target_name(node.args[0]) == "aten.broadcast_tensors.default":
        return node.args[0].args[0][node.args[1]]
    return None


def is_random(node: Any) -> bool:
    """Whether the call draws random numbers. Attention without dropout is tagged as if it did."""
    tagged = torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())
    if not tagged or target_name(node) != "aten.scaled_dot_product_attention.default":
        return tagged
    return node.kwargs.get("dropout_p", node.args[4] if len(node.args) > 4 else 0.0) != 0.0


def is_random_dropout(node: Any) -> bool:
    return node.op == "call_function" and target_name(node) == "aten.native_dropout.default"


def spec_of(node: Any) -> Spec:
    """Shape and type that export saw at a graph node."""
    value = node.meta.get("val")
    if not isinstance(value, torch.Tensor):
        raise Unsupported(f"{node.name} is a {type(value).__name__}, not a tensor")
    if not all(isinstance(size, int) for size in value.shape):
        raise Unsupported(f"{node.name} has a size that depends on values")
    return Spec(tuple(value.shape), str(value.dtype).removeprefix("torch."))


def _by_a_row(node: Any) -> list[Step] | None:
    root = node.args[0] if target_name(node) == "getitem" else node
    for row, match in _INDEX.get(target_name(root), ()):
        step = _apply(row, match, node)
        if step:
            return [step]
    return None


def _apply(row: Op, match: Match, node: Any) -> Step | None:
    names = {slot.name for slot in row.slots}
    bound = match.bind(node, names.__contains__)
    if bound is None:
        return None
    if row.slots[-1].variadic:
        operands = tuple(bound[row.slots[-1].name])
    else:
        operands = tuple(bound.get(slot.name) for slot in row.slots)
    attrs = {name: value for name, value in bound.items() if name not in names} | dict(match.attrs)
    specs = [None if operand is None else spec_of(operand) for operand in operands]
    if match.convert:
        converted = match.convert(attrs, [spec and spec.shape for spec in specs])
        if converted is None:
            return None
        attrs = converted
    return _confirmed(row, operands, specs, attrs, spec_of(node))


def _confirmed(
    row: Op, operands: tuple[Any, ...], specs: Sequence[Spec | None], attrs: Mapping[str, Any], seen: Spec
) -> Step | None:
    """The step, if the table's rule gives the shape and type that export saw."""
    while operands and operands[-1] is None:
        operands, specs = operands[:-1], specs[:-1]
    places = iter(range(len(operands)))
    inputs = tuple(None if operand is None else next(places) for operand in operands)
    try:
        normal, spec = infer(Node(row.name, inputs, Attrs(attrs)), [each for each in specs if each])
    except ShapeError:
        return None
    return Step(row.name, operands, normal) if spec == seen else None


def _opaque(node: Any, device_of: Any) -> Step:
    call = node.args[0] if target_name(node) == "getitem" else node
    operands: list[Any] = []

    def place(operand: Any) -> str:
        if operand not in operands:
            operands.append(operand)
        return f"{{{operands.index(operand)}}}"

    def text(value: Any) -> str:
        if is_graph_node(value):
            return place(value)
        if isinstance(value, list | tuple):
            return f"[{', '.join(text(each) for each in value)}]"
        if isinstance(value, torch.device):
            return f"{place(device_of)}.device" if device_of is not None else repr(value)
        if value is None or isinstance(value, bool | int | float):
            return literal(value)
        if isinstance(value, str):
            return repr(value).replace("{", "{{").replace("}", "}}")
        if isinstance(value, torch.dtype | torch.layout | torch.memory_format):
            return str(value)
        raise Unsupported(f"{node.name} has an argument of type {type(value).__name__}")

    if not isinstance(call.target, torch._ops.OpOverload):
        raise Unsupported(f"{node.name} calls {call.target}, which is no ATen operator")
    arguments = [text(value) for value in call.args]
    arguments += [f"{name}={text(value)}" for name, value in call.kwargs.items()]
    index = f"[{node.args[1]}]" if call is not node else ""
    spec = spec_of(node)
    source = f"torch.ops.{call.target}({', '.join(arguments)}){index}"
    return Step("opaque", tuple(operands), {"call": source, "shape": spec.shape, "dtype": spec.dtype})


def _in_several_steps(node: Any) -> list[Step] | None:
    call, output = (node.args[0], node.args[1]) if target_name(node) == "getitem" else (node, None)
    known = _SEVERAL.get((target_name(call), output))
    return known(call) if known else None


def _scaled(op: str) -> Callable[[Any], list[Step] | None]:
    """`x + alpha·y` where alpha is not 1 and y is a tensor."""

    def steps(call: Any) -> list[Step] | None:
        x, y, alpha = full_arguments(call)
        if alpha == 1 or not is_graph_node(y):
            return None
        return [Step("mul_scalar", (y,), {"value": alpha}), Step(op, (x, 0))]

    return steps


def _running_mean(call: Any) -> list[Step]:
    x, _, _, running_mean, _, _, momentum, *_ = full_arguments(call)
    dims = _all_but_channels(x)
    return [Step("mean", (x,), {"dim": dims}), Step("lerp_scalar", (running_mean, 0), {"value": momentum})]


def _running_var(call: Any) -> list[Step]:
    x, _, _, _, running_var, _, momentum, *_ = full_arguments(call)
    dims = _all_but_channels(x)
    return [Step("var", (x,), {"dim": dims}), Step("lerp_scalar", (running_var, 0), {"value": momentum})]


def _all_but_channels(x: Any) -> tuple[int, ...]:
    return tuple(axis for axis in range(len(spec_of(x).shape)) if axis != 1)


_SEVERAL: dict[tuple[str, int | None], Callable[[Any], list[Step] | None]] = {
    ("aten.add.Tensor", None): _scaled("add"),
    ("aten.sub.Tensor", None): _scaled("sub"),
    ("aten._native_batch_norm_legit_functional.default", 3): _running_mean,
    ("aten._native_batch_norm_legit_functional.default", 4): _running_var,
}
"""(operator, output) → steps. Outputs 3 and 4 of a train-mode batch norm are its running statistics."""


def _index() -> dict[str, list[tuple[Op, Match]]]:
    """Rows by the ATen operator at the root of their patterns, larger patterns first."""
    index: dict[str, list[tuple[Op, Match]]] = defaultdict(list)
    for row in TABLE.values():
        for match in row.matches:
            index[match.root].append((row, match))
    return {root: sorted(entries, key=lambda entry: -entry[1].size) for root, entries in index.items()}


_INDEX = _index()
