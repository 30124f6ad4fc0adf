"""Small modules of every kind that capture must understand; each is (class, init args, example inputs)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

Builder = Callable[[], nn.Module]
Inputs = Callable[[], tuple[Tensor, ...]]


@dataclass(frozen=True)
class Example:
    """One module to capture, with inputs that it accepts."""

    name: str
    # Constructs the module, in the mode (train or eval) that it is to be captured in.
    build: Builder
    inputs: Inputs
    # False: contains at least one operator outside the table, so that an opaque node is expected.
    known: bool = True


def _made(cls: type[nn.Module], *args, train: bool = False, dtype=torch.float32, **kwargs) -> Builder:
    """The function that builds `cls(*args, **kwargs)`, with the same weights each time."""

    def build() -> nn.Module:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            return cls(*args, **kwargs).to(dtype).train(train)

    return build


def _normal(*shapes: Sequence[int], dtype=torch.float32) -> Inputs:
    """The function that draws one normal tensor per shape, the same ones each time."""

    def inputs() -> tuple[Tensor, ...]:
        rng = torch.Generator().manual_seed(1)
        return tuple(torch.randn(tuple(shape), generator=rng).to(dtype) for shape in shapes)

    return inputs


def _positive(*shapes: Sequence[int]) -> Inputs:
    """As `_normal`, uniform between 0.5 and 1.5."""

    def inputs() -> tuple[Tensor, ...]:
        rng = torch.Generator().manual_seed(2)
        return tuple(torch.rand(tuple(shape), generator=rng) + 0.5 for shape in shapes)

    return inputs


def _tokens(high: int, *shapes: Sequence[int]) -> Inputs:
    """The function that draws one tensor of integers in [0, high) per shape."""

    def inputs() -> tuple[Tensor, ...]:
        rng = torch.Generator().manual_seed(3)
        return tuple(torch.randint(0, high, tuple(shape), generator=rng) for shape in shapes)

    return inputs


# --- Perceptrons, gates and other uses of linear layers ---


class MLP(nn.Module):
    def __init__(self, width_in: int, hidden: int, width_out: int, bias: bool = True):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(width_in, hidden, bias=bias),
            nn.ReLU(),
            nn.Linear(hidden, hidden, bias=bias),
            nn.GELU(approximate="tanh"),
            nn.Linear(hidden, width_out, bias=bias),
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)


class DropoutMLP(nn.Module):
    def __init__(self, width: int, rate: float):
        super().__init__()
        self.up = nn.Linear(width, 2 * width)
        self.drop = nn.Dropout(rate)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.down(self.drop(F.silu(self.up(x))))


class LowRankLinear(nn.Module):
    def __init__(self, width_in: int, width_out: int, rank: int):
        super().__init__()
        self.down = nn.Parameter(torch.randn(width_in, rank) * 0.1)
        self.up = nn.Parameter(torch.randn(rank, width_out) * 0.1)
        self.bias = nn.Parameter(torch.zeros(width_out))

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.down @ self.up + self.bias


class LoRALinear(nn.Module):
    """A linear layer with a low-rank correction, scaled by a Python number."""

    def __init__(self, width: int, rank: int, alpha: float):
        super().__init__()
        self.base = nn.Linear(width, width)
        self.a = nn.Linear(width, rank, bias=False)
        self.b = nn.Linear(rank, width, bias=False)
        self.scaling = alpha / rank

    def forward(self, x: Tensor) -> Tensor:
        return self.base(x) + self.b(self.a(x)) * self.scaling


class BottleneckAdapter(nn.Module):
    def __init__(self, width: int, hidden: int):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.down = nn.Linear(width, hidden)
        self.up = nn.Linear(hidden, width)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.up(F.silu(self.down(self.norm(x))))


class TiedAutoencoder(nn.Module):
    """One weight, used both ways round."""

    def __init__(self, width: int, code: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(code, width) * 0.1)
        self.bias = nn.Parameter(torch.zeros(code))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        code = torch.tanh(F.linear(x, self.weight, self.bias))
        return F.linear(code, self.weight.T), code


class TiedHeads(nn.Module):
    """Two submodules that hold the same parameter under two names."""

    def __init__(self, width: int):
        super().__init__()
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width)
        self.key.weight = self.query.weight

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return self.query(x) * self.key(y)


class Siamese(nn.Module):
    """One submodule, called on both inputs."""

    def __init__(self, width: int, code: int):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(width, 2 * code), nn.ELU(0.5), nn.Linear(2 * code, code))

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        return torch.abs(self.encoder(left) - self.encoder(right)).sum(dim=-1)


class Recycled(nn.Module):
    """The same layer applied several times, in a Python loop."""

    def __init__(self, width: int, steps: int):
        super().__init__()
        self.cell = nn.Linear(width, width)
        self.steps = steps

    def forward(self, x: Tensor) -> Tensor:
        state = x
        for _ in range(self.steps):
            state = torch.tanh(self.cell(state) + x)
        return state


class GLU(nn.Module):
    def __init__(self, width: int, hidden: int):
        super().__init__()
        self.proj = nn.Linear(width, 2 * hidden)

    def forward(self, x: Tensor) -> Tensor:
        value, gate = self.proj(x).chunk(2, dim=-1)
        return value * torch.sigmoid(gate)


class SwiGLU(nn.Module):
    def __init__(self, width: int, hidden: int):
        super().__init__()
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Maxout(nn.Module):
    def __init__(self, width_in: int, width_out: int, pieces: int):
        super().__init__()
        self.proj = nn.Linear(width_in, width_out * pieces)
        self.pieces = pieces

    def forward(self, x: Tensor) -> Tensor:
        y = self.proj(x).view(x.shape[0], -1, self.pieces)
        return y.max(dim=-1).values


class Highway(nn.Module):
    def __init__(self, width: int, depth: int):
        super().__init__()
        self.transforms = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.gates = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))

    def forward(self, x: Tensor) -> Tensor:
        for transform, gate in zip(self.transforms, self.gates, strict=True):
            x = torch.lerp(x, F.relu(transform(x)), torch.sigmoid(gate(x)))
        return x


class DenseExperts(nn.Module):
    """A mixture of experts in which every expert sees every row."""

    def __init__(self, width: int, experts: int):
        super().__init__()
        self.router = nn.Linear(width, experts)
        self.experts = nn.ModuleList(nn.Linear(width, width) for _ in range(experts))

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        weights = torch.softmax(self.router(x), dim=-1)
        outputs = torch.stack([F.gelu(expert(x)) for expert in self.experts], dim=1)
        mixed = (outputs * weights.unsqueeze(-1)).sum(dim=1)
        return {"mixed": mixed, "load": weights.mean(dim=0)}


class Ensemble(nn.Module):
    def __init__(self, width: int, members: int):
        super().__init__()
        self.members = nn.ModuleList(nn.Linear(width, 3) for _ in range(members))

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        votes = torch.stack([member(x) for member in self.members])
        return {"mean": votes.mean(0), "spread": votes.var(0), "best": votes.mean(0).argmax(-1)}


class HyperNetwork(nn.Module):
    """Generates the weights of a linear map from a context, and applies it."""

    def __init__(self, context: int, width_in: int, width_out: int):
        super().__init__()
        self.generator = nn.Linear(context, width_in * width_out)
        self.shape = (width_in, width_out)

    def forward(self, x: Tensor, context: Tensor) -> Tensor:
        weight = self.generator(context).reshape(-1, *self.shape)
        return torch.bmm(x, weight)


class BilinearScorer(nn.Module):
    def __init__(self, left: int, right: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(left, right) * 0.1)
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        return ((left @ self.weight) * right).sum(-1) + self.bias


class MultiTask(nn.Module):
    """A trunk with named heads, held in a ModuleDict; gives a dict with a tuple in it."""

    def __init__(self, width: int):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(width, width), nn.SELU())
        self.heads = nn.ModuleDict({"label": nn.Linear(width, 5), "box": nn.Linear(width, 4)})

    def forward(self, x: Tensor) -> dict[str, Tensor | tuple[Tensor, ...]]:
        h = self.trunk(x)
        corner, size = self.heads["box"](h).split(2, dim=-1)
        return {"label": F.log_softmax(self.heads["label"](h), dim=-1), "box": (corner, F.softplus(size))}


class WideAndDeep(nn.Module):
    def __init__(self, wide: int, deep: int):
        super().__init__()
        self.wide = nn.Linear(wide, 1)
        self.deep = nn.Sequential(nn.Linear(deep, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))

    def forward(self, wide: Tensor, deep: Tensor) -> Tensor:
        return torch.sigmoid(self.wide(wide) + self.deep(deep)).squeeze(-1)


class FactorizationMachine(nn.Module):
    def __init__(self, features: int, rank: int):
        super().__init__()
        self.linear = nn.Linear(features, 1)
        self.factors = nn.Parameter(torch.randn(features, rank) * 0.1)

    def forward(self, x: Tensor) -> Tensor:
        total = torch.matmul(x, self.factors)
        own = torch.matmul(x * x, self.factors * self.factors)
        return self.linear(x) + 0.5 * (total * total - own).sum(dim=1, keepdim=True)


class WeightNormLinear(nn.Module):
    """Weight normalisation by hand."""

    def __init__(self, width_in: int, width_out: int):
        super().__init__()
        self.direction = nn.Parameter(torch.randn(width_out, width_in))
        self.gain = nn.Parameter(torch.ones(width_out, 1))

    def forward(self, x: Tensor) -> Tensor:
        length = torch.linalg.vector_norm(self.direction, ord=2, dim=1, keepdim=True)
        return F.linear(x, self.gain * self.direction / length)


# --- Activations and arithmetic ---


class ActivationBank(nn.Module):
    """Every plain activation, side by side."""

    def forward(self, x: Tensor) -> list[Tensor]:
        return [
            F.relu(x),
            F.leaky_relu(x, 0.05),
            torch.sigmoid(x),
            torch.tanh(x),
            F.silu(x),
            F.gelu(x),
            F.gelu(x, approximate="tanh"),
            F.selu(x),
            F.elu(x, alpha=1.5),
            F.hardsigmoid(x),
            F.hardtanh(x, -0.5, 0.75),
            F.relu6(x),
            F.softplus(x, beta=2.0, threshold=10.0),
            F.softsign(x),
            F.logsigmoid(x),
            x.clamp(-1.0, 1.0),
        ]


class ActivationStack(nn.Module):
    """Activations as submodules, one after another."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Softplus(), nn.Softsign(), nn.Hardtanh(-0.9, 0.9), nn.SELU(), nn.Hardsigmoid(), nn.LogSigmoid()
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)


class Clamps(nn.Module):
    """A lower bound, an upper bound, and both from buffers."""

    def __init__(self, width: int):
        super().__init__()
        self.register_buffer("low", torch.linspace(-1.0, -0.5, width))
        self.register_buffer("high", torch.linspace(0.5, 1.0, width))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        bounded = torch.minimum(torch.maximum(x, self.low), self.high)
        return x.clamp(min=0.1), torch.clamp(x, max=0.3), bounded


class ScalarChain(nn.Module):
    """Every side on which a Python number can stand."""

    def __init__(self, offset: int, scale: float):
        super().__init__()
        self.offset = offset
        self.scale = scale

    def forward(self, x: Tensor) -> Tensor:
        y = x + self.offset
        y = 2 - y
        y = y * self.scale
        y = y / 4
        y = 3 * y + 1.5
        y = y - 0.25
        return -y


class Harmonic(nn.Module):
    """Reciprocals: a harmonic mean over the last dimension."""

    def forward(self, x: Tensor) -> Tensor:
        return x.shape[-1] / (1 / x).sum(dim=-1)


class ScaledAddSub(nn.Module):
    """Addition and subtraction with an alpha."""

    def __init__(self, step: float):
        super().__init__()
        self.step = step

    def forward(self, x: Tensor, velocity: Tensor, decay: Tensor) -> Tensor:
        return torch.sub(torch.add(x, velocity, alpha=self.step), decay, alpha=2)


class Polynomial(nn.Module):
    """Horner's rule over a parameter's entries."""

    def __init__(self, degree: int):
        super().__init__()
        self.coefficients = nn.Parameter(torch.randn(degree + 1))

    def forward(self, x: Tensor) -> Tensor:
        first, *rest = self.coefficients.unbind(0)
        y = first.expand(x.shape)
        for coefficient in rest:
            y = y * x + coefficient
        return y


class InPlace(nn.Module):
    """In-place operators on tensors that the module itself made."""

    def __init__(self, width: int):
        super().__init__()
        self.proj = nn.Linear(width, width)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        h = self.act(self.proj(x))
        h.add_(x).mul_(0.5)
        h -= 0.1
        h.div_(2.0).relu_()
        return h


class InPlaceThroughView(nn.Module):
    """An in-place operator on a view, which changes what the view looks into."""

    def forward(self, x: Tensor) -> Tensor:
        y = x * 2
        y.view(-1).add_(1.0)
        y.transpose(0, 1).tanh_()
        return y


class Interpolants(nn.Module):
    """Linear interpolation with a number, and with a tensor that broadcasts."""

    def __init__(self, width: int):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width))

    def forward(self, start: Tensor, end: Tensor) -> tuple[Tensor, Tensor]:
        return torch.lerp(start, end, 0.3), torch.lerp(start, end, self.weight)


class Periodic(nn.Module):
    """Snake-like activation with a learned frequency."""

    def __init__(self, width: int):
        super().__init__()
        self.frequency = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        wave = torch.sin(self.frequency * x)
        return x + wave * wave / self.frequency


class KeywordOnly(nn.Module):
    """Keyword-only arguments that keep their defaults."""

    def __init__(self, width: int):
        super().__init__()
        self.proj = nn.Linear(width, width)

    def forward(self, x: Tensor, *, scale: float = 0.5, residual: bool = True, mask: Tensor | None = None):
        y = self.proj(x) * scale
        if mask is not None:
            y = y * mask
        return x + y if residual else y


class OptionalInput(nn.Module):
    """An optional positional tensor, given here."""

    def __init__(self, width: int):
        super().__init__()
        self.proj = nn.Linear(width, width)

    def forward(self, x: Tensor, bias: Tensor | None = None) -> Tensor:
        y = self.proj(x)
        return y if bias is None else y + bias


class HingeLoss(nn.Module):
    """Gives a tensor of no dimensions."""

    def __init__(self, margin: float):
        super().__init__()
        self.margin = margin

    def forward(self, score: Tensor, sign: Tensor) -> Tensor:
        return torch.clamp(self.margin - score * sign, min=0).mean()


class Temperature(nn.Module):
    """Takes a tensor of no dimensions."""

    def forward(self, logits: Tensor, temperature: Tensor) -> Tensor:
        return torch.log_softmax(logits / temperature, dim=1)


# --- Identities, unused things, aliases, buffers, constants ---


class PassThrough(nn.Module):
    def __init__(self):
        super().__init__()
        self.identity = nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        return self.identity(x)


class InputBeside(nn.Module):
    """Returns one of its inputs beside a result."""

    def __init__(self, width: int):
        super().__init__()
        self.proj = nn.Linear(width, width)

    def forward(self, x: Tensor, context: Tensor) -> tuple[Tensor, Tensor]:
        return self.proj(x) + context, context


class SameTwice(nn.Module):
    """Returns one result under two names, and a view of it."""

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        y = torch.tanh(x)
        return {"first": y, "again": y, "flat": y.flatten()}


class ViewOfInput(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return x.permute(0, 2, 1), x[:, ::2, 1:-1]


class WeightBeside(nn.Module):
    """Returns a parameter and a buffer beside a result."""

    def __init__(self, width: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, width))
        self.register_buffer("scale", torch.full((width,), 0.5))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return x @ self.weight * self.scale, self.weight, self.scale


class Unused(nn.Module):
    """An unused parameter, an unused buffer and an unused input."""

    def __init__(self, width: int):
        super().__init__()
        self.proj = nn.Linear(width, width)
        self.spare = nn.Parameter(torch.zeros(width))
        self.register_buffer("history", torch.zeros(4, width))

    def forward(self, x: Tensor, ignored: Tensor) -> Tensor:
        return self.proj(x)


class DeadCode(nn.Module):
    """Computes a value that nothing reads."""

    def __init__(self, width: int):
        super().__init__()
        self.main = nn.Linear(width, width)
        self.auxiliary = nn.Linear(width, 2)

    def forward(self, x: Tensor) -> Tensor:
        _ = torch.sigmoid(self.auxiliary(x))
        return F.relu(self.main(x))


class Standardize(nn.Module):
    """Feature statistics kept in buffers, one of them not persistent."""

    def __init__(self, width: int):
        super().__init__()
        self.register_buffer("center", torch.linspace(-1.0, 1.0, width))
        self.register_buffer("spread", torch.linspace(1.0, 2.0, width), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        return (x - self.center) / self.spread


class RunningCenter(nn.Module):
    """Changes a buffer of its own in forward."""

    def __init__(self, width: int, momentum: float):
        super().__init__()
        self.register_buffer("center", torch.zeros(width))
        self.momentum = momentum

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            self.center.lerp_(x.mean(dim=0), self.momentum)
        return x - self.center


class ConstantInForward(nn.Module):
    """Converts colours with a tensor written out in forward."""

    def forward(self, image: Tensor) -> Tensor:
        weights = torch.tensor([0.299, 0.587, 0.114]).view(1, 3, 1, 1)
        return (image * weights).sum(dim=1, keepdim=True)


class ConstantAttribute(nn.Module):
    """Holds a tensor that is neither a parameter nor a buffer."""

    def __init__(self, width: int):
        super().__init__()
        self.table = torch.linspace(0.0, 1.0, width)

    def forward(self, x: Tensor) -> Tensor:
        return x * self.table


# --- Convolutions ---


class TemporalBlock(nn.Module):
    """Dilated residual convolution over time."""

    def __init__(self, channels: int, dilation: int):
        super().__init__()
        self.first = nn.Conv1d(channels, channels, 3, padding=dilation, dilation=dilation)
        self.second = nn.Conv1d(channels, channels, 3, padding="same", dilation=dilation, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.second(F.relu(self.first(x))))


class GatedConv1d(nn.Module):
    """Layers with tanh and sigmoid gates; the skip connections are summed."""

    def __init__(self, channels: int, layers: int):
        super().__init__()
        self.convs = nn.ModuleList(
            nn.Conv1d(channels, 2 * channels, 3, padding=2**i, dilation=2**i) for i in range(layers)
        )
        self.skips = nn.ModuleList(nn.Conv1d(channels, channels, 1) for _ in range(layers))

    def forward(self, x: Tensor) -> Tensor:
        total = 0
        for conv, skip in zip(self.convs, self.skips, strict=True):
            value, gate = conv(x).chunk(2, dim=1)
            h = skip(torch.tanh(value) * torch.sigmoid(gate))
            total = total + h
            x = x + h
        return F.relu(total)


class ConvBNAct(nn.Module):
    def __init__(
        self, width_in: int, width_out: int, stride: int = 1, groups: int = 1, inplace: bool = False
    ):
        super().__init__()
        self.conv = nn.Conv2d(width_in, width_out, 3, stride, padding=1, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(width_out)
        self.act = nn.ReLU(inplace=inplace)

    def forward(self, x: Tensor) -> Tensor:
        return self.act(self.norm(self.conv(x)))


class ResidualBlock(nn.Module):
    def __init__(self, width_in: int, width_out: int, stride: int):
        super().__init__()
        self.body = nn.Sequential(
            ConvBNAct(width_in, width_out, stride, inplace=True),
            nn.Conv2d(width_out, width_out, 3, padding=1, bias=False),
            nn.BatchNorm2d(width_out),
        )
        self.shortcut = nn.Conv2d(width_in, width_out, 1, stride)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        y = self.body(x)
        y += self.shortcut(x)
        return self.act(y)


class DepthwiseSeparable(nn.Module):
    def __init__(self, width_in: int, width_out: int):
        super().__init__()
        self.depthwise = nn.Conv2d(width_in, width_in, 3, padding=1, groups=width_in)
        self.pointwise = nn.Conv2d(width_in, width_out, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.pointwise(F.relu6(self.depthwise(x)))


class InvertedResidual(nn.Module):
    def __init__(self, channels: int, expansion: int):
        super().__init__()
        hidden = channels * expansion
        self.layers = nn.Sequential(
            nn.Conv2d(channels, hidden, 1, bias=False),
            nn.BatchNorm2d(hidden),
            nn.ReLU6(inplace=True),
            ConvBNAct(hidden, hidden, groups=hidden, inplace=True),
            nn.Conv2d(hidden, channels, 1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, x: Tensor) -> Tensor:
        return x + self.layers(x)


class ShuffleUnit(nn.Module):
    """Grouped convolutions with the channels shuffled between them."""

    def __init__(self, channels: int, groups: int):
        super().__init__()
        self.squeeze = nn.Conv2d(channels, channels, 1, groups=groups, bias=False)
        self.expand = nn.Conv2d(channels, channels, (3, 1), padding=(1, 0), groups=groups, bias=False)
        self.groups = groups

    def forward(self, x: Tensor) -> Tensor:
        y = self.squeeze(x)
        b, c, h, w = y.shape
        y = y.view(b, self.groups, c // self.groups, h, w).transpose(1, 2).reshape(b, c, h, w)
        return F.relu(x + self.expand(y))


class Inception(nn.Module):
    def __init__(self, width_in: int, width_out: int):
        super().__init__()
        self.point = nn.Conv2d(width_in, width_out, 1)
        self.square = nn.Conv2d(width_in, width_out, 3, padding="same")
        self.tall = nn.Conv2d(width_in, width_out, (5, 1), padding=(2, 0))
        self.pool = nn.AvgPool2d(3, stride=1, padding=1, count_include_pad=False)

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([self.point(x), self.square(x), self.tall(x), self.pool(x)], dim=1)


class DenseBlock(nn.Module):
    """Each layer reads all that came before it."""

    def __init__(self, channels: int, growth: int, layers: int):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Conv2d(channels + i * growth, growth, 3, padding=1) for i in range(layers)
        )

    def forward(self, x: Tensor) -> Tensor:
        features = [x]
        for layer in self.layers:
            features.append(F.leaky_relu(layer(torch.cat(features, 1)), 0.1))
        return torch.cat(features, 1)


class SqueezeExcite(nn.Module):
    def __init__(self, channels: int, reduction: int):
        super().__init__()
        self.down = nn.Linear(channels, channels // reduction)
        self.up = nn.Linear(channels // reduction, channels)

    def forward(self, x: Tensor) -> Tensor:
        scale = F.hardsigmoid(self.up(F.relu(self.down(x.mean(dim=(2, 3))))))
        return x * scale[:, :, None, None]


class SpatialAttention(nn.Module):
    def __init__(self, kernel: int):
        super().__init__()
        self.conv = nn.Conv2d(2, 1, kernel, padding=kernel // 2, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        strongest, _ = x.max(dim=1, keepdim=True)
        pooled = torch.cat((x.mean(dim=1, keepdim=True), strongest), dim=1)
        return x * torch.sigmoid(self.conv(pooled))


class FiLM(nn.Module):
    """Scales and shifts the channels by a condition."""

    def __init__(self, channels: int, condition: int):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.film = nn.Linear(condition, 2 * channels)

    def forward(self, x: Tensor, condition: Tensor) -> Tensor:
        gamma, beta = self.film(condition).unsqueeze(-1).unsqueeze(-1).chunk(2, dim=1)
        return F.relu((1 + gamma) * self.conv(x) + beta)


class PatchEmbed(nn.Module):
    def __init__(self, channels: int, width: int, patch: int, tokens: int):
        super().__init__()
        self.proj = nn.Conv2d(channels, width, patch, stride=patch)
        self.cls = nn.Parameter(torch.zeros(1, 1, width))
        self.position = nn.Parameter(torch.randn(1, tokens + 1, width) * 0.02)

    def forward(self, image: Tensor) -> Tensor:
        tokens = self.proj(image).flatten(2).transpose(1, 2)
        return torch.cat([self.cls.expand(tokens.shape[0], -1, -1), tokens], dim=1) + self.position


class BlurPool(nn.Module):
    """A fixed depthwise filter, held in a buffer."""

    def __init__(self, channels: int):
        super().__init__()
        row = torch.tensor([1.0, 2.0, 1.0])
        kernel = torch.outer(row, row) / 16
        self.register_buffer("kernel", kernel.expand(channels, 1, 3, 3).clone())
        self.channels = channels

    def forward(self, x: Tensor) -> Tensor:
        return F.conv2d(x, self.kernel, stride=2, padding=1, groups=self.channels)


class CoordConv(nn.Module):
    def __init__(self, channels: int, size: int):
        super().__init__()
        line = torch.linspace(-1.0, 1.0, size)
        self.register_buffer("grid", torch.stack(torch.meshgrid(line, line, indexing="ij")))
        self.conv = nn.Conv2d(channels + 2, channels, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        grid = self.grid.unsqueeze(0).expand(x.shape[0], -1, -1, -1)
        return self.conv(torch.cat((x, grid), dim=1))


class StandardizedConv(nn.Module):
    """A convolution whose weight is centred and scaled in forward."""

    def __init__(self, width_in: int, width_out: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width_out, width_in, 3, 3))
        self.bias = nn.Parameter(torch.zeros(width_out))

    def forward(self, x: Tensor) -> Tensor:
        weight = self.weight - self.weight.mean(dim=(1, 2, 3), keepdim=True)
        weight = weight / (torch.linalg.vector_norm(weight, dim=(1, 2, 3), keepdim=True) + 1e-5)
        return F.conv2d(x, weight, self.bias, stride=(2, 1), padding=(1, 1), dilation=(1, 1))


class Conv3dBlock(nn.Module):
    def __init__(self, width_in: int, width_out: int):
        super().__init__()
        self.conv = nn.Conv3d(width_in, width_out, 3, stride=(1, 2, 2), padding=1)
        self.norm = nn.GroupNorm(2, width_out)
        self.point = nn.Conv3d(width_out, width_out, 1, groups=2, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.point(F.elu(self.norm(self.conv(x))))


class Decoder2d(nn.Module):
    def __init__(self, code: int, channels: int):
        super().__init__()
        self.start = nn.Linear(code, channels * 4 * 4)
        self.up = nn.Sequential(
            nn.ConvTranspose2d(channels, channels // 2, 4, stride=2, padding=1),
            nn.LeakyReLU(0.2, inplace=True),
            nn.ConvTranspose2d(channels // 2, 3, 3, stride=2, padding=1, output_padding=1, bias=False),
        )

    def forward(self, code: Tensor) -> Tensor:
        return torch.tanh(self.up(self.start(code).view(code.shape[0], -1, 4, 4)))


class Upsampler1d(nn.Module):
    """Transposed convolutions over time: grouped, and dilated."""

    def __init__(self, channels: int):
        super().__init__()
        self.grouped = nn.ConvTranspose1d(channels, channels, 4, stride=2, padding=1, groups=channels)
        self.dilated = nn.ConvTranspose1d(channels, 1, 3, dilation=2, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.dilated(F.softsign(self.grouped(x)))


class Upsampler3d(nn.Module):
    def __init__(self, width_in: int, width_out: int):
        super().__init__()
        self.up = nn.ConvTranspose3d(width_in, width_out, (1, 2, 2), stride=(1, 2, 2))

    def forward(self, x: Tensor) -> Tensor:
        return F.silu(self.up(x))


class SmallUNet(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.enter = ConvBNAct(3, channels)
        self.down = ConvBNAct(channels, 2 * channels)
        self.up = nn.ConvTranspose2d(2 * channels, channels, 2, stride=2)
        self.leave = nn.Conv2d(2 * channels, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        skip = self.enter(x)
        low = self.down(F.max_pool2d(skip, 2))
        return torch.sigmoid(self.leave(torch.cat([skip, self.up(low)], dim=1)))


class SmallClassifier(nn.Module):
    """Convolutions, pooling, a flattening and a dropout before the last layer."""

    def __init__(self, classes: int):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 5, padding=2),
            nn.Tanh(),
            nn.AvgPool2d(2),
            nn.Conv2d(8, 8, 3),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.head = nn.Sequential(
            nn.Flatten(), nn.Dropout(0.5), nn.Linear(8 * 3 * 3, classes), nn.LogSoftmax(dim=1)
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.features(x))


class ChannelDropout(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 1)
        self.drop = nn.Dropout2d(0.2)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.drop(self.conv(x))


class Upscale(nn.Module):
    """Pixel shuffle by views."""

    def __init__(self, channels: int, factor: int):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels * factor * factor, 3, padding=1)
        self.factor = factor

    def forward(self, x: Tensor) -> Tensor:
        r = self.factor
        b, c, h, w = x.shape
        y = self.conv(x).view(b, c, r, r, h, w)
        return y.permute(0, 1, 4, 2, 5, 3).contiguous().view(b, c, h * r, w * r)


class UnbatchedConv(nn.Module):
    """A convolution and a pooling over inputs that have no batch dimension."""

    def __init__(self, channels: int):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3)

    def forward(self, x: Tensor) -> Tensor:
        return F.max_pool2d(self.conv(x), 2)


# --- Pooling ---


class PyramidPool(nn.Module):
    """Pools the map to several sizes and flattens them into one row."""

    def __init__(self, kernels: Sequence[int]):
        super().__init__()
        self.pools = nn.ModuleList(nn.MaxPool2d(kernel) for kernel in kernels)

    def forward(self, x: Tensor) -> Tensor:
        levels = [pool(x).flatten(1) for pool in self.pools]
        return torch.cat([*levels, x.mean((-2, -1))], dim=1)


class Pools1d(nn.Module):
    def __init__(self):
        super().__init__()
        self.average = nn.AvgPool1d(3, stride=2, padding=1)
        self.largest = nn.MaxPool1d(3, stride=2, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return self.average(x) + self.largest(x)


class Pools2d(nn.Module):
    """The options of the two-dimensional pools."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return (
            F.avg_pool2d(x, (2, 3), stride=(1, 2), ceil_mode=True),
            F.avg_pool2d(x, 2, divisor_override=3),
            F.max_pool2d(x, 3, stride=2, padding=1, dilation=2, ceil_mode=True),
        )


class Pools3d(nn.Module):
    def __init__(self):
        super().__init__()
        self.average = nn.AvgPool3d(2)
        self.largest = nn.MaxPool3d((1, 2, 2), stride=(2, 2, 2))

    def forward(self, x: Tensor) -> list[Tensor]:
        return [self.average(x), self.largest(x)]


class LocalContrast(nn.Module):
    """Divides what stands out of its neighbourhood by how much the neighbourhood varies."""

    def __init__(self, kernel: int):
        super().__init__()
        self.kernel = kernel

    def forward(self, x: Tensor) -> Tensor:
        pad = self.kernel // 2
        centred = x - F.avg_pool2d(x, self.kernel, 1, pad)
        return centred / (F.avg_pool2d(centred.abs(), self.kernel, 1, pad) + 1e-3)


class SoftmaxPool(nn.Module):
    """A weighted mean over the sequence, the weights learned."""

    def __init__(self, width: int):
        super().__init__()
        self.score = nn.Linear(width, 1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        weights = F.softmax(self.score(x), dim=1)
        return (weights.transpose(1, 2) @ x).squeeze(1)


class StatisticsPool(nn.Module):
    """Mean, variance and extremes over time, side by side."""

    def forward(self, x: Tensor) -> Tensor:
        highest, lowest = x.max(2)[0], x.min(2)[0]
        return torch.cat([x.mean(2), x.var(2, unbiased=False), highest, lowest], dim=-1)


# --- Normalisation ---


class Normed(nn.Module):
    """Scales the channels, then applies whatever normalisation it was given."""

    def __init__(self, channels: int, norm: Callable[..., nn.Module], *args, **kwargs):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(channels))
        self.norm = norm(*args, **kwargs)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(x * self.scale.view(-1, *[1] * (x.dim() - 2)))


class LinearBatchNorm(nn.Module):
    def __init__(self, width_in: int, width_out: int, **options):
        super().__init__()
        self.proj = nn.Linear(width_in, width_out, bias=False)
        self.norm = nn.BatchNorm1d(width_out, **options)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.norm(self.proj(x)))


class FrozenBatchNorm(nn.Module):
    """The statistics come as inputs."""

    def forward(self, x: Tensor, mean: Tensor, var: Tensor) -> Tensor:
        return F.batch_norm(x, mean, var, training=False, eps=1e-3)


class RMSLikeNorm(nn.Module):
    """Root mean square by the norm of the row and the square root of its length."""

    def __init__(self, width: int):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))
        self.root = math.sqrt(width)

    def forward(self, x: Tensor) -> Tensor:
        rms = torch.linalg.vector_norm(x, dim=-1, keepdim=True) / self.root
        return self.gain * x / (rms + 1e-6)


class ScaleNorm(nn.Module):
    """As torch.norm spells it."""

    def __init__(self, scale: float):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(scale))

    def forward(self, x: Tensor) -> Tensor:
        return x * (self.scale / torch.norm(x, p=2, dim=-1, keepdim=True).clamp(min=1e-5))


class ResponseNorm(nn.Module):
    """Global response normalisation over a channels-last map."""

    def __init__(self, width: int):
        super().__init__()
        self.gamma = nn.Parameter(torch.full((1, 1, 1, width), 0.1))
        self.beta = nn.Parameter(torch.zeros(1, 1, 1, width))

    def forward(self, x: Tensor) -> Tensor:
        response = torch.norm(x, p=2, dim=(1, 2), keepdim=True)
        relative = response / (response.mean(dim=-1, keepdim=True) + 1e-6)
        return self.gamma * (x * relative) + self.beta + x


class FunctionalNorms(nn.Module):
    """Functional forms with neither weight nor bias."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return F.layer_norm(x, x.shape[-2:]), F.group_norm(x, 4), F.instance_norm(x)


# --- Reductions, scans and distances ---


class Sums(nn.Module):
    """Over one dimension, several, and all; with and without keeping them."""

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        return {
            "all": x.sum(),
            "one": x.sum(1),
            "several": x.sum(dim=(0, 2), keepdim=True),
            "mean": x.mean(),
            "mean_last": x.mean(-1, keepdim=True),
            "mean_several": torch.mean(x, dim=[1, 2]),
        }


class Extremes(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        return x.max(dim=1).values, x.min(dim=-1, keepdim=True).values, x.argmax(dim=2), x.argmin(dim=0)


class FlatArgmax(nn.Module):
    """The index of the largest of all entries, and of each row with its dimension kept."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return torch.argmax(x), torch.argmin(x, dim=-1, keepdim=True)


class ValueAndIndex(nn.Module):
    """Both results of a maximum over a dimension."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        values, indices = torch.max(x, dim=1)
        return values, indices


class Variances(nn.Module):
    def forward(self, x: Tensor) -> list[Tensor]:
        return [
            x.var(),
            x.var(dim=1),
            torch.var(x, dim=(0, 2), unbiased=False),
            torch.var(x, dim=-1, correction=0, keepdim=True),
        ]


class Norms(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        return (
            torch.norm(x),
            torch.norm(x, p=1, dim=1),
            torch.linalg.vector_norm(x, ord=3, dim=(1, 2)),
            torch.linalg.vector_norm(x, ord=float("inf"), dim=-1, keepdim=True),
            x.norm(p=2, dim=0),
        )


class Scans(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return torch.cumsum(x, dim=1), torch.cummax(x, dim=-1).values, torch.cummin(x, dim=0)[0]


class RunningMean(nn.Module):
    def __init__(self, length: int):
        super().__init__()
        self.register_buffer("counts", torch.linspace(1.0, float(length), length).unsqueeze(-1))

    def forward(self, x: Tensor) -> Tensor:
        return x.cumsum(dim=1) / self.counts


class Drawdown(nn.Module):
    """How far a path lies under its highest point so far."""

    def forward(self, returns: Tensor) -> tuple[Tensor, Tensor]:
        path = returns.cumsum(-1)
        depth = path.cummax(-1)[0] - path
        return depth, depth.max(-1)[0]


class CosineSimilarity(nn.Module):
    def __init__(self, epsilon: float):
        super().__init__()
        self.epsilon = epsilon

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        lengths = torch.norm(a, dim=-1) * torch.norm(b, dim=-1)
        return (a * b).sum(-1) / torch.clamp(lengths, min=self.epsilon)


class ContrastiveLogits(nn.Module):
    """Both directions of a contrastive loss, before the loss; the temperature is learned."""

    def __init__(self, width: int, code: int):
        super().__init__()
        self.image = nn.Linear(width, code, bias=False)
        self.text = nn.Linear(width, code, bias=False)
        self.log_scale = nn.Parameter(torch.tensor(3.0))

    def forward(self, image: Tensor, text: Tensor) -> tuple[Tensor, Tensor]:
        u, v = self.image(image), self.text(text)
        u = u / torch.linalg.vector_norm(u, dim=1, keepdim=True)
        v = v / torch.linalg.vector_norm(v, dim=1, keepdim=True)
        logits = torch.exp2(self.log_scale) * u @ v.T
        return logits, logits.T


class Prototypes(nn.Module):
    """The distance from each row to each prototype, and the nearest."""

    def __init__(self, count: int, width: int):
        super().__init__()
        self.prototypes = nn.Parameter(torch.randn(count, width))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        distances = torch.linalg.vector_norm(x[:, None] - self.prototypes[None], dim=-1)
        return distances, distances.argmin(dim=1)


class TripletLoss(nn.Module):
    def __init__(self, margin: float):
        super().__init__()
        self.margin = margin

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        near = torch.norm(anchor - positive, p=2, dim=1)
        far = torch.norm(anchor - negative, p=2, dim=1)
        return F.relu(near - far + self.margin).mean()


class DistillationLoss(nn.Module):
    """The cross entropy between two softened distributions, by hand."""

    def __init__(self, temperature: float):
        super().__init__()
        self.temperature = temperature

    def forward(self, student: Tensor, teacher: Tensor) -> Tensor:
        target = torch.softmax(teacher / self.temperature, dim=-1)
        return -(target * F.log_softmax(student / self.temperature, dim=-1)).sum(dim=-1).mean()


# --- Attention and other sequence layers ---


class SingleHeadAttention(nn.Module):
    """Gives the weights beside the output."""

    def __init__(self, width: int):
        super().__init__()
        self.q = nn.Linear(width, width)
        self.k = nn.Linear(width, width)
        self.v = nn.Linear(width, width)
        self.scale = width**-0.5

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        scores = torch.bmm(self.q(x), self.k(x).transpose(1, 2)) * self.scale
        weights = torch.softmax(scores, dim=-1)
        return torch.bmm(weights, self.v(x)), weights


class MultiHeadAttention(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float = 0.0):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.drop = nn.Dropout(dropout)
        self.heads = heads

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        qkv = self.qkv(x).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        scores = q @ k.transpose(-2, -1) / math.sqrt(c // self.heads)
        weights = self.drop(F.softmax(scores, dim=-1))
        return self.out((weights @ v).transpose(1, 2).reshape(b, t, c))


class CausalAttention(nn.Module):
    """Multi-head attention with an additive mask, made from a buffer by triu."""

    def __init__(self, width: int, heads: int, context: int):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.heads = heads
        self.register_buffer("blocked", torch.full((context, context), -1e9))

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        q, k, v = self.qkv(x).split(c, dim=2)
        q = q.view(b, t, self.heads, -1).transpose(1, 2)
        k = k.view(b, t, self.heads, -1).transpose(1, 2)
        v = v.view(b, t, self.heads, -1).transpose(1, 2)
        mask = torch.triu(self.blocked[:t, :t], diagonal=1)
        weights = torch.softmax(q @ k.mT * (c // self.heads) ** -0.5 + mask, dim=-1)
        return self.out((weights @ v).transpose(1, 2).contiguous().view(b, t, c))


class CrossAttention(nn.Module):
    def __init__(self, width: int, context: int):
        super().__init__()
        self.q = nn.Linear(width, width, bias=False)
        self.kv = nn.Linear(context, 2 * width, bias=False)
        self.scale = 1 / math.sqrt(width)

    def forward(self, x: Tensor, context: Tensor, bias: Tensor) -> Tensor:
        k, v = self.kv(context).chunk(2, -1)
        scores = torch.matmul(self.q(x) * self.scale, k.permute(0, 2, 1)) + bias.unsqueeze(1)
        return x + torch.matmul(scores.softmax(-1), v)


class MultiQueryAttention(nn.Module):
    """Several heads of queries share one head of keys and values."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.size = width // heads
        self.q = nn.Linear(width, width)
        self.k = nn.Linear(width, self.size)
        self.v = nn.Linear(width, self.size)

    def forward(self, x: Tensor) -> Tensor:
        b, t, _ = x.shape
        q = self.q(x).reshape(b, t, self.heads, self.size).permute(0, 2, 1, 3)
        k = self.k(x).unsqueeze(1).expand(-1, self.heads, -1, -1)
        v = self.v(x).unsqueeze(1).expand(-1, self.heads, -1, -1)
        weights = torch.softmax(q @ k.transpose(2, 3) / self.size, dim=3)
        return (weights @ v).permute(0, 2, 1, 3).flatten(2)


class LinearAttention(nn.Module):
    """Attention without a softmax, by the feature map elu(x) + 1."""

    def __init__(self, width: int):
        super().__init__()
        self.q = nn.Linear(width, width)
        self.k = nn.Linear(width, width)
        self.v = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        q, k = F.elu(self.q(x)) + 1, F.elu(self.k(x)) + 1
        memory = k.mT @ self.v(x)
        total = k.sum(dim=1, keepdim=True)
        return (q @ memory) / ((q * total).sum(dim=-1, keepdim=True) + 1e-6)


class Retention(nn.Module):
    """Scores kept only below the diagonal, and made to decay with the distance by a buffer."""

    def __init__(self, width: int, context: int, decay: float):
        super().__init__()
        self.proj = nn.Linear(width, 3 * width)
        steps = torch.linspace(0.0, context - 1.0, context)
        self.register_buffer("decay", decay ** (steps[:, None] - steps[None, :]).abs())

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.proj(x).chunk(3, dim=-1)
        return torch.tril(q @ k.transpose(1, 2) * self.decay) @ v


class AlibiScores(nn.Module):
    """Attention weights with a penalty that grows with the distance, each head its own."""

    def __init__(self, heads: int, context: int):
        super().__init__()
        steps = torch.linspace(0.0, context - 1.0, context)
        self.register_buffer("distance", (steps[:, None] - steps[None, :]).abs())
        self.register_buffer("slopes", torch.linspace(1.0, float(heads), heads))

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        penalty = torch.exp2(-self.slopes)[:, None, None] * self.distance
        return torch.softmax(q @ k.mT - penalty, dim=-1)


class WindowAttention(nn.Module):
    """Attention inside windows that are cut by views."""

    def __init__(self, width: int, window: int):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.window = window
        self.bias = nn.Parameter(torch.zeros(window, window))

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        windows = self.qkv(x).view(b, t // self.window, self.window, 3, c)
        q, k, v = windows[:, :, :, 0], windows[:, :, :, 1], windows.select(3, 2)
        return (F.softmax(q @ k.transpose(-1, -2) + self.bias, dim=-1) @ v).reshape(b, t, c)


class TransformerBlock(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.before = nn.LayerNorm(width)
        self.attention = MultiHeadAttention(width, heads, dropout=0.1)
        self.after = nn.LayerNorm(width, eps=1e-6)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Dropout(0.1), nn.Linear(4 * width, width)
        )

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.before(x))
        return x + self.mlp(self.after(x))


class MixerBlock(nn.Module):
    def __init__(self, tokens: int, width: int):
        super().__init__()
        self.norm_tokens = nn.LayerNorm(width)
        self.tokens = nn.Sequential(nn.Linear(tokens, 2 * tokens), nn.GELU(), nn.Linear(2 * tokens, tokens))
        self.norm_width = nn.LayerNorm(width, elementwise_affine=False)
        self.channels = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.tokens(self.norm_tokens(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.norm_width(x))


class SpatialGate(nn.Module):
    """Half of the channels gate the other half, after a map across the tokens."""

    def __init__(self, tokens: int, width: int):
        super().__init__()
        self.norm = nn.LayerNorm(width // 2)
        self.mix = nn.Conv1d(tokens, tokens, 1)

    def forward(self, x: Tensor) -> Tensor:
        u, v = x.split([x.shape[-1] // 2, x.shape[-1] // 2], dim=-1)
        return u * self.mix(self.norm(v))


class TokenShift(nn.Module):
    """Mixes each step with the one before it."""

    def __init__(self, width: int):
        super().__init__()
        self.mix = nn.Parameter(torch.rand(width))
        self.key = nn.Linear(width, width, bias=False)
        self.start = nn.Parameter(torch.zeros(1, 1, width))

    def forward(self, x: Tensor) -> Tensor:
        shifted = torch.cat([self.start.expand(x.size(0), 1, -1), x[:, :-1]], dim=1)
        h = torch.relu(self.key(torch.lerp(shifted, x, self.mix)))
        return h * h


class UnrolledRNN(nn.Module):
    """A recurrent cell, unrolled over the steps."""

    def __init__(self, width: int, hidden: int):
        super().__init__()
        self.enter = nn.Linear(width, hidden)
        self.recur = nn.Linear(hidden, hidden, bias=False)

    def forward(self, x: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        states = []
        for step in x.unbind(dim=1):
            state = torch.tanh(self.enter(step) + self.recur(state))
            states.append(state)
        return torch.stack(states, dim=1), state


class GatedCell(nn.Module):
    """One step of a gated recurrent unit, by hand."""

    def __init__(self, width: int, hidden: int):
        super().__init__()
        self.gates = nn.Linear(width + hidden, 2 * hidden)
        self.candidate = nn.Linear(width + hidden, hidden)

    def forward(self, x: Tensor, state: Tensor) -> Tensor:
        reset, update = torch.sigmoid(self.gates(torch.cat([x, state], dim=-1))).chunk(2, dim=-1)
        new = torch.tanh(self.candidate(torch.cat([x, reset * state], dim=-1)))
        return (1 - update) * new + update * state


class Rotary(nn.Module):
    """Rotates pairs of channels by angles held in buffers."""

    def __init__(self, length: int, width: int):
        super().__init__()
        steps = torch.linspace(0.0, length - 1.0, length)
        angles = torch.outer(steps, torch.logspace(0.0, -4.0, width // 2))
        self.register_buffer("angles", angles)

    def forward(self, x: Tensor) -> Tensor:
        cos, sin = self.angles.cos(), self.angles.sin()
        even, odd = x[..., ::2], x[..., 1::2]
        return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)


class FourierFeatures(nn.Module):
    def __init__(self, dims: int, bands: int):
        super().__init__()
        self.octaves = nn.Parameter(torch.linspace(0.0, bands - 1.0, bands))
        self.proj = nn.Linear(dims * bands * 2, 8)

    def forward(self, points: Tensor) -> Tensor:
        angles = (points.unsqueeze(-1) * torch.exp2(self.octaves)).flatten(1)
        return self.proj(torch.cat([torch.sin(angles), torch.cos(angles)], dim=-1))


class TripleProduct(nn.Module):
    """Matrix products of every number of dimensions: vectors, matrices, and batches that broadcast."""

    def forward(self, v: Tensor, m: Tensor, batch: Tensor) -> tuple[Tensor, ...]:
        return torch.matmul(v, v), m @ v, v @ m, m @ batch, batch @ v, batch.unsqueeze(1) @ m.T


class ViewParade(nn.Module):
    """One long chain of views."""

    def forward(self, x: Tensor) -> Tensor:
        y = x.unsqueeze(1).expand(-1, 2, -1, -1)
        y = y.reshape(-1, x.shape[1], x.shape[2]).permute(2, 0, 1)
        y = y[1:, ::2, -3:].transpose(0, 1).contiguous()
        y = y.view(y.shape[0], 1, -1).squeeze(1)
        first, second = y.T.chunk(2, dim=0)
        return first.mT + second.transpose(-1, -2).flatten(0, 0).select(0, 0)


class Squeezes(nn.Module):
    """Every dimension of size one, some of them, and one that is not of size one (which stays)."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return x.squeeze() * 2, x.squeeze((1, 3)) + 1, x.squeeze(0) - 1


class UnevenSplit(nn.Module):
    """Splits of unequal sizes, whose last part is smaller."""

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        a, b, c = x.split([2, 3, 5], dim=1)
        *_, tail = x.split(4, dim=1)
        return a * 2, torch.cat([c, b], dim=1), tail + 1, x.chunk(3, dim=1)[0]


# --- With at least one operator outside the table ---


class TokenClassifier(nn.Module):
    def __init__(self, words: int, width: int, classes: int):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.head = nn.Linear(width, classes)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.words(tokens).mean(dim=1))


class GRULoop(nn.Module):
    """A cell of torch, called once per step."""

    def __init__(self, width: int, hidden: int):
        super().__init__()
        self.cell = nn.GRUCell(width, hidden)

    def forward(self, x: Tensor, state: Tensor) -> Tensor:
        for step in x.unbind(1):
            state = self.cell(step, state)
        return state


class LSTMClassifier(nn.Module):
    def __init__(self, width: int, hidden: int):
        super().__init__()
        self.cell = nn.LSTM(width, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 2)

    def forward(self, x: Tensor) -> Tensor:
        states, _ = self.cell(x)
        return self.head(states[:, -1])


class EinsumAttention(nn.Module):
    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        weights = torch.softmax(torch.einsum("bqhd,bkhd->bhqk", q, k), dim=-1)
        return torch.einsum("bhqk,bkhd->bqhd", weights, v)


class RMSNorm(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return x / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.gain


class TopKRouter(nn.Module):
    def __init__(self, width: int, experts: int, chosen: int):
        super().__init__()
        self.router = nn.Linear(width, experts)
        self.chosen = chosen

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        values, indices = self.router(x).topk(self.chosen, dim=-1)
        return torch.softmax(values, dim=-1), indices


class TrimmedMean(nn.Module):
    """Leaves out the smallest and the largest value of each row."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.sort(x, dim=-1).values[:, 1:-1].mean(dim=-1)


class PickedScore(nn.Module):
    def forward(self, logits: Tensor) -> Tensor:
        best = logits.argmax(dim=-1, keepdim=True)
        return torch.log_softmax(logits, dim=-1).gather(-1, best).squeeze(-1)


class FusedAttention(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)


class CompareCode(nn.Module):
    """Codes each value by which of the levels it equals."""

    def __init__(self, levels: int):
        super().__init__()
        self.register_buffer("levels", torch.linspace(0.0, levels - 1.0, levels))

    def forward(self, x: Tensor) -> Tensor:
        return (x.clamp(0.0, 1.0).unsqueeze(-1) == self.levels) * 1.0


class MaskedFill(nn.Module):
    def __init__(self, context: int):
        super().__init__()
        self.register_buffer("future", torch.ones(context, context).triu(1).bool())

    def forward(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores.masked_fill(self.future, float("-inf")), dim=-1)


class NearestUpsample(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return self.conv(F.interpolate(x, scale_factor=2.0, mode="nearest"))


class UpcastNorm(nn.Module):
    """Normalises in float32 and gives back the type it was given."""

    def __init__(self, width: int):
        super().__init__()
        self.width = width

    def forward(self, x: Tensor) -> Tensor:
        return F.layer_norm(x.float(), (self.width,)).to(x.dtype)


class Sinusoids(nn.Module):
    """Adds a positional encoding that is made anew in forward."""

    def __init__(self, width: int):
        super().__init__()
        self.width = width

    def forward(self, x: Tensor) -> Tensor:
        steps = torch.arange(x.shape[1], dtype=x.dtype)
        rates = torch.exp(torch.arange(0, self.width, 2, dtype=x.dtype) * (-math.log(1e4) / self.width))
        angles = steps[:, None] * rates
        return x + torch.cat([angles.sin(), angles.cos()], dim=-1)


class ClassLoss(nn.Module):
    """Cross entropy against the classes of highest score."""

    def __init__(self, width: int, classes: int):
        super().__init__()
        self.head = nn.Linear(width, classes)

    def forward(self, x: Tensor, scores: Tensor) -> Tensor:
        return F.cross_entropy(self.head(x), scores.argmax(dim=-1), label_smoothing=0.1)


class ZeroedColumn(nn.Module):
    """Writes into a part of a copy of its input."""

    def forward(self, x: Tensor) -> Tensor:
        y = x.clone()
        y[:, 0] = 0
        return y * 2


class CircularConv(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, 3, padding=1, padding_mode="circular")

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.conv(x))


class LogSumExp(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return torch.logsumexp(x, dim=-1), x.amax(dim=-1)


class GlobalPoolHead(nn.Module):
    def __init__(self, channels: int, classes: int):
        super().__init__()
        self.conv = nn.Conv2d(3, channels, 3, stride=2)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(channels, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.pool(F.hardswish(self.conv(x))).flatten(1))


class FilledInForward(nn.Module):
    """Starts its state from zeros made in forward."""

    def __init__(self, width: int):
        super().__init__()
        self.proj = nn.Linear(2 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        state = torch.zeros(x.shape[0], x.shape[2])
        for step in x.unbind(1):
            state = torch.tanh(self.proj(torch.cat([step, state], dim=-1)))
        return state


class Powers(nn.Module):
    """Exponentials, logarithms, roots and powers, in the ways that they are written."""

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        return (
            torch.exp(x), x.log(), x.sqrt(), torch.rsqrt(x),
            x**2, x**3.0, x.square(), x**0.5, x.pow(-1), x**-1.5,
        )  # fmt: skip


class Choices(nn.Module):
    """What is chosen by comparing, filled by comparing, and chosen by a mask that is given."""

    def forward(self, x: Tensor, y: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        return (
            torch.where(x > y, x, y),
            torch.where(y <= 0.5, x, y[:1]),
            torch.where(x.abs() != 0, x, y),
            torch.where(mask, x, y),
            torch.where(x >= 0, -1.0, y),
            x.masked_fill(x > 0.5, 0.0),
            x.masked_fill(mask == 0, 2),
            x.masked_fill(mask, -1.0),
        )


class LinalgNorms(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        return (
            torch.linalg.norm(x),
            torch.linalg.norm(x, dim=1),
            torch.linalg.norm(x, ord=1, dim=-1, keepdim=True),
            torch.linalg.norm(x, ord="fro", dim=(0, 2)),
            torch.linalg.matrix_norm(x),
            torch.linalg.vector_norm(x, ord=float("inf"), dim=2),
            torch.norm(x, p=3, dim=0),
        )


class Mirrors(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        return torch.flip(x, (0, -1)), torch.fliplr(x), torch.flipud(x), torch.cumprod(torch.sigmoid(x), -1)


class AdaptivePools(nn.Module):
    """Down to one, to sizes that divide and that do not, with one axis as it is, without a batch."""

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        return (
            F.adaptive_avg_pool2d(x, 1),
            F.adaptive_max_pool2d(x, (4, 2)),
            F.adaptive_avg_pool2d(x, (None, 5)),
            F.adaptive_avg_pool1d(x.flatten(2), 4),
            F.adaptive_max_pool1d(x[0, 0], 3),
            F.adaptive_avg_pool3d(x, (1, 2, 2)),
            F.adaptive_max_pool3d(x.unsqueeze(0), 1),
        )


class Losses(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        shares, near = torch.softmax(y, dim=1), torch.sigmoid(y)
        return (
            F.mse_loss(x, y),
            F.l1_loss(x, y, reduction="sum"),
            F.smooth_l1_loss(x, y, beta=0.5),
            F.huber_loss(x, y, reduction="none", delta=2.0),
            F.kl_div(torch.log_softmax(x, dim=1), shares, reduction="batchmean"),
            F.kl_div(x, y, reduction="sum", log_target=True),
            F.binary_cross_entropy_with_logits(x, near),
            F.cross_entropy(x, shares, label_smoothing=0.2),
            F.triplet_margin_loss(x, y, near, margin=0.5, reduction="sum"),
            torch.clamp(1 - x * y, min=0).mean(),
        )


class LabelLosses(nn.Module):
    def forward(self, scores: Tensor, maps: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return (
            F.cross_entropy(scores, scores.argmin(1)),
            F.cross_entropy(maps, maps.argmax(1), reduction="none"),
            F.cross_entropy(scores, scores.argmax(1), reduction="sum", label_smoothing=0.1),
        )


class MaskedAttention(nn.Module):
    def forward(self, q: Tensor, k: Tensor, v: Tensor, bias: Tensor) -> tuple[Tensor, ...]:
        attention = F.scaled_dot_product_attention
        return (
            attention(q, k, v, attn_mask=bias),
            attention(q, k, v, attn_mask=bias[0, 0], scale=0.5),
            attention(q[0], k[0], v[0], is_causal=True),
        )


HALF, BRAIN, DOUBLE = torch.float16, torch.bfloat16, torch.float64

EXAMPLES: tuple[Example, ...] = (
    # Perceptrons, gates and other uses of linear layers.
    Example("mlp", _made(MLP, 32, 64, 10), _normal((8, 32))),
    Example("mlp_half", _made(MLP, 16, 32, 8, bias=False, dtype=HALF), _normal((4, 16), dtype=HALF)),
    Example("mlp_double_train", _made(MLP, 8, 8, 4, train=True, dtype=DOUBLE), _normal((3, 8), dtype=DOUBLE)),
    Example("mlp_dropout_eval", _made(DropoutMLP, 16, 0.3), _normal((4, 16))),
    # The random operator is expected to be named.
    Example("mlp_dropout_train", _made(DropoutMLP, 16, 0.3, train=True), _normal((4, 16))),
    Example("low_rank_linear", _made(LowRankLinear, 32, 24, 4), _normal((6, 32))),
    Example(
        "low_rank_linear_brain", _made(LowRankLinear, 16, 16, 2, dtype=BRAIN), _normal((5, 16), dtype=BRAIN)
    ),
    Example("lora_linear", _made(LoRALinear, 32, 4, 16.0), _normal((2, 5, 32))),
    Example("bottleneck_adapter", _made(BottleneckAdapter, 32, 8), _normal((2, 7, 32))),
    Example("tied_autoencoder", _made(TiedAutoencoder, 20, 6), _normal((4, 20))),
    Example("tied_heads", _made(TiedHeads, 16), _normal((4, 16), (4, 16))),
    Example("siamese", _made(Siamese, 24, 8), _normal((5, 24), (5, 24))),
    Example("recycled", _made(Recycled, 12, 4), _normal((3, 12))),
    Example("glu", _made(GLU, 16, 24), _normal((4, 16))),
    Example("swiglu", _made(SwiGLU, 16, 40), _normal((2, 6, 16))),
    Example("swiglu_brain", _made(SwiGLU, 16, 32, dtype=BRAIN), _normal((2, 4, 16), dtype=BRAIN)),
    Example("maxout", _made(Maxout, 16, 8, 3), _normal((4, 16))),
    Example("highway", _made(Highway, 16, 3), _normal((4, 16))),
    Example("dense_experts", _made(DenseExperts, 16, 4), _normal((6, 16))),
    Example("ensemble", _made(Ensemble, 12, 5), _normal((4, 12))),
    Example("hypernetwork", _made(HyperNetwork, 8, 6, 5), _normal((3, 4, 6), (3, 8))),
    Example("bilinear_scorer", _made(BilinearScorer, 10, 12), _normal((7, 10), (7, 12))),
    Example("multi_task", _made(MultiTask, 16), _normal((4, 16))),
    Example("wide_and_deep", _made(WideAndDeep, 20, 10), _normal((6, 20), (6, 10))),
    Example("factorization_machine", _made(FactorizationMachine, 30, 4), _normal((8, 30))),
    Example("weight_norm_linear", _made(WeightNormLinear, 16, 8), _normal((4, 16))),
    # Activations and arithmetic.
    Example("activation_bank", _made(ActivationBank), _normal((4, 33))),
    Example("activation_bank_half", _made(ActivationBank, dtype=HALF), _normal((3, 17), dtype=HALF)),
    Example("activation_stack", _made(ActivationStack), _normal((2, 3, 5))),
    Example("clamps", _made(Clamps, 12), _normal((4, 12))),
    Example("scalar_chain", _made(ScalarChain, 2, 0.75), _normal((5, 7))),
    Example("scalar_chain_double", _made(ScalarChain, -1, 3.0), _normal((5, 7), dtype=DOUBLE)),
    Example("harmonic", _made(Harmonic), _positive((6, 9))),
    Example("scaled_add_sub", _made(ScaledAddSub, 0.1), _normal((4, 6), (4, 6), (6,))),
    Example("polynomial", _made(Polynomial, 4), _normal((3, 8))),
    Example("in_place", _made(InPlace, 16), _normal((4, 16))),
    Example("in_place_through_view", _made(InPlaceThroughView), _normal((4, 6))),
    Example("interpolants", _made(Interpolants, 10), _normal((4, 10), (4, 10))),
    Example("periodic", _made(Periodic, 10), _normal((4, 10))),
    Example("keyword_only", _made(KeywordOnly, 8), _normal((4, 8))),
    Example("optional_input", _made(OptionalInput, 8), _normal((4, 8), (8,))),
    Example("hinge_loss", _made(HingeLoss, 1.0), _normal((16,), (16,))),
    Example("temperature", _made(Temperature), _positive((4, 10), ())),
    Example("powers", _made(Powers), _positive((4, 9))),
    Example("powers_half", _made(Powers), lambda: (_positive((4, 9))()[0].half(),)),
    Example("choices", _made(Choices), lambda: (*_normal((3, 5), (3, 5))(), _positive((3, 5))()[0] < 1)),
    Example("masked_fill", _made(MaskedFill, 6), _normal((2, 6, 6))),
    # Identities, unused things, aliases, buffers, constants.
    Example("pass_through", _made(PassThrough), _normal((3, 4))),
    Example("input_beside", _made(InputBeside, 8), _normal((4, 8), (4, 8))),
    Example("same_twice", _made(SameTwice), _normal((3, 5))),
    Example("view_of_input", _made(ViewOfInput), _normal((2, 5, 6))),
    Example("weight_beside", _made(WeightBeside, 6), _normal((3, 6))),
    Example("unused", _made(Unused, 8), _normal((4, 8), (2, 2))),
    Example("dead_code", _made(DeadCode, 8), _normal((4, 8))),
    Example("standardize", _made(Standardize, 8), _normal((4, 8))),
    Example("running_center_train", _made(RunningCenter, 8, 0.2, train=True), _normal((4, 8))),
    Example("running_center_eval", _made(RunningCenter, 8, 0.2), _normal((4, 8))),
    Example("constant_in_forward", _made(ConstantInForward), _positive((2, 3, 6, 6))),
    Example("constant_attribute", _made(ConstantAttribute, 8), _normal((4, 8))),
    # Convolutions.
    Example("temporal_block", _made(TemporalBlock, 8, 2), _normal((2, 8, 20))),
    Example("gated_conv1d", _made(GatedConv1d, 6, 3), _normal((2, 6, 24))),
    Example("conv_bn_act_eval", _made(ConvBNAct, 3, 8), _normal((2, 3, 10, 10))),
    Example("conv_bn_act_train", _made(ConvBNAct, 3, 8, 2, train=True), _normal((2, 3, 10, 10))),
    Example("conv_bn_act_brain", _made(ConvBNAct, 3, 4, dtype=BRAIN), _normal((1, 3, 8, 8), dtype=BRAIN)),
    Example("residual_block_train", _made(ResidualBlock, 4, 8, 2, train=True), _normal((2, 4, 8, 8))),
    Example("residual_block_eval", _made(ResidualBlock, 4, 8, 1), _normal((2, 4, 8, 8))),
    Example("depthwise_separable", _made(DepthwiseSeparable, 6, 12), _normal((2, 6, 9, 9))),
    Example("inverted_residual_eval", _made(InvertedResidual, 4, 3), _normal((2, 4, 8, 8))),
    Example("shuffle_unit", _made(ShuffleUnit, 12, 3), _normal((2, 12, 6, 6))),
    Example("inception", _made(Inception, 4, 5), _normal((2, 4, 8, 8))),
    Example("dense_block", _made(DenseBlock, 4, 3, 3), _normal((2, 4, 8, 8))),
    Example("squeeze_excite", _made(SqueezeExcite, 8, 4), _normal((2, 8, 6, 6))),
    Example("spatial_attention", _made(SpatialAttention, 5), _normal((2, 6, 8, 8))),
    Example("film", _made(FiLM, 6, 10), _normal((2, 6, 8, 8), (2, 10))),
    Example("patch_embed", _made(PatchEmbed, 3, 16, 4, 9), _normal((2, 3, 12, 12))),
    Example("blur_pool", _made(BlurPool, 5), _normal((2, 5, 9, 9))),
    Example("coord_conv", _made(CoordConv, 3, 8), _normal((2, 3, 8, 8))),
    Example("standardized_conv", _made(StandardizedConv, 3, 6), _normal((2, 3, 9, 9))),
    Example("conv3d_block", _made(Conv3dBlock, 2, 4), _normal((1, 2, 4, 8, 8))),
    Example("decoder2d", _made(Decoder2d, 8, 8), _normal((2, 8))),
    Example("upsampler1d", _made(Upsampler1d, 4), _normal((2, 4, 10))),
    Example("upsampler3d", _made(Upsampler3d, 3, 2), _normal((1, 3, 2, 4, 4))),
    Example("small_unet_eval", _made(SmallUNet, 4), _normal((1, 3, 12, 12))),
    Example("small_classifier_eval", _made(SmallClassifier, 10), _normal((2, 1, 16, 16))),
    Example("channel_dropout_eval", _made(ChannelDropout, 4), _normal((2, 4, 5, 5))),
    Example("upscale", _made(Upscale, 3, 2), _normal((2, 3, 6, 6))),
    Example("unbatched_conv", _made(UnbatchedConv, 3), _normal((3, 10, 10)), known=False),
    # Pooling.
    Example("pyramid_pool", _made(PyramidPool, (2, 4, 8)), _normal((2, 4, 8, 8))),
    Example("pools1d", _made(Pools1d), _normal((2, 4, 15))),
    Example("pools2d", _made(Pools2d), _normal((2, 3, 11, 12)), known=False),
    Example("pools3d", _made(Pools3d), _normal((1, 3, 4, 6, 6))),
    Example("local_contrast", _made(LocalContrast, 3), _normal((2, 3, 8, 8))),
    Example("softmax_pool", _made(SoftmaxPool, 12), _normal((3, 7, 12))),
    Example("adaptive_pools", _made(AdaptivePools), _normal((2, 3, 8, 12))),
    Example("global_pool_head", _made(GlobalPoolHead, 6, 4), _normal((2, 3, 9, 9))),
    Example("statistics_pool", _made(StatisticsPool), _normal((3, 6, 10))),
    # Normalisation.
    Example("linear_batch_norm_train", _made(LinearBatchNorm, 12, 8, train=True), _normal((16, 12))),
    Example(
        "linear_batch_norm_momentum_train",
        _made(LinearBatchNorm, 12, 8, momentum=0.3, eps=1e-3, train=True),
        _normal((16, 12)),
    ),
    Example(
        "linear_batch_norm_no_stats_train",
        _made(LinearBatchNorm, 12, 8, track_running_stats=False, train=True),
        _normal((16, 12)),
    ),
    Example("linear_batch_norm_eval", _made(LinearBatchNorm, 12, 8, affine=False), _normal((16, 12))),
    Example(
        "batch_norm1d_no_affine_train",
        _made(Normed, 6, nn.BatchNorm1d, 6, affine=False, train=True),
        _normal((4, 6, 9)),
    ),
    Example(
        "batch_norm2d_momentum_train",
        _made(Normed, 4, nn.BatchNorm2d, 4, momentum=0.01, train=True),
        _normal((2, 4, 6, 6)),
    ),
    Example(
        "batch_norm2d_bare_train",
        _made(Normed, 4, nn.BatchNorm2d, 4, affine=False, track_running_stats=False, train=True),
        _normal((2, 4, 6, 6)),
    ),
    # Without running statistics, those of the batch are used in eval mode too.
    Example(
        "batch_norm2d_no_stats_eval",
        _made(Normed, 4, nn.BatchNorm2d, 4, track_running_stats=False),
        _normal((2, 4, 6, 6)),
    ),
    Example("batch_norm3d_train", _made(Normed, 3, nn.BatchNorm3d, 3, train=True), _normal((2, 3, 3, 4, 4))),
    Example("batch_norm3d_eval", _made(Normed, 3, nn.BatchNorm3d, 3), _normal((2, 3, 3, 4, 4))),
    Example("frozen_batch_norm", _made(FrozenBatchNorm), _positive((2, 5, 4), (5,), (5,))),
    Example("layer_norm_two_dims", _made(Normed, 4, nn.LayerNorm, (5, 6)), _normal((2, 4, 5, 6))),
    Example("layer_norm_no_bias", _made(Normed, 4, nn.LayerNorm, 6, bias=False), _normal((2, 4, 6))),
    Example("group_norm", _made(Normed, 8, nn.GroupNorm, 4, 8, eps=1e-4), _normal((2, 8, 5, 5))),
    Example("instance_norm1d", _made(Normed, 4, nn.InstanceNorm1d, 4), _normal((2, 4, 10))),
    Example(
        "instance_norm2d_affine", _made(Normed, 4, nn.InstanceNorm2d, 4, affine=True), _normal((2, 4, 6, 6))
    ),
    Example(
        "instance_norm2d_running_eval",
        _made(Normed, 4, nn.InstanceNorm2d, 4, track_running_stats=True),
        _normal((2, 4, 6, 6)),
    ),
    Example(
        "instance_norm3d_train", _made(Normed, 3, nn.InstanceNorm3d, 3, train=True), _normal((2, 3, 2, 4, 4))
    ),
    Example("functional_norms", _made(FunctionalNorms), _normal((2, 8, 5, 5))),
    Example("rms_like_norm", _made(RMSLikeNorm, 16), _normal((3, 5, 16))),
    Example("rms_norm", _made(RMSNorm, 16), _normal((4, 16))),
    Example("scale_norm", _made(ScaleNorm, 4.0), _normal((3, 16))),
    Example("response_norm", _made(ResponseNorm, 8), _normal((2, 5, 5, 8))),
    # Reductions, scans and distances.
    Example("sums", _made(Sums), _normal((3, 4, 5))),
    Example("extremes", _made(Extremes), _normal((3, 4, 5))),
    Example("flat_argmax", _made(FlatArgmax), _normal((6, 7)), known=False),
    Example("value_and_index", _made(ValueAndIndex), _normal((6, 7))),
    Example("variances", _made(Variances), _normal((3, 4, 5))),
    Example("norms", _made(Norms), _normal((3, 4, 5))),
    Example("norms_double", _made(Norms), _normal((2, 3, 4), dtype=DOUBLE)),
    Example("linalg_norms", _made(LinalgNorms), _normal((3, 4, 5))),
    Example("scans", _made(Scans), _normal((4, 6, 5))),
    Example("mirrors", _made(Mirrors), _normal((4, 6, 5))),
    Example("log_sum_exp", _made(LogSumExp), _normal((4, 9))),
    Example("running_mean", _made(RunningMean, 9), _normal((2, 9, 4))),
    Example("drawdown", _made(Drawdown), _normal((3, 30))),
    Example("cosine_similarity", _made(CosineSimilarity, 1e-8), _normal((6, 20), (6, 20))),
    Example("contrastive_logits", _made(ContrastiveLogits, 16, 8), _normal((5, 16), (5, 16))),
    Example("prototypes", _made(Prototypes, 6, 10), _normal((4, 10))),
    Example("triplet_loss", _made(TripletLoss, 0.5), _normal((6, 12), (6, 12), (6, 12))),
    Example("distillation_loss", _made(DistillationLoss, 2.0), _normal((5, 10), (5, 10))),
    Example("losses", _made(Losses), _normal((6, 10), (6, 10))),
    Example("label_losses", _made(LabelLosses), _normal((6, 10), (2, 5, 4, 4))),
    Example("class_loss", _made(ClassLoss, 10, 4), _normal((6, 10), (6, 4))),
    # Attention and other sequence layers.
    Example("single_head_attention", _made(SingleHeadAttention, 16), _normal((2, 7, 16))),
    Example("multi_head_attention", _made(MultiHeadAttention, 24, 4), _normal((2, 6, 24))),
    Example(
        "multi_head_attention_half",
        _made(MultiHeadAttention, 8, 2, dtype=HALF),
        _normal((1, 5, 8), dtype=HALF),
    ),
    # The random operator is expected to be named.
    Example(
        "attention_dropout_train", _made(MultiHeadAttention, 16, 2, 0.2, train=True), _normal((2, 5, 16))
    ),
    Example("causal_attention", _made(CausalAttention, 16, 4, 12), _normal((2, 8, 16))),
    Example("fused_attention", _made(FusedAttention, 16), _normal((2, 6, 16))),
    Example(
        "masked_attention",
        _made(MaskedAttention),
        _normal((2, 3, 5, 8), (2, 3, 7, 8), (2, 3, 7, 4), (1, 3, 5, 7)),
    ),
    Example("cross_attention", _made(CrossAttention, 16, 10), _normal((2, 5, 16), (2, 9, 10), (2, 9))),
    Example("multi_query_attention", _made(MultiQueryAttention, 16, 4), _normal((2, 6, 16))),
    Example("linear_attention", _made(LinearAttention, 12), _normal((2, 8, 12))),
    Example("retention", _made(Retention, 12, 8, 0.9), _normal((2, 8, 12))),
    Example("alibi_scores", _made(AlibiScores, 3, 6), _normal((2, 3, 6, 8), (2, 3, 6, 8))),
    Example("window_attention", _made(WindowAttention, 8, 4), _normal((2, 12, 8))),
    Example("transformer_block_eval", _made(TransformerBlock, 16, 4), _normal((2, 6, 16))),
    Example("mixer_block", _made(MixerBlock, 9, 12), _normal((2, 9, 12))),
    Example("spatial_gate", _made(SpatialGate, 6, 16), _normal((2, 6, 16))),
    Example("token_shift", _made(TokenShift, 10), _normal((2, 7, 10))),
    Example("unrolled_rnn", _made(UnrolledRNN, 6, 8), _normal((3, 5, 6), (3, 8))),
    Example("gated_cell", _made(GatedCell, 6, 8), _normal((3, 6), (3, 8))),
    Example("rotary", _made(Rotary, 6, 8), _normal((2, 6, 8))),
    Example("fourier_features", _made(FourierFeatures, 3, 5), _normal((10, 3))),
    Example("triple_product", _made(TripleProduct), _normal((4,), (4, 4), (3, 4, 4))),
    Example("view_parade", _made(ViewParade), _normal((3, 5, 7))),
    Example("squeezes", _made(Squeezes), _normal((3, 1, 4, 1))),
    Example("uneven_split", _made(UnevenSplit), _normal((3, 10))),
    # With at least one operator outside the table.
    Example("token_classifier", _made(TokenClassifier, 50, 16, 4), _tokens(50, (3, 9)), known=False),
    Example("gru_loop", _made(GRULoop, 6, 8), _normal((2, 3, 6), (2, 8)), known=False),
    # torch.export warns of the list of weights that nn.LSTM keeps beside its parameters.
    Example("lstm", _made(LSTMClassifier, 6, 8), _normal((2, 5, 6)), known=False),
    Example("einsum_attention", _made(EinsumAttention), _normal(*[(2, 5, 3, 4)] * 3), known=False),
    Example("top_k_router", _made(TopKRouter, 12, 6, 2), _normal((5, 12)), known=False),
    Example("trimmed_mean", _made(TrimmedMean), _normal((4, 9)), known=False),
    Example("picked_score", _made(PickedScore), _normal((4, 9)), known=False),
    Example("compare_code", _made(CompareCode, 3), _normal((4, 5)), known=False),
    Example("nearest_upsample", _made(NearestUpsample, 3), _normal((1, 3, 5, 5)), known=False),
    Example("upcast_norm", _made(UpcastNorm, 12), _normal((3, 12), dtype=BRAIN), known=False),
    Example("sinusoids", _made(Sinusoids, 8), _normal((2, 6, 8)), known=False),
    Example("zeroed_column", _made(ZeroedColumn), _normal((4, 5)), known=False),
    Example("circular_conv", _made(CircularConv, 4), _normal((2, 4, 10)), known=False),
    Example("filled_in_forward", _made(FilledInForward, 6), _normal((3, 4, 6)), known=False),
)
