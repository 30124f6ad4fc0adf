"""Layers on tensors of any shape, elementwise."""

from tritonrl.teach.networks.network import Layer, Network

ACTIVATIONS = (
    "relu", "gelu", "silu", "sigmoid", "tanh", "leaky_relu", "elu", "hardswish", "mish", "softplus",
    "hardtanh", "selu", "softsign", "logsigmoid", "hardsigmoid",
)  # fmt: skip
FUNCTIONS = (*ACTIVATIONS, "exp", "abs", "cos", "sin", "sqrt", "log", "rsqrt")
SCALARS = ("mul_scalar", "add_scalar", "div_scalar", "sub_scalar")
FROM_SCALARS = ("rsub_scalar", "rdiv_scalar")
BINARY = ("add", "mul", "sub", "div", "maximum", "minimum")
NUMBERS = (2.0, 0.5, 0.125, 1.5, 10.0, 0.1)
NEVER = float("-inf")


def activation(net: Network) -> None:
    net.apply(net.rng.choice(ACTIVATIONS), net.at)


def residual(net: Network) -> None:
    whole, shape = net.at, net.shape()
    net.apply("add", *net.rng.sample([whole, net.tensor(*shape)], 2))


def scalar(net: Network) -> None:
    net.apply(net.rng.choice(SCALARS), net.at, value=net.rng.choice(NUMBERS))


def clamp(net: Network) -> None:
    net.apply("clamp", net.at, min=net.rng.choice((None, -1.0, 0.0)), max=net.rng.choice((1.0, 6.0)))


def gate(net: Network) -> None:
    net.apply("mul", net.apply(net.rng.choice(("silu", "sigmoid", "gelu")), net.at), net.tensor(*net.shape()))


def formula(net: Network) -> None:
    """Arithmetic as people write it out: a few steps, each on something that is there already."""
    rng, shape = net.rng, net.shape()
    known = [net.at]
    for _ in range(rng.randint(2, 6)):
        way, value = rng.random(), rng.choice(known[-2:])
        if way < 0.35:
            net.apply(rng.choice(FUNCTIONS), value)
        elif way < 0.6:
            net.apply(rng.choice(SCALARS + FROM_SCALARS), value, value=rng.choice(NUMBERS))
        elif way < 0.7:
            net.apply("pow", value, exponent=rng.choice((2, 2, 3, 4)))
        else:
            other = rng.choice(known) if rng.random() < 0.6 else net.tensor(*shape)
            net.apply(rng.choice(BINARY), *rng.sample((value, other), 2))
        known.append(net.at)


def blend(net: Network) -> None:
    old = net.tensor(*net.shape())
    net.apply("lerp_scalar", *net.rng.sample((net.at, old), 2), value=0.1)


def masked(net: Network) -> None:
    """By a mask of bools, of the same shape, or of some of its dims with ones before them."""
    rng, shape = net.rng, net.shape()
    first = rng.randrange(len(shape))
    mask = net.tensor(*rng.choice((shape, shape[first:], (1,) * first + shape[first:])), dtype="bool")
    if rng.random() < 0.7:
        value = rng.choice((0.0, NEVER, -1e9, -10000.0))
        net.apply("masked_fill", net.at, mask, comparison=rng.choice(("!=", "==")), threshold=0, value=value)
    else:
        net.apply("where_scalar", net.at, net.tensor(*shape), mask, comparison="!=", threshold=0)


def of_everything(net: Network) -> None:
    net.apply(net.rng.choice(("mean", "sum")), net.at)


def loss(net: Network) -> None:
    op = net.rng.choice(
        ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy_with_logits", "kl_div")
    )
    reduction = net.rng.choice(("mean", "mean", "sum", "none"))
    net.apply(op, net.at, net.tensor(*net.shape()), reduction=reduction)


ANYWHERE: tuple[Layer, ...] = (
    activation, activation, residual, scalar, clamp, gate, formula, formula, blend, masked,
)  # fmt: skip
LAST: tuple[Layer, ...] = (of_everything, loss)
"""After these there may be nothing more."""
