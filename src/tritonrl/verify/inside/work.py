"""How much work an operator is, in seconds of an idealised GPU: the same measure for a reference and for the
library operators of a candidate. Coverage is a ratio of the two."""

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

from tritonrl.verify.inside.rounding import tensors_in

BYTES_PER_SECOND = 3.35e12
FLOPS_PER_SECOND = 6.7e13
"""Of an H100 in float32; only their ratio matters."""

CHOOSERS = frozenset(
    f"aten.{name}"
    for name in ("cat", "stack", "index", "index_select", "gather", "take", "repeat", "im2col", "col2im")
)
"""Operators that put elements of what they are given first elsewhere."""
PERMUTED = "aten.permute_copy"
"""What one of them is called as well where it may put all of one tensor in another order, each element
once."""


def work(func: Any, args: Any, kwargs: Any, made: Any) -> float:
    """The longer of moving its tensors and doing its arithmetic."""
    outputs = list(tensors_in(made))
    moved = sum(each.numel() * each.element_size() for each in (*tensors_in((args, kwargs)), *outputs))
    count = flop_registry.get(func.overloadpacket)
    flops = count(*args, **kwargs, out_val=made) if count else sum(each.numel() for each in outputs)
    return max(moved / BYTES_PER_SECOND, flops / FLOPS_PER_SECOND)


class Work(TorchDispatchMode):
    """The operators of a run and their work; views and allocations are none."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds = 0.0
        self.products = 0
        """Multiplications and additions of products of matrices, convolutions and their kin."""
        self.operators: set[str] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        read = {each.untyped_storage().data_ptr() for each in tensors_in((args, kwargs))}
        made = [each for each in tensors_in(result) if each.untyped_storage().data_ptr() not in read]
        if (made or func._schema.is_mutable) and not str(func).startswith("aten.empty"):
            self.operators.add(str(func.overloadpacket))
            if str(func.overloadpacket) in CHOOSERS and _may_permute(args[0], made):
                self.operators.add(PERMUTED)
            self.seconds += work(func, args, kwargs, result)
            if count := flop_registry.get(func.overloadpacket):
                self.products += count(*args, **kwargs, out_val=result)
        return result


def _may_permute(given: Any, made: list[torch.Tensor]) -> bool:
    sources = list(tensors_in(given))
    is_one = len({each.untyped_storage().data_ptr() for each in sources}) == 1
    return is_one and sum(each.numel() for each in sources) == sum(each.numel() for each in made)
