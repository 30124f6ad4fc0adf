"""Recording: what a candidate allocates, computes with libraries and launches, as a log.

A dispatch mode sees operators, a patched `run` sees launches. Neither sees everything and both can be fooled:
that does not matter, since what is not in the log is not in the replay either.
"""

import contextlib
import inspect
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch._library.custom_ops import OPDEFS
from torch.utils._python_dispatch import TorchDispatchMode
from triton.runtime.autotuner import Autotuner
from triton.runtime.interpreter import InterpretedFunction
from triton.runtime.jit import JITFunction

from tritonrl.verify.inside.device import Compiled
from tritonrl.verify.inside.earlier import Earlier
from tritonrl.verify.inside.encoding import Value, encode
from tritonrl.verify.inside.kernels import Kernels
from tritonrl.verify.inside.rounding import tensors_in
from tritonrl.verify.inside.warmed_up import WarmedUp, bind, is_constant
from tritonrl.verify.limits import LARGEST_CONSTANTS, MOST_CONFIGS, MOST_STEPS
from tritonrl.verify.specialisation import specialise, text_of

NO_STEPS = {
    "aten.empty", "aten.empty_like", "aten.empty_strided", "aten.new_empty", "aten.new_empty_strided",
    "aten.empty_permuted", "aten.set_", "aten.record_stream",
}  # fmt: skip
"""Operators that make memory without writing to it, or say how long it is used."""
LARGEST_LITERAL = 4096
"""Bytes of a tensor that is written out in the code."""
LARGEST_LOOKED_AT = 64 * 2**20


class Recorder(TorchDispatchMode):
    """Records while it is entered: constants before the first question, then call by call."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self.file = file
        self.kernels = Kernels(file)
        self.num_configs = 0
        self.has_tuned = False
        """Whether autotuned kernels have made their choice."""
        self.constants: dict[int, torch.UntypedStorage] = {}
        """Storages that existed before the first question, by identity."""
        self.pretence: Callable[[], contextlib.AbstractContextManager[Any]] = contextlib.nullcontext
        """What the candidate is to believe of its machine, while it is recorded."""
        self._beliefs: list[contextlib.AbstractContextManager[Any]] = []
        self._wear: Callable[[bool], None] = lambda own: None
        self._in_call = False
        self._paused = False
        self._tuned = False
        self._turns: dict[int, int] = {}
        self._turns_before: dict[int, int] = {}
        self._memories: dict[int, int] = {}
        self._storages: dict[int, torch.UntypedStorage] = {}
        self._earlier = Earlier()
        self._log = self._empty_log()

    def __enter__(self) -> Any:
        self._beliefs.append(self.pretence())
        self._beliefs[-1].__enter__()
        return super().__enter__()

    def __exit__(self, *raised: Any) -> Any:
        super().__exit__(*raised)
        self._beliefs.pop().__exit__(*raised)

    @staticmethod
    def _empty_log() -> dict[str, Any]:
        names = (
            "sizes",
            "inputs",
            "state",
            "outputs",
            "constants",
            "literals",
            "foreign",
            "addresses",
            "steps",
        )
        return {name: [] for name in names} | {"prologue": 0}

    def begin(self, inputs: list[torch.Tensor], state: list[torch.Tensor], again: bool) -> None:
        """A call starts with these tensors; `again` if it is the last one repeated."""
        self._turns_before = dict(self._turns_before if again else self._turns)
        self._turns = dict(self._turns_before)
        self._memories, self._storages = {}, {}
        self._earlier.prologue()  # of a call that raised
        self._log = self._empty_log()
        self._in_call = True
        for name, tensors in (("inputs", inputs), ("state", state)):
            self._log[name] = [self._view(each, self._new) for each in tensors]

    def end(self, outputs: list[torch.Tensor]) -> None:
        """The call has returned these: what is done from now on comes too late."""
        self._log["outputs"] = [self._view(each) for each in outputs]
        self._in_call = False
        prologue = self._earlier.prologue()
        self._log["prologue"] = len(prologue)
        self._log["steps"] = [*prologue, *self._log["steps"]][:MOST_STEPS]
        self._earlier.keep(self._log, self._memories, self._storages)
        self._storages = {}

    def report(self) -> dict[str, Any]:
        """The log of the last call, and what it needs."""
        self._in_call = False
        return {"log": self._log, "kernels": self.kernels.take(), "configs": self.num_configs}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if self._paused:
            return func(*args, **kwargs)
        if func.namespace not in ("aten", "prims"):
            return self._look_inside(func, args, kwargs)
        if not self._in_call:
            result = func(*args, **kwargs)
            for tensor in tensors_in(result):
                self._keep_constant(tensor)
            return result
        given = [self._encode(each) for each in args]
        named = {name: self._encode(each) for name, each in kwargs.items()}
        if str(func) == "aten.lift_fresh.default":
            self._write_out(args[0])
        result = func(*args, **kwargs)
        made = list(tensors_in(result))
        changes = func._schema.is_mutable or not all(self._is_known(each) for each in made)
        outputs = [self._view(each, self._new) for each in made]
        if changes and str(func.overloadpacket) not in NO_STEPS:
            step = {"do": "op", "name": str(func), "args": given, "kwargs": named, "outputs": outputs}
            self._add({**step, "line": self._line()})
        return result

    def _look_inside(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """An operator of the candidate's own: what it is made of is recorded, where that can be had."""
        defined = OPDEFS.get(func._schema.name)
        if defined is None:
            return func(*args, **kwargs)
        with self:
            device = next((each.device.type for each in tensors_in((args, kwargs))), "cpu")
            return defined._backend_fns.get(device, defined._init_fn)(*args, **kwargs)

    def install(self, compiled: Compiled | None = None) -> None:
        """Be told of every launch, and choose the configuration of every autotuned one. A warm-up is none.
        `compiled` are the kernels of a GPU; without them kernels are interpreted."""
        launched = InterpretedFunction if compiled is None else JITFunction
        run, tune = launched.run, Autotuner.run

        def warmed_up(kernel: Any, *args: Any, grid: Any, **kwargs: Any) -> WarmedUp:
            return WarmedUp(kernel, args, kwargs)

        def recorded(kernel: Any, *args: Any, grid: Any, warmup: Any, **kwargs: Any) -> Any:
            if warmup:
                return WarmedUp(kernel, args, kwargs)
            size, launch = self._launch(kernel, grid, args, kwargs)
            if launch is None:
                return None
            if compiled is not None:
                compiled.launching = text_of(specialise(launch))
            self._paused = True
            try:
                return run(kernel, *args, grid=size, warmup=warmup, **kwargs)
            finally:
                self._paused = False

        def autotuned(tuner: Any, *args: Any, **kwargs: Any) -> Any:
            if self.has_tuned:
                return tune(tuner, *args, **kwargs)
            if kwargs.get("warmup"):  # which is no configuration's turn
                return tuner.warmup(*args, **{name: kwargs[name] for name in kwargs if name != "warmup"})
            tuner.nargs = dict(zip(tuner.arg_names, args, strict=False))
            configs = tuner.prune_configs(kwargs)
            self.num_configs = max(self.num_configs, min(len(configs), MOST_CONFIGS))
            # Every configuration must be right, not only the one that would be chosen: they take turns.
            turn = self._turns[id(tuner)] = self._turns.get(id(tuner), -1) + 1
            chosen = configs[turn % len(configs)]
            if chosen.pre_hook is not None:
                chosen.pre_hook({**tuner.nargs, **kwargs, **chosen.all_kwargs()})
            self._tuned = len(configs) > 1
            try:
                return tuner.fn.run(*args, **kwargs, **chosen.all_kwargs())
            finally:
                self._tuned = False

        def wear(own: bool) -> None:
            launched.run = recorded if own else run  # pyright: ignore[reportAttributeAccessIssue]
            Autotuner.run = autotuned if own else tune  # pyright: ignore[reportAttributeAccessIssue]
            if compiled is not None:
                compiled.launching = None

        launched.warmup = warmed_up  # pyright: ignore[reportAttributeAccessIssue]
        wear(True)
        self._wear = wear

    @contextlib.contextmanager
    def standing_aside(self) -> Iterator[None]:
        """Launches as Triton makes them, unseen: for calls that are timed."""
        self._wear(False)
        try:
            yield
        finally:
            self._wear(True)

    def _launch(
        self, kernel: Any, grid: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[int, ...], dict[str, Any] | None]:
        """Record a launch; gives the size of its grid, and the launch as it is logged. An empty grid launches
        nothing."""
        parameters = inspect.signature(kernel.fn).parameters
        options = {name: value for name, value in kwargs.items() if name not in parameters}
        bound = bind(kernel, args, kwargs)
        size: tuple[int, ...] = tuple(grid(dict(bound.arguments)) if callable(grid) else grid)  # pyright: ignore
        if not math.prod(size):
            return size, None
        launch = {
            "do": "launch", "kernel": self.kernels.key(kernel), "grid": list(map(int, size)),
            "arguments": {name: self._encode(value) for name, value in bound.arguments.items()},
            "constants": [name for name, each in parameters.items() if is_constant(each)],
            "options": {name: self._encode(value) for name, value in sorted(options.items())},
            "tuned": self._tuned,
        }  # fmt: skip
        if self._in_call:
            self._add(launch)
        return size, launch

    def _add(self, step: dict[str, Any]) -> None:
        if len(self._log["steps"]) < MOST_STEPS:
            self._log["steps"].append(step)

    def _encode(self, value: Any) -> Value:
        return encode(value, self._view, self.kernels.key_of)

    def _is_known(self, tensor: torch.Tensor) -> bool:
        """Whether it lies in a memory of this call."""
        return _has_memory(tensor) and self._key(tensor) in self._memories

    def _view(self, tensor: torch.Tensor, unknown: Any = None) -> Value:
        """A tensor as a view of a memory, if it has one: a sparse tensor has none of its own."""
        if not _has_memory(tensor):
            return ["other", str(tensor.layout)]
        key = self._key(tensor)
        if key not in self._memories:
            (unknown or self._find)(tensor.untyped_storage(), key)
        dtype = str(tensor.dtype).removeprefix("torch.")
        place = [list(tensor.shape), list(tensor.stride()), tensor.storage_offset()]
        return ["tensor", self._memories[key], dtype, *place]

    @staticmethod
    def _key(tensor: torch.Tensor) -> int:
        return tensor.untyped_storage()._cdata

    def _new(self, storage: torch.UntypedStorage, key: int) -> int:
        """A number for a memory; it is kept alive, so that no other takes its identity."""
        self._storages[key] = storage
        memory = self._memories[key] = len(self._log["sizes"])
        self._log["sizes"].append(storage.nbytes())
        return memory

    def _find(self, storage: torch.UntypedStorage, key: int) -> None:
        """A memory that nothing in this call has made: from before the first question, from an earlier call,
        or from nowhere."""
        made = None if key in self.constants else self._earlier.find(key)
        if made is not None and not _is_zero(storage):
            self._storages[key] = storage
            self._memories[key] = self._earlier.recall(made, self._log)
            return
        memory = self._new(storage, key)
        if key in self.constants:
            self._log["constants"].append([memory, list(self.constants).index(key)])
        elif _is_zero(storage):
            self._log["literals"].append([memory, "zeros"])  # a work space that is left as it was found
        else:
            self._log["foreign"].append(memory)

    def _write_out(self, tensor: torch.Tensor) -> None:
        """`torch.tensor([...])`: the numbers stand in the code."""
        memory = self._memories[self._key(tensor)]
        if memory in self._log["foreign"] and self._log["sizes"][memory] <= LARGEST_LITERAL:
            self._log["foreign"].remove(memory)
            text = bytes(_bytes(tensor.untyped_storage()).tolist()).hex()
            self._log["literals"].append([memory, text])
            if tensor.dtype == torch.int64 and any(map(self._is_address, tensor.reshape(-1).tolist())):
                self._log["addresses"].append(memory)

    def _is_address(self, number: int) -> bool:
        """Whether it lies in a memory of this call."""
        starts = ((each.data_ptr(), each.nbytes()) for each in self._storages.values())
        return any(start <= number < start + size for start, size in starts if start)

    def forget_constant(self, tensor: torch.Tensor) -> None:
        if _has_memory(tensor):
            self.constants.pop(self._key(tensor), None)

    def _keep_constant(self, tensor: torch.Tensor) -> None:
        if not _has_memory(tensor):
            return
        storage = tensor.untyped_storage()
        kept = sum(each.nbytes() for each in self.constants.values())
        if kept + storage.nbytes() <= LARGEST_CONSTANTS:
            self.constants.setdefault(storage._cdata, storage)

    def _line(self) -> int | None:
        frame = sys._getframe()
        while frame is not None and frame.f_code.co_filename != self.file:
            frame = frame.f_back
        return frame.f_lineno if frame else None


def _has_memory(tensor: torch.Tensor) -> bool:
    return torch._C._has_storage(tensor)


def _is_zero(storage: torch.UntypedStorage) -> bool:
    if storage.nbytes() > LARGEST_LOOKED_AT:
        return False
    with torch._C._DisableTorchDispatch():
        return storage.data_ptr() != 0 and not _bytes(storage).any()


def _bytes(storage: torch.UntypedStorage) -> torch.Tensor:
    return torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)
