"""A run of reinforcement learning: TRL trains, the verifier judges, and a run that was broken off goes on.

runs/nano-hrd/
  recipe.json        what was asked for; a folder of another recipe is refused
  checkpoint-12/     after a generation: weights, optimizer, curriculum, all that an exact resume needs
  log.jsonl          a line a generation; held_out.jsonl: a line a look and level
  curves.png         and findings.png show them
  rollouts/          every answer and what became of it, a file a generation
  cheats/            answers that were found to cheat, each with its task and the finding
  verdicts/          the verifier's cache
  recheck.json       what was accepted last, verified again
  model/             the result, as transformers saves models
"""

import contextlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from transformers import PrinterCallback, TrainerCallback
from transformers.utils import logging
from trl.trainer.grpo_config import GRPOConfig

from tritonrl import files
from tritonrl.errors import UserError
from tritonrl.policy.local import Sampling
from tritonrl.policy.local.writer import Writer
from tritonrl.train.begin import begin
from tritonrl.train.interrupt import Interrupt
from tritonrl.train.rl import log, plots
from tritonrl.train.rl.generations import Generations
from tritonrl.train.rl.model import learner, lora_config, place, scribe, take_over
from tritonrl.train.rl.recheck import RECHECK, recheck
from tritonrl.train.rl.recipe import Rl
from tritonrl.train.rl.records import Logged, Look, Seconds, Update
from tritonrl.train.rl.tasks import Asker, source
from tritonrl.train.rl.trainer import RlTrainer
from tritonrl.train.rl.verifier import Times, Verifier, settings
from tritonrl.train.sft.run import MODEL, last_checkpoint
from tritonrl.verify import Zygotes
from tritonrl.verify.zygotes import zygotes_of_own

VERDICTS = "verdicts"
Hear = Callable[[Logged | Look], None]


def train(
    recipe: Rl,
    hear: Hear = lambda told: None,
    *,
    zygotes: Zygotes | None = None,
    times: Times | None = None,
) -> Path:
    """Train as the recipe says, from where an earlier run of it stopped; gives the folder of the model.
    `times` stands for a clock where kernels are interpreted."""
    logging.disable_progress_bar()  # the caller has its own
    logging.set_verbosity_error()
    begin(recipe.out, recipe)
    if (recipe.out / MODEL).exists():
        return recipe.out / MODEL
    how = settings(recipe.verification)
    with contextlib.ExitStack() as stack:
        held = zygotes
        if how.device == "cpu" or recipe.tasks.own is not None:
            held = stack.enter_context(zygotes_of_own(zygotes))
            held.device = how.device
        # On a GPU judges are processes of their own.
        judges = held if how.device == "cpu" else None
        cache = recipe.verification.cache or recipe.out / VERDICTS
        verifier = stack.enter_context(Verifier(how, cache, recipe.verification.workers, judges, times))
        interrupt = stack.enter_context(Interrupt())
        _learn(recipe, verifier, held, interrupt, hear)
        plots.draw(recipe.out)
    if recipe.recheck:
        recheck(recipe.out, recipe.recheck, how, workers=recipe.verification.workers, zygotes=zygotes)
    return recipe.out / MODEL


def summary(recipe: Rl) -> dict[str, Any]:
    """What a finished run came to."""
    logged, looks = log.read(recipe.out), log.read_looks(recipe.out)
    seconds = [each.seconds for each in logged]
    total = sum(each.total for each in seconds)
    shares = {
        name: sum(getattr(each, name) for each in seconds) / total
        for name in ("generation", "verification", "update", "held_out")
    }
    checked = recipe.out / RECHECK
    return {
        "model": str(recipe.out / MODEL),
        "num_generations": len(logged),
        "num_rollouts": sum(each.answers.num_rollouts for each in logged),
        "level": logged[-1].level,
        "held_out": {
            "first": [each.model_dump() for each in looks if each.generation == looks[0].generation],
            "last": [each.model_dump() for each in looks if each.generation == looks[-1].generation],
        },
        "minutes": total / 60,
        "rollouts_per_minute": sum(each.answers.num_rollouts for each in logged) / (total / 60),
        "shares": shares,
        "recheck": json.loads(checked.read_bytes()) if checked.exists() else None,
        "log": str(recipe.out / log.LOG),
        "pictures": [str(recipe.out / name) for name in (plots.CURVES, plots.FINDINGS)],
    }


def _learn(recipe: Rl, verifier: Verifier, zygotes: Zygotes | None, interrupt: Interrupt, hear: Hear) -> None:
    folder, tokenizer, model = learner(recipe.model)
    where, wanted = place(recipe.generation), recipe.generation
    writes = scribe(model, where)
    ends = writes.generation_config
    writer = Writer(tokenizer, writes, Sampling(wanted.temperature, 1.0, wanted.max_new_tokens), where)
    if writer.context is not None and writer.context < wanted.max_prompt_tokens + wanted.max_new_tokens:
        raise UserError(
            f"{folder.path}: its context is {writer.context} tokens; generation.max_prompt_tokens and "
            f"max_new_tokens together are {wanted.max_prompt_tokens + wanted.max_new_tokens}"
        )
    asker = Asker(tokenizer, folder.asks_program, wanted.max_prompt_tokens, zygotes)
    generations = Generations(recipe, writer, verifier, asker, source(recipe), hear)
    trainer = _trainer(recipe, model, tokenizer, generations, interrupt, hear)
    generations.model, generations.scribe = trainer.model, writes
    num_steps = recipe.training.num_generations * recipe.training.steps_a_generation
    checkpoint = last_checkpoint(recipe.out)
    if checkpoint is not None:
        generations.restore(Path(checkpoint))
    if checkpoint is not None and checkpoint.endswith(f"-{num_steps}"):
        trainer._load_from_checkpoint(checkpoint)  # all is learned, and only the end is missing
    else:
        trainer.train(resume_from_checkpoint=checkpoint)
        if trainer.state.global_step < num_steps:
            raise KeyboardInterrupt
    take_over(trainer.model, writes)
    generations.look(recipe.training.num_generations)
    with files.whole_folder(recipe.out / MODEL) as half:
        if recipe.model.lora is None:
            trainer.save_model(str(half))
        else:  # whole weights, so that whoever loads it needs no peft
            writes.generation_config = ends
            writes.save_pretrained(half)
            tokenizer.save_pretrained(half)


def _trainer(
    recipe: Rl, model: Any, tokenizer: Any, generations: Generations, interrupt: Interrupt, hear: Hear
) -> RlTrainer:
    training = recipe.training
    num_answers = training.groups * training.group_size
    on_gpu = torch.cuda.is_available()
    config = GRPOConfig(
        output_dir=str(recipe.out),
        max_steps=training.num_generations * training.steps_a_generation,
        per_device_train_batch_size=training.micro_batch,
        gradient_accumulation_steps=num_answers // (training.micro_batch * training.updates),
        steps_per_generation=num_answers // training.micro_batch,
        num_generations=training.group_size,
        num_iterations=training.passes,
        loss_type="grpo",
        epsilon=getattr(recipe.objective, "clip", 0.2),
        beta=0.0,
        temperature=recipe.generation.temperature,
        max_completion_length=recipe.generation.max_new_tokens,
        learning_rate=training.learning_rate,
        lr_scheduler_type="constant_with_warmup",
        warmup_steps=training.warm_up_steps,
        weight_decay=training.weight_decay,
        max_grad_norm=training.max_grad_norm,
        bf16=training.bf16 and on_gpu,
        gradient_checkpointing=recipe.model.gradient_checkpointing,
        disable_dropout=True,
        seed=training.seed,
        save_steps=training.save_every * training.steps_a_generation,
        save_total_limit=2,
        logging_steps=1,
        logging_nan_inf_filter=False,
        shuffle_dataset=False,
        ignore_data_skip=True,
        report_to="none",
        disable_tqdm=True,
        use_cpu=not on_gpu,
    )
    if config.world_size > 1:
        raise UserError("train rl runs in one process, on one GPU; a cluster is verl's")
    callback = _Callback(recipe, generations, interrupt, hear)
    trainer = RlTrainer(
        model=model,
        args=config,
        # Questions are drawn when they are asked: these rows only count them.
        train_dataset=Dataset.from_dict({"prompt": [""] * (training.groups * training.num_generations)}),
        processing_class=tokenizer,
        peft_config=lora_config(recipe.model.lora),
        callbacks=[callback],
        objective=recipe.objective,
        generation=generations,
        keep=generations.save,
    )
    trainer.remove_callback(PrinterCallback)
    callback.trainer = trainer
    return trainer


class _Callback(TrainerCallback):
    """Logs a generation when it is learned; an interrupt ends the run there, with a checkpoint."""

    def __init__(self, recipe: Rl, generations: Generations, interrupt: Interrupt, hear: Hear) -> None:
        self._recipe, self._generations = recipe, generations
        self._interrupt, self._hear = interrupt, hear
        self._began = time.perf_counter()
        self._steps: list[dict[str, Any]] = []
        self.trainer: RlTrainer | None = None

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self._interrupt.has_come and self._is_whole(state):
            control.should_save = control.should_training_stop = True

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        if "loss" not in (logs or {}):
            return  # the summary at the end
        self._steps.append(logs)
        if self._is_whole(state):
            logged = self._logged(state.global_step // self._recipe.training.steps_a_generation)
            log.append(self._recipe.out / log.LOG, logged)
            self._hear(logged)

    def _is_whole(self, state: Any) -> bool:
        return state.global_step % self._recipe.training.steps_a_generation == 0

    def _logged(self, generation: int) -> Logged:
        made, now = self._generations.made, time.perf_counter()
        assert made is not None
        seconds = Seconds(
            generation=made.generation_seconds,
            verification=made.verification_seconds,
            update=now - made.ended,
            held_out=made.held_out_seconds,
            total=now - self._began,
        )
        self._began = now
        return Logged(
            generation=generation,
            num_generations=self._recipe.training.num_generations,
            level=made.level,
            levels=made.levels,
            answers=made.answers,
            update=self._update(),
            seconds=seconds,
            tokens_per_second=made.num_tokens / made.generation_seconds,
            verdicts_per_second=made.answers.num_rollouts / made.verification_seconds,
        )

    def _update(self) -> Update:
        assert self.trainer is not None
        steps, sums = self._steps, self.trainer.sums.copy()
        self._steps = []
        self.trainer.sums.clear()
        norms = [float(each["grad_norm"]) for each in steps if each.get("grad_norm") is not None]
        return Update(
            loss=sum(float(each["loss"]) for each in steps) / len(steps),
            grad_norm=sum(norms) / len(norms) if norms else None,
            learning_rate=float(steps[-1]["learning_rate"]),
            entropy_plan=sums["entropy_plan"] / sums["tokens_plan"] if sums["tokens_plan"] else None,
            entropy_code=sums["entropy_code"] / sums["tokens_code"] if sums["tokens_code"] else None,
            kl=sums["kl"] / sums["passes"],
        )
