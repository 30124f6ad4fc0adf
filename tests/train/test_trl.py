"""Our losses beside TRL's own, on the same batch and the same model."""

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl.trainer.grpo_config import GRPOConfig
from trl.trainer.grpo_trainer import GRPOTrainer

from tests.policy import tiny
from tritonrl.policy.local.prompt import Prompt
from tritonrl.policy.local.writer import Written
from tritonrl.tasks import Task
from tritonrl.train.objectives import drpo, grpo, hrd
from tritonrl.train.rewards import Reward
from tritonrl.train.rl.recipe import Drpo, Grpo, Hrd
from tritonrl.train.rl.rollouts import Rollout
from tritonrl.train.rl.tasks import Asked
from tritonrl.train.rl.trainer import RlTrainer
from tritonrl.verify import Judged

SIZE = 4
REWARDS = [
    Reward(1.0, 1.5, 1.5), Reward(0.0, 0.0), Reward(1.0, 0.5, 0.5), Reward(0.0, 0.0),  # mixed
    Reward(1.0, 1.0, 1.0), Reward(None, None), Reward(0.0, 0.0), Reward(1.0, 2.0, 3.0),  # one not scored
    Reward(1.0, 1.3, 1.3), Reward(1.0, 1.3, 1.3), Reward(1.0, 1.3, 1.3), Reward(1.0, 1.3, 1.3),
    Reward(0.0, 0.0), Reward(0.0, 0.0), Reward(1.0, None), Reward(0.0, 0.0),  # a speed that is not known
]  # fmt: skip
TASK = Task.functional("task", "def get_inputs(): ...\ndef fused_operator(): ...\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.make(tmp_path_factory.mktemp("model"))


def rollouts() -> list[Rollout]:
    """Answers of 3 to 9 tokens, of which the first third is a plan."""
    made = []
    for number, reward in enumerate(REWARDS):
        length = 3 + number % 7
        tokens = [30 + (number * 7 + place) % 90 for place in range(length)]
        asked = Asked(TASK, Prompt([5, 6, 7 + number // SIZE] + [8] * (number // SIZE)))
        judged = Judged(number, TASK, None)
        made.append(Rollout(asked, Written("", tokens), "", length // 3, judged, reward))
    return made


def config(out: Path, **changes: Any) -> GRPOConfig:
    settings: dict[str, Any] = {
        "output_dir": str(out), "per_device_train_batch_size": len(REWARDS), "num_generations": SIZE,
        "loss_type": "grpo", "beta": 0.0, "scale_rewards": "group", "bf16": False, "use_cpu": True,
        "report_to": "none", "gradient_checkpointing": False, "max_completion_length": 16,
        "disable_tqdm": True,
    }  # fmt: skip
    return GRPOConfig(**settings | changes)


def ours(folder: Path, out: Path, objective: Hrd | Drpo | Grpo, **changes: Any) -> RlTrainer:
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.pad_token = tokenizer.eos_token
    return RlTrainer(
        model=AutoModelForCausalLM.from_pretrained(folder), args=config(out, **changes),
        train_dataset=Dataset.from_dict({"prompt": ["x"]}), processing_class=tokenizer, objective=objective,
        generation=lambda number: rollouts(), keep=lambda path: None,
    )  # fmt: skip


def theirs(folder: Path, out: Path, rewards: Sequence[float | None]) -> GRPOTrainer:
    """TRL's own trainer, made to write what ours has."""

    def scored(completions: Any, **_: Any) -> list[float | None]:
        return list(rewards)

    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.pad_token = tokenizer.eos_token
    trainer = GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(folder), reward_funcs=scored, args=config(out),
        train_dataset=Dataset.from_dict({"prompt": ["x"]}), processing_class=tokenizer,
    )  # fmt: skip
    made = rollouts()
    trainer._generate = lambda prompts: (  # pyright: ignore[reportAttributeAccessIssue]
        [each.asked.prompt.tokens for each in made], [each.written.tokens for each in made], None,
        [""] * len(made), None, {}, None, [],
    )  # fmt: skip
    return trainer


def gradient(trainer: GRPOTrainer, batch: Any) -> tuple[float, list[torch.Tensor]]:
    trainer.model.zero_grad()
    trainer.current_gradient_accumulation_steps = 1
    loss = trainer._compute_loss(trainer.model, batch)
    loss.backward()
    return loss.item(), [each.grad for each in trainer.model.parameters() if each.grad is not None]


def test_grpo_is_trls_own_loss(folder: Path, tmp_path: Path):
    made = rollouts()
    correct, speedup = ([getattr(each.reward, name) for each in made] for name in ("correct", "speedup"))
    tensors = [
        torch.tensor([math.nan if each is None else each for each in row]) for row in (correct, speedup)
    ]
    uniform = grpo.rewards(*tensors, size=SIZE, beta=0.9)
    rewards = [None if math.isnan(each) else each for each in uniform.tolist()]
    assert rewards.count(None) == 1
    reference = theirs(folder, tmp_path, rewards)
    reference.model.train()
    batch = reference._generate_and_score_completions([{"prompt": "x"}] * len(REWARDS))
    trainer = ours(folder, tmp_path, Grpo(name="grpo", beta=0.9))
    trainer.model.train()
    own = trainer.scored(made)
    assert torch.equal(batch["completion_ids"], own["completion_ids"])
    assert torch.equal(batch["prompt_mask"], own["prompt_mask"])
    # Where all rewards are alike TRL's are the rounding of a mean over 1e-4.
    assert torch.allclose(batch["advantages"], own["advantages"], atol=2e-3)
    mixed = [place for place in range(len(REWARDS)) if place // SIZE != 2]
    assert torch.allclose(batch["advantages"][mixed], own["advantages"][mixed], atol=1e-6)
    batch["advantages"] = torch.where(own["advantages"] == 0, 0.0, batch["advantages"])
    (loss, slopes), (own_loss, own_slopes) = gradient(reference, batch), gradient(trainer, own)
    assert loss == pytest.approx(own_loss, abs=1e-7)
    assert all(torch.allclose(a, b, atol=1e-7) for a, b in zip(slopes, own_slopes, strict=True))
    assert any(each.abs().max() > 1e-5 for each in slopes)


def logps_of(trainer: RlTrainer, batch: dict[str, torch.Tensor]) -> torch.Tensor:
    tokens = torch.cat([batch["prompt_ids"], batch["completion_ids"]], 1)
    mask = torch.cat([batch["prompt_mask"], batch["completion_mask"]], 1)
    return trainer._get_per_token_logps_and_entropies(
        trainer.model, tokens, mask, batch["completion_ids"].shape[1]
    )[0]


@pytest.mark.parametrize("name", ["hrd", "drpo", "grpo"])
@pytest.mark.parametrize("is_old", [False, True], ids=["fresh", "old"])
def test_the_trainers_loss_is_the_objective(folder: Path, tmp_path: Path, name: str, is_old: bool):
    """Fresh: with the policy that wrote. Old: with another, as in a second update."""
    kinds: dict[str, Any] = {
        "hrd": Hrd(name="hrd", alpha=0.3), "drpo": Drpo(name="drpo", tau=2.0), "grpo": Grpo(name="grpo"),
    }  # fmt: skip
    trainer = ours(folder, tmp_path, kinds[name], num_iterations=2 if is_old else 1)
    trainer.model.train()
    batch = trainer.scored(rollouts())
    assert ("old_per_token_logps" in batch) == is_old
    if is_old:
        torch.manual_seed(0)
        batch["old_per_token_logps"] += 0.3 * torch.randn_like(batch["old_per_token_logps"])
    loss, slopes = gradient(trainer, batch)
    trainer.model.zero_grad()
    logps = logps_of(trainer, batch)
    old, mask, correct = (
        batch.get("old_per_token_logps", logps.detach()),
        batch["completion_mask"],
        batch["correct"],
    )
    speedup = torch.tensor([math.nan if each.speedup is None else each.speedup for each in REWARDS])
    expected = {
        "hrd": lambda: hrd.loss(logps, old, mask, batch["plan"], correct, speedup, SIZE, alpha=0.3),
        "drpo": lambda: drpo.loss(logps, old, mask, correct, batch["measured"], SIZE, tau=2.0),
        "grpo": lambda: grpo.loss(logps, old, mask, correct, speedup, SIZE),
    }[name]()
    expected.backward()
    assert loss == pytest.approx(expected.item(), abs=1e-6)
    own = [each.grad for each in trainer.model.parameters() if each.grad is not None]
    assert all(torch.allclose(a, b, atol=1e-6) for a, b in itertools.zip_longest(slopes, own))
    assert trainer.sums["tokens_plan"] == sum(each.num_plan for each in rollouts())
    assert (trainer.sums["kl"] > 0.001) == is_old


def test_a_generation_is_split_into_whole_groups(folder: Path, tmp_path: Path):
    trainer = ours(
        folder, tmp_path, Drpo(name="drpo"), per_device_train_batch_size=SIZE, gradient_accumulation_steps=4
    )
    trainer.model.train()
    parts = []
    for _ in range(4):
        parts.append(trainer._prepare_inputs([]))
        trainer._step += 1
    whole = trainer.scored(rollouts())
    assert [len(each["correct"]) for each in parts] == [SIZE] * 4
    assert torch.equal(torch.cat([each["completion_ids"] for each in parts]), whole["completion_ids"])
    trainer.current_gradient_accumulation_steps = 4
    losses = [trainer._compute_loss(trainer.model, each).item() for each in parts]
    trainer.current_gradient_accumulation_steps = 1
    assert sum(losses) == pytest.approx(trainer._compute_loss(trainer.model, whole).item(), abs=1e-5)
