"""The compile role: kernels to PTX for a GPU that need not be there. It never runs a candidate's own code.

What comes in is text that the judge has cut out of the candidate (`@triton.jit` functions, constants and sums
over constants, see `verify.kernels`) and launches as data. Triton's own code decides the specialisation,
under a driver that only names the target. PTX becomes a cubin in another process: the assembler may start a
program and runs no Python of others; here it is the other way round.
"""

import json
import re
import tempfile
from collections.abc import Callable
from typing import Any

import torch
import triton.backends.nvidia.compiler as nvidia
from triton import knobs
from triton.backends.nvidia.compiler import CUDABackend
from triton.runtime.jit import JITFunction, MockTensor

from tritonrl.verify.channel import Channel
from tritonrl.verify.inside import constant_functions, plain_kernels
from tritonrl.verify.inside.encoding import decode
from tritonrl.verify.inside.serving import Memory, describe, import_text, serve
from tritonrl.verify.inside.target import name_target
from tritonrl.verify.inside.warm_up_kernel import warm_up_kernel

DEFAULT_ARCH = 90
ARCHITECTURES = (80, 86, 89, 90, 100, 120)

_DOT = re.compile(r"tt\.dot\b([^\n]*?) : tensor<(?:\d+x)*(\w+)")
_PRECISION = re.compile(r"inputPrecision = (\w+)")


def _no_cubin(backend: Any, ptx: Any, metadata: Any, *rest: Any) -> bytes:
    return b"assembled elsewhere"


def warm_up() -> dict[str, Any]:
    """In the zygote: the first compilation of a process costs a second, later ones a tenth of it.

    Gives the assembler and its name of the target, by architecture. Triton asks each assembler for its
    version, which starts a program: that is done here, and remembered for what is forked.
    """
    CUDABackend.make_cubin = _no_cubin  # pyright: ignore[reportAttributeAccessIssue]
    name_target(DEFAULT_ARCH)
    with tempfile.TemporaryDirectory() as cache, knobs.cache.scope():
        knobs.cache.dir = cache
        warm_up_kernel.warmup(MockTensor(torch.float32), 16, SIZE=16, grid=(1,))
    for arch in ARCHITECTURES:
        nvidia.get_ptxas_version(arch)
    targets = {
        str(arch): [nvidia.get_ptxas(arch).path, nvidia.sm_arch_from_capability(arch)]
        for arch in ARCHITECTURES
    }
    return {"targets": targets}


def serve_compiler(channel: Channel) -> None:
    """Answer the judge until it is gone."""
    memory = Memory(channel)
    session = _Session()
    serve(channel, {"load": session.load, "compile": session.compile}, memory, "kernels.py")


class _Session:
    def __init__(self) -> None:
        self.kernels: Any = None

    def load(self, message: dict[str, Any]) -> dict[str, Any]:
        """The kernels of one candidate; names that the judge found to be library code are filled in here."""
        name_target(message["arch"])
        self.kernels, self.file = import_text(message["text"], message["name"])
        try:
            plain_kernels.check(message["text"], vars(self.kernels))
            constant_functions.check(message["text"], vars(self.kernels))
        except plain_kernels.NotKernel as error:
            return {"complaint": {**describe(error, self.file), "line": error.line}}
        return {}

    def compile(self, message: dict[str, Any]) -> dict[str, Any]:
        """One specialisation: its PTX and what the IR shows, or the compiler's complaint."""
        kernel = getattr(self.kernels, message["kernel"])
        try:
            _check_constants(kernel, message["arguments"])
            arguments = {name: self._decode(value) for name, value in message["arguments"].items()}
            options = {name: self._decode(value) for name, value in message["options"].items()}
            compiled = kernel.warmup(grid=(1,), **arguments, **options)
        except Exception as error:
            return {"complaint": {**describe(error, self.file), "line": self._line(error)}}
        metadata = compiled.metadata
        return {
            "name": metadata.name,
            "ptx": compiled.asm["ptx"],
            "shared_bytes": metadata.shared,
            "dots": sorted(_dots(compiled.asm["ttir"])),
            "metadata": _metadata(compiled),
            "signature": {name: str(kind) for name, kind in compiled.src.signature.items()},
        }

    def _decode(self, value: list[Any]) -> Any:
        """An argument that gives the same specialisation as the one that was launched with."""
        kind, *rest = value
        if kind in _STAND_INS:
            return _STAND_INS[kind](*rest)
        if kind == "tuple":
            return tuple(self._decode(each) for each in rest[0])
        return decode(value, _pointer, self._function)

    def _function(self, key: str) -> Any:
        return getattr(self.kernels, key.partition("@")[0])

    def _line(self, error: BaseException) -> int | None:
        """Where the compiler stopped: its errors know the function's text and a place in it."""
        line = None
        cause: BaseException | None = error
        while cause is not None:
            place, text = getattr(getattr(cause, "node", None), "lineno", None), getattr(cause, "src", None)
            for function in vars(self.kernels).values() if place else ():
                if isinstance(function, JITFunction) and function.src == text:
                    # The file has the decorator on one line, and the text starts on the next.
                    line = function.fn.__code__.co_firstlineno + place
            cause = cause.__cause__
        return line


def _check_constants(kernel: Any, arguments: dict[str, list[Any]]) -> None:
    """A constant is compiled as it was launched: what stands for any of several values is none."""
    for parameter in kernel.params:
        if parameter.is_constexpr and _stands_in(arguments.get(parameter.name, [""])):
            raise TypeError(f"{parameter.name!r} is constexpr in the text, and was none when it was launched")


def _stands_in(value: list[Any]) -> bool:
    return value[0] in _STAND_INS or (value[0] == "tuple" and any(map(_stands_in, value[1])))


def _metadata(compiled: Any) -> Any:
    """What Triton keeps beside a cubin, as it keeps it."""
    path = next(path for name, path in compiled.metadata_group.items() if name.endswith(".json"))
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _dots(ir: str) -> set[tuple[str, str]]:
    """(element type, input precision) of every dot of the IR; what is not written is `ieee`."""
    return {(found[2], (_PRECISION.findall(found[1]) or ["ieee"])[0]) for found in _DOT.finditer(ir)}


def _descriptor(dtype: str, shape: list[int], strides: list[int], block_shape: list[int]) -> Any:
    from triton.tools.tensor_descriptor import TensorDescriptor

    base = torch.empty_strided(shape, strides, dtype=getattr(torch, dtype))
    return TensorDescriptor(base, shape, strides, block_shape)


def _pointer(dtype: str, aligned: bool = True) -> MockTensor:
    pointer = MockTensor(getattr(torch, dtype))
    if not aligned:
        pointer.data_ptr = lambda: 4  # pyright: ignore[reportAttributeAccessIssue]
    return pointer


_STAND_INS: dict[str, Callable[..., Any]] = {
    "pointer": _pointer,
    "descriptor": _descriptor,
    "bool": lambda: True,
    "int": lambda kept: kept,
    "number": lambda: 0.5,
}
