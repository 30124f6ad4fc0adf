"""What a lesson writes as it goes: a frozen record a line."""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from tritonrl.llm import LlmError, Rejected, Reply, Request
from tritonrl.policy.prompts import messages
from tritonrl.tasks import Task
from tritonrl.teach.model import prompts
from tritonrl.verify import Verdict

Purpose = Literal["answer", "label", "inputs"]
Key = tuple[Purpose, str, int]
"""What was asked for, of which task, and the number of the sample."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Replied(_Record):
    """What came back for one question, or why nothing did. A line of `replies.jsonl`."""

    purpose: Purpose
    task: str
    sample: int
    reply: Reply | None = None
    failure: str | None = None
    """The kind of failure: `Overloaded`."""
    error: str | None = None

    @property
    def key(self) -> Key:
        return self.purpose, self.task, self.sample

    @property
    def is_final(self) -> bool:
        """Whether asking again would not help, or would cost again."""
        return self.reply is not None or self.failure == Rejected.__name__


@dataclass(frozen=True)
class Question:
    """One request to be made."""

    purpose: Purpose
    task: Task
    sample: int = 0
    count: int = 0
    """Of generators that are asked for."""

    @property
    def key(self) -> Key:
        return self.purpose, self.task.id, self.sample

    @property
    def request(self) -> Request:
        asked = {
            "answer": lambda: messages(self.task),
            "label": lambda: prompts.label(self.task),
            "inputs": lambda: prompts.inputs(self.task, self.count),
        }[self.purpose]
        return Request(messages=asked(), sample=self.sample)

    def replied(self, reply: Reply | LlmError) -> Replied:
        told = (
            {"reply": reply}
            if isinstance(reply, Reply)
            else {"failure": type(reply).__name__, "error": str(reply)}
        )
        return Replied.model_validate(
            {"purpose": self.purpose, "task": self.task.id, "sample": self.sample} | told
        )


class Outcome(_Record):
    """What the verifier said of an answer, or whose fault it is that it said nothing. A line of
    `verdicts.jsonl`."""

    task: str
    sample: int
    verdict: Verdict | None = None
    error: str | None = None
    blame: Literal["task", "verifier"] | None = None

    @property
    def is_final(self) -> bool:
        return self.blame != "verifier"

    @property
    def accepted(self) -> bool:
        return self.verdict is not None and self.verdict.accepted


class Variant(_Record):
    """A task at other shapes, or why there is none."""

    task: Task | None = None
    error: str | None = None


class Varied(_Record):
    """What became of the generators that were written for a task. A line of `inputs.jsonl`."""

    task: str
    variants: tuple[Variant, ...]
