"""The weights that come with the package: what they can do, and that what is said of them is so."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from tritonrl.evaluate.suites import suite
from tritonrl.policy.local import Folder, LocalPolicy, Place
from tritonrl.policy.nano import Card, NanoPolicy
from tritonrl.policy.nano.export import export
from tritonrl.policy.nano.shipped import shipped_weights
from tritonrl.tasks import Task
from tritonrl.train.recipe import Sft, load
from tritonrl.verify import Completion, Zygotes, verify

ROOT = Path(__file__).parents[2]
HELD_OUT_SEED = 2026
BFLOAT16 = Place("cpu", "bfloat16", batch=1)


@pytest.fixture(scope="module")
def nano() -> NanoPolicy:
    return NanoPolicy(shipped_weights())


def first_unseen(level: int, number: int) -> Task:
    """A program that its recipe kept from it."""
    task = suite(f"synth:{level}", number + 1, seed=HELD_OUT_SEED)[number].task
    assert task is not None
    return task


@pytest.mark.parametrize(("level", "number"), [(1, 0), (1, 1), (2, 0), (3, 0), (5, 0)])
def test_it_solves_programs_that_it_has_never_seen(
    nano: NanoPolicy, zygotes: Zygotes, level: int, number: int
):
    task = first_unseen(level, number)
    assert nano.note(task) is None
    (given,) = nano.propose(task, [0])
    assert given.text
    verdict = verify(task, Completion.parse(given.text), zygotes=zygotes)
    assert verdict.accepted, verdict.findings


def test_exported_to_bfloat16_it_writes_the_same_tokens(tmp_path: Path):
    from transformers import AutoModelForCausalLM

    export(shipped_weights(), tmp_path / "out")
    model: Any = AutoModelForCausalLM.from_pretrained(tmp_path / "out", dtype="auto")
    who, task = NanoPolicy(shipped_weights(), place=BFLOAT16), first_unseen(2, 0)
    asked = torch.tensor([who._prompt(who._question(task)).tokens])
    written = model.generate(asked, attention_mask=torch.ones_like(asked))
    (given,) = who.propose(task, [0])
    assert given.text
    tokenizer = who._writer.tokenizer
    assert tokenizer.decode(written[0, asked.shape[1] :]) == f"{given.text}<|end|>"
    (other,) = LocalPolicy(Folder.at(str(tmp_path / "out")), place=BFLOAT16).propose(task, [0])
    assert other.text == given.text


def test_its_card_is_of_the_recipe_and_the_log_that_lie_here():
    made = Card.at(shipped_weights()).made
    recipe = load(ROOT / "recipes/nano-sft.toml", Sft)
    assert Sft.model_validate({**made["recipe"], "out": recipe.out}) == recipe
    last = json.loads((ROOT / "docs/nano/log.jsonl").read_text().splitlines()[-1])
    assert made["num_steps"] == last["step"]
    assert all(made[name] == last[name] for name in ("num_tokens", "seconds", "loss", "token_accuracy"))


def test_what_it_was_never_taught_is_held_out_by_its_recipe():
    held_out = load(ROOT / "recipes/nano-sft.toml", Sft).data.held_out
    assert HELD_OUT_SEED in held_out.seeds
    assert "cpu" in held_out.profiles
    assert {1, 2, 3, 5} <= set(held_out.levels)
