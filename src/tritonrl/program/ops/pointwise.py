"""Activations and other functions of one element."""

from tritonrl.program.aten import Match
from tritonrl.program.op import NUMBERS_OF_ANY_KIND, Attr, Op, Slot
from tritonrl.program.ops.arithmetic import unchanged

X = (Slot("x"),)
POSITIVE = (Slot("x", needs="positive"),)


def _unary(
    name: str,
    call: str,
    *aten: Match | str,
    flops: int = 1,
    attrs: tuple[Attr, ...] = (),
    category: str = "activation",
    slots: tuple[Slot, ...] = X,
    gives: tuple[str, ...] = (),
) -> Op:
    return Op(name, category, slots, unchanged, call, aten, attrs, flops_per_output=flops, gives=gives)


def _math(name: str, flops: int, slots: tuple[Slot, ...] = X, gives: tuple[str, ...] = ()) -> Op:
    call, aten = f"torch.{name}", f"aten.{name}.default(x)"
    return _unary(name, call, aten, flops=flops, category="math", slots=slots, gives=gives)


OPS = (
    _unary("relu", "F.relu", "aten.relu.default(x)"),
    _unary(
        "leaky_relu", "F.leaky_relu", "aten.leaky_relu.default(x, negative_slope)", flops=2,
        attrs=(Attr("negative_slope", (0.01, 0.1, 0.2), 0.01),),
    ),
    _unary("sigmoid", "torch.sigmoid", "aten.sigmoid.default(x)", flops=4, gives=("positive", "unit")),
    _unary("tanh", "torch.tanh", "aten.tanh.default(x)", flops=6),
    _unary("silu", "F.silu", "aten.silu.default(x)", flops=5),
    _unary(
        "gelu", "F.gelu", "aten.gelu.default(x, approximate)", flops=10,
        attrs=(Attr("approximate", ("none", "tanh"), "none"),),
    ),
    _unary("selu", "F.selu", "aten.selu.default(x)", flops=5),
    _unary(
        "elu", "F.elu", "aten.elu.default(x, alpha)", flops=5, attrs=(Attr("alpha", (1.0, 0.5, 1.5), 1.0),)
    ),
    _unary("hardsigmoid", "F.hardsigmoid", "aten.hardsigmoid.default(x)", flops=3, gives=("unit",)),
    _unary("hardswish", "F.hardswish", "aten.hardswish.default(x)", flops=4),
    _unary("mish", "F.mish", "aten.mish.default(x)", flops=10),
    _unary(
        "hardtanh", "F.hardtanh", "aten.hardtanh.default(x, min_val, max_val)",
        Match("aten.relu6.default(x)", {"min_val": 0.0, "max_val": 6.0}), flops=2,
        attrs=(Attr("min_val", (-1.0, -2.0, -0.5), -1.0), Attr("max_val", (1.0, 2.0, 0.5), 1.0)),
    ),
    _unary(
        "softplus", "F.softplus", "aten.softplus.default(x, beta, threshold)", flops=6, gives=("positive",),
        attrs=(Attr("beta", (1.0, 2.0), 1.0), Attr("threshold", (20.0,), 20.0)),
    ),
    _unary("softsign", "F.softsign", "aten.div.Tensor(x, aten.add.Tensor(aten.abs.default(x), 1))", flops=3),
    _unary("logsigmoid", "F.logsigmoid", "aten.log_sigmoid.default(x)", flops=6),
    _unary(
        "clamp", "torch.clamp", "aten.clamp.default(x, min, max)", "aten.clip.default(x, min, max)",
        "aten.clamp_min.default(x, min)", "aten.clamp_max.default(x, max)", flops=2,
        attrs=(Attr("min", (-2.0, -1.0, -0.5, 0.0), None), Attr("max", (0.5, 1.0, 2.0), None)),
    ),
    _math("cos", flops=8),
    _math("sin", flops=8),
    _math("exp", flops=4, gives=("positive",)),
    _math("exp2", flops=4, gives=("positive",)),
    _math("log", flops=4, slots=POSITIVE),
    _math("sqrt", flops=2, slots=POSITIVE, gives=("positive",)),
    _math("rsqrt", flops=3, slots=POSITIVE, gives=("positive",)),
    Op("abs", "math", X, unchanged, "torch.abs", ("aten.abs.default(x)",), dtypes=NUMBERS_OF_ANY_KIND),
)  # fmt: skip
