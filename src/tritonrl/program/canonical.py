"""Identity of programs up to names and orders: a canonical form, and two hashes of it.

Colour refinement tells the values of a program apart by what they are, what they read and who reads them.
Where symmetry leaves values alike, each is tried in front of the others and the smallest form wins, so that
two programs have the same canonical form exactly when one is the other renamed and reordered. Unconnected
parts are ordered separately, and interchangeable values (same reads, same readers) need no trial.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Hashable

from tritonrl.program.program import Program

MOST_TRIALS = 512
"""Most orders tried for one connected part. Beyond it the first order found stands: two equal programs that
are both so symmetric might then get different ids, which costs a duplicate and never confuses two
programs."""


def program_id(program: Program) -> str:
    return _digest(_canonical_text(program, _label_of(program)))


def structure_id(program: Program) -> str:
    return _digest(_canonical_text(program, lambda value: _op_of(program, value)))


def canonical_order(program: Program) -> list[int]:
    """All values in canonical order: inputs and nodes of equal programs correspond place by place."""
    return [value for _, order in _ordered_parts(program, _label_of(program)) for value in order]


def canonical(program: Program) -> Program:
    """The same program with inputs, nodes and outputs in canonical order; equal for equal programs."""
    return canonical_form(program)[0]


def canonical_form(program: Program) -> tuple[Program, tuple[int, ...]]:
    """The canonical program, and for each of its values the one that it was. Inputs stand in the order in
    which they are read."""
    values = canonical_order(program)
    computed = _topological(program, values)[len(program.inputs) :]
    read = [value for old in computed for value in program.nodes[old - len(program.inputs)].operands]
    inputs = [value for value in dict.fromkeys(read) if value < len(program.inputs)]
    unread = [value for value in values if value < len(program.inputs)]
    order = [*dict.fromkeys((*inputs, *unread)), *computed]
    new = {old: place for place, old in enumerate(order)}
    nodes = tuple(program.nodes[old - len(program.inputs)].renumbered(new) for old in computed)
    specs = tuple(program.inputs[old] for old in order[: len(program.inputs)])
    made = Program(specs, nodes, tuple(sorted(new[value] for value in program.outputs)))
    return made, tuple(order)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _op_of(program: Program, value: int) -> str:
    node = program.node_of(value)
    return f"{node.op if node else 'input'}{'!' * program.outputs.count(value)}"


def _label_of(program: Program) -> Callable[[int], str]:
    def label(value: int) -> str:
        node = program.node_of(value)
        attrs = repr(sorted(node.attrs.items())) if node else ""
        return f"{_op_of(program, value)}{program.values[value]}{attrs}"

    return label


def _canonical_text(program: Program, label: Callable[[int], str]) -> str:
    return "\n\n".join(sorted(text for text, _ in _ordered_parts(program, label)))


def _ordered_parts(program: Program, label: Callable[[int], str]) -> list[tuple[str, list[int]]]:
    """Each connected part as (canonical text, values in canonical order), sorted by text."""
    parts = [_Part(program, values, label).best() for values in _components(program)]
    return sorted(parts, key=lambda part: part[0])


def _components(program: Program) -> list[list[int]]:
    group = list(range(len(program.values)))

    def find(value: int) -> int:
        while group[value] != value:
            group[value] = value = group[group[value]]
        return value

    for position, node in enumerate(program.nodes):
        for value in node.operands:
            group[find(value)] = find(program.value_of(position))
    members = defaultdict(list)
    for value in range(len(program.values)):
        members[find(value)].append(value)
    return list(members.values())


class _Part:
    """One connected part of a program, and the search for its smallest order."""

    def __init__(self, program: Program, values: list[int], label: Callable[[int], str]) -> None:
        self.values = values
        self.label = {value: label(value) for value in values}
        nodes = {value: program.node_of(value) for value in values}
        self.reads = {value: node.inputs if node else () for value, node in nodes.items()}
        self.readers: dict[int, list[tuple[int, int]]] = {value: [] for value in values}
        for value, reads in self.reads.items():
            for slot, read in enumerate(reads):
                if read is not None:
                    self.readers[read].append((slot, value))
        self.trials = 0

    def best(self) -> tuple[str, list[int]]:
        return self._search(self._refine(self._number({value: self.label[value] for value in self.values})))

    def _number(self, keys: dict[int, Hashable]) -> dict[int, int]:
        ranks = {key: rank for rank, key in enumerate(sorted(set(keys.values())))}  # pyright: ignore
        return {value: ranks[key] for value, key in keys.items()}

    def _refine(self, colours: dict[int, int]) -> dict[int, int]:
        """Split colours by the colours read and the colours of readers until nothing splits any more."""
        count = len(set(colours.values()))
        while True:
            keys = {}
            for value in self.values:
                reads = tuple(-1 if read is None else colours[read] for read in self.reads[value])
                readers = tuple(sorted((slot, colours[reader]) for slot, reader in self.readers[value]))
                keys[value] = (colours[value], reads, readers)
            colours = self._number(keys)
            if len(set(colours.values())) == count:
                return colours
            count = len(set(colours.values()))

    def _search(self, colours: dict[int, int]) -> tuple[str, list[int]]:
        classes = defaultdict(list)
        for value in self.values:
            classes[colours[value]].append(value)
        alike = next((classes[colour] for colour in sorted(classes) if len(classes[colour]) > 1), None)
        if alike is None:
            self.trials += 1
            order = sorted(self.values, key=colours.__getitem__)
            return self._text(order), order
        tried = []
        for value in self._representatives(alike):
            if tried and self.trials >= MOST_TRIALS:
                break
            singled = {each: 2 * colour + (each != value) for each, colour in colours.items()}
            tried.append(self._search(self._refine(self._number(dict(singled)))))
        return min(tried)

    def _representatives(self, alike: list[int]) -> list[int]:
        """One of each set of interchangeable values."""
        distinct = {
            (self.reads[value], tuple(sorted(self.readers[value]))): value for value in reversed(alike)
        }
        return list(distinct.values())

    def _text(self, order: list[int]) -> str:
        place = {value: number for number, value in enumerate(order)}
        lines = []
        for value in order:
            reads = " ".join("-" if read is None else str(place[read]) for read in self.reads[value])
            lines.append(f"{self.label[value]} <- {reads}")
        return "\n".join(lines)


def _topological(program: Program, order: list[int]) -> list[int]:
    """Inputs first, then nodes as early as their operands allow, otherwise in the given order."""
    inputs = [value for value in order if value < len(program.inputs)]
    waiting = [value for value in order if value >= len(program.inputs)]
    done, result = set(inputs), list(inputs)
    while waiting:
        ready = next(v for v in waiting if done.issuperset(program.nodes[v - len(program.inputs)].operands))
        waiting.remove(ready)
        done.add(ready)
        result.append(ready)
    return result
