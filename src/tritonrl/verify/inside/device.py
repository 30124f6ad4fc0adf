"""Kernels on a GPU, in a process that may start no program: what Triton would build is built elsewhere.

A launch needs a cubin and a launcher. The judge has the first made by the compile role and the second built
from the kernel's signature; a role finds both by the specialisation that was launched. Where one is missing
the launch is passed over and the judge asks again when it has them.
"""

import ctypes
import glob
import json
import os
from base64 import b64decode
from typing import Any

import torch
from triton.compiler.compiler import CompiledKernel
from triton.runtime.driver import driver
from triton.runtime.errors import OutOfResources
from triton.runtime.jit import JITFunction

from tritonrl.verify.device_memory import driver as cuda
from tritonrl.verify.device_memory import wait_without_spinning

LATE_CYCLES = 2_000_000
"""A millisecond: longer than a host needs to launch a few kernels."""
MEMORY_SHARE = 0.125
"""Of the device's memory that PyTorch gives to one process, so that those beside it find some."""
PERSISTING_L2 = 6
"""The driver's number of the limit on what may stay in the L2 cache."""
READABLE = ("/proc/driver/nvidia", "/proc/devices")


def device_files() -> tuple[str, ...]:
    return tuple(sorted(glob.glob("/dev/nvidia*")))


def prepare() -> None:
    """In the zygote: what is looked up with the help of programs, and the driver's helper library."""
    from triton.backends.nvidia.driver import CudaUtils, library_dirs
    from triton.runtime.build import platform_key

    platform_key()
    library_dirs()
    CudaUtils()


def start_cuda() -> None:
    """In a role, before system calls are restricted: a context, an allocation, the driver."""
    wait_without_spinning()
    torch.empty(1, device="cuda").add_(1)
    torch.cuda.synchronize()
    cuda().cuCtxSetLimit(PERSISTING_L2, ctypes.c_size_t(0))
    torch.cuda.set_per_process_memory_fraction(MEMORY_SHARE)
    _ = driver.active.utils  # pyright: ignore[reportAttributeAccessIssue]


def settle(device: str) -> None:
    """Wait until the device has done what was asked of it: the judge reads as soon as it hears."""
    if device != "cpu":
        torch.cuda.synchronize()


def write_late(tensors: list[torch.Tensor]) -> None:
    """Have the values of these tensors arrive in the current stream a little after it is asked for them:
    another stream that does not wait for this one reads something else."""
    values = [each.clone() for each in tensors]
    for each in tensors:
        each.zero_()
    torch.cuda.synchronize()
    torch.cuda._sleep(LATE_CYCLES)
    for each, value in zip(tensors, values, strict=True):
        each.copy_(value)


class NotChecked(OutOfResources):
    """A launch, or a configuration of an autotuner, that came up in no checked call. Triton's autotuner
    passes it over."""

    def __init__(self) -> None:
        super().__init__(0, 0, "checked calls")

    def __str__(self) -> str:
        return "a kernel is launched as it was in no checked call"


class Compiled:
    """Kernels that the judge has handed over, by the text of their specialisation."""

    def __init__(self) -> None:
        self.launching: str | None = None
        """The specialisation of the launch in progress; None where launches are not looked at."""
        self.missing = False
        """Whether a launch was passed over."""
        self._files: dict[str | None, dict[str, str]] = {}
        self._num_kept = 0

    def accept(self, message: dict[str, Any]) -> dict[str, Any]:
        """Keep kernels as files, as Triton reads them."""
        for kernel in message["compiled"]:
            folder = os.path.join(os.getcwd(), f"compiled_{self._num_kept}")
            os.mkdir(folder)
            self._num_kept += 1
            contents = {"json": json.dumps(kernel["metadata"]).encode(), "cubin": b64decode(kernel["cubin"])}
            files = {f"kernel.{kind}": os.path.join(folder, f"kernel.{kind}") for kind in contents}
            for kind, content in contents.items():
                with open(files[f"kernel.{kind}"], "wb") as file:
                    file.write(content)
            self._files[kernel["specialisation"]] = files
        return {}

    def forget(self) -> None:
        for files in self._files.values():
            for path in files.values():
                os.remove(path)
        self._files = {}

    def install(self) -> None:
        """Take the place of Triton's compiler."""

        def find(kernel: Any, key: Any, signature: Any, device: Any, constexprs: Any, *rest: Any) -> Any:
            if self.launching is None:
                raise NotChecked
            files = self._files.get(self.launching)
            if files is None:
                self.missing = True
                return None  # and nothing is launched
            attributes = rest[1]
            source = kernel.ASTSource(kernel, signature, constexprs, attributes)
            found = CompiledKernel(source, files, "compiled elsewhere")
            kernel.device_caches[device][0][key] = found
            return found

        JITFunction._do_compile = find  # pyright: ignore[reportAttributeAccessIssue]
