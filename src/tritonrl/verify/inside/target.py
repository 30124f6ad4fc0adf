"""The GPU that is meant, where there is none: a kernel may ask for it, and hears the same compiled or
interpreted."""

from triton.backends.compiler import GPUTarget
from triton.runtime.driver import driver


class NamedTarget:
    """A driver that knows which GPU is meant, and nothing else."""

    def __init__(self, arch: int) -> None:
        self.arch = arch

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", self.arch, 32)

    def get_current_device(self) -> int:
        return self.arch  # kernels are cached per device, and differ per target

    def get_current_stream(self, device: int) -> int:
        return 0


def name_target(arch: int) -> None:
    driver.set_active(NamedTarget(arch))  # pyright: ignore[reportArgumentType]
