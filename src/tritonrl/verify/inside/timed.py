"""Timed calls: what a candidate and a reference do alike while the judge holds the clock.

The judge lends memory with one set of inputs a call. `batch` makes the calls one after the other and waits
for the whole device; the clock runs from the judge's question to the answer. Outputs are kept until the next
batch, so that the judge can choose those that it wants to see. Nothing that is said here is believed, but for
`device_seconds` of a process that runs no candidate's code.
"""

import contextlib
import ctypes
import gc
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from triton.runtime.autotuner import Autotuner

from tritonrl.verify.device_memory import driver
from tritonrl.verify.inside.device import PERSISTING_L2
from tritonrl.verify.inside.serving import Memory
from tritonrl.verify.memory import spec_of
from tritonrl.verify.structure import flatten, unflatten

CYCLES_PER_SECOND = 2e9
"""At least: a wait must be as long as it is meant to be, and may be longer."""

MOST_TRIES = 5
"""Until all jobs were given to the device before it began with the first."""

TUNING_LAUNCHES = 8

NOT_READY = 600
"""The driver's word for a stream with work left."""

STACK = 0
"""The driver's number of the limit on a thread's stack."""

_synchronize: Callable[[], None] = getattr(torch._C, "_cuda_synchronize", torch.cuda.synchronize)
_copy, _detach = torch._C.TensorBase.copy_, torch._C.TensorBase.detach
"""As they are before a candidate is loaded."""


class Timed:
    """The timed calls of one process. `entry` finds what is called, `around` is entered for every batch."""

    def __init__(
        self,
        memory: Memory,
        entry: Callable[[], Callable[..., Any]],
        around: Callable[[], contextlib.AbstractContextManager[Any]],
    ) -> None:
        self.memory = memory
        self.handlers = {
            "prepare": self.prepare, "batch": self.batch, "show": self.show,
            "device_seconds": self.device_seconds, "move_stack": self.move_stack, "release": self.release,
        }  # fmt: skip
        self._entry = entry
        self._around = around
        self._calls: list[Any] = []
        self._kept: list[Any] = []
        self._stack_bytes: int | None = None
        """As it was before it was first moved."""

    def prepare(self, message: dict[str, Any]) -> dict[str, Any]:
        """The arguments of every call. All who are compared begin with no memory of PyTorch's at hand."""
        torch.cuda.empty_cache()
        self._calls = [
            unflatten(message["structure"], self.memory.tensors(message["arena"], places))
            for places in message["sets"]
        ]
        return {}

    def batch(self, message: dict[str, Any]) -> dict[str, Any]:
        """Make `count` calls, over and over the sets that are named. Whoever leads into others by them then
        waits awake: half of what an empty batch takes, and most of what that varies by, is waking up."""
        self.memory.channel.awake = message["is_lead"]
        first = message["first_set"]
        entry, calls = self._entry(), self._calls[first : first + message["num_sets"]]
        self._kept = kept = [None] * len(calls)
        driver().cuCtxResetPersistingL2Cache()
        gc.disable()
        with torch.no_grad(), self._around():
            for number in range(message["count"]):
                place = number % len(calls)
                kept[place] = entry(*calls[place])
            _wait_awake()
        gc.enable()
        return {"nonce": message["nonce"], "set_aside": _limit(PERSISTING_L2)}

    def show(self, message: dict[str, Any]) -> dict[str, Any]:
        """The outputs of the last call of the last batch over one of the sets."""
        leaves: list[torch.Tensor] = []
        flatten(self._kept[message["number"]], leaves)
        places = self.memory.tensors(message["arena"], message["outputs"])
        for leaf, place in zip(leaves, places, strict=False):
            if leaf.shape == place.shape and leaf.dtype == place.dtype:
                _copy(place, _detach(leaf))
        _synchronize()
        return {"outputs": [spec_of(leaf) for leaf in leaves]}

    def move_stack(self, message: dict[str, Any]) -> dict[str, Any]:
        """Have the memory of threads that is no register's elsewhere on the device. Where it lies makes a few
        percent of what some kernels take, as long as the process lives; another size is another place."""
        if self._stack_bytes is None:
            self._stack_bytes = _limit(STACK)
        driver().cuCtxSetLimit(STACK, ctypes.c_size_t(self._stack_bytes + message["extra"]))
        return {}

    def release(self, message: dict[str, Any]) -> dict[str, Any]:
        """Give up everything that timed calls need."""
        self.forget()
        if self._stack_bytes is not None:
            driver().cuCtxSetLimit(STACK, ctypes.c_size_t(self._stack_bytes))
            self._stack_bytes = None
        self.memory.drop(message["arena"])
        torch.cuda.empty_cache()
        return {}

    def forget(self) -> None:
        self._calls, self._kept = [], []

    def device_seconds(self, message: dict[str, Any]) -> dict[str, Any]:
        """What the device alone needs for a call: the host runs ahead while the device waits."""
        entry, calls = self._entry(), self._calls[: message["count"]]
        with torch.no_grad(), self._around():
            seconds = device_seconds([lambda each=each: entry(*each) for each in calls])
        return {"seconds": seconds}


def device_seconds(jobs: list[Callable[[], Any]]) -> float:
    """Time of the device for one of these jobs, without the host's. Jobs must not wait for the device."""
    kept = [jobs[0]()]
    _synchronize()
    kept.clear()
    began = time.perf_counter()
    kept = [job() for job in jobs]
    ahead_seconds = 2 * (time.perf_counter() - began)
    _synchronize()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for _ in range(MOST_TRIES):
        kept.clear()
        torch.cuda._sleep(int(ahead_seconds * CYCLES_PER_SECOND))
        start.record()
        kept = [job() for job in jobs]
        end.record()
        host_was_ahead = not start.query()
        _synchronize()
        if host_was_ahead:
            break
        ahead_seconds *= 2
    return start.elapsed_time(end) / 1000 / len(jobs)


def _limit(number: int) -> int:
    """One of the driver's limits on this process."""
    found = ctypes.c_size_t()
    driver().cuCtxGetLimit(ctypes.byref(found), number)
    return found.value


def _wait_awake() -> None:
    """For the whole device. A process that sleeps meanwhile wakes up late, now more so and now less."""
    while driver().cuStreamQuery(None) == NOT_READY:
        pass
    _synchronize()


@contextlib.contextmanager
def quick_tuning() -> Iterator[None]:
    """Triton's autotuner measures a configuration by a few launches, not by a tenth of a second of them."""

    def bench(launch: Callable[[], Any], quantiles: Any) -> list[float]:
        return [device_seconds([launch] * TUNING_LAUNCHES) * 1000] * len(quantiles)

    before = Autotuner.do_bench
    Autotuner.do_bench = property(lambda tuner: bench)  # pyright: ignore[reportAttributeAccessIssue]
    try:
        yield
    finally:
        Autotuner.do_bench = before
