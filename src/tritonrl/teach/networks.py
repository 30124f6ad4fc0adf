"""Networks: programs as modules are captured to, which chance seldom draws.

A few layers of a transformer, a convolutional network or a perceptron, at sizes that such have, with their
weights as inputs; and of those a few operators that follow each other.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

from tritonrl.program import Program
from tritonrl.program.fragment import fragment
from tritonrl.program.op import Attrs
from tritonrl.program.program import Node, Spec, assembled, infer

MOST_ELEMENTS = 1 << 25
WIDTHS = (64, 96, 128, 192, 256, 320, 384, 512, 640, 768, 1000, 1024, 1280, 1536, 2048, 3072, 4096)
CHANNELS = (3, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
BATCHES = (1, 2, 4, 8, 10, 16, 32, 64, 128)
LENGTHS = (49, 77, 128, 196, 197, 256, 384, 512, 1024, 2048)
SIDES = (7, 8, 14, 16, 28, 32, 56, 64, 112, 128, 224)
ACTIVATIONS = (
    "relu", "gelu", "silu", "sigmoid", "tanh", "leaky_relu", "elu", "hardswish", "mish", "softplus",
    "hardtanh",
)  # fmt: skip


class Network:
    """A program in the making."""

    def __init__(self, rng: random.Random, dtype: str) -> None:
        self.rng, self._dtype = rng, dtype
        self._specs: list[Spec] = []
        self._nodes: dict[int, Node] = {}
        self.at = 0
        """The value that the next layer reads."""

    def tensor(self, *shape: int) -> int:
        """A new input."""
        self._specs.append(Spec(shape, self._dtype))
        return len(self._specs) - 1

    def apply(self, op: str, *operands: int | None, **attrs: Any) -> int:
        """One operator; the next layer reads what it gives."""
        node = Node(op, operands, Attrs(attrs))
        self._specs.append(infer(node, self._specs)[1])
        self.at = len(self._specs) - 1
        self._nodes[self.at] = node
        return self.at

    def shape(self, value: int | None = None) -> tuple[int, ...]:
        return self._specs[self.at if value is None else value].shape

    @property
    def layers(self) -> "Sequence[Layer]":
        """What can follow; nothing where a dim is reduced."""
        shape = self.shape()
        return LAYERS.get(len(shape), ()) if shape and shape[-1] > 1 else ()

    @property
    def num_operators(self) -> int:
        return sum(not node.row.is_view for node in self._nodes.values())

    def program(self) -> Program:
        return assembled(self._specs, self._nodes)


Layer = Callable[[Network], None]


def network(rng: random.Random, num_operators: int, dtype: str = "float32") -> Program:
    """So many operators that follow each other in some network; fewer where that has no more."""
    while True:
        made = Network(rng, dtype)
        rng.choice(BEGINNINGS)(made)
        while made.num_operators < 2 * num_operators and (layers := made.layers):
            rng.choice(layers)(made)
        whole = made.program()
        if max(spec.num_elements for spec in whole.values) <= MOST_ELEMENTS:
            return _part(rng, whole, num_operators)


def _part(rng: random.Random, whole: Program, num_operators: int) -> Program:
    """Neighbouring nodes, views with them."""
    counted = [position for position, node in enumerate(whole.nodes) if not node.row.is_view]
    first = rng.randrange(max(1, len(counted) - num_operators + 1))
    chosen = counted[first : first + num_operators]
    return fragment(whole, range(chosen[0], chosen[-1] + 1)).program


# Layers on rows, and on the last dim of sequences


def _linear(net: Network) -> None:
    width = net.rng.choice(WIDTHS)
    bias = net.tensor(width) if net.rng.random() < 0.7 else None
    net.apply("linear", net.at, net.tensor(width, net.shape()[-1]), bias)


def _activation(net: Network) -> None:
    net.apply(net.rng.choice(ACTIVATIONS), net.at)


def _layer_norm(net: Network) -> None:
    width = net.shape()[-1]
    weights = (net.tensor(width), net.tensor(width)) if net.rng.random() < 0.8 else (None, None)
    net.apply("layer_norm", net.at, *weights, normalized_dims=1, eps=net.rng.choice((1e-5, 1e-6)))


def _rms_norm(net: Network) -> None:
    whole = net.at
    mean = net.apply("mean", net.apply("pow", whole, exponent=2), dim=(len(net.shape()) - 1,), keepdim=True)
    scale = net.apply("rsqrt", net.apply("add_scalar", mean, value=1e-6))
    net.apply("mul", net.apply("mul", whole, scale), net.tensor(net.shape(whole)[-1]))


def _gate(net: Network) -> None:
    net.apply("mul", net.apply("silu", net.at), net.tensor(*net.shape()))


def _residual(net: Network) -> None:
    whole, shape = net.at, net.shape()
    net.apply("add", *net.rng.sample([whole, net.tensor(*shape)], 2))


def _bias(net: Network) -> None:
    net.apply(net.rng.choice(("add", "mul", "sub")), net.at, net.tensor(net.shape()[-1]))


def _scalar(net: Network) -> None:
    op = net.rng.choice(("mul_scalar", "add_scalar", "div_scalar", "sub_scalar"))
    net.apply(op, net.at, value=net.rng.choice((2.0, 0.5, 0.125, 1.5, 10.0, 0.1)))


def _clamp(net: Network) -> None:
    net.apply("clamp", net.at, min=net.rng.choice((None, -1.0, 0.0)), max=net.rng.choice((1.0, 6.0)))


def _softmax(net: Network) -> None:
    net.apply(net.rng.choice(("softmax", "softmax", "log_softmax")), net.at, dim=len(net.shape()) - 1)


def _reduced(net: Network) -> None:
    last = len(net.shape()) - 1
    op = net.rng.choice(("sum", "mean", "max", "logsumexp", "norm"))
    net.apply(op, net.at, dim=last if op == "max" else (last,), keepdim=True)


def _loss(net: Network) -> None:
    op = net.rng.choice(("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"))
    net.apply(op, net.at, net.tensor(*net.shape()), reduction=net.rng.choice(("mean", "none")))


def _attention(net: Network) -> None:
    batch, length, width = net.shape()
    heads = net.rng.choice([each for each in (1, 2, 4, 8, 12, 16) if width % each == 0])
    split = [
        net.apply("permute", net.apply("reshape", value, shape=(batch, length, heads, width // heads)),
                  dims=(0, 2, 1, 3))
        for value in (net.at, net.tensor(batch, length, width), net.tensor(batch, length, width))
    ]  # fmt: skip
    made = net.apply("scaled_dot_product_attention", *split, None, is_causal=net.rng.random() < 0.5)
    net.apply("reshape", net.apply("permute", made, dims=(0, 2, 1, 3)), shape=(batch, length, width))


# Layers on images


def _conv(net: Network) -> None:
    channels, height = net.shape()[1:3]
    wide, kernel = net.rng.choice(CHANNELS[1:]), net.rng.choice((1, 3, 3, 3, 5))
    bias = net.tensor(wide) if net.rng.random() < 0.6 else None
    stride = net.rng.choice((1, 1, 2)) if height > 2 * kernel else 1
    weight = net.tensor(wide, channels, kernel, kernel)
    net.apply("conv2d", net.at, weight, bias, stride=(stride,) * 2, padding=(kernel // 2,) * 2)


def _batch_norm(net: Network) -> None:
    statistics = [net.tensor(net.shape()[1]) for _ in range(4)]
    net.apply("batch_norm", net.at, *statistics, training=net.rng.random() < 0.3)


def _group_norm(net: Network) -> None:
    channels = net.shape()[1]
    groups = net.rng.choice([each for each in (1, 2, 4, 8, 16, 32) if channels % each == 0])
    net.apply("group_norm", net.at, net.tensor(channels), net.tensor(channels), num_groups=groups)


def _channel_bias(net: Network) -> None:
    net.apply(net.rng.choice(("add", "mul")), net.at, net.tensor(net.shape()[1], 1, 1))


def _pool(net: Network) -> None:
    if net.shape()[2] >= 4:
        op, kernel = net.rng.choice(("max_pool2d", "avg_pool2d")), net.rng.choice((2, 2, 3))
        net.apply(op, net.at, kernel_size=(kernel,) * 2, stride=(2, 2))


def _global_pool(net: Network) -> None:
    net.apply("mean", net.at, dim=(2, 3))


def _flat(net: Network) -> None:
    batch, *rest = net.shape()
    net.apply("reshape", net.at, shape=(batch, rest[0] * rest[1] * rest[2]))


LAYERS: dict[int, Sequence[Layer]] = {
    2: (
        _linear, _linear, _activation, _activation, _layer_norm, _rms_norm, _gate, _residual, _bias, _scalar,
        _clamp, _softmax, _reduced, _loss,
    ),
    3: (
        _linear, _linear, _activation, _activation, _layer_norm, _rms_norm, _gate, _residual, _bias, _scalar,
        _softmax, _attention,
    ),
    4: (
        _conv, _conv, _batch_norm, _group_norm, _activation, _activation, _channel_bias, _residual, _scalar,
        _clamp, _pool, _global_pool, _flat,
    ),
}  # fmt: skip
"""By the rank of what they read: rows, sequences, images."""


def _rows(net: Network) -> None:
    net.at = net.tensor(net.rng.choice((*BATCHES[3:], 256, 1024, 4096, 16384)), net.rng.choice(WIDTHS))


def _sequences(net: Network) -> None:
    net.at = net.tensor(net.rng.choice(BATCHES[:7]), net.rng.choice(LENGTHS), net.rng.choice(WIDTHS[:13]))


def _images(net: Network) -> None:
    side = net.rng.choice(SIDES)
    net.at = net.tensor(net.rng.choice(BATCHES), net.rng.choice(CHANNELS), side, side)


BEGINNINGS: Sequence[Layer] = (_rows, _sequences, _images)
