"""Fragments: a convex part of a Program is a Program of its own.

Convex means that no path leaves the part and comes back: the part can run as one step. Its inputs are the
values it reads from outside, its outputs the values that the rest of the program (or its caller) still needs.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from tritonrl.program.program import Program, ProgramError


@dataclass(frozen=True)
class Fragment:
    """A part of a program, and where its inputs and outputs lie in the whole."""

    program: Program
    positions: tuple[int, ...]
    """Nodes of the whole that it covers, ascending."""
    inputs: tuple[int, ...]
    """Values of the whole that its inputs stand for, in order."""
    outputs: tuple[int, ...]
    """Values of the whole that its outputs stand for, in order."""


def is_convex(program: Program, positions: Iterable[int]) -> bool:
    """Whether no node outside the part both depends on it and feeds it."""
    inside = set(positions)
    tainted: set[int] = set()
    for position in range(min(inside), max(inside) + 1) if inside else ():
        operands = program.nodes[position].operands
        made_inside = {program.value_of(p) for p in inside}
        if position in inside:
            if tainted.intersection(operands):
                return False
        elif tainted.union(made_inside).intersection(operands):
            tainted.add(program.value_of(position))
    return True


def fragment(program: Program, positions: Iterable[int]) -> Fragment:
    """The part made of these nodes; one that is empty or not convex is an error."""
    chosen = tuple(sorted(set(positions)))
    if not chosen or chosen[0] < 0 or chosen[-1] >= len(program.nodes):
        raise ProgramError(
            f"a fragment needs nodes between 0 and {len(program.nodes) - 1}, got {list(chosen)}"
        )
    if not is_convex(program, chosen):
        raise ProgramError(f"nodes {list(chosen)} are not convex: a path leaves them and comes back")
    made = {program.value_of(position) for position in chosen}
    inputs = tuple(dict.fromkeys(v for p in chosen for v in program.nodes[p].operands if v not in made))
    outputs = tuple(v for v in sorted(made) if v in program.outputs or set(program.users[v]) - set(chosen))
    new = {value: number for number, value in enumerate((*inputs, *sorted(made)))}
    nodes = tuple(program.nodes[position].renumbered(new) for position in chosen)
    specs = tuple(program.values[value] for value in inputs)
    return Fragment(Program(specs, nodes, tuple(new[v] for v in outputs)), chosen, inputs, outputs)
