"""`Oracle`: everything the judge knows about one task, found out once and kept for all its candidates."""

import contextlib
import threading
from collections.abc import Callable, Iterator

from tritonrl.tasks import Task
from tritonrl.verify.oracle.author import Author
from tritonrl.verify.oracle.exam import Exam
from tritonrl.verify.oracle.lint import TaskLint, lint
from tritonrl.verify.oracle.worker import Worker
from tritonrl.verify.roles import REFERENCE, Role, compiled_baseline
from tritonrl.verify.settings import Settings
from tritonrl.verify.verdict import Finding
from tritonrl.verify.zygotes import Zygotes

Aside = contextlib.AbstractContextManager[None]
Claim = Callable[["Oracle", int, Aside], None]
"""Told what an exam will take, in bytes; returns when there is room for it. Waits aside, where it must."""
CONTEXT_BYTES = 640 * 2**20
"""Of device memory that a process takes before it does anything."""


class Oracle:
    """The exams of a task, made when first asked for. Safe to share between threads. Where speed is measured
    it keeps processes that run the task, until it is closed."""

    def __init__(
        self, zygotes: Zygotes, task: Task, settings: Settings, claim: Claim = lambda *_: None
    ) -> None:
        self.task = task
        self._claim = claim
        self._zygotes = zygotes
        self._settings = settings
        self._lock = threading.Lock()
        """Held while an exam is written."""
        self._quick = threading.Lock()
        self.comparing = threading.Lock()
        """Held while the reference is compared with its compiled form."""
        self._exams: dict[bool, Exam] = {}
        self._idle: list[Worker] = []
        self._closed = False
        self.lint: TaskLint | None = None
        """How well the exam tells right from wrong; None before there is one."""

    def exam(self, replace_weights: bool = True) -> Exam:
        """The questions, with weights set through the state or constructed under shared seeds;
        strengthened."""
        # Who waits for another thread's exam must not keep that thread from the device.
        with self._zygotes.turns(self._settings.device).apart():
            self._lock.acquire()
        try:
            if replace_weights not in self._exams:
                self._exams[replace_weights] = self._write(replace_weights)
            return self._exams[replace_weights]
        finally:
            self._lock.release()

    def _write(self, replace_weights: bool) -> Exam:
        settings = self._settings
        with contextlib.ExitStack() as stack:
            worker = stack.enter_context(self._start())
            author = Author(worker, settings.precision, replace_weights=replace_weights)
            author.claim = lambda size_bytes: self._claim(self, size_bytes, self._aside(worker))
            self.lint, exam = lint(worker, author, author.write(), settings.lint_seconds)
            if settings.timing:
                stack.pop_all()
                self._keep(worker)
        return exam

    def _start(self, role: Role = REFERENCE) -> Worker:
        settings = self._settings
        return Worker(self._zygotes, self.task, settings.reference_seconds, settings.device, role)

    @contextlib.contextmanager
    def _aside(self, worker: Worker) -> Iterator[None]:
        """Who waits for room keeps nobody from the device, nor from a process, and holds little memory."""
        worker.rest()
        with self._zygotes.turns(self._settings.device).apart(), self._zygotes.lent(worker.process):
            yield

    @contextlib.contextmanager
    def worker(self, exam: Exam) -> Iterator[Worker]:
        """A process that runs the task, ready for questions at its own sizes; kept for the next who asks."""
        with self._quick:
            worker = self._idle.pop() if self._idle else None
        with contextlib.ExitStack() as stack:
            made = stack.enter_context(worker or self._start())
            made.build(0, exam.variants[0].seed, exam.variants[0].sizes)
            yield made
            stack.pop_all()
            self._keep(made)

    @contextlib.contextmanager
    def compiled(self, exam: Exam) -> Iterator[Worker]:
        """The same for a process that may compile the task."""
        with self._start(compiled_baseline()) as worker:
            worker.build(0, exam.variants[0].seed, exam.variants[0].sizes)
            yield worker

    def _keep(self, worker: Worker) -> None:
        if worker.is_plain:
            worker.close()  # there is another for whoever comes next, of this task or the next
            return
        worker.rest()
        with self._quick:
            if not self._closed:
                self._idle.append(worker)
                return
        worker.close()

    @property
    def has_exam(self) -> bool:
        return bool(self._exams)

    @property
    def size_bytes(self) -> int:
        """Of the exams, and of the device memory that idle processes hold."""
        exams = sum(exam.size_bytes for exam in list(self._exams.values()))
        return exams + (len(self._idle) * CONTEXT_BYTES if self._settings.device != "cpu" else 0)

    def close(self) -> None:
        """End the processes that are not in use, and let go of those that are when they come back."""
        with self._quick:
            self._closed, idle, self._idle = True, self._idle, []
        for worker in idle:
            worker.close()
        if self._settings.device != "cpu":
            self._exams = {}

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
