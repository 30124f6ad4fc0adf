"""The model that learns, and the copy of it that writes.

The copy is plain: whole weights, in the type in which a place writes fastest, with nothing of the trainer's
around it. It takes over the weights before every generation.
"""

import copy
from typing import Any

import torch
from transformers import PreTrainedTokenizerBase

from tritonrl.errors import UserError
from tritonrl.policy.local import Folder, Place
from tritonrl.train.base import load_base
from tritonrl.train.recipe import need
from tritonrl.train.rl.recipe import Generation, Lora, Model

ADAPTER = "default"
"""As peft calls the only one."""


def learner(wanted: Model) -> tuple[Folder, PreTrainedTokenizerBase, Any]:
    """The folder, the tokenizer and the model that a recipe names."""
    folder, tokenizer, model = load_base(wanted.base, wanted.dtype)
    if tokenizer.eos_token is None:
        raise UserError(f"{folder.path}: its tokenizer has no end token")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return folder, tokenizer, model


def place(wanted: Generation) -> Place:
    """Where answers are written."""
    if torch.cuda.is_available():
        return Place("cuda", "bfloat16", batch=wanted.batch, static=True)
    return Place("cpu", "float32", batch=wanted.batch)


def scribe(model: Any, where: Place) -> Any:
    """A copy that writes."""
    made = copy.deepcopy(model).to(device=where.device, dtype=getattr(torch, where.dtype)).eval()
    return made.requires_grad_(False)


def lora_config(wanted: Lora | None) -> Any:
    """What peft is told; None without LoRA."""
    if wanted is None:
        return None
    need("peft")
    from peft import LoraConfig

    return LoraConfig(
        r=wanted.rank, lora_alpha=wanted.alpha, target_modules=wanted.modules, task_type="CAUSAL_LM"
    )


@torch.no_grad()
def take_over(model: Any, written_by: Any) -> None:
    """Copy the weights of the model that learns, those of LoRA added to what they stand beside."""
    if hasattr(model, "peft_config"):
        model = model.get_base_model()
    added = {
        name: module.get_delta_weight(ADAPTER)
        for name, module in model.named_modules()
        if hasattr(module, "get_delta_weight")
    }
    theirs = dict(written_by.named_parameters())
    for name, weight in model.named_parameters():
        owner, _, last = name.removesuffix(".weight").rpartition(".")
        if "lora_" in name:
            continue
        if last == "base_layer":
            weight = weight + added[owner].to(weight.dtype)
        theirs.pop(name.replace(".base_layer.", ".")).copy_(weight)
    assert not theirs, f"{len(theirs)} weights were not copied, {next(iter(theirs), '')} among them"
