"""Our own modules: each is a KernelBench task that captures whole, of its level, and of a bearable size."""

from collections import Counter
from pathlib import Path

import pytest

import tritonrl.evaluate
from tritonrl.program.capture import Capture, capture_without_memory
from tritonrl.tasks import Task, load_tasks
from tritonrl.teach.composer import compose

MODULES = Path(tritonrl.evaluate.__file__).parent / "modules"
NUM_MODULES = {1: 50, 2: 40, 3: 10}

NUM_OPERATORS = {1: (1, 1), 2: (3, 8), 3: (10, 40)}
WRITTEN_OUT = {"level1/27_rms_norm": 6}
"""Level 1 modules that are one operator to their users and several to the table."""

MOST_BYTES = 256 << 20
USUAL_BYTES = (4 << 20, 128 << 20)
MOST_FLOPS = 20e9
"""So that a CPU runs a module in seconds."""

Captures = dict[str, tuple[Task, Capture]]


def captured(task: Task) -> Capture:
    names: dict = {}
    exec(task.source, names)
    return capture_without_memory(
        lambda: names["Model"](*names["get_init_inputs"]()), lambda: names["get_inputs"]()
    )


def check_there_are_100_kernelbench_tasks(captures: Captures) -> None:
    tasks = [task for task, _ in captures.values()]
    assert Counter(task.level for task in tasks) == NUM_MODULES
    for level, count in NUM_MODULES.items():
        assert [task.problem for task in tasks if task.level == level] == list(range(1, count + 1))
    assert {task.kind for task in tasks} == {"kernelbench"}


def check_the_table_knows_every_call(captures: Captures) -> None:
    for name, (_, capture) in captures.items():
        assert capture.opaque == (), name
        assert capture.random == (), name
        assert capture.constants == {}, name
        assert "constant" not in {source.kind for source in capture.sources}, name


def check_levels_have_their_number_of_operators(captures: Captures) -> None:
    for name, (task, capture) in captures.items():
        least, most = (WRITTEN_OUT[name],) * 2 if name in WRITTEN_OUT else NUM_OPERATORS[task.level or 0]
        assert least <= capture.program.level <= most, f"{name}: {capture.program.ops}"


def check_no_two_are_alike(captures: Captures) -> None:
    structures = Counter(capture.program.structure_id for _, capture in captures.values())
    assert max(structures.values()) == 1


def check_one_module_trains(captures: Captures) -> None:
    assert [name for name, (_, capture) in captures.items() if capture.updates] == [
        "level2/30_linear_bn_relu_training"
    ]


def check_sizes_are_bearable(captures: Captures) -> None:
    usual = 0
    for name, (_, capture) in captures.items():
        program = capture.program
        given = [
            spec.num_bytes
            for spec, source in zip(program.inputs, capture.sources, strict=True)
            if source.kind == "input"
        ]
        assert sum(spec.num_bytes for spec in program.inputs) <= MOST_BYTES, name
        assert program.flops <= MOST_FLOPS, name
        usual += USUAL_BYTES[0] <= sum(given) <= USUAL_BYTES[1]
    assert usual >= 90


def check_all_are_composed(captures: Captures) -> None:
    for _, capture in captures.values():
        compose(capture.program)


@pytest.mark.slow
def test_the_suite_is_what_it_says() -> None:
    """One test, since half a minute of captures is behind every question about them."""
    captures = {task.id: (task, captured(task)) for task in load_tasks(MODULES)}
    check_there_are_100_kernelbench_tasks(captures)
    check_the_table_knows_every_call(captures)
    check_levels_have_their_number_of_operators(captures)
    check_no_two_are_alike(captures)
    check_one_module_trains(captures)
    check_sizes_are_bearable(captures)
    check_all_are_composed(captures)
