"""Fragments: a convex part of a Program is a Program of its own.

A fragment is made of compute operators. Convex means that no path leaves them and comes back: they can run as
one step. Views cost nothing, so they belong to nobody: those that lie in front of an operator come along, and
whoever else needs one takes it again. A fragment's inputs are the values that it reads from outside, its
outputs those that the rest of the program, or its caller, still needs. Its program is in canonical form:
fragments that compute the same are the same program, wherever they were found.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from tritonrl.program.canonical import canonical_form
from tritonrl.program.program import Program, ProgramError

LONGEST = 5
"""Compute operators of a fragment, as DRTriton has it."""
MOST = 1024
"""Fragments of a program, the shortest first."""


@dataclass(frozen=True)
class Fragment:
    """A part of a program, and where its inputs and outputs lie in the whole."""

    program: Program
    positions: tuple[int, ...]
    """Compute operators of the whole that it covers, ascending."""
    inputs: tuple[int, ...]
    """Values of the whole that its inputs stand for, in order."""
    outputs: tuple[int, ...]
    """Values of the whole that its outputs stand for, in order."""


@dataclass(frozen=True)
class Wiring:
    """A program without its views: which operator reads which. Sets of operators are bits of a number."""

    program: Program

    @cached_property
    def origin(self) -> tuple[int, ...]:
        """For each value the one that it is a view of, or itself."""
        origin = list(range(len(self.program.values)))
        for position, node in enumerate(self.program.nodes):
            if node.row.is_view:
                origin[self.program.value_of(position)] = origin[node.operands[0]]
        return tuple(origin)

    @cached_property
    def compute(self) -> tuple[int, ...]:
        """Positions of all that are no views."""
        return tuple(p for p, node in enumerate(self.program.nodes) if not node.row.is_view)

    @cached_property
    def reads(self) -> dict[int, int]:
        """For each operator those whose results it reads."""
        first = len(self.program.inputs)
        origins = {p: {self.origin[v] for v in self.program.nodes[p].operands} for p in self.compute}
        return {p: sum(1 << (v - first) for v in read if v >= first) for p, read in origins.items()}

    @cached_property
    def readers(self) -> dict[int, int]:
        """For each operator those that read its result."""
        readers = dict.fromkeys(self.compute, 0)
        for position, read in self.reads.items():
            for each in members(read):
                readers[each] |= 1 << position
        return readers

    @cached_property
    def before(self) -> dict[int, int]:
        """For each operator all that it depends on."""
        before: dict[int, int] = {}
        for position in self.compute:
            before[position] = self.reads[position]
            for each in members(self.reads[position]):
                before[position] |= before[each]
        return before

    @cached_property
    def after(self) -> dict[int, int]:
        """For each operator all that depend on it."""
        after: dict[int, int] = {}
        for position in reversed(self.compute):
            after[position] = self.readers[position]
            for each in members(self.readers[position]):
                after[position] |= after[each]
        return after

    @cached_property
    def returned(self) -> int:
        """Operators whose results, or views of them, leave the program."""
        first = len(self.program.inputs)
        return sum(1 << (v - first) for v in {self.origin[v] for v in self.program.outputs} if v >= first)

    def is_convex(self, inside: int) -> bool:
        """Whether no operator outside both depends on these and feeds them."""
        before = after = 0
        for each in members(inside):
            before |= self.before[each]
            after |= self.after[each]
        return not before & after & ~inside


def members(bits: int) -> Iterator[int]:
    """The places of the bits that are set, ascending."""
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


def fragment(program: Program, positions: Iterable[int], wiring: Wiring | None = None) -> Fragment:
    """The part made of these operators; views among them are passed over. One that is empty or not convex is
    an error."""
    wiring, given = wiring or Wiring(program), sorted(set(positions))
    if given and (given[0] < 0 or given[-1] >= len(program.nodes)):
        raise ProgramError(f"a fragment needs nodes between 0 and {len(program.nodes) - 1}, got {given}")
    chosen = tuple(position for position in given if not program.nodes[position].row.is_view)
    inside = sum(1 << position for position in chosen)
    if not chosen:
        raise ProgramError(f"a fragment needs compute operators; nodes {given} are none")
    if not wiring.is_convex(inside):
        raise ProgramError(f"nodes {list(chosen)} are not convex: a path leaves them and comes back")
    nodes = sorted({*chosen, *_views_before(program, chosen)})
    made = {program.value_of(position) for position in nodes}
    inputs = tuple(dict.fromkeys(v for p in nodes for v in program.nodes[p].operands if v not in made))
    outputs = tuple(
        program.value_of(p) for p in chosen if wiring.readers[p] & ~inside or wiring.returned >> p & 1
    )
    new = {value: number for number, value in enumerate((*inputs, *sorted(made)))}
    whole = Program(
        tuple(program.values[value] for value in inputs),
        tuple(program.nodes[position].renumbered(new) for position in nodes),
        tuple(new[value] for value in outputs),
    )
    form, origins = canonical_form(whole)
    old = {number: value for value, number in new.items()}
    return Fragment(
        form,
        chosen,
        tuple(old[each] for each in origins[: len(form.inputs)]),
        tuple(old[origins[each]] for each in form.outputs),
    )


def _views_before(program: Program, positions: Iterable[int]) -> set[int]:
    """Views that these nodes read, and those that these read in turn."""
    found: set[int] = set()
    waiting = [value for position in positions for value in program.nodes[position].operands]
    while waiting:
        position = waiting.pop() - len(program.inputs)
        if position >= 0 and program.nodes[position].row.is_view and position not in found:
            found.add(position)
            waiting += program.nodes[position].operands
    return found


def fragments(program: Program, longest: int = LONGEST, most: int = MOST) -> list[Fragment]:
    """All connected ones of up to so many operators, the shortest first, without operators of no table."""
    wiring = Wiring(program)
    known = sum(1 << position for position in wiring.compute if program.nodes[position].op != "opaque")
    sets, seen = [1 << position for position in members(known)], set()
    found: list[Fragment] = []
    for _ in range(longest):
        found += [
            fragment(program, members(each), wiring) for each in sets[: most - len(found)]
            if wiring.is_convex(each)
        ]  # fmt: skip
        if len(found) >= most:
            break
        # What is not convex yet may become so: a diamond without one of its sides.
        grown = {
            each | 1 << neighbour
            for each in sets
            for member in members(each)
            for neighbour in members((wiring.reads[member] | wiring.readers[member]) & known & ~each)
        }
        sets = sorted(grown - seen)[: 4 * most]
        seen |= grown
    return found[:most]
