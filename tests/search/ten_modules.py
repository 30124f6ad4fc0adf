"""Ten small modules that differ in what makes a drop-in hard: nested names, buffers, tied weights, arguments,
several inputs and results, other types. Each source is a module file with `get_inputs()`."""

import os
import subprocess
import sys
from pathlib import Path

import torch

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n\n"

SOURCES = {
    "residual": '''class Net(nn.Module):
    def __init__(self, width: int = 12) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, width)

    def forward(self, x):
        return x + torch.relu(self.up(self.norm(x)))


def get_inputs():
    return [torch.randn(5, 12)]
''',
    "nested": '''class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 10), nn.GELU(), nn.Sequential(nn.Linear(10, 3), nn.Sigmoid()))

    def forward(self, x):
        return self.body(x)


def get_inputs():
    return [torch.randn(7, 6)]
''',
    "statistics": '''class Net(nn.Module):
    """Its batch norm is in training: it counts, and keeps running statistics."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(4)

    def forward(self, x):
        return F.silu(self.norm(self.conv(x)))


def get_inputs():
    return [torch.randn(2, 3, 5, 6)]
''',
    "arguments": '''class Net(nn.Module):
    def __init__(self, width: int, depth: int = 2, *, slope: float = 0.1) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.slope = slope

    def forward(self, x):
        for layer in self.layers:
            x = F.leaky_relu(layer(x), self.slope)
        return x


def get_init_inputs():
    return [9]


def get_inputs():
    return [torch.randn(4, 9)]
''',
    "buffer": '''class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.full((8,), 0.5))
        self.register_buffer("offset", torch.linspace(-1.0, 1.0, 8))

    def forward(self, x):
        return x * self.scale + torch.sigmoid(self.offset)


def get_inputs():
    return [torch.randn(3, 5, 8)]
''',
    "tied": '''class Net(nn.Module):
    """The same weight on the way in and on the way out."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Linear(6, 6)
        self.decoder = nn.Linear(6, 6)
        self.decoder.weight = self.encoder.weight

    def forward(self, x):
        return self.decoder(torch.relu(self.encoder(x)))


def get_inputs():
    return [torch.randn(4, 6)]
''',
    "attention": '''class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.queries, self.keys, self.values = (nn.Linear(8, 8, bias=False) for _ in range(3))

    def forward(self, x):
        scores = torch.bmm(self.queries(x), self.keys(x).transpose(1, 2)) / 8**0.5
        return torch.bmm(torch.softmax(scores, dim=-1), self.values(x))


def get_inputs():
    return [torch.randn(2, 6, 8)]
''',
    "several": '''class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(5, 4)

    def forward(self, x, y):
        gate = torch.sigmoid(self.gate(x))
        return gate * y, gate.sum(dim=-1)


def get_inputs():
    return [torch.randn(6, 5), torch.randn(6, 4)]
''',
    "channels": '''class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(4, 6, 3)
        self.norm = nn.GroupNorm(2, 6)

    def forward(self, x):
        return self.norm(torch.relu(self.conv(x))).mean(dim=-1)


def get_inputs():
    return [torch.randn(2, 4, 9)]
''',
    "half": '''class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(16, 8, dtype=torch.float16)

    def forward(self, x):
        return F.relu(self.up(x))


def get_inputs():
    return [torch.randn(5, 16, dtype=torch.float16)]
''',
}  # fmt: skip


def compare(folder: Path, *names: str) -> None:
    """Trained weights go from the module to its drop-in; what they compute is the same, buffers too."""
    script = Path(__file__).with_name("trains_and_compares.py")
    site = Path(torch.__file__).parents[1]
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": ""}
    command = [sys.executable, "-S", script, site, folder, *names]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == list(names)
