"""A model of seconds that chooses among 24 answers to two questions: six kernels, two of them right, under
four plans. It has learned them all by heart, and likes none of them better."""

import itertools
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

from tritonrl import form, jsonl
from tritonrl.policy.local import dialect
from tritonrl.program import Program
from tritonrl.synth import Config, program, row
from tritonrl.tasks import Task
from tritonrl.train.recipe import Model
from tritonrl.train.sft.model import new_model
from tritonrl.train.sft.tokens import train_tokenizer
from tritonrl.verify import Completion

RIGHT = ("tl.maximum(x, zero)", "tl.where(x > zero, x, zero)")
WRONG = ("tl.minimum(x, zero)", "x + x", "-x", "tl.abs(x)")
CODES = (*RIGHT, *WRONG)
TIMES = {"tiny": 0.5, "small": 0.9, "large": 1.5, "huge": 1.9}
"""The named table of times: tiles of a plan → how many times faster than PyTorch its kernels are."""
KERNEL = """import torch
import triton
import triton.language as tl


@triton.jit
def kernel(source, result, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(source + at, mask=at < count)
    zero = tl.zeros_like(x)
    y = {code}
    tl.store(result + at, y, mask=at < count)


def triton_fused_operator(tensor_0):
    result = torch.empty_like(tensor_0)
    kernel[(triton.cdiv(tensor_0.numel(), 256),)](tensor_0, result, tensor_0.numel(), BLOCK=256)
    return [result]
"""


def answer(plan: str, code: str) -> str:
    return form.answer(f"Tiles are {plan}.", KERNEL.format(code=code))


ANSWERS = {(plan, code): answer(plan, code) for plan, code in itertools.product(TIMES, CODES)}


def times(task: Task, completion: Completion) -> float | None:
    """The speedup of an accepted answer, by its plan."""
    return next((TIMES[name] for name in TIMES if name in (completion.plan or "")), None)


SURER = 2.5
"""Times as far apart in what it likes, after which it says nothing but the 24: one answer of a hundred was
none of them, and who learns from one without a plan unlearns how answers begin."""
SEEDS = {"cpu": 0, "gpu": 26}
"""By profile. That for a GPU gives programs that take it longer than a host takes for a launch, so that their
speed can be measured anywhere."""


def questions(profile: str = "cpu") -> list[dict[str, Any]]:
    """Rows of two programs, of which a run holds one out."""
    config = Config(1, SEEDS[profile], profile, ops=("relu",))
    return [row(config, number, program(config, number)) for number in range(2)]


def make(folder: Path, steps: int = 150, profile: str = "cpu") -> tuple[Path, Path]:
    """Writes tasks and model."""
    rows = questions(profile)
    tasks = folder / "tasks.jsonl"
    tasks.write_text("".join(f"{jsonl.dumps(each)}\n" for each in rows))
    asked = [dialect.question(Program.from_json(each["program"])) for each in rows]
    tokenizer = _tokenizer(asked)
    sizes = Model(
        hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=2, context=128
    )
    model = new_model(sizes, tokenizer, seed=0)
    _learn_by_heart(model, tokenizer, asked, steps)
    model.save_pretrained(folder / "model")
    tokenizer.save_pretrained(folder / "model")
    return folder / "model", tasks


def _tokenizer(asked: list[str]) -> PreTrainedTokenizerFast:
    """Every line of a question is a token, every plan and every kernel: whatever the model may say, the code
    in it is one of the six."""
    parts = [
        "<think>\n", *(f"Tiles are {plan}.\n" for plan in TIMES), "</think>\n",
        *(form.answer(None, KERNEL.format(code=code)) for code in CODES),
    ]  # fmt: skip
    lines = [
        line for each in asked for line in each.removeprefix(dialect.TASK).splitlines(keepends=True)[:-1]
    ]
    tokenizer = train_tokenizer([], 300)
    tokenizer.add_tokens([AddedToken(each, normalized=False) for each in dict.fromkeys([*parts, *lines])])
    return tokenizer


def _learn_by_heart(model: LlamaForCausalLM, tokenizer: Any, asked: list[str], steps: int) -> None:
    pairs = [(tokenizer(each)["input_ids"], tokenizer(text + dialect.END)["input_ids"])
             for each in asked for text in ANSWERS.values()]  # fmt: skip
    length = max(len(question) + len(text) for question, text in pairs)
    tokens = torch.full((len(pairs), length), tokenizer.pad_token_id)
    labels = torch.full_like(tokens, -100)
    for place, (question, text) in enumerate(pairs):
        both = torch.tensor(question + text)
        tokens[place, : len(both)] = both
        labels[place, len(question) : len(both)] = both[len(question) :]
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    falling = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.01, steps)
    for _ in range(steps):
        model(input_ids=tokens, labels=labels).loss.backward()
        optimizer.step()
        falling.step()
        optimizer.zero_grad()
    with torch.no_grad():
        model.model.norm.weight *= SURER
