"""Prompts: files of text, filled in with a task."""

from importlib.resources import files
from string import Template

from tritonrl.llm import Message
from tritonrl.tasks import Task
from tritonrl.verify import Verdict


def messages(task: Task) -> tuple[Message, ...]:
    """What a model is asked for a task."""
    name = "function" if task.kind == "functional" else "module"
    asked = filled(__name__, name, entry=task.entry, made=task.candidate_entry, source=task.source.strip())
    return Message(role="system", content=filled(__name__, "system")), Message(role="user", content=asked)


def revision(earlier: str, verdict: Verdict) -> tuple[Message, ...]:
    """What a model is asked after an answer: to mend what was found, or to be faster."""
    if verdict.accepted:
        speed = "" if verdict.speedup is None else f" and {verdict.speedup:.2f} times as fast as PyTorch"
        asked = filled(__name__, "faster", speed=speed)
    else:
        reasons = [f"- {each.layer}, {each.rule}: {each.message}" for each in verdict.findings]
        asked = filled(__name__, "mend", findings="\n".join(reasons))
    return Message(role="assistant", content=earlier), Message(role="user", content=asked)


def filled(room: str, name: str, **words: object) -> str:
    """The prompt of this name that lies in a room, with these words in their places."""
    text = (files(room) / f"{name}.md").read_text(encoding="utf-8")
    return Template(text).substitute(words)
