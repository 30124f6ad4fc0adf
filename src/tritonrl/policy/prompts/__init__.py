"""Prompts: files of text, filled in with a task."""

from importlib.resources import files
from string import Template

from tritonrl.llm import Message
from tritonrl.tasks import Task


def messages(task: Task) -> tuple[Message, ...]:
    """What a model is asked for a task."""
    name = "function" if task.kind == "functional" else "module"
    asked = Template(_text(name)).substitute(
        entry=task.entry, made=task.candidate_entry, source=task.source.strip()
    )
    return Message(role="system", content=_text("system")), Message(role="user", content=asked)


def _text(name: str) -> str:
    return (files(__name__) / f"{name}.md").read_text(encoding="utf-8")
