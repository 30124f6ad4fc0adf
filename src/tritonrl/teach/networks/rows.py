"""Layers on the last dim: of rows, and of sequences."""

from tritonrl.teach.networks.network import Layer, Network

EPS = (1e-5, 1e-6)


def linear(net: Network) -> None:
    width = net.rng.choice(net.sizes.widths)
    matrix = net.weight(width, net.shape()[-1])
    net.apply("linear", net.at, matrix, net.weight(width) if net.rng.random() < 0.7 else None)


def layer_norm(net: Network) -> None:
    width = net.shape()[-1]
    weights = net.affine(width) if net.rng.random() < 0.8 else (None, None)
    net.apply("layer_norm", net.at, *weights, normalized_dims=1, eps=net.rng.choice(EPS))


def rms_norm(net: Network) -> None:
    whole = net.at
    mean = net.apply("mean", net.apply("pow", whole, exponent=2), dim=_last(net), keepdim=True)
    scale = net.apply("rsqrt", net.apply("add_scalar", mean, value=1e-6))
    net.apply("mul", net.apply("mul", whole, scale), net.weight(net.shape(whole)[-1]))


def standardised(net: Network) -> None:
    """By mean and variance, written out."""
    whole, last = net.at, _last(net)
    mean = net.apply("mean", whole, dim=last, keepdim=True)
    variance = net.apply("var", whole, dim=last, correction=net.rng.choice((0, 1)), keepdim=True)
    centred = net.apply("sub", whole, mean)
    scale = net.apply("add_scalar", variance, value=1e-5)
    if net.rng.random() < 0.5:
        net.apply("mul", centred, net.apply("rsqrt", scale))
    else:
        net.apply("div", centred, net.apply("sqrt", scale))


def unit_length(net: Network) -> None:
    """`F.normalize`, as it is captured."""
    whole, shape = net.at, net.shape()
    length = net.apply("norm", whole, ord=2, dim=_last(net), keepdim=True)
    least = net.apply("clamp", length, min=1e-12)
    net.apply("div", whole, net.apply("expand", least, size=shape))


def halves(net: Network) -> None:
    """A gate whose two sides lie in one tensor."""
    parts = in_two(net)
    if net.shape(parts[0]) == net.shape(parts[1]):
        gate, value = net.rng.sample(parts, 2)
        net.apply("mul", net.apply(net.rng.choice(("silu", "sigmoid", "gelu", "tanh", "exp")), gate), value)


def bias(net: Network) -> None:
    net.apply(net.rng.choice(("add", "mul", "sub")), net.at, net.weight(net.shape()[-1]))


def softmax(net: Network) -> None:
    net.apply(net.rng.choice(("softmax", "softmax", "log_softmax")), net.at, dim=_last(net))


def reduced(net: Network) -> None:
    op = net.rng.choice(("sum", "mean", "max", "logsumexp", "norm", "var"))
    net.apply(op, net.at, dim=_last(net), keepdim=net.rng.random() < 0.7)


def class_loss(net: Network) -> None:
    labels = net.tensor(net.shape()[0], dtype="int64")
    net.apply("cross_entropy", net.at, labels, reduction=net.rng.choice(("mean", "sum", "none")))


def in_two(net: Network) -> tuple[int, int]:
    """The halves of the last dim."""
    whole, last, width = net.at, _last(net), net.shape()[-1] // 2
    return net.apply("slice", whole, dim=last, end=width), net.apply("slice", whole, dim=last, start=width)


def _last(net: Network) -> int:
    return len(net.shape()) - 1


ON_LAST_DIM: tuple[Layer, ...] = (
    linear, linear, linear, layer_norm, rms_norm, standardised, unit_length, halves, bias, softmax, reduced,
)  # fmt: skip


def rows(net: Network) -> None:
    net.at = net.drawn("rows", "widths")
