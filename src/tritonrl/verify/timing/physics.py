"""What a GPU can do at most: its bandwidth and its rates, measured once a device and kept in a file.

No honest time is shorter than the writing of its outputs, or than the arithmetic that nobody can leave out.
"""

import torch
from pydantic import BaseModel, ConfigDict

from tritonrl.verify.inside.timed import device_seconds
from tritonrl.verify.keeping import kept

COPY_BYTES = 2**30
MATMUL_SIZE = 8192
FEWER_PRODUCTS = 2.5
"""A convolution after Winograd needs 2.25 times fewer multiplications than its definition has."""
LEEWAY = 0.9
"""Of what was measured: clocks move."""
RATES = {"float16": "float16", "bfloat16": "bfloat16", "float32": "tf32", "float64": "float64"}
"""Type of a task → the rate that nothing honest of that type exceeds; float32 may be made of faster parts."""


class Abilities(BaseModel):
    """Of one device."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    device: str
    bytes_per_second: float
    """Read and written by a copy."""
    flops_per_second: dict[str, float]
    """Of a large matmul, by precision."""

    def floor_seconds(self, output_bytes: int, products: int, dtype: str) -> float:
        """Below which a time is no time."""
        rate = self.flops_per_second[RATES.get(dtype, "tf32")]
        longest = max(output_bytes / self.bytes_per_second, products / FEWER_PRODUCTS / rate)
        return LEEWAY * longest


def abilities(device: str) -> Abilities:
    """As kept, or measured now; whoever asks has the device alone."""
    properties = torch.cuda.get_device_properties(device)
    key = f"{properties.name} {properties.uuid} {torch.__version__}"
    return kept("devices", key, Abilities, lambda: _measure(device, properties.name))


def _measure(device: str, name: str) -> Abilities:
    source = torch.empty(COPY_BYTES, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    seconds = min(device_seconds([lambda: target.copy_(source)] * 10) for _ in range(3))
    rates = {}
    before = torch.backends.cuda.matmul.allow_tf32
    for precision in ("float16", "bfloat16", "tf32", "float64"):
        torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
        dtype = torch.float32 if precision == "tf32" else getattr(torch, precision)
        size = MATMUL_SIZE // (2 if precision == "float64" else 1)
        a, b = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))
        out = torch.empty_like(a)
        best = min(device_seconds([lambda a=a, b=b, out=out: torch.mm(a, b, out=out)] * 3) for _ in range(3))
        rates[precision] = 2 * size**3 / best
    torch.backends.cuda.matmul.allow_tf32 = before
    return Abilities(device=name, bytes_per_second=2 * COPY_BYTES / seconds, flops_per_second=rates)
