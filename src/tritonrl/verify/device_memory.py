"""Tensors between processes on a GPU: memory that the judge makes and hands over as a descriptor.

The driver gives memory out in whole blocks, and whoever holds the descriptor maps exactly these: nothing else
ever lies in them, so expected values are never within reach. A process maps them within its sandbox, and what
it has mapped is given back when it dies, however it dies.
"""

import ctypes
import os
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import torch

from tritonrl.errors import TritonrlError
from tritonrl.verify.memory import Layout, Place, extent_bytes

POISON_BYTE = 0x5A
_PINNED, _ON_DEVICE, _AS_DESCRIPTOR, _READ_WRITE, _BLOCKING_SYNC = 1, 1, 1, 3, 4
"""The driver's constants: kinds of allocation, location, handle, access and waiting."""
_OUT_OF_MEMORY = 2


class _Location(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int), ("device", ctypes.c_int))


class _Properties(ctypes.Structure):
    _fields_ = (
        ("kind", ctypes.c_int), ("handles", ctypes.c_int), ("location", _Location),
        ("unused", ctypes.c_void_p), ("flags", ctypes.c_ubyte * 8),
    )  # fmt: skip


class _Access(ctypes.Structure):
    _fields_ = (("location", _Location), ("flags", ctypes.c_int))


class _Bytes:
    """Device memory at an address, for PyTorch to take as a tensor."""

    def __init__(self, address: int, size: int) -> None:
        self.__cuda_array_interface__ = {
            "shape": (size,), "typestr": "|u1", "data": (address, False), "version": 3,
        }  # fmt: skip


@lru_cache(maxsize=1)
def driver() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")


class DeviceError(TritonrlError):
    """The CUDA driver refuses something."""


def _call(name: str, *arguments: Any) -> None:
    result = getattr(driver(), name)(*arguments)
    if result == _OUT_OF_MEMORY:
        raise torch.OutOfMemoryError(f"{name} finds the device full")
    if result:
        raise DeviceError(f"{name} failed with CUDA error {result}")


def wait_without_spinning() -> None:
    """Before CUDA is started here: who waits for a device that many share must leave the cores to others."""
    driver().cuInit(0)
    count = ctypes.c_int()
    driver().cuDeviceGetCount(ctypes.byref(count))
    for number in range(count.value):
        driver().cuDevicePrimaryCtxSetFlags_v2(number, _BLOCKING_SYNC)


@lru_cache(maxsize=16)
def _block_bytes(device: int) -> int:
    size = ctypes.c_size_t()
    _call("cuMemGetAllocationGranularity", ctypes.byref(size), ctypes.byref(_properties(device)), 0)
    return size.value


def _properties(device: int) -> _Properties:
    return _Properties(_PINNED, _AS_DESCRIPTOR, _Location(_ON_DEVICE, device))


def _as_tensor(address: int, size: int, device: int) -> torch.Tensor:
    return torch.as_tensor(_Bytes(address, size), device=f"cuda:{device}")


class _Blocks:
    """Blocks of device memory, mapped into this process."""

    def __init__(self, handle: ctypes.c_uint64, size: int, device: int) -> None:
        self.handle, self.size, self.device = handle, ctypes.c_size_t(size), device
        self.address = ctypes.c_uint64()
        nothing = ctypes.c_size_t(0)
        _call("cuMemAddressReserve", ctypes.byref(self.address), self.size, nothing, ctypes.c_uint64(0), 0)
        _call("cuMemMap", self.address, self.size, nothing, handle, 0)
        access = _Access(_Location(_ON_DEVICE, device), _READ_WRITE)
        _call("cuMemSetAccess", self.address, self.size, ctypes.byref(access), ctypes.c_size_t(1))

    @classmethod
    def make(cls, size: int, device: int) -> "_Blocks":
        block = _block_bytes(device)
        size = -(-size // block) * block
        handle, properties = ctypes.c_uint64(), _properties(device)
        if driver().cuMemCreate(ctypes.byref(handle), ctypes.c_size_t(size), ctypes.byref(properties), 0):
            torch.cuda.empty_cache()  # what PyTorch keeps for later is wanted now
            _call("cuMemCreate", ctypes.byref(handle), ctypes.c_size_t(size), ctypes.byref(properties), 0)
        return cls(handle, size, device)

    @classmethod
    def of(cls, descriptor: int, size: int) -> "_Blocks":
        handle = ctypes.c_uint64()
        given = ctypes.c_void_p(descriptor)
        _call("cuMemImportFromShareableHandle", ctypes.byref(handle), given, _AS_DESCRIPTOR)
        return cls(handle, size, 0)

    def export(self) -> int:
        descriptor = ctypes.c_int(-1)
        _call("cuMemExportToShareableHandle", ctypes.byref(descriptor), self.handle, _AS_DESCRIPTOR, 0)
        return descriptor.value

    def unmap(self) -> None:
        if self.address.value:
            _call("cuMemUnmap", self.address, self.size)
            _call("cuMemAddressFree", self.address, self.size)
            _call("cuMemRelease", self.handle)
            self.address.value = 0


class DeviceMapping:
    """Shared device memory as this process sees it; every tensor over it has a storage of its own."""

    def __init__(self, blocks: _Blocks) -> None:
        self._blocks = blocks

    @classmethod
    def of(cls, descriptor: int, size: int) -> "DeviceMapping":
        return cls(_Blocks.of(descriptor, size))

    def tensor(self, place: Place) -> torch.Tensor:
        dtype, device = getattr(torch, place["dtype"]), self._blocks.device
        if 0 in place["shape"]:
            return torch.empty(place["shape"], dtype=dtype, device=f"cuda:{device}")
        flat = _as_tensor(self._blocks.address.value + place["offset"], extent_bytes(place), device)
        return flat.view(dtype).as_strided(place["shape"], place["stride"])

    def unmap(self) -> None:
        """Let go of the memory; tensors over it are gone."""
        self._blocks.unmap()


class DeviceArena(DeviceMapping):
    """Device memory that this process made: places for tensors with these specs, guards between them."""

    def __init__(self, specs: Sequence[Place], device: str) -> None:
        layout = Layout(specs)
        self.places = layout.places
        number = torch.device(device).index or 0
        torch.cuda.synchronize(number)  # makes the context this thread's own
        super().__init__(_Blocks.make(layout.size, number))
        self.size_on_device = self._blocks.size.value
        self.descriptor = self._blocks.export()
        self._bytes = _as_tensor(self._blocks.address.value, self.size_on_device, number)
        self._guards = torch.cat([torch.arange(guard.start, guard.stop) for guard in layout.guards])
        self._guards = self._guards.to(self._bytes.device)
        self._guard_bytes = self._bytes[:0]

    def tensors(self) -> list[torch.Tensor]:
        return [self.tensor(place) for place in self.places]

    def raise_guards(self, seed: int) -> None:
        """Fill the zones between tensors with numbers that look like data."""
        count, device = self._guards.numel(), self._bytes.device
        generator = torch.Generator(device).manual_seed(seed)
        numbers = torch.randn((count + 3) // 4, generator=generator, device=device)
        self._guard_bytes = numbers.view(torch.uint8)[:count]
        self._bytes[self._guards] = self._guard_bytes
        self.settle()

    def poison(self, place: Place) -> None:
        self._bytes[place["offset"] : place["offset"] + extent_bytes(place)] = POISON_BYTE

    def guards_broken(self) -> torch.Tensor:
        return (self._bytes[self._guards] != self._guard_bytes).any().reshape(1)

    def settle(self) -> None:
        """Wait until what was written is there for others to read."""
        torch.cuda.current_stream(self._bytes.device).synchronize()

    def close(self) -> None:
        """Give the memory back as soon as nobody else has it; tensors over it are gone."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
            self.settle()
            self.unmap()
