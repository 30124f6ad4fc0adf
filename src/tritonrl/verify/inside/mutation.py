"""Mutants of a reference: the same run with one operator changed. Task lint asks whether the inputs tell them
apart.

The operators are those that PyTorch's dispatcher sees, numbered in the order of a run. `count` lists what can
be done to each, `Mutated` does one of it. A mutation is a row of `MUTATIONS`: given the call, it yields the
results that a mistaken implementation would compute, each under a name.
"""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only

from tritonrl.verify.inside.rounding import tensors_in

Variants = Iterator[tuple[str, Callable[[], Any]]]

ROUNDED = {"bfloat16": 8, "float16": 11, "tf32": 11}
"""Bits of precision of the lower-precision mutants; float16's narrow range is not imitated."""


def _dropped(func: Any, args: Any, kwargs: Any, result: torch.Tensor) -> Variants:
    for place, operand in enumerate(args):
        if (
            isinstance(operand, torch.Tensor)
            and operand.shape == result.shape
            and operand.dtype == result.dtype
        ):
            yield f"gives back its operand {place}", lambda operand=operand: operand.clone()


def _operand_constant(func: Any, args: Any, kwargs: Any, result: torch.Tensor) -> Variants:
    for place, operand in enumerate(args):
        if place and isinstance(operand, torch.Tensor) and operand.is_floating_point():
            for name, make in (("zeros", torch.zeros_like), ("ones", torch.ones_like)):

                def changed(place: int = place, operand: torch.Tensor = operand, make: Any = make) -> Any:
                    return func(*args[:place], make(operand), *args[place + 1 :], **kwargs)

                yield f"takes operand {place} as {name}", changed


def _scalar_changed(func: Any, args: Any, kwargs: Any, result: torch.Tensor) -> Variants:
    for place, value in enumerate(args):
        if type(value) is float and value:
            for name, other in (("left out", 0.0), ("half again as large", 1.5 * value)):
                changed = (*args[:place], other, *args[place + 1 :])
                yield f"has {value:g} {name}", lambda changed=changed: func(*changed, **kwargs)


def _other_dim(func: Any, args: Any, kwargs: Any, result: torch.Tensor) -> Variants:
    has_dim = len(args) > 1 and type(args[1]) is int and isinstance(args[0], torch.Tensor)
    if has_dim and result.dim() > 1 and result.shape == args[0].shape:
        changed = (args[0], (args[1] + 1) % result.dim(), *args[2:])
        yield "works along another dim", lambda: func(*changed, **kwargs)


def _tail(func: Any, args: Any, kwargs: Any, result: torch.Tensor) -> Variants:
    operand = args[0] if args else None
    if isinstance(operand, torch.Tensor) and operand.is_floating_point() and operand.dim():
        for axis in {0, operand.dim() - 1}:
            if operand.shape[axis] > 1:

                def changed(axis: int = axis, operand: torch.Tensor = operand) -> Any:
                    shorter = operand.clone()
                    shorter.select(axis, -1).zero_()
                    return func(shorter, *args[1:], **kwargs)

                yield f"misses the end of dim {axis}", changed


def _off(func: Any, args: Any, kwargs: Any, result: torch.Tensor) -> Variants:
    yield "is 5 % too large", lambda: result * 1.05
    yield "is zero", lambda: torch.zeros_like(result)


def _ties(func: Any, args: Any, kwargs: Any, result: torch.Tensor) -> Variants:
    name, overload = func._schema.name.removeprefix("aten::"), func._overloadname
    if name in _OTHER_AT_TIES:
        other = getattr(getattr(torch.ops.aten, _OTHER_AT_TIES[name]), overload)
        yield "decides a tie the other way", lambda: other(*args, **kwargs)
    if name in ("eq", "ne"):
        yield "takes no two for equal", lambda: torch.full_like(result, name == "ne")
    if name in ("argmax", "argmin"):
        yield "takes the last of several", lambda: _last_of_several(func, *args, **kwargs)


_OTHER_AT_TIES = {"gt": "ge", "ge": "gt", "lt": "le", "le": "lt"}


def _last_of_several(func: Any, x: torch.Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    along, size = (-1, x.numel()) if dim is None else (dim, x.shape[dim])
    backwards = (x.reshape(-1) if dim is None else x).flip(along)
    return size - 1 - func(backwards, along, keepdim and dim is not None).reshape(func(x, dim, keepdim).shape)


MUTATIONS = (_dropped, _operand_constant, _scalar_changed, _other_dim, _tail, _off)
"""Of a result in floating point."""
OF_DECISIONS = (_ties,)
"""Of what compares."""


class Counted(TorchDispatchMode):
    """Lists, for every operator of a run, the mutants that it has."""

    def __init__(self) -> None:
        super().__init__()
        self.operators: list[dict[str, Any]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        names = [name for name, _ in _variants(func, args, kwargs or {}, result)]
        name, first = func._schema.name.removeprefix("aten::"), next(tensors_in(result), None)
        decides = first is not None and not first.is_floating_point()
        self.operators.append({"operator": name, "mutants": names, "decides": decides})
        return result


class Mutated(TorchDispatchMode):
    """Runs operator number `position` as its mutant `name` would."""

    def __init__(self, position: int, name: str) -> None:
        super().__init__()
        self.position, self.name, self._passed = position, name, 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        here = self._passed == self.position
        self._passed += 1
        if not here:
            return func(*args, **(kwargs or {}))
        # On copies: some operators update what they are given, and this call must do so once.
        copies = tree_map_only(torch.Tensor, torch.clone, (args, kwargs or {}))
        result = func(*copies[0], **copies[1])
        made = dict(_variants(func, args, kwargs or {}, result))[self.name]()
        if isinstance(made, torch.Tensor) and not isinstance(result, torch.Tensor):
            return type(result)((made, *result[1:]))
        return made


class Rounded(TorchDispatchMode):
    """Rounds what every operator gives to a lower precision; `disturb` does so to what it reads."""

    def __init__(self, bits: int) -> None:
        super().__init__()
        self.bits = bits

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        read = {each.untyped_storage().data_ptr() for each in tensors_in((args, kwargs))}
        for each in tensors_in(result):
            if each.is_floating_point() and each.untyped_storage().data_ptr() not in read:
                self.disturb(each)
        return result

    def disturb(self, tensor: torch.Tensor) -> None:
        """To the nearest number of so many bits."""
        mantissa, exponent = torch.frexp(tensor)
        tensor.copy_(torch.ldexp((mantissa * 2**self.bits).round() / 2**self.bits, exponent))


def _variants(func: Any, args: Any, kwargs: Any, result: Any) -> Variants:
    """Mutants of a call by the tensor that it computes (its first result); none of a view or a copy."""
    first = result if isinstance(result, torch.Tensor) else next(tensors_in(result), None)
    read = {each.untyped_storage().data_ptr() for each in tensors_in((args, kwargs))}
    if (
        first is None
        or not read
        or func._schema.is_mutable
        or first.untyped_storage().data_ptr() in read
        or func._schema.name in _COPIES
    ):
        return
    for mutation in MUTATIONS if first.is_floating_point() else OF_DECISIONS:
        yield from mutation(func, args, kwargs, first)


_COPIES = {"aten::clone", "aten::_to_copy", "aten::detach", "aten::lift_fresh", "aten::copy"}
