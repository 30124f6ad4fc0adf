"""What a model is asked beside kernels: files of text, filled in with a task."""

from tritonrl.llm import Message
from tritonrl.policy.prompts import filled
from tritonrl.tasks import Task


def label(task: Task) -> tuple[Message, ...]:
    """How hard a task is."""
    return _asked("label", entry=task.entry, source=task.source.strip())


def inputs(task: Task, count: int) -> tuple[Message, ...]:
    """Further input generators for a task."""
    names = "`get_inputs()`"
    if task.init_style != "none":
        names += ", and `get_init_inputs()` where the constructor has to fit them,"
    return _asked("inputs", entry=task.entry, source=task.source.strip(), count=count, names=names)


def _asked(name: str, **words: object) -> tuple[Message, ...]:
    return (Message(role="user", content=filled(__name__, name, **words)),)
