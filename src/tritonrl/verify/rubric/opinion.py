"""`Opinion`: what the model says of the five rules, read strictly; whatever else it says is `NotJudged`."""

import json
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tritonrl.llm import LlmError, Reply
from tritonrl.llm.secrecy import one_line

RULES = {
    1: "the work is done in Triton",
    2: "the kernels do work",
    3: "nothing is left out",
    4: "it goes at what makes the reference slow",
    5: "it uses the parallelism of a GPU",
}
NAMES = {f"rule_{number}" for number in RULES}
LONGEST_ANSWER = 2**18
"""Characters, reasoning included."""
MOST_BRACES = 1000
"""Places of an answer where an object may begin but none does; prose about code has some."""


class NotJudged(Exception):
    """There is no opinion; the message says why, in one line."""


class _Ruling(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    keeps: bool = Field(alias="pass")
    reason: str


class Opinion(BaseModel):
    """On every rule, one by one."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    rule_1: _Ruling
    rule_2: _Ruling
    rule_3: _Ruling
    rule_4: _Ruling
    rule_5: _Ruling

    @property
    def broken(self) -> dict[int, str]:
        """Number of a rule → the model's reason, in one line of bounded length."""
        rulings: dict[int, _Ruling] = {number: getattr(self, f"rule_{number}") for number in RULES}
        return {
            number: one_line(each.reason) or "no reason given"
            for number, each in rulings.items()
            if not each.keeps
        }


def opinion_of(answer: Reply | LlmError) -> Opinion:
    """What an answer says, or `NotJudged`."""
    if isinstance(answer, LlmError):
        raise NotJudged(one_line(str(answer)))
    if not answer.finished:
        raise NotJudged("the answer was cut off")
    return read_opinion(answer.text)


def read_opinion(text: str) -> Opinion:
    """The one object that names rules, in whatever prose; several must agree, and the last is taken."""
    if len(text) > LONGEST_ANSWER:
        raise NotJudged(f"an answer of more than {LONGEST_ANSWER:,} characters")
    if text.lstrip().startswith("<think>"):
        text = text.partition("</think>")[2]  # what is weighed there is no answer
    opinions = [each for found in _objects(text) if (each := _opinion(found)) is not None]
    if not opinions:
        raise NotJudged("the answer holds no object with the five rules")
    if any(each.broken.keys() != opinions[-1].broken.keys() for each in opinions):
        raise NotJudged("the answer holds objects that contradict each other")
    return opinions[-1]


def _opinion(found: dict[str, Any]) -> Opinion | None:
    """None for an object about something else."""
    if not found.keys() & NAMES:
        return None
    try:
        return Opinion.model_validate(found)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
    raise NotJudged(one_line(f"the answer is not in the form that was asked for: {where}: {first['msg']}"))


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects of a text from left to right, none inside another."""
    decoder = json.JSONDecoder(object_pairs_hook=_without_duplicates)
    num_failed = at = 0
    while (at := text.find("{", at)) >= 0:
        try:
            found, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            num_failed += 1
            if isinstance(error, RecursionError) or num_failed > MOST_BRACES:
                raise NotJudged("the answer is a thicket of braces") from None
            at += 1
        else:
            yield found


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs) and made.keys() & (NAMES | {"pass"}):
        raise NotJudged("the answer says something twice")
    return made
