"""A GPU for a candidate on a machine without one: what is written for CUDA runs as it stands there.

Model-written hosts say `assert x.is_cuda`, `device="cuda"` and `torch.cuda.synchronize()`, and ask how many
multiprocessors there are. Kernels are interpreted on this machine's memory, so every tensor says that it lies
on `cuda:0`, moving one there gives it back, and what is made there is made here. The rest of `torch.cuda`
does nothing; what needs a real device (graphs, generators) raises `NoGpu`. A host that leaves Triton where it
finds a GPU is thereby seen doing so. In the candidate's process only: the reference, the replay and the judge
see tensors as they are, and nothing rests on what a candidate believes.
"""

import contextlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from triton.runtime.driver import driver

from tritonrl.verify.inside.target import NamedTarget

CUDA = torch.device("cuda", 0)
MULTIPROCESSORS = 132
"""As an H100 has."""


class NoGpu(RuntimeError):
    """Something was asked of CUDA that only a GPU can do."""

    def __init__(self) -> None:
        super().__init__(
            "this needs a GPU, and kernels are interpreted here: verify with --device cuda where there is one"
        )


class PretendedGpu(TorchFunctionMode):
    """While it is entered, PyTorch looks as if tensors were on a GPU."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if (told := _TOLD.get(func)) is not None:
            return told(*args, **(kwargs or {}))
        is_move = func is torch.Tensor.to
        args = [_here(each) if is_move or isinstance(each, torch.device) else each for each in args]
        kwargs = {name: _here(each) if name == "device" else each for name, each in (kwargs or {}).items()}
        return func(*args, **kwargs)


def _here(device: Any) -> Any:
    """This machine for a device of CUDA's, by its name or number; anything else as it is."""
    if type(device) is int or (isinstance(device, (str, torch.device)) and str(device).startswith("cuda")):
        return torch.device("cpu")
    return device


def _getter(name: str) -> Any:
    return getattr(torch.Tensor, name).__get__


_TOLD: dict[Any, Callable[..., Any]] = {
    _getter("is_cuda"): lambda tensor: True,
    _getter("is_cpu"): lambda tensor: False,
    _getter("device"): lambda tensor: CUDA,
    torch.Tensor.get_device: lambda tensor: 0,
    torch.Tensor.cuda: lambda tensor, *args, **kwargs: tensor,
}
"""What tensors say of where they are."""


class _Idle(contextlib.nullcontext[Any]):
    """A stream, an event or a guard of a device: everything is done as soon as it is asked for."""

    device, device_index, cuda_stream, stream_id = CUDA, 0, 0, 0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(self)

    def query(self) -> bool:
        return True

    def record_event(self, event: Any = None) -> Any:
        return event or _Idle()

    def elapsed_time(self, other: Any) -> float:
        return 1.0

    def record(self, *args: Any) -> None:
        """Nothing is under way."""

    synchronize = wait = wait_event = wait_stream = record


class _Driver(NamedTarget):
    """Triton's driver, as far as a host asks it."""

    def __init__(self, arch: int, shared_bytes: int) -> None:
        super().__init__(arch)
        properties = {
            "max_shared_mem": shared_bytes, "multiprocessor_count": MULTIPROCESSORS, "max_num_regs": 65536,
            "warpSize": 32, "sm_clock_rate": 1_755_000, "mem_clock_rate": 2_619_000, "mem_bus_width": 5120,
        }  # fmt: skip
        self.utils = SimpleNamespace(get_device_properties=_says(properties))

    def get_active_torch_device(self) -> torch.device:
        return CUDA

    def get_device_interface(self) -> Any:
        return torch.cuda


def install(arch: int, shared_bytes: int) -> None:
    """Have `torch.cuda` and Triton's driver speak of a GPU of this kind."""
    driver.set_active(_Driver(arch, shared_bytes))  # pyright: ignore[reportArgumentType]
    capability = divmod(arch, 10)
    properties = SimpleNamespace(
        name="an interpreted GPU", major=capability[0], minor=capability[1], warp_size=32,
        multi_processor_count=MULTIPROCESSORS, max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=65536, total_memory=80 * 2**30, L2_cache_size=50 * 2**20,
        shared_memory_per_block=48 * 2**10, shared_memory_per_block_optin=shared_bytes,
    )  # fmt: skip
    answers = (
        ("is_available is_initialized is_bf16_supported", True),
        ("is_current_stream_capturing", False),
        ("synchronize set_device set_stream empty_cache init ipc_collect reset_peak_memory_stats", None),
        ("manual_seed manual_seed_all get_rng_state set_rng_state", None),
        ("current_device memory_allocated memory_reserved max_memory_allocated", 0),
        ("device_count", 1),
        ("get_device_capability", capability),
        ("get_device_name", properties.name),
        ("get_device_properties", properties),
    )
    for names, answer in answers:
        for name in names.split():
            setattr(torch.cuda, name, _says(answer))
    for name in ["device", "device_of", "stream", "Stream", "Event", "current_stream", "default_stream"]:
        setattr(torch.cuda, name, _Idle)
    torch.set_default_device = torch.Tensor.record_stream = _says(None)
    for name in ["_lazy_init", "CUDAGraph", "graph", "make_graphed_callables"]:
        setattr(torch.cuda, name, _refuse)


def _says(answer: Any) -> Callable[..., Any]:
    return lambda *args, **kwargs: answer


def _refuse(*args: Any, **kwargs: Any) -> None:
    raise NoGpu
