"""Tasks: one record for every source, and the loaders that make it without running anybody's code."""

from tritonrl.tasks.load import load_each, load_task, load_tasks
from tritonrl.tasks.task import InitStyle, Kind, Task, TaskError

__all__ = ["InitStyle", "Kind", "Task", "TaskError", "load_each", "load_task", "load_tasks"]
