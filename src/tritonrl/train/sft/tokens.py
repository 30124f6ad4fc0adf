"""Tokens: a byte-level BPE of our own, and pairs as tokens.

A token never goes beyond a line or into a number, and may be as long as a line: kernels repeat whole lines.
Numbers are copied two digits at a time, counted from their end: half of an answer's tokens would be digits.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast

from tritonrl.policy.local.dialect import END, MARKS, question
from tritonrl.train.sft.lessons import Lesson

PIECES = r"\d{1,2}(?=(?:\d\d)*(?!\d))|[^\d\n]+\n?|\n"
IGNORED = -100
"""As a label: no token that is to be learned."""


@dataclass(frozen=True)
class Example:
    """A question, and the answer that is learned."""

    tokens: list[int]
    labels: list[int]


def train_tokenizer(texts: Iterable[str], vocab_size: int) -> PreTrainedTokenizerFast:
    """A tokenizer that has learned from these texts."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Sequence(  # pyright: ignore[reportAttributeAccessIssue]
        [
            pre_tokenizers.Split(Regex(PIECES), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.decoder = decoders.ByteLevel()  # pyright: ignore[reportAttributeAccessIssue]
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, special_tokens=list(MARKS), show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    made.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=made, eos_token=END, pad_token=END)


def examples(tokenizer: PreTrainedTokenizerBase, lesson: Lesson) -> Iterator[Example]:
    """Every answer of a lesson, after its question."""
    asked = _tokens(tokenizer, question(lesson.program))
    for answer in lesson.answers:
        learned = _tokens(tokenizer, answer + END)
        yield Example(asked + learned, [IGNORED] * len(asked) + learned)


def _tokens(tokenizer: PreTrainedTokenizerBase, text: str) -> list[int]:
    return tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
