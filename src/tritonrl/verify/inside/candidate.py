"""The candidate's process: loads the code under test, calls it as the judge says, hands out what it returned.

It is given inputs in shared memory and gives outputs back the same way. It knows neither what the outputs
should be, nor how the inputs were drawn, nor which call is checked.
"""

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import torch
import triton  # the zygote has imported it: a candidate must not pay for that
import triton.language

from tritonrl.verify.channel import Channel
from tritonrl.verify.inside import pretence
from tritonrl.verify.inside.device import Compiled, settle, write_late
from tritonrl.verify.inside.recorder import Recorder
from tritonrl.verify.inside.serving import Memory, describe, import_text, serve
from tritonrl.verify.inside.timed import Timed, quick_tuning
from tritonrl.verify.memory import raw, spec_of
from tritonrl.verify.structure import flatten, unflatten

assert triton
_copy, _detach = torch._C.TensorBase.copy_, torch._C.TensorBase.detach
"""As they are before a candidate is loaded, which may replace them on the classes."""


def serve_candidate(channel: Channel) -> None:
    """Answer the judge until it is gone."""
    memory = Memory(channel)
    session = _Session(memory)
    handlers = {
        "load": session.load, "construct": session.construct, "set_state": session.set_state,
        "redraw": session.redraw,
        "calls": session.calls, "look": session.look,
        "constants": session.list_constants, "export": session.export_constants,
        "compiled": session.compiled.accept, "tune": session.tune, **session.timed.handlers,
    }  # fmt: skip
    serve(channel, handlers, memory, session.file)


class _Session:
    """One candidate: its entry point, its state, and outputs of earlier calls that the judge wants to see
    again."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.file = os.path.join(os.getcwd(), "candidate.py")
        self.recorder = Recorder(self.file)
        self.compiled = Compiled()
        self.timed = Timed(memory, lambda: self.entries[0], self.recorder.standing_aside)
        self.device = "cpu"
        self.module: Any = None
        self.entries: dict[int, Any] = {}
        self.held: dict[int, list[torch.Tensor]] = {}

    def load(self, message: dict[str, Any]) -> dict[str, Any]:
        """Import the code."""
        self.device = message["device"]
        if self.device == "cpu":
            pretence.install(message["arch"], message["shared_bytes"])
            self.recorder.install()
            self.recorder.pretence = pretence.PretendedGpu
        else:
            self.compiled.install()
            self.recorder.install(self.compiled)
        with self.recorder:
            self.module, _ = import_text(message["code"], "candidate")
        return {}

    def construct(self, message: dict[str, Any]) -> dict[str, Any]:
        """Make the entry: a function as it is, or a module from the task's constructor arguments."""
        entry = getattr(self.module, message["entry"])
        if message["construct"]:
            tensors = [each.clone() for each in self.memory.tensors(message["arena"], message["places"])]
            args, kwargs = unflatten(message["init"], tensors)
            torch.manual_seed(message["seed"])
            with self.recorder:
                entry = entry(*args, **kwargs)
                if isinstance(entry, torch.nn.Module):
                    entry = entry.to(self.device)
        self.entries[message["variant"]] = entry
        return {"state": {name: spec_of(value) for name, value in _state(entry).items()}}

    def set_state(self, message: dict[str, Any]) -> dict[str, Any]:
        """Replace parameters and buffers, in place."""
        tensors = self.memory.tensors(message["arena"], message["places"])
        state = dict(zip(message["names"], tensors, strict=True))
        self.entries[message["variant"]].load_state_dict(state, strict=True)
        return {}

    def redraw(self, message: dict[str, Any]) -> dict[str, Any]:
        """Give other values to parameters that are of one value, whatever they are called: the same to all of
        a length and value. Says whether there were any; a buffer is taken for one where there are none."""
        entry = self.entries[message["variant"]]
        tensors = self.memory.tensors(message["arena"], message["places"])
        state = _state(entry)
        parameters = dict(entry.named_parameters()) if isinstance(entry, torch.nn.Module) else {}
        found = []
        for value, tensor in zip(message["values"], tensors, strict=True):
            alike = [name for name, own in state.items() if _is_all(own, value, tensor.numel())]
            found.append([name for name in alike if name in parameters] or alike)
        for wanted, tensor in zip(found, tensors, strict=True):
            for name in wanted:
                state[name].copy_(tensor.view(state[name].shape))
        return {"found": [bool(each) for each in found]}

    def list_constants(self, message: dict[str, Any]) -> dict[str, Any]:
        """Sizes of the tensors that exist before the first question, in bytes; weights that the judge sets
        are none."""
        if message["sets_state"]:
            for entry in self.entries.values():
                for tensor in _state(entry).values():
                    self.recorder.forget_constant(tensor)
        return {"sizes": [storage.nbytes() for storage in self.recorder.constants.values()]}

    def export_constants(self, message: dict[str, Any]) -> dict[str, Any]:
        places = self.memory.tensors(message["arena"], message["places"])
        for storage, place in zip(self.recorder.constants.values(), places, strict=True):
            place.copy_(torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage))
        return {}

    def calls(self, message: dict[str, Any]) -> dict[str, Any]:
        """Calls, one after the other, until one raises or launches what is not there."""
        answers: list[dict[str, Any]] = []
        for each in message["calls"]:
            answers.append(self._call(each))
            if "error" in answers[-1] or answers[-1]["missing"]:
                break
        try:
            settle(self.device)
        except BaseException as error:
            answers[-1]["error"] = describe(error, self.file)
        return {"answers": answers}

    def _call(self, message: dict[str, Any]) -> dict[str, Any]:
        """One call and its log, whether it returned or raised."""
        self.compiled.missing = False
        try:
            answer = self._returned(message)
        except BaseException as error:
            answer = {"error": describe(error, self.file)}
        return {**answer, **self.recorder.report(), "missing": self.compiled.missing}

    def _returned(self, message: dict[str, Any]) -> dict[str, Any]:
        """Outputs are copied out as they are when the candidate returns them."""
        entry, arena = self.entries[message["variant"]], message["arena"]
        inputs = self.memory.tensors(arena, message["inputs"])
        arguments = unflatten(message["structure"], inputs)
        state = list(_state(entry).values()) if message["state"] else []
        self.recorder.begin(inputs, state, message["again"])
        if self.device != "cpu" and message["late"]:
            write_late(inputs)
        with _gradients(entry, message["gradients"]), self.recorder:
            result = entry(*arguments)
        leaves: list[torch.Tensor] = []
        structure = flatten(result, leaves)
        self.recorder.end(leaves)
        self.held[message["number"]] = leaves
        for number in message["forget"]:
            self.held.pop(number, None)
        storages = [each.untyped_storage().data_ptr() for each in inputs]
        outputs = [
            {
                **spec_of(leaf),
                "type": _kind(leaf),
                "layout": str(leaf.layout),
                "device": leaf.device.type,
                "aliases": _index(storages, leaf),
            }
            for leaf in leaves
        ]
        self._copy(leaves, self.memory.tensors(arena, message["outputs"]))
        self._copy(list(_state(entry).values()), self.memory.tensors(arena, message["state"]))
        return {"structure": structure, "outputs": outputs}

    def tune(self, message: dict[str, Any]) -> dict[str, Any]:
        """Have autotuned kernels choose among the configurations that were checked."""
        inputs = self.memory.tensors(message["arena"], message["inputs"])
        with torch.no_grad(), self.recorder.standing_aside(), quick_tuning():
            self.entries[message["variant"]](*unflatten(message["structure"], inputs))
        settle(self.device)
        self.recorder.has_tuned = True
        return {}

    def look(self, message: dict[str, Any]) -> dict[str, Any]:
        """The outputs of earlier calls, as they are now."""
        for each in message["calls"]:
            places = self.memory.tensors(each["arena"], each["outputs"])
            self._copy(self.held.get(each["number"], []), places)
        settle(self.device)
        return {}

    @staticmethod
    def _copy(values: list[torch.Tensor], places: list[torch.Tensor]) -> None:
        for value, place in zip(values, places, strict=False):
            if value.shape == place.shape and value.dtype == place.dtype:
                _copy(raw(place), raw(_detach(value)))


@contextlib.contextmanager
def _gradients(entry: Any, enabled: bool) -> Iterator[None]:
    """With gradients enabled nothing asks for any: who does is not answered by a kernel, and may be sent
    elsewhere."""
    parameters = entry.parameters() if enabled and isinstance(entry, torch.nn.Module) else ()
    asking = [each for each in parameters if each.requires_grad]
    for each in asking:
        each.requires_grad_(False)
    try:
        with torch.set_grad_enabled(enabled):
            yield
    finally:
        for each in asking:
            each.requires_grad_(True)


def _kind(leaf: torch.Tensor) -> str:
    return "Tensor" if type(leaf) is torch.Tensor else f"{type(leaf).__module__}.{type(leaf).__name__}"


def _state(entry: Any) -> dict[str, torch.Tensor]:
    return entry.state_dict() if isinstance(entry, torch.nn.Module) else {}


def _is_all(own: torch.Tensor, value: float, count: int) -> bool:
    """Whether it has so many elements, all of this value."""
    return own.is_floating_point() and own.numel() == count and bool((own == value).all())


def _index(storages: list[int], leaf: torch.Tensor) -> int | None:
    """Which input an output shares its memory with."""
    if leaf.layout != torch.strided or leaf.numel() == 0:
        return None
    pointer = leaf.untyped_storage().data_ptr()
    return storages.index(pointer) if pointer in storages else None
