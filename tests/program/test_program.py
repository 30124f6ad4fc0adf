"""Program: immutable, JSON in and out, identity up to names and orders, fragments."""

import itertools
import json
import random
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tritonrl.program import Node, Program, ProgramError, Spec, emit
from tritonrl.program.canonical import canonical
from tritonrl.program.fragment import Wiring, fragment, fragments, members
from tritonrl.program.op import Attrs
from tritonrl.program.run import draw_inputs, run, run_all
from tritonrl.synth import Config, program


def made(level: int, index: int) -> Program:
    return program(Config(level, seed=5), index)


def shuffled(whole: Program, rng: random.Random) -> Program:
    """The same program with inputs, nodes and outputs in another order."""
    order = list(range(len(whole.inputs)))
    rng.shuffle(order)
    waiting = list(range(len(whole.nodes)))
    while waiting:
        ready = [p for p in waiting if all(value in order for value in whole.nodes[p].operands)]
        chosen = rng.choice(ready)
        waiting.remove(chosen)
        order.append(whole.value_of(chosen))
    new = {old: place for place, old in enumerate(order)}
    nodes = tuple(whole.nodes[old - len(whole.inputs)].renumbered(new) for old in order[len(whole.inputs) :])
    outputs = [new[value] for value in whole.outputs]
    rng.shuffle(outputs)
    return Program(tuple(whole.inputs[v] for v in order[: len(whole.inputs)]), nodes, tuple(outputs))


def small(nodes: list, outputs: list, inputs: int = 2, spec: str = "float32[4,4]") -> Program:
    return Program.from_json({"inputs": [spec] * inputs, "nodes": nodes, "outputs": outputs})


def test_it_does_not_change():
    whole = small([["add", [0, 1]], ["softmax", [2], {"dim": 0}]], [3])
    with pytest.raises(FrozenInstanceError):
        whole.outputs = (2,)  # pyright: ignore
    with pytest.raises(TypeError, match="immutable"):
        whole.nodes[1].attrs["dim"] = 1
    assert hash(whole.nodes[1]) == hash(Node("softmax", (2,), Attrs({"dim": 0})))


@pytest.mark.parametrize("level", [1, 5, 20])
def test_json_round_trip_is_exact_and_compact(level: int):
    for index in range(10):
        whole = made(level, index)
        text = json.dumps(whole.to_json(), separators=(",", ":"))
        again = Program.from_json(text)
        assert again == whole
        assert emit(again) == emit(whole)
        assert len(text) < 120 + 60 * level


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{", "not valid JSON"),
        ("[]", "exactly the keys"),
        ({"inputs": [], "nodes": []}, "exactly the keys"),
        ({"inputs": ["float32(3)"], "nodes": [], "outputs": []}, "not of the form"),
        ({"inputs": ["float32[3]"], "nodes": [], "outputs": [4]}, "output 4 is no value"),
        ({"inputs": ["float32[3]"], "nodes": [["relu"]], "outputs": []}, "malformed"),
        ({"inputs": ["float32[3]"], "nodes": [["relu", ["a"]]], "outputs": []}, "node 0 is not"),
        (
            {"inputs": ["float32[3]", "float16[3]"], "nodes": [["add", [0, 1]]], "outputs": [2]},
            "different types",
        ),
    ],
)
def test_a_malformed_document_is_one_clear_line(document, message: str):
    with pytest.raises(ProgramError, match=message):
        Program.from_json(document)


def test_specs_are_read_as_they_are_written():
    for text in ("float32[]", "float16[3]", "int64[2,5,7]"):
        assert str(Spec.parse(text)) == text
    assert Spec.parse("bfloat16[3,5]").num_bytes == 30


@settings(max_examples=40, deadline=None)
@given(level=st.sampled_from([2, 3, 5, 10]), index=st.integers(0, 200), seed=st.integers(0, 10**6))
def test_ids_ignore_names_and_orders(level: int, index: int, seed: int):
    whole = made(level, index)
    other = shuffled(whole, random.Random(seed))
    assert other.program_id == whole.program_id
    assert other.structure_id == whole.structure_id
    assert canonical(other) == canonical(whole)
    assert canonical(whole).program_id == whole.program_id


def test_ids_tell_programs_apart():
    base = small([["add", [0, 1]], ["relu", [2]]], [3])
    reuse = small([["add", [0, 0]], ["relu", [1]]], [2], inputs=1)
    swapped = small([["sub", [0, 1]], ["mul", [2, 0]]], [3])
    other_side = small([["sub", [0, 1]], ["mul", [2, 1]]], [3])
    both = small([["add", [0, 1]], ["relu", [2]]], [2, 3])
    ids = {p.program_id for p in (base, reuse, swapped, other_side, both)}
    assert len(ids) == 5
    assert len({p.structure_id for p in (base, reuse, swapped, other_side, both)}) == 5


def test_structure_id_ignores_shapes_types_and_attributes():
    one = small([["softmax", [0], {"dim": 0}]], [1], inputs=1)
    two = small([["softmax", [0], {"dim": 1}]], [1], inputs=1, spec="float16[3,5]")
    assert one.structure_id == two.structure_id
    assert one.program_id != two.program_id


def test_ids_are_exact_where_colours_alone_are_not():
    """Two rings of three products against one ring of six: every value looks alike locally."""

    def ring(start: int, size: int) -> list:
        return [["mul", [start + i, start + (i + 1) % size]] for i in range(size)]

    two = small([*ring(0, 3), *ring(3, 3)], list(range(6, 12)), inputs=6)
    one = small(ring(0, 6), list(range(6, 12)), inputs=6)
    assert one.program_id != two.program_id
    assert shuffled(one, random.Random(1)).program_id == one.program_id
    assert shuffled(two, random.Random(1)).program_id == two.program_id


def test_many_alike_values_take_no_time():
    """Forty equal readers of one value: 40! orders, one of which is enough."""
    nodes = [["relu", [0]]] * 40
    assert len(small(nodes, list(range(1, 41)), inputs=1).program_id) == 16


def test_live_ranges_and_users():
    whole = small([["add", [0, 1]], ["relu", [0]], ["mul", [2, 3]]], [4, 2])
    assert whole.users == ((0, 1), (0,), (2,), (2,), ())
    assert whole.live_ranges == ((-1, 1), (-1, 0), (0, 3), (1, 2), (2, 3))


def test_fragment_is_a_program_that_computes_its_part():
    for index in range(20):
        whole = made(10, index)
        values = run_all(whole, draw_inputs(whole, 3))
        rng = random.Random(index)
        first = rng.randrange(len(whole.nodes) - 3)
        part = fragment(whole, range(first, first + rng.randint(1, 3)))
        computed = run(part.program, [values[value] for value in part.inputs])
        assert part.outputs
        for value, result in zip(part.outputs, computed, strict=True):
            assert (result == values[value]).all()


def test_a_path_that_leaves_and_returns_is_not_convex():
    whole = small([["relu", [0]], ["abs", [2]], ["mul", [2, 3]], ["tanh", [1]]], [4, 5])
    wiring = Wiring(whole)
    assert wiring.is_convex(0b0111)
    assert wiring.is_convex(0b1001)
    assert not wiring.is_convex(0b0101)
    with pytest.raises(ProgramError, match="not convex"):
        fragment(whole, [0, 2])
    with pytest.raises(ProgramError, match="needs compute operators"):
        fragment(whole, [])
    with pytest.raises(ProgramError, match="needs nodes between 0 and 3"):
        fragment(whole, [3, 4])


def test_fragment_keeps_what_the_rest_still_reads():
    whole = small([["relu", [0]], ["abs", [2]], ["mul", [2, 3]]], [4])
    part = fragment(whole, [0, 1])
    assert part.inputs == (0,)
    assert part.outputs == (2, 3)


def test_views_come_along_and_are_never_outputs():
    """A permutation in front, a reshape behind: the fragment has the first, its caller both."""
    whole = small(
        [["permute", [0], {"dims": [1, 0]}], ["relu", [1]], ["reshape", [2], {"shape": [15]}],
         ["abs", [1]]],
        [3, 4],
        inputs=1,
        spec="float32[3,5]",
    )  # fmt: skip
    part = fragment(whole, [1])
    assert [node.op for node in part.program.nodes] == ["permute", "relu"]
    assert (part.inputs, part.outputs) == ((0,), (2,))
    assert fragment(whole, [1, 2]) == part


def test_fragments_that_compute_the_same_are_the_same_program():
    whole = small([["add", [0, 1]], ["relu", [2]], ["add", [1, 3]], ["relu", [4]], ["mul", [5, 0]]], [6])
    first, second = fragment(whole, [0, 1]), fragment(whole, [2, 3])
    assert first.program.nodes == second.program.nodes
    assert (first.inputs, second.inputs) == ((0, 1), (1, 3))


def brute_force(whole: Program, longest: int) -> set[tuple[int, ...]]:
    """Every set of operators that is connected and that no path leaves and enters again."""
    edges = {(v - len(whole.inputs), p) for p, node in enumerate(whole.nodes) for v in node.operands}
    edges = {(a, b) for a, b in edges if a >= 0}
    found = set()
    for size in range(1, longest + 1):
        for chosen in itertools.combinations(range(len(whole.nodes)), size):
            reached = [chosen[0]]
            for each in reached:
                near = {b for a, b in edges if a == each} | {a for a, b in edges if b == each}
                reached += [other for other in near & set(chosen) if other not in reached]
            path, outside = set(chosen), set()
            for a, b in sorted(edges, key=lambda edge: edge[1]):
                if a in path | outside and b not in path:
                    outside.add(b)
            returns = any(a in outside and b in path for a, b in edges)
            if len(reached) == size and not returns:
                found.add(chosen)
    return found


def test_all_convex_fragments_are_found():
    """By brute force, on programs that synthesis makes; views are none of them."""
    for index in range(12):
        whole = made(8, index)
        if any(node.row.is_view for node in whole.nodes):
            continue
        assert {each.positions for each in fragments(whole, 4)} == brute_force(whole, 4)


def test_fragments_are_counted_and_leave_out_what_no_table_has():
    opaque = ["opaque", [2], {"call": "torch.lgamma({0})", "shape": [3, 5], "dtype": "float32"}]
    whole = small([["relu", [0]], opaque, ["abs", [3]], ["tanh", [4]]], [5], spec="float32[3,5]")
    assert {each.positions for each in fragments(whole)} == {(0,), (2,), (3,), (2, 3)}
    chain = small([["relu", [value]] for value in range(40)], [40], inputs=1)
    assert len(fragments(chain)) == 40 + 39 + 38 + 37 + 36
    assert [len(each.positions) for each in fragments(chain, most=60)] == [1] * 40 + [2] * 20
    assert list(members(0b10110)) == [1, 2, 4]
