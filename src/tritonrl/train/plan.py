"""The plan mask: which tokens of an answer are its plan. One function, for every trainer.

Plan tokens are those up to and including the one that completes `</think>`; code tokens are the rest. An
answer whose plan is not closed has none, as the verifier reads it: all its tokens are code, and answer for
being wrong.
"""

from bisect import bisect_left
from collections.abc import Sequence

from transformers import PreTrainedTokenizerBase

from tritonrl.verify.completion import Completion


def num_plan_tokens(tokenizer: PreTrainedTokenizerBase, tokens: Sequence[int], opening: str = "") -> int:
    """How many of an answer's first tokens are its plan; `opening` is what of it the prompt ends with."""

    def has_plan(count: int) -> bool:
        text = tokenizer.decode(list(tokens[:count]), clean_up_tokenization_spaces=False)
        return Completion.parse(f"{opening}{text}").plan is not None

    # A mark may be one token, several, or a part of one, so text decides; once closed a plan stays closed.
    found = bisect_left(range(len(tokens) + 1), True, key=has_plan)
    return found if found <= len(tokens) else 0
