"""`Completion`: what a policy wrote, taken apart into its plan and its code."""

import re
import sys
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from tritonrl.errors import UserError

LARGEST_CANDIDATE_BYTES = 2**20

_MARK = re.compile(r"<think>|</think>|^(?P<fence>`{3,})(?P<name>[^`\n]*)$", re.MULTILINE)
"""All that structures an answer. A fence of more backticks may hold lines of fewer."""


class Completion(BaseModel):
    """Raw text, the plan inside `<think>…</think>`, and the last fenced Python block."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    plan: str | None
    code: str | None

    @classmethod
    def parse(cls, text: str) -> "Completion":
        """Code is looked for after the plan: a sketch inside it is not the answer."""
        plan, closed, _ = text.partition("<think>")[2].partition("</think>")
        code = blocks(text)
        return cls(text=text, plan=plan.strip() if closed else None, code=code[-1] if code else None)

    @classmethod
    def of_code(cls, code: str) -> "Completion":
        """Plain code, as a person or a file gives it."""
        return cls(text=code, plan=None, code=code)

    @classmethod
    def of_text(cls, text: str) -> "Completion":
        """A model's answer, or plain code."""
        return cls.parse(text) if looks_like_completion(text) else cls.of_code(text)


def after_plan(text: str) -> str:
    """What an answer says when it has finished thinking."""
    _, closed, rest = text.partition("<think>")[2].partition("</think>")
    return rest if closed else text


def blocks(text: str) -> list[str]:
    """The Python blocks of an answer that are closed and in no plan, in one pass over the text."""
    text = after_plan(text)
    found, block, thinking = [], None, False
    last_thought = text.rfind("</think>")
    for mark in _MARK.finditer(text):
        name = (mark["name"] or "").rstrip()
        if block:
            if mark["fence"] and len(mark["fence"]) >= len(block["fence"]) and not name:
                found.append(text[block.end() + 1 : mark.start()])
                block = None
        elif thinking or mark[0] == "<think>":
            thinking = mark[0] != "</think>" and mark.start() < last_thought
        elif mark["fence"] and name in ("python", "py"):
            block = mark
    return found


def read_candidate(path: str) -> Completion:
    """A candidate from a file, or from stdin for `-`: plain code, or a model's whole answer."""
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        reason = "not UTF-8 text" if isinstance(error, UnicodeDecodeError) else "not a file name"
        raise UserError(f"{path}: cannot be read: {reason}") from error
    if len(data) > LARGEST_CANDIDATE_BYTES:
        raise UserError(f"{path}: {len(data):,} bytes; a candidate has at most {LARGEST_CANDIDATE_BYTES:,}")
    if not text.strip():
        raise UserError(f"{path}: is empty; a candidate is code, or a model's answer with a block of it")
    return Completion.of_text(text)


def looks_like_completion(text: str) -> bool:
    """Whether text is a model's answer rather than a Python file: it has a plan, or a fenced block in
    prose, perhaps cut off."""
    return bool(_MARK.search(text)) and not _is_python(text)


def _is_python(text: str) -> bool:
    try:
        compile(text, "<candidate>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
