"""Reinforcement learning on a real device: answers are written with a static cache, and speed is measured."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.train import choices
from tritonrl.train.rl import log
from tritonrl.train.rl.recipe import Rl
from tritonrl.train.rl.run import summary, train

# Torch's compiler warns of what it would do otherwise.
pytestmark = [pytest.mark.gpu, pytest.mark.filterwarnings("ignore")]


def test_right_answers_are_timed_and_pass_again(tmp_path: Path, measured: Callable[[str, str, str], None]):
    model, tasks = choices.make(tmp_path, profile="gpu")
    recipe = Rl.model_validate(
        {
            "out": tmp_path / "run",
            "model": {"base": str(model)},
            "objective": {"name": "hrd", "alpha": 0.5},
            "tasks": {"own": str(tasks)},
            "curriculum": {"levels": [1]},
            "held_out": {"every": 100, "count": 1},
            "generation": {"max_prompt_tokens": 64, "max_new_tokens": 12, "batch": 32},
            "training": {"num_generations": 2, "groups": 4, "group_size": 8, "micro_batch": 16,
                         "learning_rate": 1e-4},
            "recheck": 64,
        }
    )  # fmt: skip
    train(recipe)
    for each in log.read(recipe.out):
        assert each.answers.num_not_scored == 0
        assert each.answers.speedup, "right answers have a speed"
    told = summary(recipe)
    assert told["recheck"]["num_passed_again"] == told["recheck"]["num_distinct"] > 0
    measured("rollouts a minute, 24 answers", f"{told['rollouts_per_minute']:.0f}", "")
