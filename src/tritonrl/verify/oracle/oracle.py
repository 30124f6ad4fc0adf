"""`Oracle`: everything the judge knows about one task, found out once and kept for all its candidates."""

import threading

from tritonrl.tasks import Task
from tritonrl.verify.oracle.draws import KINDS
from tritonrl.verify.oracle.exam import Exam, prepare
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

    def exam(self, replace_weights: bool = True) -> Exam:
        """The questions, with weights set through the state or constructed under shared seeds."""
        with self._lock:
            if replace_weights not in self._exams:
                with Worker(self._zygotes, self.task, self._settings.reference_seconds) as worker:
                    self._exams[replace_weights] = prepare(
                        worker, self._settings.precision, tuple(KINDS), replace_weights
                    )
            return self._exams[replace_weights]

    def warnings(self) -> list[Finding]:
        """What a reader of a verdict should know about the task."""
        found = []
        if any(not exam.in_double for exam in self._exams.values()):
            message = "the reference does not run in float64: results are compared with its own type"
            found.append(Finding(layer="correct", rule="task.precision", message=message, severity="warning"))
        return found
