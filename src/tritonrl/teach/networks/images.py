"""Layers on images: batch, channels, height, width."""

from tritonrl.teach.networks.network import Layer, Network


def conv(net: Network) -> None:
    channels, height, across = net.shape()[1:]
    wide, kernel = net.rng.choice(net.sizes.channels), net.rng.choice((1, 1, 3, 3, 3, 5, 7))
    if min(height, across) <= kernel:
        return
    stride = net.rng.choice((1, 1, 2)) if height > 2 * kernel else 1
    groups = net.rng.choice((1, 1, 1, channels, 2, 4))
    if channels % groups:
        groups = 1
    wide = channels if groups == channels else wide if wide % groups == 0 else groups * wide
    weight = net.weight(wide, channels // groups, kernel, kernel)
    bias = net.weight(wide) if net.rng.random() < 0.6 else None
    padding = net.rng.choice((kernel // 2, kernel // 2, kernel // 2, 0))
    net.apply("conv2d", net.at, weight, bias, stride=(stride,) * 2, padding=(padding,) * 2, groups=groups)


def patches(net: Network) -> None:
    """A convolution whose stride is its kernel, and what it gives as a sequence."""
    channels, height, across = net.shape()[1:]
    kernel = net.rng.choice(net.sizes.patches)
    if min(height, across) < 2 * kernel:
        return
    wide = net.rng.choice(net.sizes.channels)
    weight = net.weight(wide, channels, kernel, kernel)
    net.apply("conv2d", net.at, weight, net.weight(wide), stride=(kernel,) * 2)
    if net.rng.random() < 0.6:
        batch, _, rows, columns = net.shape()
        flat = net.apply("reshape", net.at, shape=(batch, wide, rows * columns))
        net.apply("transpose", flat, dim0=1, dim1=2)


def upwards(net: Network) -> None:
    """A transposed convolution to twice the size."""
    channels, wide = net.shape()[1], net.rng.choice(net.sizes.channels)
    kernel, padding = net.rng.choice(((2, 0), (4, 1), (3, 1)))
    weight = net.weight(channels, wide, kernel, kernel)
    bias = net.weight(wide) if net.rng.random() < 0.6 else None
    more = {"output_padding": (1, 1)} if kernel == 3 else {}
    net.apply("conv_transpose2d", net.at, weight, bias, stride=(2, 2), padding=(padding,) * 2, **more)


def batch_norm(net: Network) -> None:
    weight, bias, *statistics = (net.weight(net.shape()[1]) for _ in range(4))
    net.apply("batch_norm", net.at, *statistics, weight, bias)


def learning_batch_norm(net: Network) -> None:
    """In training, with what becomes of its buffers."""
    whole, channels = net.at, net.shape()[1]
    weight, bias, mean, variance = (net.weight(channels) for _ in range(4))
    if net.rng.random() < 0.8:
        net.apply("add_scalar", net.weight(dtype="int64"), value=1)
    made = net.apply("batch_norm", whole, None, None, weight, bias, training=True)
    net.apply("lerp_scalar", mean, net.apply("mean", whole, dim=(0, 2, 3)), value=0.1)
    net.apply("lerp_scalar", variance, net.apply("var", whole, dim=(0, 2, 3)), value=0.1)
    net.at = made


def group_norm(net: Network) -> None:
    channels = net.shape()[1]
    groups = net.rng.choice([each for each in (1, 2, 4, 8, 16, 32) if channels % each == 0])
    net.apply("group_norm", net.at, *net.affine(channels), num_groups=groups)


def instance_norm(net: Network) -> None:
    weights = net.affine(net.shape()[1]) if net.rng.random() < 0.5 else (None, None)
    net.apply("instance_norm", net.at, *weights)


def channels_last(net: Network) -> None:
    """A norm over channels, for which they go to the end and come back."""
    net.apply("permute", net.at, dims=(0, 2, 3, 1))
    net.apply("layer_norm", net.at, *net.affine(net.shape()[-1]), normalized_dims=1, eps=1e-6)
    if net.rng.random() < 0.6:
        net.apply("permute", net.at, dims=(0, 3, 1, 2))


def channel_bias(net: Network) -> None:
    net.apply(net.rng.choice(("add", "mul", "sub", "div")), net.at, net.weight(net.shape()[1], 1, 1))


def pool(net: Network) -> None:
    if min(net.shape()[2:]) >= 4:
        op, kernel = net.rng.choice(("max_pool2d", "avg_pool2d")), net.rng.choice((2, 2, 3))
        padding = net.rng.choice((0, 0, 1))
        net.apply(op, net.at, kernel_size=(kernel,) * 2, stride=(2, 2), padding=(padding,) * 2)


def global_pool(net: Network) -> None:
    if net.rng.random() < 0.5:
        net.apply("mean", net.at, dim=(2, 3), keepdim=net.rng.random() < 0.3)
    else:
        net.apply("adaptive_avg_pool2d", net.at, output_size=(1, 1))
        net.apply("reshape", net.at, shape=net.shape()[:2])


def weighed_channels(net: Network) -> None:
    """Squeeze and excite."""
    whole, (batch, channels, _, _) = net.at, net.shape()
    few = max(1, channels // net.rng.choice((2, 4, 8, 16)))
    global_pool(net)
    net.apply("reshape", net.at, shape=(batch, channels))
    net.apply("linear", net.at, net.weight(few, channels), net.weight(few))
    net.apply("relu", net.at)
    net.apply("sigmoid", net.apply("linear", net.at, net.weight(channels, few), net.weight(channels)))
    if net.rng.random() < 0.5:
        net.apply("reshape", net.at, shape=(batch, channels, 1, 1))
    else:
        net.apply("unsqueeze", net.apply("unsqueeze", net.at, dim=2), dim=3)
    net.apply("mul", whole, net.at)


def shuffled(net: Network) -> None:
    """Channels of groups among each other."""
    batch, channels, height, width = net.shape()
    groups = net.rng.choice([each for each in (1, 2, 3, 4, 8) if channels % each == 0])
    net.apply("reshape", net.at, shape=(batch, groups, channels // groups, height, width))
    net.apply("transpose", net.at, dim0=1, dim1=2)
    net.apply("reshape", net.at, shape=(batch, channels, height, width))


def beside(net: Network) -> None:
    """Another image's channels after its own."""
    batch, _, *sides = net.shape()
    other = net.tensor(batch, net.rng.choice(net.sizes.channels), *sides)
    net.apply("cat", *net.rng.sample((net.at, other), 2), dim=1)


def flat(net: Network) -> None:
    batch, channels, height, width = net.shape()
    net.apply("reshape", net.at, shape=(batch, channels * height * width))


ON_IMAGES: tuple[Layer, ...] = (
    conv, conv, conv, conv, patches, upwards, batch_norm, batch_norm, learning_batch_norm, group_norm,
    instance_norm, channels_last, channel_bias, pool, global_pool, weighed_channels, shuffled, beside, flat,
)  # fmt: skip


def images(net: Network) -> None:
    net.at = net.drawn("batches", "channels", "sides", "sides")
