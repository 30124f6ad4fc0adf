"""Rewards: what a verdict is worth, and what is not scored."""

import math
from typing import Any

import pytest

from tests.verify.test_verdict import verdict
from tritonrl.tasks import Task, TaskError
from tritonrl.train.rewards import NOT_SCORED, Reward, reward, tensor
from tritonrl.verify import Finding, Judged, VerifierError
from tritonrl.verify.verdict import NOT_JUDGED

TASK = Task.functional("task", "def fused_operator(): ...\n")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"speedup": 1.5}, Reward(1.0, 1.5, 1.5)),
        ({"speedup": 7.0}, Reward(1.0, 2.0, 7.0)),
        ({"speedup": None}, Reward(1.0, None, None)),  # right, and its speed is not known
        ({"correct": False, "speedup": None}, Reward(0.0, 0.0)),
        ({"valid": False, "speedup": 3.0}, Reward(0.0, 0.0)),
        ({"valid": None, "compiled": False, "correct": None}, Reward(0.0, 0.0)),
        ({"valid": None}, NOT_SCORED),  # right, and nobody knows whether it is honest
    ],
)
def test_a_verdict_is_worth(changes: dict[str, Any], expected: Reward):
    assert reward(Judged(0, TASK, verdict(**changes))) == expected


def test_speed_is_worth_as_much_as_the_recipe_says():
    assert reward(Judged(0, TASK, verdict(speedup=7.0)), cap=4.0) == Reward(1.0, 4.0, 7.0)


@pytest.mark.parametrize("error", [VerifierError("it died"), TaskError("task", "does not run")])
def test_without_a_verdict_nothing_is_scored(error: Any):
    assert reward(Judged(0, TASK, None, error)) == NOT_SCORED == Reward(None, None)


def test_an_opinion_that_is_missing_is_not_held_against_the_answer():
    finding = Finding(layer="judge", rule=NOT_JUDGED, message="no answer", severity="note")
    assert reward(Judged(0, TASK, verdict(valid=None, findings=(finding,)))) == NOT_SCORED


def test_what_is_not_scored_is_nan():
    made = tensor([1.0, None, 0.0])
    assert math.isnan(made[1])
    assert made[[0, 2]].tolist() == [1.0, 0.0]
