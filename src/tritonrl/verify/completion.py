"""`Completion`: what a policy wrote, taken apart into its plan and its code."""

import re

from pydantic import BaseModel, ConfigDict

_BLOCK = re.compile(r"^```(?:python|py)[ \t]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
_THINK = re.compile(r"<think>(.*?)</think>", re.DOTALL)


class Completion(BaseModel):
    """Raw text, the plan inside `<think>…</think>`, and the last fenced Python block."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    plan: str | None
    code: str | None

    @classmethod
    def parse(cls, text: str) -> "Completion":
        """Code is looked for after the plan: a sketch inside it is not the answer."""
        plan = _THINK.search(text)
        blocks = _BLOCK.findall(text[plan.end() :] if plan else text)
        return cls(text=text, plan=plan[1].strip() if plan else None, code=blocks[-1] if blocks else None)

    @classmethod
    def of_code(cls, code: str) -> "Completion":
        """Plain code, as a person or a file gives it."""
        return cls(text=code, plan=None, code=code)


def looks_like_completion(text: str) -> bool:
    """Whether text is a model's answer rather than a Python file: it has a plan, or a fenced block in prose."""
    return bool(_THINK.search(text) or re.search(r"^```", text, re.MULTILINE)) and not _is_python(text)


def _is_python(text: str) -> bool:
    try:
        compile(text, "<candidate>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True
