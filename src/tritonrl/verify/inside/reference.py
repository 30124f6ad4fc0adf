"""The reference worker: runs a task's own code. Draws its inputs, builds its module, computes what is right.

It gives results in the task's type, in float64, and the spread of the latter under rounding noise. The judge
alone keeps them; a candidate is never near. What it computes is held until the judge has made room for it
(`fetch`).
"""

import contextlib
import copy
import os
import random
import time
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from tritonrl.verify.channel import Channel
from tritonrl.verify.inside import captured
from tritonrl.verify.inside.convolution import ByProducts
from tritonrl.verify.inside.device import settle
from tritonrl.verify.inside.mutation import ROUNDED, Counted, Mutated, Rounded
from tritonrl.verify.inside.results import (
    Limits,
    Result,
    Spread,
    TaskFault,
    copied,
    in_range,
    limits,
    same_kind,
)
from tritonrl.verify.inside.rounding import RoundingNoise
from tritonrl.verify.inside.seeds import Seeds
from tritonrl.verify.inside.serving import Memory, import_text, serve
from tritonrl.verify.inside.timed import Timed
from tritonrl.verify.inside.work import Work
from tritonrl.verify.memory import spec_of
from tritonrl.verify.pieces import are_finite, differ
from tritonrl.verify.structure import flatten, part_of, unflatten

RERUN_ROUNDOFFS = 32
"""By which two runs on a GPU may differ: some of its sums are added up in whatever order they come."""
QUIET_RUNS, MOST_RUNS = 6, 24
"""Under noise, for integers: those in a row that must show nothing new, and all. Of two places that are
nearly the same each run shows one."""
REFERENCE_SHARE = 0.5
"""Of the device's memory: float64 takes twice as much, and a broadcast product many times."""
WORTH_THREADS = 2**20
"""Elements of the inputs beyond which all cores are used. The zygote has one thread, and small tensors are
faster so."""


def serve_reference(channel: Channel) -> None:
    """Answer the judge until it is gone."""
    memory = Memory(channel)
    session = _Session(memory)
    handlers = {
        "load": session.load, "draw": session.draw, "build": session.build, "expect": session.expect,
        "mutants": session.mutants, "mutate": session.mutate, "fetch": session.fetch, "work": session.work,
        "tells": session.tells, "after": session.after,
        **session.timed.handlers, "baseline": session.baseline, "rest": session.rest, "reset": session.reset,
        "capture": session.capture,
    }  # fmt: skip
    serve(channel, handlers, memory, os.path.join(os.getcwd(), "task.py"))


class _Session:
    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.task: Any = None
        self.message: dict[str, Any] = {}
        self.device = "cpu"
        self.makes_on_device = False
        """Whether the task's code must be told to make new tensors on the GPU, as its inputs are."""
        self.models: dict[int, torch.nn.Module] = {}
        self.timed = Timed(memory, lambda: self.timed_entry, self._as_baseline)
        self.timed_entry: Any = None
        self.allows_tf32 = False
        self.ready: list[torch.Tensor] = []
        self.seeds = Seeds()

    def load(self, message: dict[str, Any]) -> dict[str, Any]:
        self.message = message
        self.device = message["device"]
        self.seeds.install()
        self.task, _ = import_text(message["source"], "task")
        _allow_tf32(False)
        if self.device != "cpu":
            torch.cuda.set_per_process_memory_fraction(REFERENCE_SHARE)
        names = tuple(getattr(self.task, "VARYING", ()))
        for name in names:
            if type(getattr(self.task, name, None)) is not int:
                raise TaskFault(f"VARYING names {name!r}, which is no integer of the file")
        return {"varying": {name: getattr(self.task, name) for name in names}}

    def fetch(self, message: dict[str, Any]) -> dict[str, Any]:
        """Copy what the last answer announced."""
        places = self.memory.tensors(message["arena"], message["places"])
        for place, tensor in zip(places, self.ready, strict=True):
            place.copy_(tensor)
        settle(self.device)
        return {}

    def draw(self, message: dict[str, Any]) -> dict[str, Any]:
        """The task's own inputs from a seed, at other sizes where it says that they may vary."""
        self._resize(message["sizes"])
        inputs = self._draw(message["seed"])
        if not isinstance(inputs, (list, tuple)):
            raise TaskFault(f"get_inputs() returns {type(inputs).__name__}, not a list")
        structure = flatten(list(inputs), self._fresh())
        if self.device == "cpu" and sum(each.numel() for each in self.ready) >= WORTH_THREADS:
            torch.set_num_threads(len(os.sched_getaffinity(0)))
        return self._announce(structure)

    def _draw(self, seed: int) -> Any:
        """On a GPU at once, where the task's code allows it: large inputs take long on a CPU."""
        try:
            _seed(seed)
            with torch.device(self.device), self.seeds.drawing(seed):
                return self.task.get_inputs()
        except RuntimeError:
            _seed(seed)
            with self.seeds.drawing(seed):
                return self.task.get_inputs()

    def _resize(self, sizes: dict[str, int]) -> None:
        for name, size in sizes.items():
            setattr(self.task, name, size)

    def build(self, message: dict[str, Any]) -> dict[str, Any]:
        """Construct the module at these sizes; announces the constructor's arguments, then the state."""
        self._resize(message["sizes"])
        tensors = self._fresh()
        if self.message["construct"]:
            args, kwargs = self._constructor_arguments()
            structure = flatten([list(args), dict(kwargs)], tensors)
            count = len(tensors)
            torch.manual_seed(message["seed"])
            model = getattr(self.task, self.message["entry"])(*args, **kwargs).to(self.device)
            self.models[message["variant"]] = model
            state = model.state_dict()
            tensors += state.values()
            roles = [_role(model, name) for name in state]
            return {**self._announce(structure), "names": list(state), "roles": roles, "arguments": count}
        return {**self._announce(["list", []]), "names": [], "roles": [], "arguments": 0}

    def capture(self, message: dict[str, Any]) -> dict[str, Any]:
        """The task's program. On a machine with a GPU its code may put some tensors there: then all are."""
        try:
            return self._captured()
        except Exception:
            if self.device == "cpu":
                raise
            with torch.device(self.device):
                return self._captured()

    def _captured(self) -> dict[str, Any]:
        draw, entry = self.task.get_inputs, getattr(self.task, self.message["entry"])
        if not self.message["construct"]:
            return captured.of_function(entry, draw())

        def build() -> torch.nn.Module:
            args, kwargs = self._constructor_arguments()
            return entry(*args, **kwargs)

        return captured.of_module(build, draw)

    def _constructor_arguments(self) -> tuple[Sequence[Any], dict[str, Any]]:
        style = self.message["init_style"]
        if style == "none":
            return [], {}
        given = self.task.get_init_inputs()
        return tuple(given) if style == "args_kwargs" else (given, {})

    def expect(self, message: dict[str, Any]) -> dict[str, Any]:
        """Outputs and changes that a call makes: in the task's type, in float64, and their spread under
        noise."""
        native, is_random = self._native(message)
        changed, longest = native.changed_from(message, self.memory), 1
        if native.leaves and not any(each.numel() for each in native.chosen(changed)):
            raise TaskFault("all that it returns is empty; there is nothing to compute")
        try:
            exact = self._run(message, torch.float64)
            same_kind(native, exact)
            right = exact.chosen(changed)
            beyond = limits(right, native.chosen(changed))
            right = in_range(right, beyond)
            spreads, far, longest = self._under_noise(message, right, beyond, changed)
            self._find_ties(message, changed, spreads, native.chosen(changed))
            in_double = True
        except torch.OutOfMemoryError:
            raise
        except Exception:
            # A module that fixes its own types (`.float()`, a float32 buffer) does not run in float64.
            right, in_double = native.chosen(changed), False
            spreads, far = [Spread(each) for each in right], []
        tensors = self._fresh()
        tensors += [*native.chosen(changed), *right]
        tensors += [each.value() for each in (*spreads, *far)]
        return {
            **self._announce(native.structure),
            "count": len(native.leaves),
            "aliases": native.aliases,
            "overlapping": [_overlaps(leaf) for leaf in native.leaves],
            "memories": native.memories,
            "changed": changed,
            "random": is_random,
            "in_double": in_double,
            "longest": longest,
        }

    def after(self, message: dict[str, Any]) -> dict[str, Any]:
        """What a call leaves behind where it changes something in place."""
        native, _ = self._native({**message, "twice": False})
        changed, tensors = native.changed_from(message, self.memory), self._fresh()
        tensors += [native.after[place] for place in changed]
        return {**self._announce(["list", []]), "changed": changed}

    def _under_noise(
        self,
        message: dict[str, Any],
        exact: list[torch.Tensor],
        beyond: Limits,
        changed: list[int],
        *,
        careful: bool = False,
    ) -> tuple[list["Spread"], list["Spread"], int]:
        """What noise does to a result, what noise that reaches far does, and the most terms that are added
        up. Of an infinity on the way (a mask's) it leaves no number: then once more, with care."""
        spreads = [Spread(each, careful) for each in exact]
        far = [Spread(each, careful) for each in exact] if message["far_noise"] else []
        keeps_whole, longest = any(not each.is_floating_point() for each in exact), 1
        runs = [(spreads, seed, reach, reach) for seed, reach in message["noise"]]
        runs += [(far, seed, message["far"], 1) for seed in message["far_noise"]]
        for into, seed, reach, parts in runs:
            noise = RoundingNoise(
                reach * message["roundoff"], seed, keeps_whole=keeps_whole, keeps_infinite=careful
            )
            result = self._run(message, torch.float64, noise).chosen(changed)
            for spread, run in zip(into, in_range(result, beyond), strict=True):
                spread.add(run, parts)
            longest = max(longest, noise.longest)
        if careful or all(are_finite(*(each.total for each in (*spreads, *far)))):
            return spreads, far, longest
        return self._under_noise(message, exact, beyond, changed, careful=True)

    def _find_ties(
        self,
        message: dict[str, Any],
        changed: list[int],
        spreads: list["Spread"],
        native: list[torch.Tensor],
    ) -> None:
        """Integers that rounding may change, an argmax of nearly the same: PyTorch's own in the task's type,
        and noise as large as honest error may be, until it shows no more of them."""
        integers = [place for place, each in enumerate(spreads) if not each.exact.is_floating_point()]
        for place in integers:
            spreads[place].add(native[place])
        num_known, quiet = -1, 0
        for seed in range(MOST_RUNS if integers and message["ties"] else 0):
            roundoff, first = message["ties"] * message["roundoff"], message["noise"][0][0]
            noise = RoundingNoise(roundoff, first + seed + 1, keeps_whole=True)
            result = self._run(message, torch.float64, noise).chosen(changed)
            for place in integers:
                spreads[place].add(result[place])
                spreads[place].is_place |= noise.is_place(result[place])
            num_before, num_known = num_known, sum(spreads[place].num_ties for place in integers)
            quiet = quiet + 1 if num_known == num_before else 0
            if quiet == QUIET_RUNS:
                break

    def _native(self, message: dict[str, Any]) -> tuple["Result", bool]:
        """In the task's type, and whether a second call of the same module gives something else, though its
        state is what it was."""
        try:
            _seed(1)
            entry = self._entry(message, None)
            first = self._run(message, None, entry=entry)
        except RuntimeError:
            # Some types have no kernels on a CPU (float16 convolutions): compute in float64, give the type
            # back.
            first = self._run(message, torch.float64).as_native(message, self.memory)
            return first, False
        if not message["twice"]:
            return first, False
        _seed(2)
        entry = copy.deepcopy(entry)  # the first result holds its state
        self._set_state(message, entry)
        second = self._run(message, None, entry=entry)
        pairs = zip([*first.leaves, *first.after], [*second.leaves, *second.after], strict=True)
        return first, any(not self._is_same(a.nan_to_num(), b.nan_to_num()) for a, b in pairs)

    def _is_same(self, one: torch.Tensor, other: torch.Tensor) -> bool:
        """To the bit; on a GPU but for the order of additions."""
        if self.device == "cpu" or not one.is_floating_point() or torch.equal(one, other):
            return torch.equal(one, other)
        size, off = one.double().square().mean(), (one.double() - other.double()).square().mean()
        return bool(off.sqrt() <= RERUN_ROUNDOFFS * torch.finfo(one.dtype).eps * size.sqrt())

    def _run(
        self, message: dict[str, Any], dtype: torch.dtype | None, mode: Any = None, entry: Any = None
    ) -> "Result":
        """One run of the reference on the inputs and state given, in another type if asked."""
        inputs = [copied(each, dtype) for each in self.memory.tensors(message["arena"], message["inputs"])]
        entry = self._entry(message, dtype) if entry is None else entry
        state = list(entry.state_dict().values()) if isinstance(entry, torch.nn.Module) else []
        if isinstance(mode, (RoundingNoise, Rounded)):
            for each in (*inputs, *state):
                if each.is_floating_point():
                    mode.disturb(each)
        arguments = unflatten(message["structure"], inputs)
        default = torch.get_default_dtype()
        torch.set_default_dtype(dtype or default)
        try:
            with torch.no_grad(), self.making(), self._exactly(dtype), mode or contextlib.nullcontext():
                result = entry(*arguments)
        except RuntimeError:
            if self.device == "cpu" or self.makes_on_device:
                raise
            self.makes_on_device = True
            try:
                return self._run(message, dtype, mode)
            except RuntimeError:
                self.makes_on_device = False
                raise
        finally:
            torch.set_default_dtype(default)
        return Result(result, inputs, state)

    def _exactly(self, dtype: torch.dtype | None) -> Any:
        on_gpu = self.device != "cpu" and dtype == torch.float64
        return ByProducts() if on_gpu else contextlib.nullcontext()

    def making(self) -> Any:
        """Where new tensors are made if the code does not say."""
        return torch.device(self.device) if self.makes_on_device else contextlib.nullcontext()

    def _entry(self, message: dict[str, Any], dtype: torch.dtype | None) -> Any:
        if not self.message["construct"]:
            return getattr(self.task, self.message["entry"])
        model = copy.deepcopy(self.models[message["variant"]])
        self._set_state(message, model)
        return model.to(dtype) if dtype else model

    def _set_state(self, message: dict[str, Any], entry: Any) -> None:
        if message["state"]:
            tensors = self.memory.tensors(message["arena"], message["state"])
            entry.load_state_dict(dict(zip(entry.state_dict(), tensors, strict=True)), strict=True)

    def work(self, message: dict[str, Any]) -> dict[str, Any]:
        """The operators of a run on these inputs, and how much work they are."""
        mode = Work()
        self._run(message, None, mode)
        return {"seconds": mode.seconds, "products": mode.products, "operators": sorted(mode.operators)}

    def rest(self, message: dict[str, Any]) -> dict[str, Any]:
        settle(self.device)
        self.ready = []
        self.memory.forget()
        torch.cuda.empty_cache()
        return {}

    def reset(self, message: dict[str, Any]) -> dict[str, Any]:
        """Be as new, for another task."""
        self.task, self.timed_entry, self.makes_on_device = None, None, False
        self.models = {}
        self.timed.forget()
        return self.rest(message)

    def baseline(self, message: dict[str, Any]) -> dict[str, Any]:
        """What timed calls call: the reference with these weights, at this precision, compiled if asked."""
        self.ready = []
        self.allows_tf32 = message["tf32"]
        self.timed_entry = self._entry(message, None)
        if message["compile"]:
            self.timed_entry = torch.compile(self.timed_entry)
        return {}

    @contextlib.contextmanager
    def _as_baseline(self) -> Iterator[None]:
        _allow_tf32(self.allows_tf32)
        try:
            with self.making():
                yield
        finally:
            _allow_tf32(False)

    def mutants(self, message: dict[str, Any]) -> dict[str, Any]:
        """What can be changed in a run on these inputs."""
        counted = Counted()
        self._run(message, torch.float64, counted)
        return {"operators": counted.operators, "rounded": list(ROUNDED)}

    def mutate(self, message: dict[str, Any]) -> dict[str, Any]:
        """The outputs of mutants, and what each left in the inputs and state asked for, in float64; of large
        tensors no more elements than asked for."""
        tensors, counts = self._fresh(), []
        for given in self._mutated(message):
            tensors += [part_of(each, message["most"]) for each in given or ()]
            counts.append(None if given is None else len(given))
        return {**self._announce(["list", []]), "counts": counts}

    def tells(self, message: dict[str, Any]) -> dict[str, Any]:
        """Whether these inputs tell one of the mutants from the reference."""
        exact = self._run(message, torch.float64).chosen(message["changed"])
        found = not all(are_finite(*exact)) or any(
            given is not None and differ(given, exact) for given in self._mutated(message)
        )
        return {"tells": found}

    def _mutated(self, message: dict[str, Any]) -> Iterator[list[torch.Tensor] | None]:
        """What each mutant gives; None where it does not run, and is no program, or comes up too late."""
        until = time.monotonic() + message["seconds"]
        for place, mutant in enumerate(message["mutants"]):
            given = None
            if place == 0 or time.monotonic() < until:
                bits = ROUNDED.get(mutant["rounded"])
                mode = Rounded(bits) if bits else Mutated(mutant["position"], mutant["name"])
                with contextlib.suppress(Exception):
                    given = self._run(message, torch.float64, mode).chosen(message["changed"])
            yield given

    def _fresh(self) -> list[torch.Tensor]:
        self.ready = []
        return self.ready

    def _announce(self, structure: Any) -> dict[str, Any]:
        for tensor in self.ready:
            if tensor.layout != torch.strided:
                raise TaskFault(f"a tensor is {tensor.layout}; only dense ones are supported")
            if tensor.is_complex():
                raise TaskFault(f"a tensor is {tensor.dtype}; complex numbers are not supported")
        return {"structure": structure, "tensors": [spec_of(tensor) for tensor in self.ready]}


def _overlaps(tensor: torch.Tensor) -> bool:
    return any(step == 0 and size > 1 for step, size in zip(tensor.stride(), tensor.shape, strict=True))


def _role(model: torch.nn.Module, name: str) -> str:
    """`parameter`, `mean` or `variance` (statistics of a norm layer), or `buffer`, which may mean
    anything."""
    if name in dict(model.named_parameters(remove_duplicate=False)):
        return "parameter"
    owner, _, leaf = name.rpartition(".")
    norm = isinstance(model.get_submodule(owner), torch.nn.modules.batchnorm._NormBase)
    return {"running_mean": "mean", "running_var": "variance"}.get(leaf, "buffer") if norm else "buffer"


def _allow_tf32(allowed: bool) -> None:
    torch.backends.cuda.matmul.allow_tf32 = allowed
    torch.backends.cudnn.allow_tf32 = allowed


def _seed(seed: int) -> None:
    torch.manual_seed(seed)
    random.seed(seed)
    with contextlib.suppress(ImportError):
        import numpy

        numpy.random.seed(seed % 2**32)
