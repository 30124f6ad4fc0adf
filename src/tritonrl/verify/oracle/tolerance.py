"""Tolerance: how much worse than exact a result may be, as a table with reasons.

Errors are measured in units of honest error, element by element: the largest of

- the spread of the float64 reference under rounding noise of the task's type (what the function's
  conditioning does to one rounding of every value it computes; see `verify.inside.rounding`),
- one roundoff of the element itself, and one of the root mean square of the tensor, on these inputs or on
  the task's own (an intermediate of the tensor's size is rounded somewhere: `2·sigmoid(2x) - 1` is an honest
  tanh with an absolute error, where inputs are small as well),
- the root mean square error of PyTorch's own result in the task's type.

In these units the root mean square over the tensor may be at most `typical`, and any one element at most
`worst` times that. Both grow with the root of the number of terms that the reference accumulates: PyTorch's
own cumulative sum on a CPU is off by 6e-8 (it adds in float64), an honest float32 scan by 1.2e-5.
"""

import math
from dataclasses import dataclass, replace

from tritonrl.errors import UnknownNameError

FAR = 8
"""Roundoffs within which a function must be smooth, where what is allowed is near to what is honest.
Elsewhere its spread tells what it does within them."""


@dataclass(frozen=True)
class Tolerance:
    """One row: a precision of arithmetic and what is allowed at it."""

    roundoff: float
    typical: float
    growth: float
    worst: float
    num_noise: int = 6
    """Runs under rounding noise: the root mean square of six is within a third of the truth on nearly every
    element, of four within a half; where errors of sixteen units are allowed that is near enough."""
    num_wide: int = 0
    """Of these, runs under noise of `FAR` roundoffs, which count an eighth: where the function is smooth that
    comes to the same. Beside a cliff (two scores of a softmax that are huge and nearly the same) an honest
    error of a few roundoffs does what noise of one does not show."""
    num_far: int = 0
    """Runs beside them under such noise; see `fitness._is_smooth`."""

    def __str__(self) -> str:
        growth = f" + {self.growth:g}·√terms" if self.growth else ""
        typical = f"at most {self.typical:g}{growth} units of honest error on average"
        return f"{typical}, {self.worst:g} times that anywhere"

    def typical_at(self, num_terms: int) -> float:
        return self.typical + self.growth * math.sqrt(num_terms)

    def of_any(self, num_terms: int) -> "Tolerance":
        """What is allowed of single elements alone: who is wrong by this on some is wrong on the whole."""
        return replace(self, typical=self.worst * self.typical_at(num_terms), growth=0.0, worst=1.0)


TABLE: dict[str, Tolerance] = {
    # tf32 and float16 keep 11 bits of 24: their error is 2^13 units, a few thousand as measured. Honest
    # kernels stay below 10 units on elementwise work and reductions; sequential sums grow as the root of
    # their length.
    "float32": Tolerance(2.0**-24, typical=16, growth=0.5, worst=16, num_noise=4, num_wide=2),
    # The next lower precision is near: bfloat16 is 8 units of float16. Accumulation is in float32, so nothing
    # grows.
    "float16": Tolerance(2.0**-11, typical=1.25, growth=0.0, worst=16),
    "bfloat16": Tolerance(2.0**-8, typical=1.25, growth=0.0, worst=16),
    "float64": Tolerance(2.0**-53, typical=16, growth=0.5, worst=16, num_noise=4, num_wide=2),
}

PRECISIONS: dict[str, float | None] = {
    "ieee": None,
    "tf32": 2.0**-11,
    "fp16": 2.0**-11,
    "bf16": 2.0**-8,
}
"""Roundoff that a float32 task may be computed at; None: its own."""


def tolerance(dtype: str, precision: str = "ieee") -> Tolerance:
    """What a task of this type may be off by, at the precision that the user allows inside it."""
    if precision not in PRECISIONS:
        raise UnknownNameError("precision", precision, list(PRECISIONS))
    row = TABLE.get(dtype, TABLE["float32"])
    allowed = PRECISIONS[precision]
    if allowed is None or allowed <= row.roundoff:
        return row
    # A dot at a lower precision rounds both its operands. Over whole exams of matmul, linear, conv2d and
    # attention honest tf32 was off by 0.8 units at most, with operands cut off as some GPUs do it by 1.7; the
    # next lower precision, bfloat16, by 2.9 at least. That is near, so units must be: of six runs under noise
    # one in a thousand is off by 6 where all elements share one error, and near a cliff by any number.
    return Tolerance(allowed, typical=2.2, growth=0.0, worst=row.worst, num_noise=12, num_far=4)
