"""`RlTrainer`: TRL's GRPO trainer, in which the verifier scores what the policy wrote.

A generation is written and judged as a whole, then its answers are gone over in micro-batches, those to a
question beside each other. HRD and GRPO are TRL's own loss with advantages of tokens, or of answers, that our
objectives compute; DRPO is a loss of its own.
"""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from trl.trainer.grpo_config import GRPOConfig
from trl.trainer.grpo_trainer import GRPOTrainer

from tritonrl.train.objectives import drpo, grpo, hrd
from tritonrl.train.rewards import tensor
from tritonrl.train.rl.recipe import Drpo, Grpo, Hrd
from tritonrl.train.rl.rollouts import Rollout

Tensors = dict[str, torch.Tensor]


def _verifier(**_: Any) -> list[float | None]:
    """In the place of TRL's reward functions, of which it wants one."""
    raise AssertionError("rollouts come with their rewards")


class RlTrainer(GRPOTrainer):
    args: GRPOConfig

    def __init__(
        self,
        *args: Any,
        objective: Hrd | Drpo | Grpo,
        generation: Callable[[int], list[Rollout]],
        keep: Callable[[Path], None],
        **kwargs: Any,
    ) -> None:
        """`generation` gives the rollouts of a generation, groups beside each other; `keep` writes beside a
        checkpoint what the caller needs to go on from it."""
        super().__init__(*args, reward_funcs=_verifier, **kwargs)
        self._objective, self._generation, self._keep = objective, generation, keep
        self._size: int = self.args.num_generations or 0
        self._seen: tuple[torch.Tensor, torch.Tensor] | None = None
        self.sums: defaultdict[str, float] = defaultdict(float)
        """Of what was seen of the tokens since it was last emptied."""

    # TRL's own shuffles a generation, and DRPO compares whole groups.
    def _prepare_inputs(self, generation_batch: Any) -> Any:
        count = self.args.steps_per_generation
        assert count is not None
        if self._step % (count * self.num_iterations) == 0 or self._buffered_inputs is None:
            batch = self._generate_and_score_completions(generation_batch)
            size = len(batch["completion_ids"]) // count
            self._buffered_inputs = [
                {name: each[first * size : (first + 1) * size] for name, each in batch.items()}
                for first in range(count)
            ]
        return self._buffered_inputs[self._step % count]

    def _generate_and_score_completions(self, inputs: Any) -> Tensors:
        number = self.state.global_step // self._steps_a_generation
        return self.scored(self._generation(number))

    @property
    def _steps_a_generation(self) -> int:
        steps: Any = self.args.steps_per_generation
        return self.num_iterations * steps // self.args.gradient_accumulation_steps

    def scored(self, rollouts: list[Rollout]) -> Tensors:
        """Rollouts as tensors, with what the loss needs of them."""
        device = self.accelerator.device
        prompts = _padded([each.asked.prompt.tokens for each in rollouts], self._pad, left=True)
        answers = _padded([each.written.tokens for each in rollouts], self._pad)
        plans = torch.tensor([each.num_plan for each in rollouts])[:, None]
        batch = {
            "prompt_ids": prompts[0], "prompt_mask": prompts[1],
            "completion_ids": answers[0], "completion_mask": answers[1],
            "plan": torch.arange(answers[0].shape[1]) < plans,
            "correct": tensor([each.reward.correct for each in rollouts]),
            "measured": tensor([each.reward.measured for each in rollouts]),
        }  # fmt: skip
        speedup = tensor([each.reward.speedup for each in rollouts])
        batch["advantages"] = self._advantages(batch, speedup)
        batch = {name: each.to(device) for name, each in batch.items()}
        if self._steps_a_generation > 1:
            batch["old_per_token_logps"] = self._logps_without_gradient(batch)
        return batch

    @property
    def _pad(self) -> int:
        pad: Any = self._tokenizer.pad_token_id
        return pad

    def _advantages(self, batch: Tensors, speedup: torch.Tensor) -> torch.Tensor:
        correct, size, chosen = batch["correct"], self._size, self._objective
        if isinstance(chosen, Hrd):
            return hrd.advantages(correct, speedup, batch["plan"], size, chosen.alpha)
        if isinstance(chosen, Grpo):
            return grpo.advantages(correct, speedup, size, chosen.beta)
        return torch.zeros_like(correct)  # its loss needs none

    def _logps_without_gradient(self, batch: Tensors) -> torch.Tensor:
        tokens = torch.cat([batch["prompt_ids"], batch["completion_ids"]], dim=1)
        mask = torch.cat([batch["prompt_mask"], batch["completion_mask"]], dim=1)
        with torch.no_grad():
            found = self._get_per_token_logps_and_entropies(
                self.model,
                tokens,
                mask,
                batch["completion_ids"].shape[1],
                self.args.per_device_train_batch_size,
            )
        return found[0]

    def _get_per_token_logps_and_entropies(self, *args: Any, **kwargs: Any) -> Any:
        found = super()._get_per_token_logps_and_entropies(*args, **kwargs)
        if kwargs.get("compute_entropy"):
            self._seen = found[0].detach(), found[1].detach()
        return found

    def _compute_loss(self, model: Any, inputs: Any) -> torch.Tensor:
        if isinstance(self._objective, Drpo):
            loss = self._drpo(model, inputs)
        else:
            loss = super()._compute_loss(model, inputs)
        self._look_at(inputs)
        return loss

    def _drpo(self, model: Any, batch: Tensors) -> torch.Tensor:
        tokens = torch.cat([batch["prompt_ids"], batch["completion_ids"]], dim=1)
        mask = torch.cat([batch["prompt_mask"], batch["completion_mask"]], dim=1)
        num_answer = batch["completion_ids"].shape[1]
        logps, _, _ = self._get_per_token_logps_and_entropies(
            model, tokens, mask, num_answer, compute_entropy=True
        )
        chosen: Any = self._objective
        old = batch["old_per_token_logps"] if "old_per_token_logps" in batch else logps.detach()
        loss = drpo.loss(
            logps, old, batch["completion_mask"], batch["correct"], batch["measured"], self._size, chosen.tau,
            chosen.lam, chosen.beta, chosen.delta,
        )  # fmt: skip
        return loss / self.current_gradient_accumulation_steps

    def _look_at(self, batch: Tensors) -> None:
        assert self._seen is not None
        (logps, entropy), self._seen = self._seen, None
        mask, plan = batch["completion_mask"].bool(), batch["plan"]
        for name, which in (("plan", mask & plan), ("code", mask & ~plan)):
            self.sums[f"entropy_{name}"] += entropy[which].sum().item()
            self.sums[f"tokens_{name}"] += int(which.sum())
        if "old_per_token_logps" in batch:
            self.sums["kl"] += drpo.kl(logps, batch["old_per_token_logps"], mask).item()
        self.sums["passes"] += 1

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        # First what is ours: a checkpoint is whole when the trainer's state is there, which comes last.
        folder = Path(self._get_output_dir(trial)) / f"checkpoint-{self.state.global_step}"
        self._keep(folder)
        super()._save_checkpoint(model, trial)


def _padded(rows: list[list[int]], pad: int, left: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows of one length, and which of their tokens are real."""
    length = max(len(row) for row in rows)
    tokens = torch.full((len(rows), length), pad)
    mask = torch.zeros_like(tokens)
    for place, row in enumerate(rows):
        where = slice(length - len(row), length) if left else slice(0, len(row))
        tokens[place, where] = torch.tensor(row)
        mask[place, where] = 1
    return tokens, mask
