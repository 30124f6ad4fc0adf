"""Layers on sequences (batch, length, width), and on signals (batch, channels, length)."""

from collections.abc import Sequence

from tritonrl.teach.networks.network import Layer, Network
from tritonrl.teach.networks.rows import in_two

HEADS = (1, 2, 4, 8, 12, 16)


def attention(net: Network) -> None:
    batch, length, width = net.shape()
    given = (net.at, net.tensor(batch, length, width), net.tensor(batch, length, width))
    heads = _num_heads(net)
    shape = (batch, length, heads, width // heads)
    split = [_swapped(net, net.apply("reshape", value, shape=shape)) for value in given]
    _attend(net, split, (batch, length, width))


def packed_attention(net: Network) -> None:
    """One product for queries, keys and values, which are then told apart."""
    batch, length, width = net.shape()
    heads = _num_heads(net)
    whole = net.apply("linear", net.at, net.weight(3 * width, width), net.weight(3 * width))
    whole = net.apply("reshape", whole, shape=(batch, length, 3, heads, width // heads))
    whole = net.apply("permute", whole, dims=(2, 0, 3, 1, 4))
    split = [net.apply("select", whole, dim=0, index=index) for index in range(3)]
    _attend(net, split, (batch, length, width))


def scores(net: Network) -> None:
    """Attention written out: products, a scale, perhaps a mask, a softmax."""
    queries, (batch, length, width) = net.at, net.shape()
    keys = net.apply("transpose", net.tensor(batch, length, width), dim0=1, dim1=2)
    made = net.apply("matmul", queries, keys)
    net.apply(net.rng.choice(("mul_scalar", "div_scalar")), made, value=width**-0.5)
    if net.rng.random() < 0.5:
        net.apply("add", net.at, net.tensor(length, length))
    net.apply("matmul", net.apply("softmax", net.at, dim=2), net.tensor(batch, length, width))


def rotated(net: Network) -> None:
    """Positions as angles."""
    whole, (_, length, width) = net.at, net.shape()
    if width % 2:
        return
    first, second = in_two(net)
    turned = net.apply("cat", net.apply("mul_scalar", second, value=-1), first, dim=2)
    cosine, sine = net.tensor(length, width), net.tensor(length, width)
    net.apply("add", net.apply("mul", whole, cosine), net.apply("mul", turned, sine))


def modulated(net: Network) -> None:
    """Scale and shift, one for each member of the batch."""
    batch, _, width = net.shape()
    whole = net.at
    scale = net.apply("unsqueeze", net.tensor(batch, width), dim=1)
    scaled = net.apply("mul", whole, net.apply("add_scalar", scale, value=1))
    net.apply("add", scaled, net.apply("unsqueeze", net.tensor(batch, width), dim=1))


def positions(net: Network) -> None:
    net.apply("add", net.at, net.weight(*net.shape()[1:]))


def first_token(net: Network) -> None:
    batch, _, width = net.shape()
    whole = net.at
    token = net.apply("expand", net.weight(1, 1, width), size=(batch, 1, width))
    net.apply("cat", token, whole, dim=1)


def one_token(net: Network) -> None:
    net.apply("select", net.at, dim=1, index=net.rng.choice((0, 0, net.shape()[1] - 1)))


def over_length(net: Network) -> None:
    net.apply(net.rng.choice(("mean", "sum", "max")), net.at, dim=1, keepdim=net.rng.random() < 0.5)


def turned(net: Network) -> None:
    net.apply("transpose", net.at, dim0=1, dim1=2)


def conv1d(net: Network) -> None:
    channels, length = net.shape()[1:]
    wide, kernel = net.rng.choice(net.sizes.channels), net.rng.choice((1, 3, 3, 5, 7))
    dilation = net.rng.choice((1, 1, 2, 4))
    reach = dilation * (kernel - 1)
    if length <= 2 * reach + 2:
        return
    groups = channels if net.rng.random() < 0.2 else 1
    wide = channels if groups > 1 else wide
    weight = net.weight(wide, channels // groups, kernel)
    bias = net.weight(wide) if net.rng.random() < 0.7 else None
    padding, stride = net.rng.choice((reach // 2, reach // 2, reach, 0)), net.rng.choice((1, 1, 2))
    taps = {"stride": stride, "padding": padding, "dilation": dilation}
    net.apply("conv1d", net.at, weight, bias, **taps, groups=groups)


def shortened(net: Network) -> None:
    """What a causal convolution has too much of is cut off."""
    length, spare = net.shape()[2], net.rng.choice((1, 2, 4, 8))
    if length > 2 * spare:
        net.apply("slice", net.at, dim=2, end=length - spare)


def _num_heads(net: Network) -> int:
    return net.rng.choice([each for each in HEADS if net.shape()[-1] % each == 0])


def _attend(net: Network, split: Sequence[int], shape: tuple[int, ...]) -> None:
    """Of queries, keys and values by heads, which are joined again."""
    made = net.apply("scaled_dot_product_attention", *split, None, is_causal=net.rng.random() < 0.5)
    net.apply("reshape", _swapped(net, made), shape=shape)


def _swapped(net: Network, value: int) -> int:
    """Heads and places, in one of the ways in which people write it."""
    if net.rng.random() < 0.5:
        return net.apply("transpose", value, dim0=1, dim1=2)
    return net.apply("permute", value, dims=(0, 2, 1, 3))


ON_SEQUENCES: tuple[Layer, ...] = (
    attention, packed_attention, scores, rotated, modulated, positions, first_token, one_token, over_length,
    turned, conv1d, conv1d, shortened,
)  # fmt: skip


def sequences(net: Network) -> None:
    net.at = net.drawn("batches", "lengths", "widths")


def signals(net: Network) -> None:
    net.at = net.drawn("batches", "channels", "lengths")
    conv1d(net)
