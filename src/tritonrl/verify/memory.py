"""Tensors between processes: shared memory, laid out by the judge.

The judge makes an `Arena`, a sealed piece of memory without a name, and hands its descriptor to the process
that it wants to read from or write into it. Sealed means that the other side can change bytes but not the
size: a shrunk mapping would kill whoever reads it. Every tensor lies between guard zones that the judge fills
and compares, so that a kernel that writes past the end of an input is seen.

A place is `{"dtype", "shape", "stride", "offset"}`: what the other side needs to find one tensor.
"""

import fcntl
import math
import mmap
import os
from collections.abc import Sequence
from typing import Any

import torch

GUARD_BYTES = 1024
POISON = b"\x5a"
_ALIGNMENT = 256
"""As CUDA's allocator gives: kernels are specialised for addresses that are multiples of 16."""

Place = dict[str, Any]


def dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def spec_of(tensor: torch.Tensor) -> Place:
    """Shape, strides and type: a place without an offset."""
    return {"dtype": dtype_name(tensor.dtype), "shape": list(tensor.shape), "stride": list(tensor.stride())}


def raw(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor, or the bytes of truth values, of which a copy makes ones wherever they are not zero."""
    return tensor.view(torch.uint8) if tensor.dtype == torch.bool else tensor


def check_spec(spec: Any) -> Place:
    """The spec, if it is one; a `ValueError` if another process sent something else."""
    ok = (
        isinstance(spec, dict)
        and isinstance(getattr(torch, str(spec.get("dtype")), None), torch.dtype)
        and all(
            isinstance(spec.get(key), list) and all(type(n) is int and n >= 0 for n in spec[key])
            for key in ("shape", "stride")
        )
        and len(spec["shape"]) == len(spec["stride"])
    )
    if not ok:
        raise ValueError("not the spec of a tensor")
    return spec


def extent_bytes(spec: Place) -> int:
    """Bytes from the first element of a tensor to its last."""
    size = getattr(torch, spec["dtype"]).itemsize
    if 0 in spec["shape"]:
        return 0
    return size * (1 + sum((n - 1) * step for n, step in zip(spec["shape"], spec["stride"], strict=True)))


def contiguous_spec(dtype: str, shape: Sequence[int]) -> Place:
    stride = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    return {"dtype": dtype, "shape": list(shape), "stride": stride}


class Mapping:
    """Shared memory as this process sees it; tensors over it share its bytes."""

    def __init__(self, descriptor: int) -> None:
        self.size = os.fstat(descriptor).st_size
        self.bytes = mmap.mmap(descriptor, self.size)

    def tensor(self, place: Place) -> torch.Tensor:
        dtype = getattr(torch, place["dtype"])
        if 0 in place["shape"]:
            return torch.empty(place["shape"], dtype=dtype)
        count = extent_bytes(place) // dtype.itemsize
        flat = torch.frombuffer(self.bytes, dtype=dtype, count=count, offset=place["offset"])
        return flat.as_strided(place["shape"], place["stride"])

    def unmap(self) -> None:
        """Memory of this machine goes when the last tensor over it does."""


class Layout:
    """Where tensors with these specs lie in one piece of memory, with guards between them."""

    def __init__(self, specs: Sequence[Place]) -> None:
        self.places: list[Place] = []
        self.guards: list[slice] = []
        end = 0
        for spec in specs:
            start = _aligned(end + GUARD_BYTES)
            self.guards.append(slice(end, start))
            self.places.append({**spec, "offset": start})
            end = start + extent_bytes(spec)
        self.size = end + GUARD_BYTES
        self.guards.append(slice(end, self.size))


class Arena(Mapping):
    """Shared memory that this process made: places for tensors with these specs, guards between them."""

    def __init__(self, specs: Sequence[Place]) -> None:
        layout = Layout(specs)
        self.places, self._guards = layout.places, layout.guards
        self.descriptor = os.memfd_create("tensors", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.descriptor, layout.size)
        fcntl.fcntl(
            self.descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
        )
        super().__init__(self.descriptor)
        self.size_on_device = None
        self._guard_bytes = b""

    def tensors(self) -> list[torch.Tensor]:
        """Tensors over the shared bytes; clone before deciding anything: the other side may still write."""
        return [self.tensor(place) for place in self.places]

    def raise_guards(self, seed: int) -> None:
        """Fill the zones between tensors with numbers that look like data."""
        count = sum(guard.stop - guard.start for guard in self._guards)
        numbers = torch.randn((count + 3) // 4, generator=torch.Generator().manual_seed(seed))
        self._guard_bytes = numbers.numpy().tobytes()[:count]
        taken = 0
        for guard in self._guards:
            size = guard.stop - guard.start
            self.bytes[guard] = self._guard_bytes[taken : taken + size]
            taken += size

    def poison(self, place: Place) -> None:
        """Fill the place of a tensor with bytes that are no result."""
        size = extent_bytes(place)
        self.bytes[place["offset"] : place["offset"] + size] = POISON * size

    def settle(self) -> None:
        """What was written is there."""

    def guards_broken(self) -> torch.Tensor:
        found = b"".join(self.bytes[guard] for guard in self._guards)
        return torch.tensor([found != self._guard_bytes])

    def close(self) -> None:
        os.close(self.descriptor)


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGNMENT) * _ALIGNMENT
