"""Capture: an `nn.Module` and example inputs become a Program, through `torch.export`.

The exported graph is functional (in-place forms are gone) and its tensors are fake: a module with gigabytes
of inputs costs no memory. Each ATen call that a row of the table knows becomes its node; any other becomes an
opaque node that stays in PyTorch. The module is captured in the mode it is in. Parameters and buffers become
inputs; buffers that the module updates become further outputs. A dropout that is active is random: it is
named in `Capture.random` and passed over.
"""

import contextlib
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch._export import utils as export_utils
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import exported_program
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind
from torch.utils import _pytree as pytree

from tritonrl.errors import UserError
from tritonrl.program import run as running
from tritonrl.program.lower import Step, Unsupported, is_random, lower, same_as, spec_of, target_name
from tritonrl.program.op import Attrs
from tritonrl.program.program import Node, Program

_one_at_a_time = threading.Lock()


class CaptureError(UserError):
    """The module cannot be captured; the message says what stands in the way."""


@dataclass(frozen=True)
class Source:
    """Where an input of the captured program comes from."""

    kind: str
    """`input`, `parameter`, `buffer` or `constant`."""
    name: str
    """Name within the module; for an input its place in the flattened arguments."""


@dataclass(frozen=True)
class Capture:
    """A captured module: the program, and how to call it in the module's place."""

    program: Program
    sources: tuple[Source, ...]
    """For each input of the program."""
    updates: tuple[str, ...]
    """Buffers and inputs that the module changes in place; their new values are the last outputs."""
    random: tuple[str, ...]
    """Random operators met on the way. A module that has any has no one right answer."""
    constants: Mapping[str, torch.Tensor]
    results: tuple[Any, ...]
    """What the module returns, flattened: an output number of the program as `int`, or `Fixed`."""
    structure: Any

    @property
    def opaque(self) -> tuple[str, ...]:
        """Calls that the table does not know."""
        return tuple(node.attrs["call"] for node in self.program.nodes if node.op == "opaque")

    def run(
        self, module: torch.nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, torch.Tensor]]:
        """(what the module would return, new values of what it would update), computed by the program."""
        given = pytree.tree_leaves((tuple(args), dict(kwargs or {})))
        state = dict(module.named_parameters(remove_duplicate=False))
        state |= dict(module.named_buffers(remove_duplicate=False))
        lookup = {"input": lambda name: given[int(name)], "constant": self.constants.__getitem__}
        tensors = [lookup.get(source.kind, state.__getitem__)(source.name) for source in self.sources]
        outputs = running.run(self.program, tensors)
        leaves = [each.value if isinstance(each, Fixed) else outputs[each] for each in self.results]
        updates = dict(zip(self.updates, outputs[len(outputs) - len(self.updates) :], strict=True))
        return pytree.tree_unflatten(leaves, self.structure), updates


@dataclass(frozen=True)
class Fixed:
    """A result that is no tensor: it was the same constant when the module was captured."""

    value: Any


def capture(module: torch.nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any] | None = None) -> Capture:
    """The program of a module on inputs like these: only shapes and types count, fake tensors will do."""
    try:
        exported = _export(module, tuple(args), dict(kwargs or {}))
    except Exception as error:
        # Export runs the module's own code: any exception type may come out, and it is the module's.
        reason = str(error).strip().split("\n")[0]
        raise CaptureError(f"{type(module).__name__} cannot be exported: {reason}") from error
    try:
        return _Builder(exported).build()
    except Unsupported as error:
        raise CaptureError(f"{type(module).__name__} cannot be a program: {error}") from error


def _export(module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    with warnings.catch_warnings():
        # torch 2.13 warns of its own deprecated calls inside run_decompositions.
        warnings.simplefilter("ignore")
        exported = torch.export.export(module, args, kwargs, strict=False)
        with _preparing_only_operators_of(exported.graph_module):
            return exported.run_decompositions({})


@contextlib.contextmanager
def _preparing_only_operators_of(module: torch.fx.GraphModule) -> Iterator[None]:
    """PyTorch prepares every composite operator that it knows to be kept whole, each time anew, which is four
    fifths of a capture: 0.32 s, or 0.07 s. Those that are called are enough. A version that does it by other
    functions prepares them all."""
    name, is_composite = "_collect_all_valid_cia_ops", getattr(export_utils, "_is_preservable_cia_op", None)
    if is_composite is None or not hasattr(exported_program, name):
        yield
        return
    graphs = [each.graph for each in module.modules() if isinstance(each, torch.fx.GraphModule)]
    called = {node.target for graph in graphs for node in graph.nodes if isinstance(node.target, OpOverload)}
    composite = set(filter(is_composite, called))
    with _one_at_a_time:
        collect_all = getattr(exported_program, name)
        setattr(exported_program, name, lambda: composite)
        try:
            yield
        finally:
            setattr(exported_program, name, collect_all)


def capture_without_memory(
    build: Callable[[], torch.nn.Module], inputs: Callable[[], Sequence[Any]]
) -> Capture:
    """Capture of a module that is never really built: weights and inputs of any size cost nothing."""
    with FakeTensorMode(allow_non_fake_inputs=True):
        module, args = build(), inputs()
    return capture(module, args)


def capture_function(function: Callable[..., Any], args: Sequence[torch.Tensor]) -> Capture:
    """Capture of a plain function, such as an emitted `fused_operator`."""

    class Function(torch.nn.Module):
        def forward(self, *tensors: torch.Tensor) -> Any:
            return function(*tensors)

    return capture(Function(), args)


_KINDS = {
    InputKind.USER_INPUT: "input",
    InputKind.PARAMETER: "parameter",
    InputKind.BUFFER: "buffer",
    InputKind.CONSTANT_TENSOR: "constant",
}


class _Builder:
    """Walks an exported graph once backwards (what is needed) and once forwards (nodes in order)."""

    def __init__(self, exported: Any) -> None:
        self.exported = exported
        self.graph_nodes = {node.name: node for node in exported.graph.nodes}
        self.sources = self._find_sources()
        user_inputs = [node for node, source in self.sources.items() if source.kind == "input"]
        self.device_of = next((n for n in user_inputs if isinstance(n.meta.get("val"), torch.Tensor)), None)
        self.lowered: dict[Any, list[Step]] = {}
        self.numbers: dict[Any, int] = {}

    def build(self) -> Capture:
        signature = self.exported.graph_signature
        returned = [spec for spec in signature.output_specs if spec.kind == OutputKind.USER_OUTPUT]
        updated = [spec for spec in signature.output_specs if spec.kind != OutputKind.USER_OUTPUT]
        tensors = [spec for spec in returned if not isinstance(spec.arg, ConstantArgument)]
        roots = [same_as(self.graph_nodes[spec.arg.name]) for spec in (*tensors, *updated)]
        inputs = self._needed(roots)
        nodes = self._number(inputs)
        outputs = tuple(self.numbers[root] for root in roots)
        program = Program(tuple(spec_of(node) for node in inputs), nodes, outputs)
        count = iter(range(len(tensors)))
        return Capture(
            program,
            tuple(self.sources[node] for node in inputs),
            tuple(spec.target for spec in updated),
            tuple(
                sorted(
                    {
                        target_name(n)
                        for n in self.graph_nodes.values()
                        if n.op == "call_function" and is_random(n)
                    }
                )
            ),
            {
                name: tensor
                for name, tensor in self.exported.constants.items()
                if isinstance(tensor, torch.Tensor)
            },
            tuple(
                Fixed(s.arg.value) if isinstance(s.arg, ConstantArgument) else next(count) for s in returned
            ),
            self.exported.call_spec.out_spec,
        )

    def _find_sources(self) -> dict[Any, Source]:
        sources, place = {}, 0
        for spec in self.exported.graph_signature.input_specs:
            kind = _KINDS.get(spec.kind)
            if kind is None:
                raise Unsupported(f"{spec.arg.name} is a {spec.kind.name.lower()}, not a tensor")
            name = str(place) if kind == "input" else spec.target
            place += kind == "input"
            sources[self.graph_nodes[spec.arg.name]] = Source(kind, name)
        return sources

    def _needed(self, roots: list[Any]) -> list[Any]:
        """Lower everything that the roots depend on; returns the graph inputs met, the user's first."""
        met, waiting = set(), list(roots)
        while waiting:
            node = waiting.pop()
            if node in self.lowered or node in met:
                continue
            if node in self.sources:
                met.add(node)
                continue
            steps = [
                Step(step.op, tuple(same_as(o) if hasattr(o, "op") else o for o in step.operands), step.attrs)
                for step in lower(node, self.device_of)
            ]
            self.lowered[node] = steps
            waiting += [operand for step in steps for operand in step.operands if hasattr(operand, "op")]
        return sorted(
            (node for node in self.sources if node in met), key=lambda n: self.sources[n].kind != "input"
        )

    def _number(self, inputs: list[Any]) -> tuple[Node, ...]:
        self.numbers = {node: number for number, node in enumerate(inputs)}
        nodes: list[Node] = []
        for graph_node in self.exported.graph.nodes:
            first = len(inputs) + len(nodes)
            for step in self.lowered.get(graph_node, ()):
                operands = [self._value(operand, first) for operand in step.operands]
                nodes.append(Node(step.op, tuple(operands), Attrs(step.attrs)))
            if graph_node in self.lowered:
                self.numbers[graph_node] = len(inputs) + len(nodes) - 1
        return tuple(nodes)

    def _value(self, operand: Any, first: int) -> int | None:
        if operand is None:
            return None
        return first + operand if isinstance(operand, int) else self.numbers[operand]
