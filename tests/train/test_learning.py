"""A model that chooses among 24 answers learns by each objective: real TRL, the real verifier on the
interpreter, and a named table of times in the place of a clock."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import torch
from rich.console import Console
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from tests.train import choices
from tritonrl import jsonl, render
from tritonrl.errors import UserError
from tritonrl.policy.local import dialect
from tritonrl.program import Program
from tritonrl.render import runs
from tritonrl.train.recipe import load
from tritonrl.train.rl import log
from tritonrl.train.rl.recipe import Rl
from tritonrl.train.rl.records import Logged, Look
from tritonrl.train.rl.run import summary, train
from tritonrl.train.rl.verifier import Times
from tritonrl.train.sft.run import last_checkpoint
from tritonrl.verify import Zygotes

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]


@dataclass(frozen=True)
class School:
    """A primed model, its tasks, and what all runs of it share."""

    folder: Path
    zygotes: Zygotes

    def recipe(self, name: str, objective: dict[str, Any], **training: Any) -> Rl:
        return Rl.model_validate(
            {
                "out": self.folder / name,
                "model": {"base": str(self.folder / "model")},
                "objective": objective,
                "tasks": {"own": str(self.folder / "tasks.jsonl")},
                "curriculum": {"levels": [1]},
                "held_out": {"every": 100, "count": 1},
                "generation": {"max_prompt_tokens": 64, "max_new_tokens": 12},
                "verification": {"cache": self.folder / "verdicts", "total_seconds": 5.0},
                "training": {
                    # Adam's first step of 1e-3 can unlearn how answers begin, and then none is ever right.
                    "num_generations": 60, "groups": 4, "group_size": 8, "micro_batch": 16,
                    "learning_rate": 1e-4,
                }
                | training,
                "recheck": 0,
            }
        )  # fmt: skip

    def learned(self, recipe: Rl, times: Times = choices.times) -> "Likes":
        return likes(train(recipe, zygotes=self.zygotes, times=times))


@dataclass(frozen=True)
class Likes:
    """What a model chooses among the 24 answers."""

    right: float
    """Chance that the kernel is right."""
    plans: dict[str, float]
    """Chance of each plan."""


def likes(folder: Path) -> Likes:
    model: Any = AutoModelForCausalLM.from_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    question = dialect.question(Program.from_json(choices.questions()[0]["program"]))
    asked = tokenizer(question)["input_ids"]
    chances = {}
    for key, text in choices.ANSWERS.items():
        tokens = torch.tensor([asked + tokenizer(text)["input_ids"]])
        with torch.no_grad():
            logps = model(tokens).logits.log_softmax(-1)[0, :-1].gather(1, tokens[0, 1:, None])
        chances[key] = logps[len(asked) - 1 :].sum().exp().item()
    total = sum(chances.values())
    return Likes(
        right=sum(chances[plan, code] for plan in choices.TIMES for code in choices.RIGHT) / total,
        plans={plan: sum(chances[plan, code] for code in choices.CODES) / total for plan in choices.TIMES},
    )


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory, zygotes: Zygotes) -> School:
    folder = tmp_path_factory.mktemp("school")
    choices.make(folder)
    return School(folder, zygotes)


@pytest.fixture(scope="module")
def before(school: School) -> Likes:
    return likes(school.folder / "model")


HRD = {"name": "hrd", "alpha": 0.5}
COMMAND = "import sys; from tritonrl.cli import main; sys.argv[1:1] = ['train', 'rl']; main()"


def test_it_likes_no_answer_better_before(before: Likes):
    assert before.right == pytest.approx(1 / 3, abs=0.15)
    assert all(chance == pytest.approx(1 / 4, abs=0.15) for chance in before.plans.values())


def fast(model: Likes) -> float:
    return model.plans["large"] + model.plans["huge"]


@pytest.mark.parametrize(
    "objective", [HRD, {"name": "drpo"}, {"name": "grpo", "beta": 0.5}], ids=lambda each: each["name"]
)
def test_it_learns_by_each_objective(school: School, before: Likes, objective: dict[str, Any]):
    after = school.learned(school.recipe(objective["name"], objective))
    assert after.right > before.right + 0.3
    assert fast(after) > fast(before) + 0.2


def test_it_learns_by_lora_and_gives_whole_weights(school: School, before: Likes):
    pytest.importorskip("peft")
    recipe = school.recipe("lora", HRD, num_generations=40, learning_rate=1e-3)
    lora = {"rank": 16, "alpha": 32}
    recipe = Rl.model_validate(recipe.model_dump() | {"model": {"base": recipe.model.base, "lora": lora}})
    assert school.learned(recipe).right > before.right + 0.1


def test_plans_follow_the_table_of_times_and_code_the_verdicts(school: School, before: Likes):
    def reversed_times(*asked: Any) -> float | None:
        found = choices.times(*asked)
        return None if found is None else 2.4 - found

    after = school.learned(school.recipe("reversed", HRD), reversed_times)
    assert after.right > before.right + 0.3
    assert fast(after) < fast(before) - 0.2


def test_without_speeds_code_moves_and_plans_stay(school: School, before: Likes):
    after = school.learned(school.recipe("untimed", HRD), lambda *asked: None)
    assert after.right > before.right + 0.3
    assert fast(after) == pytest.approx(fast(before), abs=0.15)


def test_a_run_tells_what_it_did(school: School):
    recipe = school.recipe("told", HRD, num_generations=3, learning_rate=1e-6)
    recipe = recipe.model_copy(update={"recheck": 40})
    heard: list[Logged | Look] = []
    train(recipe, heard.append, zygotes=school.zygotes, times=choices.times)
    logged, looks = log.read(recipe.out), log.read_looks(recipe.out)
    assert [each for each in heard if isinstance(each, Logged)] == logged
    assert [each.generation for each in looks] == [0, 3]
    assert [each.generation for each in logged] == [1, 2, 3]
    for each in logged:
        answers, update = each.answers, each.update
        assert answers.num_rollouts == 32
        assert 0 < (answers.correct or 0) < 1
        assert answers.reward_code == answers.correct  # all were scored
        assert sum(answers.findings.values()) == round(32 * (1 - answers.correct))
        assert answers.speedup
        assert 0.5 <= answers.speedup["p10"] <= answers.speedup["p50"] <= answers.speedup["p90"] <= 1.9
        assert answers.plan_tokens == pytest.approx(3, abs=1)  # <think>, its line, </think>
        assert update.entropy_plan
        assert update.entropy_code
        assert update.kl == 0
        assert each.tokens_per_second > 0
        assert sum(each.seconds.shares.values()) <= 1
    rows = [row for _, row in jsonl.read(recipe.out / "rollouts" / "000003.jsonl")]
    assert [row["accepted"] for row in rows].count(True) == round(32 * (logged[2].answers.correct or 0))
    assert (recipe.out / "curves.png").stat().st_size > 10_000
    assert (recipe.out / "findings.png").stat().st_size > 5_000
    told = summary(recipe)
    again = told["recheck"]
    assert again["num_rollouts"] == 40
    assert again["num_passed_again"] == again["num_distinct"] > 0
    assert told["rollouts_per_minute"] > 0
    shown = StringIO()
    live = runs._live_table(logged, {each.level: each for each in looks})
    Console(file=shown, width=200).print(live, render.reinforced_sheet(told))
    assert "3/3" in shown.getvalue()
    assert "level 1: " in shown.getvalue()
    assert f"{again['num_distinct']} of {again['num_distinct']} kernels" in shown.getvalue()
    with pytest.raises(UserError, match=r"another recipe: training.learning_rate 1e-06 there, 1e-05 here"):
        train(school.recipe("told", HRD, num_generations=3, learning_rate=1e-5))


class Broken(Exception):
    pass


def test_a_run_that_goes_on_equals_an_unbroken_one(school: School):
    """With two updates of two passes to a generation, so that log-probabilities of before are needed."""
    training = {"num_generations": 4, "updates": 2, "passes": 2}
    whole, parts = (school.recipe(name, HRD, **training) for name in ("whole", "parts"))

    def breaks(told: Logged | Look) -> None:
        if isinstance(told, Logged) and told.generation == 3:  # learned, and not saved
            raise Broken

    with pytest.raises(Broken):
        train(parts, breaks, zygotes=school.zygotes, times=choices.times)
    assert str(last_checkpoint(parts.out)).endswith("checkpoint-8")  # after two generations
    (parts.out / "checkpoint-12").mkdir()  # one that was broken off, too
    once, again = (
        load_file(train(each, zygotes=school.zygotes, times=choices.times) / "model.safetensors")
        for each in (whole, parts)
    )
    assert all(torch.equal(once[name], again[name]) for name in once)
    told = [[(each.answers.model_copy(update={"num_cached": 0}), each.update) for each in log.read(run.out)]
            for run in (whole, parts)]  # fmt: skip
    assert told[0] == told[1]
    assert told[0][0][1].kl > 0
    last = [
        json.loads((Path(str(last_checkpoint(run.out))) / "curriculum.json").read_bytes())
        for run in (whole, parts)
    ]
    assert last[0] == last[1]
    assert last[0]["solved"]["1"]


def toml(value: Any) -> str:
    """As an inline value."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)} = {toml(each)}" for name, each in value.items()) + "}"
    return json.dumps(value)


def test_an_interrupt_leaves_a_checkpoint_from_which_it_goes_on(school: School):
    recipe = school.recipe("interrupted", HRD, num_generations=10)
    path = school.folder / "recipe.toml"
    parts = recipe.model_dump(mode="json", exclude_none=True).items()
    path.write_text("\n".join(f"{name} = {toml(each)}" for name, each in parts))
    command = [sys.executable, "-c", COMMAND, str(path)]
    written = recipe.out / log.LOG
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        until = time.monotonic() + 120
        while not (written.exists() and written.read_text().count("\n") >= 2) and time.monotonic() < until:
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGINT)
        said = process.communicate(timeout=120)[1].decode()
    assert process.returncode == 130, said
    checkpoint = last_checkpoint(recipe.out)
    assert checkpoint is not None
    num_done = len(log.read(recipe.out))
    assert checkpoint.endswith(f"checkpoint-{num_done}")
    assert num_done < 10
    train(load(path, Rl), zygotes=school.zygotes)
    assert [each.generation for each in log.read(recipe.out)] == list(range(1, 11))
    done = subprocess.run(
        [sys.executable, "-c", "from tritonrl.cli import main; main()", "train", "recheck", str(recipe.out),
         "--last", "8", "--json"], capture_output=True, check=False, timeout=120,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert found["num_rollouts"] == 8
    assert done.returncode == 0, found
