"""The replay: repeats the log of a call without the candidate. It has the candidate's kernels, cut out of its
text, and nothing else of it.

Every memory is poisoned before inputs, weights and constants are written to it, so that what was never
computed is never right. Which steps are done is the judge's choice.
"""

import contextlib
import copy
import functools
import time
from collections.abc import Callable
from operator import getitem
from typing import Any

import torch
import triton
from torch.utils._pytree import tree_map_only

from tritonrl.verify.channel import Channel
from tritonrl.verify.inside import bounds, constant_functions, order, plain_kernels
from tritonrl.verify.inside.device import Compiled, settle
from tritonrl.verify.inside.encoding import Value, decode, tensors_within
from tritonrl.verify.inside.origins import Origins
from tritonrl.verify.inside.rounding import tensors_in
from tritonrl.verify.inside.serving import Memory, import_text, serve
from tritonrl.verify.inside.target import name_target
from tritonrl.verify.inside.timed import device_seconds
from tritonrl.verify.inside.work import Work, work
from tritonrl.verify.memory import extent_bytes, raw
from tritonrl.verify.specialisation import file_of, specialise, text_of

LARGEST_MEMORIES = 3 * 2**30
MARGIN_BYTES = 1024
"""Around each memory: a kernel that reads or writes beside a tensor meets poison, not another tensor."""


class NotALog(Exception):
    """The log speaks of something that is not there."""


def serve_replay(channel: Channel) -> None:
    """Answer the judge until it is gone."""
    memory = Memory(channel)
    session = _Session(memory)
    handlers = {
        "load": session.load, "replay": session.replay, "compiled": session.compiled.accept,
        "reset": session.reset, "prepare": session.prepare, "device_seconds": session.device_seconds,
    }  # fmt: skip
    serve(channel, handlers, memory, "kernels.py")


class _Session:
    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.kernels: dict[str, Any] = {}
        self.constants: list[torch.Tensor] = []
        self.jobs: list[Callable[[], Any]] = []
        self.compiled = Compiled()
        self.device = "cpu"
        self.known = order.Known()

    def load(self, message: dict[str, Any]) -> dict[str, Any]:
        """Kernels by file, each with all that it calls."""
        self.device = message["device"]
        if self.device == "cpu":
            name_target(message["arch"])
            order.install()
            bounds.install()
        else:
            self.compiled.install()
            triton.set_allocator(_allocate)
        for number, (key, text) in enumerate(message["kernels"].items(), start=len(self.kernels)):
            self.kernels[key], _ = import_text(text, f"kernels_{number}")
            plain_kernels.check(text, vars(self.kernels[key]))
            constant_functions.check(text, vars(self.kernels[key]))
        if "constants" in message:
            self.constants = self.memory.tensors(message["arena"], message["constants"])
        return {}

    def reset(self, message: dict[str, Any]) -> dict[str, Any]:
        """Be as new, for another candidate."""
        self.kernels, self.constants, self.jobs = {}, [], []
        self.known = order.Known()
        self.compiled.forget()
        settle(self.device)
        self.memory.forget()
        torch.cuda.empty_cache()
        return {}

    def replay(self, message: dict[str, Any]) -> dict[str, Any]:
        """Do the chosen steps on each question; leaves outputs, inputs and state as they are then."""
        answers = [self._replay(message, question) for question in message["questions"]]
        settle(self.device)
        return {"answers": answers}

    def _replay(self, message: dict[str, Any], question: dict[str, Any]) -> dict[str, Any]:
        arena = question["arena"]
        log = _with_numbers(message["log"], question["numbers"])
        run = _Run(self, log, question["poison"], question["seed"])
        if seconds := message.get("backwards"):
            run.backwards = order.Backwards(time.monotonic() + seconds, self.known)
        given = [*log["inputs"], *log["state"]]
        places = self.memory.tensors(arena, [*question["inputs"], *question["state"]])
        for value, place in zip(given, places, strict=True):
            raw(run.view(*value[1:])).copy_(raw(place))
        origins = None
        if (copies := message["copies"]) is not None:
            origins = Origins(run.content, given, copies)
        identities, costs, failures = [], {}, {}
        chosen, measured = set(message["steps"]), set(message["measured"])
        for number, step in enumerate(log["steps"]):
            try:
                if number in measured:
                    costs[str(number)] = run.cost(step)
                if number not in chosen:
                    continue
                with origins.following(number, step) if origins else contextlib.nullcontext():
                    if step["do"] == "op":
                        run.operate(step)
                    elif run.launch(step, message["looks"]):
                        identities.append(number)
            except Exception as error:
                failures[str(number)] = f"{type(error).__name__}: {error}"[:300]
        outputs = self.memory.tensors(arena, question["outputs"])
        pairs = [*zip(log["outputs"], outputs, strict=False), *zip(given, places, strict=True)]
        for value, place in pairs:
            _copy(run.view(*value[1:]), place)
        beyond = run.beyond()
        waiting = self.known.failed if run.backwards else {}
        return {
            "identities": identities, "costs": costs, "failures": failures, "beyond": beyond,
            "not_backwards": waiting,
            "overwriting": origins.overwriting(log["outputs"]) if origins else [],
        }  # fmt: skip

    def prepare(self, message: dict[str, Any]) -> dict[str, Any]:
        """Have the chosen steps ready to be done again and again, over several sets of inputs."""
        log, self.jobs = message["log"], []
        for number, places in enumerate(message["sets"]):
            run = _Run(self, log, message["poison"], seed=number)
            tensors = self.memory.tensors(message["arena"], places)
            for value, place in zip(log["inputs"], tensors, strict=True):
                raw(run.view(*value[1:])).copy_(raw(place))
            run.job([log["steps"][step] for step in message["before"]])  # once, and not timed
            self.jobs.append(run.job([log["steps"][step] for step in message["steps"]]))
        return {}

    def device_seconds(self, message: dict[str, Any]) -> dict[str, Any]:
        """What the device needs for these steps, over the first sets."""
        return {"seconds": device_seconds(self.jobs[: message["count"]])}


class _Run:
    """The memories of one replay."""

    def __init__(self, session: _Session, log: dict[str, Any], poison: str, seed: int) -> None:
        self.session = session
        self.backwards: order.Backwards | None = None
        """How its launches are done, if not as always."""
        if sum(log["sizes"]) > LARGEST_MEMORIES:
            raise NotALog("the log asks for more memory than a replay has")
        generator = torch.Generator(session.device).manual_seed(seed)
        sizes = [size + 2 * MARGIN_BYTES for size in log["sizes"]]
        self.memories = [POISONS[poison](size, generator) for size in sizes]
        self.margins = self._margins()
        starts = [each.data_ptr() + MARGIN_BYTES for each in self.memories]
        pairs = zip(starts, log["sizes"], strict=True)
        self.bounds = bounds.Bounds([range(start, start + size) for start, size in pairs])
        for memory, number in log["constants"]:
            self.content(memory).copy_(session.constants[number])
        for memory, text in log["literals"]:
            place = self.content(memory)
            content = bytes.fromhex(text) if text != "zeros" else bytes(place.numel())
            if len(content) != place.numel():
                raise NotALog("a literal does not fill its memory")
            place.copy_(torch.frombuffer(bytearray(content), dtype=torch.uint8) if content else place)

    def content(self, memory: int) -> torch.Tensor:
        return self.memories[memory][MARGIN_BYTES:-MARGIN_BYTES]

    def _margins(self) -> torch.Tensor:
        parts = [part for each in self.memories for part in (each[:MARGIN_BYTES], each[-MARGIN_BYTES:])]
        return torch.cat(parts) if parts else torch.empty(0)

    def beyond(self) -> str:
        """What was done outside of all memories: `reads`, `writes` or nothing. On a GPU only what was written
        beside them is seen."""
        return self.bounds.beyond or ("" if torch.equal(self._margins(), self.margins) else bounds.WRITES)

    def view(self, memory: int, dtype: str, shape: list[int], stride: list[int], offset: int) -> torch.Tensor:
        kind = getattr(torch, dtype)
        end = offset * kind.itemsize + extent_bytes({"dtype": dtype, "shape": shape, "stride": stride})
        if offset < 0 or end > self.content(memory).numel():
            raise NotALog("a tensor does not lie in its memory")
        offset += MARGIN_BYTES // kind.itemsize
        empty = torch.empty(0, dtype=kind, device=self.session.device)
        return empty.set_(self.memories[memory].untyped_storage(), offset, shape, stride)

    def launch(self, step: dict[str, Any], looks: bool) -> bool:
        """Run a kernel; with `looks`, whether all that it wrote are copies of what it read."""
        file = file_of(step)
        kernel = self._kernel(file, step["kernel"])
        arguments = {name: self.value(value, file) for name, value in step["arguments"].items()}
        tensors = [each for each in arguments.values() if isinstance(each, torch.Tensor)] if looks else []
        before = [each.clone() for each in tensors]
        compiled, options = self.session.compiled, {}
        if self.session.device != "cpu":
            compiled.launching, compiled.missing = text_of(specialise(step)), False
            options = {name: self.value(value) for name, value in step["options"].items()}
        run = functools.partial(kernel[tuple(step["grid"])], **arguments, **options)
        with self.bounds.held():
            if self.backwards is None:
                started = time.monotonic()
                run()
                self.session.known.took(step["kernel"], time.monotonic() - started)
            else:
                self.backwards.launch(step["kernel"], run, self._undo(step))
        if compiled.missing:
            raise NotALog("a kernel is launched that was not compiled")
        written = [new for old, new in zip(before, tensors, strict=True) if not _equal(old, new)]
        return bool(written) and all(any(_is_copy(old, new) for old in before) for new in written)

    def _undo(self, step: dict[str, Any]) -> Callable[[], None]:
        """Has all that a launch can reach as it was before."""
        beyond = self.bounds.beyond
        numbers = {value[1] for value in tensors_within(step["arguments"])}
        before = [(self.memories[number], self.memories[number].clone()) for number in numbers]

        def undo() -> None:
            self.bounds.beyond = beyond
            for memory, content in before:
                memory.copy_(content)

        return undo

    def job(self, steps: list[dict[str, Any]]) -> Callable[[], None]:
        """These steps, done once, and with their arguments looked up to be done again and timed; what an
        operator makes then is not kept."""
        calls: list[Callable[[], Any]] = []
        for step in steps:
            if step["do"] == "op":
                self.operate(step)
                args, kwargs = self._arguments(step)
                calls.append(functools.partial(_operator(step["name"]), *args, **kwargs))
                continue
            self.launch(step, looks=False)
            file = file_of(step)
            kernel = self._kernel(file, step["kernel"])
            words = {name: self.value(value, file) for name, value in step["arguments"].items()}
            words |= {name: self.value(value) for name, value in step["options"].items()}
            calls.append(functools.partial(kernel[tuple(step["grid"])], **words))

        def do() -> None:
            for call in calls:
                call()

        return do

    def operate(self, step: dict[str, Any]) -> None:
        func = _operator(step["name"])
        args, kwargs = self._arguments(step)
        made = func(*args, **kwargs)
        for value, tensor in zip(step["outputs"], tensors_in(made), strict=True):
            place = self.view(*value[1:])
            if (place.dtype, place.shape) != (tensor.dtype, tensor.shape):
                raise NotALog(f"{step['name']} makes something else")
            if place.data_ptr() != tensor.data_ptr():
                place.copy_(tensor)

    def cost(self, step: dict[str, Any]) -> float:
        """The work of an operator; of one that is made of others, theirs."""
        args, kwargs = self._arguments(step)
        func = _operator(step["name"])
        if torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "CompositeImplicitAutograd"):
            args, kwargs = tree_map_only(torch.Tensor, torch.clone, (args, kwargs))
            with torch.no_grad(), Work() as measured:
                func(*args, **kwargs)
            return measured.seconds
        outputs = [self.value(each) for each in step["outputs"]]
        return work(func, args, kwargs, outputs[0] if len(outputs) == 1 else outputs)

    def value(self, value: Value, file: str = "") -> Any:
        return decode(value, self.view, lambda key: self._kernel(file, key))

    def _arguments(self, step: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        return [self.value(each) for each in step["args"]], {
            name: self.value(each) for name, each in step["kwargs"].items()
        }

    def _kernel(self, file: str, key: str) -> Any:
        """A function of the file of what is launched."""
        return getattr(self.session.kernels[file], key.partition("@")[0])


def _allocate(size: int, alignment: int, stream: int | None) -> Any:
    return torch.empty(size, dtype=torch.int8, device="cuda")


def _operator(name: str) -> Any:
    namespace, operator, overload = name.split(".")
    if namespace != "aten":
        raise NotALog(f"{name} is no operator of PyTorch's own")
    return getattr(getattr(torch.ops.aten, operator), overload)


def _with_numbers(log: dict[str, Any], numbers: list[list[Any]]) -> dict[str, Any]:
    """The log with other numbers at these places of its steps: see `verify.numbers`."""
    if not numbers:
        return log
    steps = copy.deepcopy(log["steps"])
    for path, number in numbers:
        *way, last = path
        functools.reduce(getitem, way, steps)[last] = number
    return {**log, "steps": steps}


def _like_data(size: int, generator: torch.Generator) -> torch.Tensor:
    numbers = torch.randn(size // 4 + 1, generator=generator, device=generator.device)
    return numbers.view(torch.uint8)[:size].clone()


def _not_a_number(size: int, generator: torch.Generator) -> torch.Tensor:
    return torch.full((size,), 255, dtype=torch.uint8, device=generator.device)


POISONS = {"like data": _like_data, "not a number": _not_a_number}


def _copy(value: torch.Tensor, place: torch.Tensor) -> None:
    if value.shape == place.shape and value.dtype == place.dtype:
        raw(place).copy_(raw(value))


def _equal(old: torch.Tensor, new: torch.Tensor) -> bool:
    """To the bit, however they lie in memory."""
    return torch.equal(_bits(old), _bits(new))


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.clone(memory_format=torch.contiguous_format).reshape(-1).view(torch.uint8)


def _is_copy(old: torch.Tensor, new: torch.Tensor) -> bool:
    """Whether the values are those of another tensor in the same order, up to its type."""
    if old.numel() != new.numel():
        return False
    return torch.equal(old.reshape(-1).to(new.dtype).double(), new.reshape(-1).double())
