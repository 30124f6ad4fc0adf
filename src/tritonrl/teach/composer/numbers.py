"""Numbers: integers that are written as what they come from.

    extent((17, 52, 129, 160), (0, 2, 3))   →   350880, written `17 * 20640`

Who learns from an answer copies numbers from its question and computes none. The annotated task file
(`program.annotate`) says dims, strides and sizes; what follows from several of them is an expression, which
the compiler works out. Whether blocks fill a number is read off one of its dims as well.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

LARGEST_KNOWN = 8192
"""Powers of two up to here are known by heart."""


class Number(int):
    """An integer with its text, and with the dims that it is a product of."""

    text: str
    dims: tuple[int, ...]

    def __new__(cls, value: int, text: str, dims: Iterable[int] = ()) -> "Number":
        made = super().__new__(cls, value)
        made.text, made.dims = text, tuple(dims)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """What `pickle` makes it of again."""
        return Number, (int(self), self.text, self.dims)

    def __str__(self) -> str:
        return self.text


def extent(shape: tuple[int, ...], axes: Sequence[int] | None = None) -> Number:
    """How many elements a value has along some dims, or in all. As far as the last dims are among them that
    is one number of the question: a stride, or the size."""
    chosen = range(len(shape)) if axes is None else axes
    first = len(shape)
    while first and (first - 1 in chosen or shape[first - 1] == 1):
        first -= 1
    dims = tuple(shape[axis] for axis in chosen)
    factors = [*(shape[axis] for axis in chosen if axis < first), math.prod(shape[first:])]
    return Number(math.prod(dims), _product(factors), dims)


def times(*factors: int) -> Number:
    if any(each < 0 for each in factors):
        made = times(*(negative(each) if each < 0 else each for each in factors))
        return negative(made) if math.prod(factors) < 0 else made
    dims = [dim for each in factors for dim in dims_of(each)]
    return Number(math.prod(factors), _product(factors), dims)


def quotient(number: int, divisor: int) -> int:
    """Where it divides the number."""
    if divisor == 1:
        return number
    return Number(number // divisor, f"{_factor(number)} // {atom(divisor)}")


def plus(number: int, other: int) -> Number:
    """The sum, which has a sign before it if it is negative, and else begins with what is not."""
    if number + other < 0:
        return negative(plus(negative(number), negative(other)))
    if number < 0:
        return plus(other, number)
    if not number or not other or not number + other:
        only = number + other and (number or other)
        return Number(only, str(only))
    return Number(
        number + other, f"{number} + {other}" if other > 0 else f"{number} - {atom(negative(other))}"
    )


def negative(number: int) -> Number:
    """The same number with the other sign."""
    if number > 0:
        return Number(-number, f"-{atom(number)}")
    text = str(number).removeprefix("-")
    return Number(-number, text[1:-1] if text.startswith("(") else text)


def next_power_of_two(number: int) -> int:
    """From here, as the host finds it where it is not plain to see."""
    power = 1 << max(0, number - 1).bit_length()
    plain = str(number).isdigit() and power <= LARGEST_KNOWN
    return power if plain else Number(power, f"triton.next_power_of_2({number})")


def share(number: int, parts: int, block: int) -> Number:
    """How many of them each of several parts has, in whole blocks, as the host finds it."""
    length = -(-number // (parts * block)) * block
    return Number(length, f"triton.cdiv({number}, {parts} * {block}) * {block}")


def dims_of(number: int) -> tuple[int, ...]:
    return number.dims if isinstance(number, Number) else (int(number),)


def fills(block: int, number: int) -> bool:
    """Whether one dim alone shows that blocks of this size, a power of two, fill the number, so that nothing
    has to be masked."""
    return block == 1 or any(dim >= block and dim & (dim - 1) == 0 for dim in dims_of(number))


def atom(text: str | int) -> str:
    """As an operand of anything."""
    text = str(text)
    return text if text.isidentifier() or text.isdigit() else f"({text})"


def _product(factors: Iterable[int]) -> str:
    own = [each for each in factors if each != 1]
    return str(own[0]) if len(own) == 1 else " * ".join(map(_factor, own)) or "1"


def _factor(number: int) -> str:
    text = str(number)
    return atom(text) if any(sign in text for sign in (" // ", " + ", " - ")) else text
