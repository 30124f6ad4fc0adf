"""Tables by hand: four tasks, two samples each, under every protocol."""

from pathlib import Path

import pytest

from tests.evaluate import made_up
from tests.evaluate.made_up import verdict
from tritonrl.errors import UnknownNameError
from tritonrl.evaluate.folder import Folder
from tritonrl.evaluate.protocols import protocol
from tritonrl.evaluate.records import Listed, Outcome
from tritonrl.evaluate.table import document, table


@pytest.fixture
def run(tmp_path: Path) -> Folder:
    """a: both right, 4× and 1.5×. b: right at 0.5×, and close but not correct. c: wrong, and a cheat that is
    correct. d: no answer, and does not compile."""
    speeds = {"eager": 4.0, "compile": 1.5}
    return made_up.run(
        tmp_path / "run",
        {
            "a": [verdict("a", speedups=speeds), verdict("a", speedups={"eager": 1.5, "compile": 0.5})],
            "b": [
                verdict("b", speedups={"eager": 0.5, "compile": 0.25}),
                verdict("b", correct=False, allclose=True),
            ],
            "c": [
                verdict("c", correct=False, allclose=False),
                verdict("c", valid=False, rule="A1", layer="faithful"),
            ],
            "d": [
                None,
                verdict("d", valid=None, compiled=False, correct=False, rule="compile", layer="compile"),
            ],
        },
    )


def values(run: Folder, name: str) -> dict[str, float]:
    return {key: measure.value for key, measure in table(run, protocol(name)).metrics.items()}


def test_rates_are_those_of_one_sample_and_of_the_best_of_all(run: Folder):
    found = values(run, "strict")
    assert found["valid@1"] == (1 + 1 + 0.5 + 0) / 4
    assert found["compiled@1"] == (1 + 1 + 1 + 0) / 4
    assert found["correct@1"] == (1 + 0.5 + 0.5 + 0) / 4, "a cheat may be correct"
    assert found["pass@1"] == (1 + 0.5 + 0 + 0) / 4
    assert found["pass@2"] == (1 + 1 + 0 + 0) / 4
    assert found["fast_1@1"] == 0.25
    assert found["fast_2@1"] == 0.125
    assert found["fast_2@2"] == 0.25
    assert found["fast_1_compile@1"] == 0.125
    assert found["coverage"] == 1.0


def test_a_failure_counts_as_the_protocol_says(run: Folder):
    """Best of two, against eager: a 4, b 0.5; c and d have none."""
    assert values(run, "strict")["speedup_mean@2"] == (4 + 1 + 1 + 1) / 4, "who fails keeps PyTorch"
    assert values(run, "tritonrl")["speedup_mean@2"] == (4 + 0.5 + 0 + 0) / 4
    assert values(run, "drtriton")["speedup_mean@2"] == (4 + 0.5) / 2
    assert values(run, "strict")["speedup_geomean@2"] == pytest.approx(4 ** (1 / 4))
    assert values(run, "tritonrl")["speedup_geomean@2"] == 0.0
    assert values(run, "drtriton")["speedup_geomean@2"] == pytest.approx(2**0.5)
    assert values(run, "strict")["speedup_mean@1"] == (2.75 + 0.75 + 1 + 1) / 4


def test_kernelbench_asks_for_nothing_but_closeness(run: Folder):
    found = values(run, "kernelbench")
    assert found["pass@1"] == (1 + 1 + 0.5 + 0) / 4, "close is enough, and a cheat passes"
    assert found["fast_1@1"] == 0.25, "only what the verifier accepts has a time"


def test_what_was_not_measured_is_not_there(tmp_path: Path):
    found = values(made_up.run(tmp_path, {"a": [verdict("a")], "b": [None]}), "strict")
    assert set(found) == {"valid@1", "compiled@1", "correct@1", "pass@1", "coverage"}


def test_a_time_that_is_not_trusted_is_no_speedup(tmp_path: Path):
    noisy = verdict("a", speedups={"eager": 9.0}, refused="too noisy")
    found = values(
        made_up.run(tmp_path, {"a": [noisy], "b": [verdict("b", speedups={"eager": 2.0})]}), "strict"
    )
    assert found["fast_1@1"] == 0.5
    assert found["speedup_mean@1"] == 1.5


def test_what_is_not_the_models_fault_does_not_count_and_is_named(run: Folder):
    before = values(run, "strict")
    with run.verdicts() as write:
        write(Outcome(task="e", sample=0, error="e: cannot be imported", blame="task"))
        write(Outcome(task="f", sample=0, error="the judge died", blame="verifier"))
    run.listed += [Listed(id="e", task=made_up.task("e")), Listed(id="f", task=made_up.task("f"))]
    run.listed.append(Listed(id="g", error="g.py:1: not Python"))
    assert values(run, "strict") == before
    assert table(run, protocol("strict")).unusable == {
        "e": "task: e: cannot be imported", "f": "verifier: the judge died", "g": "g.py:1: not Python",
    }  # fmt: skip


def test_a_task_with_a_lost_sample_counts_with_those_it_has(run: Folder):
    del run.outcomes["a", 1]
    found = values(run, "strict")
    assert found["pass@2"] == 0.5
    assert found["speedup_mean@2"] == (4 + 1 + 1 + 1) / 4


def test_findings_and_layers_are_counted(run: Folder):
    found = table(run, protocol("strict"))
    assert found.findings == {"correct": 2, "A1": 1, "compile": 1}
    assert found.layers == {"correct": 2, "faithful": 1, "no answer": 1, "compile": 1}


def test_the_document_has_levels_and_operators(run: Folder):
    found = document(run, protocol("strict"))
    assert found["num_tasks"] == 4
    assert found["num_verdicts"] == 7
    assert found["levels"]["1"] == found["metrics"]
    assert found["operators"] == {"mul": found["metrics"]["pass@1"]}


def test_an_unknown_protocol_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match="strict, kernelbench, tritonrl, drtriton"):
        protocol("best")
