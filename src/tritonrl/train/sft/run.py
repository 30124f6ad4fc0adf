"""A supervised run: TRL trains, batches are made beside it, and a run that was broken off goes on.

runs/nano-sft/
  recipe.json      what was asked for; a folder of another recipe is refused
  tokenizer/       made first
  checkpoint-500/  weights, optimizer and all that an exact resume needs
  log.jsonl        a line every few steps; loss.png shows it
  model/           the result, as transformers saves models
"""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from transformers import (
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
    PrinterCallback,
    TrainerCallback,
)
from transformers.utils import logging
from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer

from tritonrl import files
from tritonrl.policy.local.dialect import question
from tritonrl.train.begin import begin
from tritonrl.train.log import LOG, PICTURE, Logbook, Logged, read
from tritonrl.train.recipe import Sft
from tritonrl.train.sft.attention import NAME as ATTENTION
from tritonrl.train.sft.batches import Batches, collate
from tritonrl.train.sft.in_time import InTime
from tritonrl.train.sft.lessons import Lessons, held_out_ids, many
from tritonrl.train.sft.model import known_model, new_model
from tritonrl.train.sft.optimizer import MuonAndAdamW
from tritonrl.train.sft.tokens import train_tokenizer

HELD_OUT, TOKENIZER, MODEL = "held_out.json", "tokenizer", "model"
PREFETCHED = 8
"""Batches that each worker is ahead: now and then a program takes one as long as twenty others."""
DECAY = "1-sqrt"
"""How the learning rate falls in the end: soon, and then slowly to nothing."""


def train(recipe: Sft, hear: Callable[[Logged], None] = lambda logged: None) -> Path:
    """Train as the recipe says, from where an earlier run of it stopped; gives the folder of the model."""
    logging.disable_progress_bar()  # the caller has its own
    begin(recipe.out, recipe)
    if (recipe.out / MODEL).exists():
        return recipe.out / MODEL
    held_out = _held_out(recipe)
    tokenizer, model = _start(recipe, held_out)
    lessons, size = Lessons(recipe.data, held_out), recipe.training.batch_tokens
    batches = Batches(lessons, tokenizer, size, recipe.model.context, recipe.data.first_block)
    with Logbook(recipe.out, size, hear) as logbook:
        trainer = _trainer(recipe, model, tokenizer, batches, logbook)
        trainer.train(resume_from_checkpoint=last_checkpoint(recipe.out))
        if trainer.state.global_step < trainer.state.max_steps:
            raise KeyboardInterrupt
    model.config.use_cache = True  # which a trainer turns off
    with files.whole_folder(recipe.out / MODEL) as half:
        trainer.save_model(str(half))
    return recipe.out / MODEL


def summary(recipe: Sft) -> dict[str, Any]:
    """What a finished run came to."""
    logged = read(recipe.out)
    last = logged[-1]
    return {
        "model": str(recipe.out / MODEL), "num_steps": last.step, "loss": last.loss,
        "token_accuracy": last.token_accuracy, "num_tokens": last.num_tokens, "seconds": last.seconds,
        "log": str(recipe.out / LOG), "picture": str(recipe.out / PICTURE),
    }  # fmt: skip


def _held_out(recipe: Sft) -> frozenset[str]:
    path = recipe.out / HELD_OUT
    if not path.exists():
        threads = torch.get_num_threads()
        found = held_out_ids(recipe.data.held_out, _num_processes(recipe))
        torch.set_num_threads(threads)  # as a run has them that finds the file: sums depend on it
        files.write_whole(path, json.dumps(sorted(found)).encode())
    return frozenset(json.loads(path.read_bytes()))


def _num_processes(recipe: Sft) -> int:
    """That make what is there before the first batch."""
    return max(1, recipe.training.num_workers)


def _start(recipe: Sft, held_out: frozenset[str]) -> tuple[PreTrainedTokenizerBase, Any]:
    if recipe.model.base is not None:
        return known_model(recipe.model.base)
    tokenizer = _tokenizer(recipe, held_out)
    return tokenizer, new_model(recipe.model, tokenizer, recipe.training.seed)


def _tokenizer(recipe: Sft, held_out: frozenset[str]) -> PreTrainedTokenizerBase:
    """That of the run, made by the first who needs it, from lessons of no batch."""
    folder = recipe.out / TOKENIZER
    if not folder.exists():
        numbers = range(-recipe.data.num_for_tokenizer, 0)
        lessons = many(recipe.data, held_out, numbers, _num_processes(recipe))
        texts = (text for lesson in lessons for text in (question(lesson.program), *lesson.answers))
        with files.whole_folder(folder) as half:
            train_tokenizer(texts, recipe.model.vocab_size).save_pretrained(half)
    return PreTrainedTokenizerFast.from_pretrained(folder)


def _trainer(
    recipe: Sft, model: Any, tokenizer: PreTrainedTokenizerBase, batches: Batches, logbook: Logbook
) -> SFTTrainer:
    training = recipe.training
    config = SFTConfig(
        output_dir=str(recipe.out),
        max_steps=training.num_steps,
        per_device_train_batch_size=1,  # a batch is one row
        learning_rate=training.learning_rate,
        lr_scheduler_type="warmup_stable_decay",
        lr_scheduler_kwargs={"num_decay_steps": training.decay_steps, "decay_type": DECAY},
        warmup_steps=training.warm_up_steps,
        weight_decay=training.weight_decay,
        adam_beta2=0.95,
        max_grad_norm=1.0,
        bf16=training.bf16,
        gradient_checkpointing=False,
        seed=training.seed,
        save_steps=training.save_every,
        save_total_limit=2,
        logging_steps=training.log_every,
        logging_nan_inf_filter=False,
        dataloader_num_workers=training.num_workers,
        dataloader_prefetch_factor=PREFETCHED if training.num_workers else None,
        train_sampling_strategy="sequential",
        remove_unused_columns=False,
        dataset_kwargs={"skip_prepare_dataset": True},
        max_length=None,
        report_to="none",
        disable_tqdm=True,
        use_cpu=not torch.cuda.is_available(),
    )
    numbers = Dataset.from_dict({"batch": range(training.num_steps)})
    model.config._attn_implementation = ATTENTION
    if training.compile:
        model.base_model.compile()
    muon = None
    if training.optimizer == "muon":
        muon = MuonAndAdamW(model, training.learning_rate, training.weight_decay)
    callbacks: list[TrainerCallback] = [logbook.callback]
    if training.max_seconds is not None:
        callbacks.insert(0, InTime(logbook, training.max_seconds, training.decay_steps))
    trainer = SFTTrainer(
        model=model, args=config, train_dataset=numbers.with_transform(batches),
        data_collator=partial(collate, longest=recipe.model.context), processing_class=tokenizer,
        callbacks=callbacks, optimizers=(muon, None),
    )  # fmt: skip
    trainer.remove_callback(PrinterCallback)
    return trainer


def last_checkpoint(out: Path) -> str | None:
    """The last that was written whole: its state comes last."""
    found = [path.parent for path in out.glob("checkpoint-*/trainer_state.json")]
    return str(max(found, key=lambda path: int(path.name.rpartition("-")[2]))) if found else None
