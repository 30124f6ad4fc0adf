"""The form in which a local model is asked: its chat template if it has one, else plain text; or the dialect
of those that know programs alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tritonrl.errors import UserError
from tritonrl.llm import Message
from tritonrl.policy.local import dialect
from tritonrl.policy.prompts import messages
from tritonrl.program import Program
from tritonrl.tasks import Task

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

OPENING = "<think>"


@dataclass(frozen=True)
class Prompt:
    tokens: list[int]
    opening: str = ""
    """What of the answer the prompt ends with: some templates begin the plan."""


def prompt(tokenizer: "PreTrainedTokenizerBase", task: Task) -> Prompt:
    """What the model reads for a task."""
    asked = messages(task)
    if tokenizer.chat_template is None:
        text = "".join(f"{each.content.strip()}\n\n" for each in asked)
        return Prompt(tokenizer(text, verbose=False)["input_ids"])
    text = _chat(tokenizer, asked)
    # The template has the special tokens.
    tokens = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
    at = text.rfind(OPENING)
    return Prompt(tokens, text[at:] if at >= 0 and text[at:].strip() == OPENING else "")


def program_prompt(tokenizer: "PreTrainedTokenizerBase", program: Program) -> Prompt:
    """What a model that knows programs alone reads for one; the dialect has the special tokens."""
    text = dialect.question(program)
    return Prompt(tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])


def _chat(tokenizer: "PreTrainedTokenizerBase", asked: Sequence[Message]) -> str:
    """By the template; for one that knows no system message, with both texts in the user's."""
    from jinja2 import TemplateError

    both = Message(role="user", content="\n\n".join(each.content.strip() for each in asked))
    for attempt in (asked, (both,)):
        try:
            turns = [each.model_dump() for each in attempt]
            return str(tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=False))
        except TemplateError as error:
            reason = str(error)
    raise UserError(f"{tokenizer.name_or_path}: its chat template fails: {reason}")
