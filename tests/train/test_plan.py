"""The plan mask, from tokens of whatever tokenizer."""

import pytest
from transformers import PreTrainedTokenizerFast

from tests.policy.tiny import tokenizer_of
from tritonrl.train.plan import num_plan_tokens
from tritonrl.train.sft.tokens import train_tokenizer

ANSWER = "<think>\nTiles of 64 × 64.\n</think>\n```python\nx = 1\n```\n"


@pytest.fixture(params=["lines", "bytes", "marks", "pieces"])
def tokenizer(request: pytest.FixtureRequest) -> PreTrainedTokenizerFast:
    """Whole lines, single bytes, marks that are tokens of their own, and pieces that cross a mark."""
    if request.param == "lines":
        return train_tokenizer([ANSWER] * 4, 600)
    if request.param == "bytes":
        return train_tokenizer([], 300)
    if request.param == "marks":
        return tokenizer_of([ANSWER], ["<|end|>", "<think>", "</think>"])
    made = tokenizer_of([ANSWER], ["<|end|>"])
    made.add_tokens(["nk>\n```py"])
    return made


def split(tokenizer: PreTrainedTokenizerFast, text: str, opening: str = "") -> tuple[str, str]:
    tokens = tokenizer(text, add_special_tokens=False)["input_ids"]
    count = num_plan_tokens(tokenizer, tokens, opening)
    plan, code = (tokenizer.decode(each) for each in (tokens[:count], tokens[count:]))
    assert plan + code == text or "\N{REPLACEMENT CHARACTER}" in plan + code
    return plan, code


def test_the_plan_ends_with_the_token_that_closes_it(tokenizer: PreTrainedTokenizerFast):
    plan, code = split(tokenizer, ANSWER)
    assert "</think>" in plan
    assert "</think>" not in plan[: plan.index("</think>") + len("</think>") - 1]
    assert code in ANSWER
    assert "x = 1" in code
    tokens = tokenizer(ANSWER, add_special_tokens=False)["input_ids"]
    count = num_plan_tokens(tokenizer, tokens)
    assert "</think>" not in tokenizer.decode(tokens[: count - 1])


@pytest.mark.parametrize(
    "text", ["<think>\nnever closed\n```python\nx = 1\n```\n", "x = 1\n", "x = 1\n</think>\n"]
)
def test_a_plan_that_is_not_there_has_no_tokens(tokenizer: PreTrainedTokenizerFast, text: str):
    assert split(tokenizer, text) == ("", text)


def test_the_prompt_may_have_opened_it(tokenizer: PreTrainedTokenizerFast):
    rest = ANSWER.removeprefix("<think>")
    assert split(tokenizer, rest) == ("", rest)
    plan, code = split(tokenizer, rest, opening="<think>")
    assert "</think>" in plan
    assert "x = 1" in code


def test_the_first_end_counts(tokenizer: PreTrainedTokenizerFast):
    plan, code = split(tokenizer, f"{ANSWER}</think>\n")
    assert "x = 1" not in plan
    assert "</think>" in code


def test_no_tokens_have_no_plan(tokenizer: PreTrainedTokenizerFast):
    assert num_plan_tokens(tokenizer, []) == 0
