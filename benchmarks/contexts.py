"""Processes a second that start CUDA, do one thing and end: by their queues, how many start at a time, and
whether the device is busy.

python benchmarks/contexts.py [NUM_PROCESSES]

A candidate always gets a process of its own, so this bounds the verdicts a second.
"""

import contextlib
import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

NUM_PROCESSES = 24
TRIALS = ((2, 1), (2, 4), (2, 8), (1, 8), (8, 8))
"""Queues, and processes that start at a time."""
BYTES = 2**21
BUSY = """
import torch
numbers = torch.zeros(2**26, device="cuda")
print("ready", flush=True)
while True:
    for _ in range(50):
        numbers.mul_(1.0)
    torch.cuda.synchronize()
"""


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else NUM_PROCESSES
    table = Table("queues", "at a time", "idle device", "busy device", box=None)
    idle = [rate(count, *trial) for trial in TRIALS]
    with busy_device():
        busy = [rate(count, *trial) for trial in TRIALS]
    for (queues, at_a_time), free, taken in zip(TRIALS, idle, busy, strict=True):
        table.add_row(str(queues), str(at_a_time), f"{free:.1f}", f"{taken:.1f}")
    Console().print("processes a second", table, sep="\n")


@contextlib.contextmanager
def busy_device() -> Iterator[None]:
    """While two others use it."""
    command = [sys.executable, "-c", BUSY]
    others = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
    try:
        for other in others:
            assert other.stdout is not None
            other.stdout.readline()
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def rate(count: int, num_queues: int, at_a_time: int) -> float:
    """Processes a second, from the first fork to the last one's end."""
    started, num_started, living = time.perf_counter(), 0, 0
    while num_started < count or living:
        if num_started < count and living < at_a_time:
            num_started, living = num_started + 1, living + 1
            if os.fork() == 0:
                use_device(num_queues)
        else:
            _, status = os.wait()
            assert status == 0, "a process could not use the device"
            living -= 1
    return count / (time.perf_counter() - started)


def use_device(num_queues: int) -> None:
    """In a process of its own, which then ends."""
    os.environ["CUDA_DEVICE_MAX_CONNECTIONS"] = str(num_queues)
    cuda, context, address = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_uint64()
    failed = (
        cuda.cuInit(0)
        or cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
        or cuda.cuCtxSetCurrent(context)
        or cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(BYTES))
        or cuda.cuMemsetD8_v2(address, ctypes.c_ubyte(1), ctypes.c_size_t(BYTES))
        or cuda.cuCtxSynchronize()
    )
    os._exit(1 if failed else 0)


if __name__ == "__main__":
    main()
