"""The roles: which sandboxed processes there are, and within which limits."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tritonrl.errors import TritonrlError

if TYPE_CHECKING:
    pass


class VerifierError(TritonrlError):
    """Our own machinery failed: no verdict on the candidate, in either direction."""


class DeviceFull(VerifierError):
    """There was no memory left on a GPU for what had to be done there."""


class NotReady(DeviceFull):
    """A process did not enter its sandbox. Nobody's code was in it; on a GPU, CUDA did not start, as happens
    where there is no room for one more."""


def says_full(error: Mapping[str, Any]) -> bool:
    """Whether what a process raised is that it found no memory."""
    return error.get("type") == "OutOfMemoryError" or "out of memory" in str(error.get("message")).lower()


@dataclass(frozen=True)
class Role:
    """What is started, from which zygote, within which limits."""

    name: str
    zygote: str
    memory_bytes: int
    cpu_seconds: int
    executable: tuple[str, ...] = ()
    starts_programs: bool = False
    num_queues: int = 1
    """On a GPU; see `verify.streams`."""

    def on(self, device: str) -> "Role":
        """The same role where kernels run on this device."""
        return self if device == "cpu" else replace(self, zygote="device")

    @property
    def is_on_device(self) -> bool:
        return self.zygote == "device"


CANDIDATE = Role("candidate", "interpreting", memory_bytes=4 * 2**30, cpu_seconds=600)
REPLAY = Role("replay", "interpreting", memory_bytes=8 * 2**30, cpu_seconds=600)
REFERENCE = Role("reference", "interpreting", memory_bytes=16 * 2**30, cpu_seconds=3600)
COMPILER = Role("compiler", "compiling", memory_bytes=4 * 2**30, cpu_seconds=300)
_LOADERS = tuple(
    os.path.realpath(path) for path in ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1")
)
"""The loader of a program's libraries counts as executed."""


def assembler(ptxas: str) -> Role:
    """The role that turns into `ptxas` and nothing else."""
    return Role("assembler", "compiling", 4 * 2**30, 300, executable=(os.path.realpath(ptxas), *_LOADERS))


def compiled_baseline() -> Role:
    """A reference worker that compiles the task, for which PyTorch starts a C compiler and an assembler of
    its own or of Triton's."""
    import torch
    import triton

    packages = (os.path.dirname(str(package.__file__)) for package in (torch, triton))
    return replace(REFERENCE, executable=("/usr", *packages, *_LOADERS), starts_programs=True)
