"""Pointwise operators as Triton: an expression of the operands by name, and of the attributes.

Nothing finite overflows but where the operator itself does, or in the branch that is not taken.
"""

from collections.abc import Mapping
from typing import Any

from tritonrl.program.op import literal
from tritonrl.program.program import Node

TRITON: Mapping[str, str] = {
    "add": "{x} + {y}",
    "mul": "{x} * {y}",
    "sub": "{x} - {y}",
    "div": "{x} / {y}",
    "maximum": "tl.maximum({x}, {y})",
    "minimum": "tl.minimum({x}, {y})",
    # From the nearer end, as PyTorch does it: near weight 1 the far end would bring its rounding error.
    "lerp": "tl.where(tl.abs({weight}) < 0.5, {x} + {weight} * ({y} - {x}), "
    "{y} - (1.0 - {weight}) * ({y} - {x}))",
    "add_scalar": "{x} + {value}",
    "sub_scalar": "{x} - {value}",
    "rsub_scalar": "{value} - {x}",
    "mul_scalar": "{x} * {value}",
    "div_scalar": "{x} / {value}",
    "rdiv_scalar": "{value} / {x}",
    "lerp_scalar": "(1.0 - {value}) * {x} + {value} * {y}",
    "relu": "tl.maximum({x}, 0.0)",
    "leaky_relu": "tl.where({x} > 0.0, {x}, {x} * {negative_slope})",
    "sigmoid": "tl.sigmoid({x})",
    "tanh": "libdevice.tanh({x})",
    "silu": "{x} * tl.sigmoid({x})",
    "gelu": "0.5 * {x} * (1.0 + tl.erf({x} * 0.7071067811865476))",
    "selu": "1.0507009873554805 * tl.where({x} > 0.0, {x}, 1.6732632423543772 * libdevice.expm1({x}))",
    "elu": "tl.where({x} > 0.0, {x}, {alpha} * libdevice.expm1({x}))",
    "hardsigmoid": "tl.minimum(tl.maximum({x} + 3.0, 0.0), 6.0) / 6.0",
    "hardtanh": "tl.minimum(tl.maximum({x}, {min_val}), {max_val})",
    "softplus": "tl.where({x} * {beta} > {threshold}, {x}, libdevice.log1p(tl.exp({x} * {beta})) / {beta})",
    "softsign": "{x} / (1.0 + tl.abs({x}))",
    "logsigmoid": "tl.minimum({x}, 0.0) - libdevice.log1p(tl.exp(-tl.abs({x})))",
    "clamp": "",  # see CLAMP
    "cos": "libdevice.cos({x})",
    "sin": "libdevice.sin({x})",
    "exp2": "tl.exp2({x})",
    "abs": "tl.abs({x})",
    "exp": "tl.exp({x})",
    "log": "tl.log({x})",
    "sqrt": "tl.sqrt({x})",
    "rsqrt": "tl.rsqrt({x})",
    "mish": "{x} * libdevice.tanh(tl.where({x} > 20.0, {x}, libdevice.log1p(tl.exp({x}))))",
    "hardswish": "{x} * tl.minimum(tl.maximum({x} + 3.0, 0.0), 6.0) / 6.0",
    "pow": "libdevice.pow({x}, {exponent})",
    "pow_positive": "libdevice.pow({x}, {exponent})",
    "where": "tl.where({left} {comparison} {right}, {x}, {y})",
    "where_scalar": "tl.where({left} {comparison} {threshold}, {x}, {y})",
    "masked_fill": "tl.where({left} {comparison} {threshold}, {value}, {x})",
    "hinge_loss": "tl.maximum({margin} - {x} * {y}, 0.0)",
}
GELU_TANH = "0.5 * {x} * (1.0 + libdevice.tanh(0.7978845608028654 * ({x} + 0.044715 * {x} * {x} * {x})))"
POWERS = {
    2: "{x} * {x}", 3: "{x} * {x} * {x}", 4: "{x} * {x} * {x} * {x}",
    0.5: "tl.sqrt({x})", -0.5: "tl.rsqrt({x})", -1: "1.0 / {x}", -2: "1.0 / ({x} * {x})",
}  # fmt: skip
"""Exponents that need no logarithm."""
CLAMP = {
    (True, True): "tl.minimum(tl.maximum({x}, {min}), {max})",
    (True, False): "tl.maximum({x}, {min})",
    (False, True): "tl.minimum({x}, {max})",
}
"""By which bounds there are."""

LOSSES: Mapping[str, str] = {
    "mse_loss": "({x} - {y}) * ({x} - {y})",
    "l1_loss": "tl.abs({x} - {y})",
    "smooth_l1_loss": "tl.where(tl.abs({x} - {y}) < {beta}, 0.5 * ({x} - {y}) * ({x} - {y}) / {beta}, "
    "tl.abs({x} - {y}) - 0.5 * {beta})",
    "huber_loss": "tl.where(tl.abs({x} - {y}) <= {delta}, 0.5 * ({x} - {y}) * ({x} - {y}), "
    "{delta} * (tl.abs({x} - {y}) - 0.5 * {delta}))",
    "kl_div": "tl.where({y} > 0.0, {y} * (tl.log({y}) - {x}), 0.0)",
    "binary_cross_entropy_with_logits": "tl.maximum({x}, 0.0) - {x} * {y} "
    "+ libdevice.log1p(tl.exp(-tl.abs({x})))",
}
"""What each element adds to a loss."""
KL_DIV_OF_LOGS = "tl.exp({y}) * ({y} - {x})"


def is_pointwise(node: Node) -> bool:
    return node.op in TRITON or (node.op in LOSSES and node.attrs["reduction"] == "none")


def expression(node: Node, operands: Mapping[str, str]) -> str:
    """What the node computes of one element, from the names of its operands' elements."""
    template = {**LOSSES, **TRITON}[node.op]
    if node.attrs.get("log_target"):
        template = KL_DIV_OF_LOGS
    if node.attrs.get("approximate") == "tanh":
        template = GELU_TANH
    if node.op in ("pow", "pow_positive"):
        template = POWERS.get(node.attrs["exponent"], template)
    if node.op == "clamp":
        template = CLAMP[node.attrs["min"] is not None, node.attrs["max"] is not None]
    attrs: dict[str, Any] = {name: literal(value) for name, value in node.attrs.items()}
    attrs |= {name: node.attrs[name] for name in ("comparison",) if name in node.attrs}
    return template.format(**operands, **attrs)
