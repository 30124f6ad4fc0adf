"""`Oracle`: everything the judge knows about one task, found out once and kept for all its candidates."""

import threading

from tritonrl.tasks import Task
from tritonrl.verify.oracle.exam import Author, Exam
from tritonrl.verify.oracle.lint import TaskLint, lint
from tritonrl.verify.oracle.worker import Worker
from tritonrl.verify.roles import Zygotes
from tritonrl.verify.settings import Settings
from tritonrl.verify.verdict import Finding


class Oracle:
    """The exams of a task, made when first asked for. Safe to share between threads; holds no process."""

    def __init__(self, zygotes: Zygotes, task: Task, settings: Settings) -> None:
        self.task = task
        self._zygotes = zygotes
        self._settings = settings
        self._lock = threading.Lock()
        self._exams: dict[bool, Exam] = {}
        self.lint: TaskLint | None = None
        """How well the exam tells right from wrong; None before there is one."""

    def exam(self, replace_weights: bool = True) -> Exam:
        """The questions, with weights set through the state or constructed under shared seeds;
        strengthened."""
        with self._lock:
            if replace_weights not in self._exams:
                with Worker(self._zygotes, self.task, self._settings.reference_seconds) as worker:
                    author = Author(worker, self._settings.precision, replace_weights=replace_weights)
                    self.lint, self._exams[replace_weights] = lint(
                        worker, author, author.write(), self._settings.lint_seconds
                    )
            return self._exams[replace_weights]

    def warnings(self) -> list[Finding]:
        """What a reader of a verdict should know about the task."""
        found = []
        if any(not exam.in_double for exam in self._exams.values()):
            message = "the reference does not run in float64: results are compared with its own type"
            found.append(Finding(layer="correct", rule="task.precision", message=message, severity="warning"))
        if self.lint and self.lint.weak:
            survivors = [
                f"{each.operator} {each.mistake}" for each in self.lint.mutants if each.status == "survived"
            ]
            message = (
                f"the task is weak: {len(survivors)} of {len(self.lint.mutants)} wrong programs pass its "
                f"exam, such as one whose {'; or whose '.join(survivors[:3])}"
            )
            found.append(Finding(layer="correct", rule="task.weak", message=message, severity="warning"))
        return found
