"""What Triton's interpreter works out anew for every operation, worked out once: two fifths of its time.

A kernel has few shapes and types and thousands of operations on them. Triton makes a type and a shape for the
result of each, of objects that nobody changes, and looks whether shapes fit that are the same.
"""

import functools
from collections.abc import Callable
from typing import Any

import triton.language as tl
from triton.language.semantic import TritonSemantic
from triton.runtime import interpreter

PLAIN = (tl.tensor, tl.dtype, int, float, bool, str, type(None))
"""What is no constexpr and holds none."""


def install() -> None:
    core: Any = tl.core
    core.block_type.__init__ = _of_known_shape(core.block_type.__init__)
    core.tensor.__init__ = _of_known_sizes(core.tensor.__init__)
    core.dtype.__eq__ = _same_or(core.dtype.__eq__)
    core._unwrap_if_constexpr = _unless_plain(core._unwrap_if_constexpr)
    semantic: Any = TritonSemantic
    semantic.broadcast_impl_value = _unless_alike(semantic.broadcast_impl_value)
    interpreter._get_np_dtype = _looked_up_once(interpreter._get_np_dtype)


def _of_known_shape(init: Callable[..., None]) -> Callable[..., None]:
    known: dict[tuple[int, ...], tuple[Any, int, str]] = {}

    def quick(self: Any, element_ty: Any, shape: Any) -> None:
        sizes = _integers(shape)
        if sizes is None or sizes not in known:
            init(self, element_ty, shape)
            if sizes is not None:
                known[sizes] = self.shape, self.numel, str(self.shape)
            return
        self.element_ty = element_ty
        self.shape, self.numel, text = known[sizes]
        self.name = f"<{text}, {element_ty}>"

    return quick


def _integers(shape: Any) -> tuple[int, ...] | None:
    """The sizes of a shape; None of one that Triton may refuse: 2.0 is equal to 2, and no size."""
    if type(shape) not in (list, tl.tuple):
        return None
    sizes = tuple([each.value if type(each) is tl.constexpr else each for each in shape])
    return sizes if {*map(type, sizes)} == {int} else None


def _of_known_sizes(init: Callable[..., None]) -> Callable[..., None]:
    """Tensors of the same sizes have one shape in common."""
    known: dict[tuple[int, ...], tuple[Any, Any]] = {}

    def quick(self: Any, handle: Any, type: Any) -> None:
        sizes = tuple(type.shape.values) if type.is_block() else ()
        if sizes not in known:
            init(self, handle, type)
            known[sizes] = self.numel, self.shape
            return
        self.handle, self.type, self.dtype = handle, type, type.scalar
        self.numel, self.shape = known[sizes]

    return quick


def _same_or(equal: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda self, other: self is other or equal(self, other)


def _unless_plain(unwrap: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda given: given if type(given) in PLAIN else unwrap(given)


def _unless_alike(broadcast: Callable[..., Any]) -> Callable[..., Any]:
    def quick(self: Any, lhs: Any, rhs: Any) -> Any:
        return (lhs, rhs) if lhs.shape is rhs.shape else broadcast(self, lhs, rhs)

    return quick


def _looked_up_once(look_up: Callable[[Any], Any]) -> Callable[[Any], Any]:
    once = functools.cache(look_up)
    return lambda kind: once(kind) if type(kind) is tl.dtype else look_up(kind)
