"""Tensors between processes on a GPU: memory that the judge allocates and lends through CUDA IPC.

What is lent is mapped in whole blocks by the other side. So each piece has blocks of its own, in which
nothing else ever lies: expected values are never within reach. PyTorch's own way of lending waits for
the other side to say that it is done; ours may be killed at any moment.
"""

import base64
import copy
import ctypes
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import torch

from tritonrl.verify.memory import Layout, Place, extent_bytes

POISON_BYTE = 0x5A
BLOCK_BYTES = 2 * 2**20
"""The driver allocates and lends whole blocks of this size."""
LENT = "lent"
"""The name of the piece that a process is lent before it is confined: a CUDA driver opens it with the help of
files and system calls that are refused later."""


class _Handle(ctypes.Structure):
    _fields_ = (("bytes", ctypes.c_char * 64),)


@lru_cache(maxsize=1)
def _driver() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")


def _checked(result: int, what: str) -> None:
    if result:
        raise RuntimeError(f"{what} failed with CUDA error {result}")


class _Bytes:
    """Device memory at an address, for PyTorch to take as a tensor."""

    def __init__(self, address: int, size: int) -> None:
        self.__cuda_array_interface__ = {
            "shape": (size,), "typestr": "|u1", "data": (address, False), "version": 3,
        }  # fmt: skip


class DeviceMapping:
    """Shared device memory as this process sees it."""

    def __init__(self, address: int, size: int) -> None:
        self._bytes = torch.as_tensor(_Bytes(address, size), device="cuda")
        self.storage = self._bytes.untyped_storage()

    @classmethod
    def open(cls, handle: dict[str, Any]) -> "DeviceMapping":
        """What another process has lent."""
        address = ctypes.c_uint64()
        given = _Handle.from_buffer_copy(base64.b64decode(handle["handle"]))
        _checked(_driver().cuIpcOpenMemHandle_v2(ctypes.byref(address), given, 1), "opening lent memory")
        return cls(address.value, handle["size"])

    def tensor(self, place: Place) -> torch.Tensor:
        dtype = getattr(torch, place["dtype"])
        flat = torch.empty(0, dtype=dtype, device="cuda")
        if 0 in place["shape"]:
            return flat.reshape(place["shape"])
        return flat.set_(self.storage, place["offset"] // dtype.itemsize, place["shape"], place["stride"])


class DeviceArena(DeviceMapping):
    """Device memory that this process made: places for tensors with these specs, guards between them."""

    def __init__(self, specs: Sequence[Place]) -> None:
        layout = Layout(specs)
        self.places = layout.places
        size = -(-layout.size // BLOCK_BYTES) * BLOCK_BYTES
        torch.cuda.synchronize()  # makes the context this thread's own
        self._address = ctypes.c_uint64()
        _checked(_driver().cuMemAlloc_v2(ctypes.byref(self._address), ctypes.c_size_t(size)), "allocation")
        super().__init__(self._address.value, size)
        guards = [torch.arange(guard.start, guard.stop) for guard in layout.guards]
        self._guards = torch.cat(guards).to("cuda")
        self._guard_bytes = torch.empty(0, dtype=torch.uint8, device="cuda")

    def handle(self) -> dict[str, Any]:
        """What another process needs to open it, as JSON."""
        made = _Handle()
        _checked(_driver().cuIpcGetMemHandle(ctypes.byref(made), self._address), "lending memory")
        return {"handle": base64.b64encode(bytes(made)).decode(), "size": self._bytes.numel()}

    def part(self, which: slice) -> "DeviceArena":
        """Some of the places, with the guards of all."""
        made = copy.copy(self)
        made.places = self.places[which]
        return made

    def tensors(self) -> list[torch.Tensor]:
        return [self.tensor(place) for place in self.places]

    def raise_guards(self, seed: int) -> None:
        """Fill the zones between tensors with numbers that look like data."""
        count = self._guards.numel()
        numbers = torch.randn((count + 3) // 4, generator=torch.Generator().manual_seed(seed))
        self._guard_bytes = numbers.view(torch.uint8)[:count].to("cuda")
        self._bytes[self._guards] = self._guard_bytes
        torch.cuda.synchronize()

    def poison(self, place: Place) -> None:
        self._bytes[place["offset"] : place["offset"] + extent_bytes(place)] = POISON_BYTE

    def guards_hold(self) -> bool:
        return torch.equal(self._bytes[self._guards], self._guard_bytes)

    def close(self) -> None:
        """Give the memory back; tensors over it are gone."""
        if self._address.value:
            torch.cuda.synchronize()
            _checked(_driver().cuMemFree_v2(self._address), "giving memory back")
            self._address.value = 0
