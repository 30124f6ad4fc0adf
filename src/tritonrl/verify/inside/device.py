"""Kernels on a GPU, in a process that may start no program: what Triton would build is built elsewhere.

A launch needs a cubin and a launcher. The judge has the first made by the compile role and the second built
from the kernel's signature; a role finds both by the specialisation that was launched. Where one is missing
the launch is passed over and the judge asks again when it has them.
"""

import glob
import json
import os
from base64 import b64decode
from typing import Any

import torch
from triton.compiler.compiler import CompiledKernel
from triton.runtime.driver import driver
from triton.runtime.jit import JITFunction

from tritonrl.verify.device_memory import LENT, DeviceMapping
from tritonrl.verify.inside.serving import lent

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


def start_cuda(handle: dict[str, Any]) -> None:
    """In a role, before system calls are restricted: a context, an allocation, the driver, memory of the
    judge's."""
    torch.empty(1, device="cuda").add_(1)
    torch.cuda.synchronize()
    lent[LENT] = DeviceMapping.open(handle)
    _ = driver.active.utils  # pyright: ignore[reportAttributeAccessIssue]


def settle(device: str) -> None:
    """Wait until the device has done what was asked of it: the judge reads as soon as it hears."""
    if device != "cpu":
        torch.cuda.synchronize()


class Compiled:
    """Kernels that the judge has handed over, by the text of their specialisation."""

    def __init__(self) -> None:
        self.launching = ""
        """The specialisation of the launch in progress."""
        self.missing = False
        """Whether a launch was passed over."""
        self._files: dict[str, dict[str, str]] = {}

    def accept(self, message: dict[str, Any]) -> dict[str, Any]:
        """Keep kernels as files, as Triton reads them."""
        for number, kernel in enumerate(message["compiled"], start=len(self._files)):
            folder = os.path.join(os.getcwd(), f"compiled_{number}")
            os.mkdir(folder)
            contents = {"json": json.dumps(kernel["metadata"]).encode(), "cubin": b64decode(kernel["cubin"])}
            files = {f"kernel.{kind}": os.path.join(folder, f"kernel.{kind}") for kind in contents}
            for kind, content in contents.items():
                with open(files[f"kernel.{kind}"], "wb") as file:
                    file.write(content)
            self._files[kernel["specialisation"]] = files
        return {}

    def install(self) -> None:
        """Take the place of Triton's compiler."""

        def find(kernel: Any, key: Any, signature: Any, device: Any, constexprs: Any, *rest: Any) -> Any:
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
