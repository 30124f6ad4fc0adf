"""The corpus as it lies: every id of the catalogue has cases, and every case says what must happen."""

import ast
from collections import Counter

import pytest

from tritonrl.errors import UserError
from tritonrl.redteam.corpus import FOLDER, HONEST, WRONG, corpus

NUMBERS = {"A": 13, "B": 8, "C": 10, "D": 11, "E": 11, "F": 5}
"""Of the ids that the catalogue has of each letter."""
ONLY_ON_A_GPU = {"C7", "D1", "D8"}
IDS = {f"{letter}{n}" for letter, count in NUMBERS.items() for n in range(1, count + 1)}
TWICE = [
    f"{each[0]}{n}"
    for each in ("A 1 3 5 8 11", "B 1 4 7", "C 1 2 3 5 7", "D 1 2 3 4 5 6 7 8", "E 1 3 4 8", "F 1 2")
    for n in each.split()[1:]
]
"""Ids whose mechanism varies: two different ones of each at least."""

CASES = [*corpus(device="cuda"), *(case for case in corpus() if case.needs_interpreter)]
LAYERS = {"compile", "correct", "faithful", "timing"}


def test_every_id_of_the_catalogue_has_cases():
    counts = Counter(case.family for case in CASES)
    assert set(counts) == IDS | {WRONG, HONEST}
    assert min(counts[each] for each in TWICE) >= 2
    assert counts["A12"] >= 4
    assert sum(case.kind == "cheat" for case in CASES) >= 120
    assert counts[HONEST] >= 80


def test_a_cpu_is_not_shown_what_needs_a_gpu():
    on_cpu = corpus()
    assert not any(case.needs_gpu for case in on_cpu)
    assert sorted(case.id for case in CASES if not case.needs_gpu) == sorted(case.id for case in on_cpu)
    assert {case.family for case in CASES} - {case.family for case in on_cpu} == ONLY_ON_A_GPU
    assert {case.family for case in CASES if case.needs_gpu} == ONLY_ON_A_GPU | {"A13", HONEST}
    assert not any(case.needs_gpu for case in corpus(("A13", "C")))
    for name in ("C7", "honest/add_relu_joined_stream"):
        with pytest.raises(UserError, match=f"^{name} needs a GPU: --device cuda$"):
            corpus(("A1", name))
        assert all(case.needs_gpu for case in corpus((name,), device="cuda"))


def test_a_gpu_is_not_shown_what_needs_the_interpreter():
    on_gpu = corpus(device="cuda")
    assert not any(case.needs_interpreter for case in on_gpu)
    assert {case.family for case in CASES if case.needs_interpreter} == {HONEST, WRONG}
    name = "wrong/col_mean_lost_updates"
    with pytest.raises(UserError, match=f"^{name} needs Triton's interpreter: --device cpu$"):
        corpus((name,), device="cuda")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_case_says_what_it_does_and_what_must_happen(case):
    assert case.story
    assert case.policy in ("full", "hybrid")
    assert set(case.caught) <= LAYERS
    assert case.needs_gpu or "timing" not in case.caught
    assert (case.needs_gpu or case.needs_interpreter) == ("\nneeds:" in case.code)
    assert bool(case.caught) == (case.kind == "cheat")
    names = {node.name for node in ast.walk(ast.parse(case.code)) if hasattr(node, "name")}
    assert case.task.candidate_entry in names or case.family in ("A7", "F5")


def test_no_two_cases_are_the_same():
    bodies = Counter(ast.dump(ast.parse(case.code.split('"""', 2)[2])) for case in CASES)
    assert [body[:200] for body, count in bodies.items() if count > 1] == []


def test_every_task_has_an_honest_kernel():
    honest = {case.task.id for case in CASES if case.kind == HONEST}
    assert {path.stem for path in (FOLDER / "tasks").glob("*.py")} - {"layer_scale", "zero_head"} == honest


def test_cases_are_chosen_by_family_letter_and_name():
    assert {case.family for case in corpus(("A1", "B3"))} == {"A1", "B3"}
    assert {case.family[0] for case in corpus(("F",))} == {"F"}
    (one,) = corpus(("honest/copy_flat",))
    assert (one.id, one.kind, one.policy, one.caught) == ("honest/copy_flat", "honest", "full", ())
    with pytest.raises(UserError, match="unknown case or family 'Z9'"):
        corpus(("A1", "Z9"))
