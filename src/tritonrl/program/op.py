"""One row of the operator table: everything that tritonrl knows about an operator, as data.

A row names its operands (`Slot`), its attributes (`Attr`), how it is written in PyTorch (`call`), what
`torch.export` makes of it (`aten`), and how shapes, types and work follow from the operands. Emit,
capture and the synthesiser read the same rows; none has a table of its own.
"""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any

from tritonrl.program.aten import Match
from tritonrl.program.shapes import NUMBERS, Algebra, Dim, Shape, ShapeError

FLOATS = ("float32", "float16", "bfloat16", "float64")
INTEGERS = ("int64", "int32")
NUMBERS_OF_ANY_KIND = FLOATS + INTEGERS
ANY_DTYPE = (*NUMBERS_OF_ANY_KIND, "bool", "int16", "int8", "uint8")

ITEM_BYTES = {
    "float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "int64": 8, "int32": 4, "int16": 2, "int8": 1,
    "uint8": 1, "bool": 1,
}  # fmt: skip

REQUIRED: Any = object()
"""Default of an attribute that must be given."""


@dataclass(frozen=True)
class Slot:
    """One operand of an operator."""

    name: str
    ranks: tuple[int, ...] | None = None
    """Ranks it accepts; None accepts any."""
    prefer: tuple[int, ...] | None = None
    """Ranks that the synthesiser gives it, where those are fewer than it accepts."""
    optional: bool = False
    """May be absent: `None` stands in its place."""
    explicit_none: bool = False
    """The call names the operand even where it is absent."""
    variadic: bool = False
    """Takes all remaining operands, as a list."""
    parameter: bool = False
    """A weight or statistic of the operator: the synthesiser always creates it."""
    given: Callable[[Mapping[str, Any]], bool] | None = None
    """Whether an optional operand is there follows from the attributes; None leaves it open."""
    rank: Callable[[Mapping[str, Any]], int] | None = None
    """The rank follows from the attributes; None leaves it to `ranks`."""
    same_rank: bool = False
    """Has the rank of the first operand."""
    needs: str | None = None
    """What the synthesiser keeps its values to: `positive` (away from zero from above: a denominator, a
    variance, what a root or logarithm is taken of), `unit` (between 0 and 1: a probability) or `exact` (an
    input: it is compared, and rounding must not change the outcome)."""
    indexes: int | None = None
    """Its values are indices into this dim of the first operand."""

    @property
    def sampled_ranks(self) -> tuple[int, ...] | None:
        return self.prefer or self.ranks


@dataclass(frozen=True)
class Draw:
    """What an attribute's domain may depend on when the synthesiser draws it."""

    rng: random.Random
    ranks: tuple[int, ...]
    dtypes: tuple[str, ...]
    attrs: dict[str, Any]
    """Attributes of the same node that are already drawn."""

    def axes(self, count: int, choices: Sequence[int]) -> tuple[int, ...]:
        """The same size along every axis, three times in four; else one drawn for each."""
        if self.rng.random() < 0.75:
            return (self.rng.choice(choices),) * count
        return tuple(self.rng.choice(choices) for _ in range(count))


@dataclass(frozen=True)
class Attr:
    """One attribute: its domain for drawing, its default, and its normal form."""

    name: str
    domain: Sequence[Any] | Callable[[Draw], Any]
    """Values to draw from, or a function that draws one."""
    default: Any = REQUIRED
    """Value where the call does not name it; at this value the call leaves it out."""
    normal: Callable[[Any, tuple[Any, ...], Mapping[str, Any]], Any] | None = None
    """Brings a given value into its one form (a negative dim becomes positive, a list a tuple)."""
    short: Callable[[Any], Any] | None = None
    """How the value is written, where that is shorter than its normal form."""

    def draw(self, draw: Draw) -> Any:
        return self.domain(draw) if callable(self.domain) else draw.rng.choice(self.domain)


class Attrs(dict[str, Any]):
    """Attribute values of a node: a dictionary that does not change."""

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("attributes of a node are immutable")

    __setitem__ = __delitem__ = update = pop = popitem = clear = setdefault = __ior__ = _refuse  # pyright: ignore

    def __hash__(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        return hash(tuple(sorted(self.items(), key=lambda item: item[0])))

    def __reduce__(self) -> Any:
        return Attrs, (dict(self),)


Rule = Callable[..., Shape]
"""(algebra, attrs, *operand shapes) → output shape."""


def same_dtype(dtypes: Sequence[str], attrs: Mapping[str, Any]) -> str:
    if len(set(dtypes)) != 1:
        raise ShapeError(f"operands have different types: {', '.join(dtypes)}")
    return dtypes[0]


def _one_term(s: Algebra, attrs: Mapping[str, Any], out: Shape, *operands: Shape) -> Shape:
    return []


@dataclass(frozen=True)
class Op:
    """One operator. The fields are the columns of the table."""

    name: str
    category: str
    slots: tuple[Slot, ...]
    shape: Rule
    call: str | Callable[[Sequence[str | None], Mapping[str, Any]], str]
    """`F.softmax`: the arguments follow from slots and attributes. With `{x}` in it: a template."""
    aten: tuple[Match | str, ...]
    """Patterns of exported ATen that this operator stands for; see `program.aten`."""
    attrs: tuple[Attr, ...] = ()
    dtypes: tuple[str, ...] = FLOATS
    """Element types that the first operand may have."""
    sampled_dtypes: tuple[str, ...] | None = None
    """Those that the synthesiser gives it, where they are fewer."""
    dtype: Callable[[Sequence[str], Mapping[str, Any]], str] = same_dtype
    """Element type of the output."""
    terms: Callable[..., Shape] = _one_term
    """(algebra, attrs, out, *operands) → dims whose product is the number of terms that one output element
    accumulates; bounds work and rounding error."""
    flops_per_output: int = 1
    flops_per_term: int = 0
    work: Callable[..., list[tuple[int, Shape]]] | None = None
    """(algebra, attrs, out, *operands) → floating-point operations beside those per output and per term, as
    (coefficient, dims to multiply)."""
    with_terms: str | Callable[[Mapping[str, Any]], str | None] | None = None
    """How values change with the number of `terms`: as a `sum`, `mean`, `norm` or another of
    `synth.health.LENGTHENED`, by attributes where these decide; None where they do not."""
    gives: tuple[str, ...] = ()
    """What the output always is, of what a slot `needs`."""
    arity: tuple[int, int] | None = None
    """Fewest and most operands that the synthesiser gives a variadic operator."""

    @property
    def is_view(self) -> bool:
        """Moves no data and does not count towards the level."""
        return self.category == "view"

    @cached_property
    def matches(self) -> tuple[Match, ...]:
        return tuple(Match(each) if isinstance(each, str) else each for each in self.aten)

    def slot(self, position: int) -> Slot:
        """The slot that operand number `position` fills."""
        if position < len(self.slots):
            return self.slots[position]
        if not self.slots[-1].variadic:
            raise ShapeError(f"{self.name} takes {len(self.slots)} operands")
        return self.slots[-1]

    def normalise(self, attrs: Mapping[str, Any], shapes: tuple[Shape | None, ...]) -> Attrs:
        """All attributes in their normal form, defaults filled in; an unknown one is an error."""
        unknown = sorted(set(attrs) - {attr.name for attr in self.attrs})
        if unknown:
            raise ShapeError(f"{self.name} has no attribute {unknown[0]!r}")
        result: dict[str, Any] = {}
        for attr in self.attrs:
            value = attrs.get(attr.name, attr.default)
            if value is REQUIRED:
                raise ShapeError(f"{self.name} needs attribute {attr.name!r}")
            if isinstance(value, list):
                value = tuple(value)
            value = attr.normal(value, shapes, result) if attr.normal else value
            # ATen's own default may be 20 where ours is 20.0: equal programs are to look the same.
            result[attr.name] = attr.default if value == attr.default else value
        return Attrs(result)

    def stated(self, attrs: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes that differ from their defaults, as written: what a call or a file has to say."""
        return {
            attr.name: attr.short(attrs[attr.name]) if attr.short else attrs[attr.name]
            for attr in self.attrs
            if attrs[attr.name] != attr.default
        }

    def infer_shape(self, attrs: Mapping[str, Any], shapes: Sequence[Shape | None]) -> tuple[int, ...]:
        """The output shape; a `ShapeError` where the operands do not fit."""
        self._check_operands(shapes)
        return tuple(self.shape(NUMBERS, attrs, *shapes))

    def _check_operands(self, shapes: Sequence[Shape | None]) -> None:
        required = sum(not slot.optional for slot in self.slots)
        if len(shapes) < required:
            raise ShapeError(f"{self.name} needs {required} operands, got {len(shapes)}")
        for position, shape in enumerate(shapes):
            slot = self.slot(position)
            if shape is None and not slot.optional:
                raise ShapeError(f"{self.name} needs its operand {slot.name!r}")
            if shape is not None and slot.ranks and len(shape) not in slot.ranks:
                raise ShapeError(f"{self.name} takes no {slot.name!r} of rank {len(shape)}")

    def infer_dtype(self, attrs: Mapping[str, Any], dtypes: Sequence[str]) -> str:
        if dtypes and dtypes[0] not in self.dtypes:
            raise ShapeError(f"{self.name} is not defined for {dtypes[0]}")
        return self.dtype(dtypes, attrs)

    def flop_products(
        self, s: Algebra, attrs: Mapping[str, Any], out: Shape, operands: Sequence[Shape | None]
    ) -> list[tuple[int, list[Dim]]]:
        """Floating-point operations of one call as a sum of (coefficient, dims to multiply)."""
        if self.is_view:
            return []
        products = [(self.flops_per_output, list(out))]
        if self.flops_per_term:
            products.append((self.flops_per_term, [*out, *self.terms(s, attrs, out, *operands)]))
        if self.work:
            products += [(count, list(dims)) for count, dims in self.work(s, attrs, out, *operands)]
        return products

    def changes_with_terms(self, attrs: Mapping[str, Any]) -> str | None:
        return self.with_terms(attrs) if callable(self.with_terms) else self.with_terms

    def expression(self, operands: Sequence[str | None], attrs: Mapping[str, Any]) -> str:
        """The PyTorch expression that computes this operator on the named operands."""
        if callable(self.call):
            return self.call(operands, attrs)
        if "{" in self.call:
            named = {slot.name: name for slot, name in zip(self.slots, operands, strict=False)}
            return self.call.format(**named, **{k: literal(v) for k, v in attrs.items()})
        function, _, suffix = self.call.partition("()")
        return f"{function}({', '.join(self._arguments(operands, attrs))}){suffix}"

    def _arguments(self, operands: Sequence[str | None], attrs: Mapping[str, Any]) -> list[str]:
        if self.slots[-1].variadic:
            arguments = [f"[{', '.join(str(name) for name in operands)}]"]
        else:
            arguments = []
            for slot, name in zip_longest(self.slots, operands):
                if not slot.optional:
                    arguments.append(str(name))
                elif name is not None or slot.explicit_none:
                    arguments.append(f"{slot.name}={name}")
        return arguments + [f"{k}={literal(v)}" for k, v in self.stated(attrs).items()]


def literal(value: Any) -> str:
    """A value as Python source; infinities and nan are written so that they evaluate."""
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)
