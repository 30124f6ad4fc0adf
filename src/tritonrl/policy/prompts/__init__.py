"""Prompts: files of text, filled in with a task."""

from importlib.resources import files
from string import Template

from tritonrl.llm import Message
from tritonrl.tasks import Task


def messages(task: Task) -> tuple[Message, ...]:
    """What a model is asked for a task."""
    name = "function" if task.kind == "functional" else "module"
    asked = filled(__name__, name, entry=task.entry, made=task.candidate_entry, source=task.source.strip())
    return Message(role="system", content=filled(__name__, "system")), Message(role="user", content=asked)


def filled(room: str, name: str, **words: object) -> str:
    """The prompt of this name that lies in a room, with these words in their places."""
    text = (files(room) / f"{name}.md").read_text(encoding="utf-8")
    return Template(text).substitute(words)
