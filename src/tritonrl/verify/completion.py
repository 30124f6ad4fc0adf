"""`Completion`: what a policy wrote, taken apart into its plan and its code."""

import re
import sys
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from tritonrl.errors import UserError

LARGEST_CANDIDATE_BYTES = 2**20

_BLOCK = re.compile(r"^```(?:python|py)[ \t]*\r?\n(.*?)^```[ \t]*\r?$", re.DOTALL | re.MULTILINE)
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
        plan, code = _THINK.search(text), blocks(text)
        return cls(text=text, plan=plan[1].strip() if plan else None, code=code[-1] if code else None)

    @classmethod
    def of_code(cls, code: str) -> "Completion":
        """Plain code, as a person or a file gives it."""
        return cls(text=code, plan=None, code=code)

    @classmethod
    def of_text(cls, text: str) -> "Completion":
        """A model's answer, or plain code."""
        return cls.parse(text) if looks_like_completion(text) else cls.of_code(text)


def blocks(text: str) -> list[str]:
    """The fenced Python blocks of an answer, after its plan."""
    return _BLOCK.findall(after_plan(text))


def after_plan(text: str) -> str:
    """What an answer says when it has finished thinking."""
    plan = _THINK.search(text)
    return text[plan.end() :] if plan else text


def read_candidate(path: str) -> Completion:
    """A candidate from a file, or from stdin for `-`: plain code, or a model's whole answer."""
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        text = data.decode("utf-8")
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        reason = "not UTF-8 text" if isinstance(error, UnicodeDecodeError) else "not a file name"
        raise UserError(f"{path!r}: cannot be read: {reason}") from error
    if len(data) > LARGEST_CANDIDATE_BYTES:
        raise UserError(f"{path}: {len(data):,} bytes; a candidate has at most {LARGEST_CANDIDATE_BYTES:,}")
    return Completion.of_text(text)


def looks_like_completion(text: str) -> bool:
    """Whether text is a model's answer rather than a Python file: it has a plan, or a fenced block in
    prose."""
    return bool(_THINK.search(text) or re.search(r"^```", text, re.MULTILINE)) and not _is_python(text)


def _is_python(text: str) -> bool:
    try:
        compile(text, "<candidate>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
