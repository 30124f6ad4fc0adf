"""Judges: processes of our own that verify for one pool, a few threads each.

    python -m tritonrl.verify.judges DESCRIPTOR

A verdict takes a quarter of a second of Python, and a process runs one thread of it at a time. What goes
between the pool and its judges is pickled: both sides are ours, and no process of a candidate's is among
them.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import Future
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from tritonrl.errors import TritonrlError
from tritonrl.tasks import Task, TaskError
from tritonrl.verify.completion import Completion
from tritonrl.verify.process import END_SECONDS
from tritonrl.verify.roles import DeviceFull, VerifierError
from tritonrl.verify.settings import Settings
from tritonrl.verify.timing.cores import leave_reserved
from tritonrl.verify.verdict import Judged
from tritonrl.verify.zygotes import Zygotes, import_path

if TYPE_CHECKING:
    from tritonrl.verify.desk import Desk

ENVIRONMENT = {
    # Questions are of many sizes: in pieces of fixed sizes a third of a judge's memory would lie idle.
    "PYTORCH_ALLOC_CONF": "expandable_segments:True",
    # One stream needs one queue, and each makes it longer for the next process to start.
    "CUDA_DEVICE_MAX_CONNECTIONS": "1",
}
SWITCH_SECONDS = 0.0005
"""After which a thread lets another have Python: each takes it back a thousand times for a verdict, after
every wait for a process or a device."""
Job = tuple[int, Task, Completion, Settings]
"""Its number, the task, the candidate, and how it is to be judged."""


@dataclass(frozen=True)
class Orders:
    """What a judge is told when it starts."""

    num_threads: int
    num_judges: int
    turns: str
    """Folder of the files by which judges take turns."""
    settings: Settings


class Judge:
    """One process, as the pool holds it."""

    def __init__(self, orders: Orders) -> None:
        ours, theirs = socket.socketpair()
        environment = {**ENVIRONMENT, **os.environ, "PYTHONPATH": os.pathsep.join(import_path())}
        command = [sys.executable, "-P", "-m", "tritonrl.verify.judges", str(theirs.fileno())]
        self._process = subprocess.Popen(command, env=environment, pass_fds=[theirs.fileno()])
        theirs.close()
        self._socket = ours
        self._connection = Connection(os.dup(ours.fileno()))
        self._connection.send(orders)
        self._waiting: dict[int, tuple[Task, Future[Judged]]] = {}
        self._lock = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def load(self) -> int:
        return len(self._waiting)

    def submit(self, number: int, task: Task, candidate: Completion, settings: Settings) -> Future[Judged]:
        future: Future[Judged] = Future()
        with self._lock:
            self._waiting[number] = (task, future)
            try:
                self._connection.send((number, task, candidate, settings))
            except OSError:
                self._fail(number)
        return future

    def _read(self) -> None:
        """Outcomes as they come; when the process is gone, the rest is lost and said to be."""
        while True:
            try:
                number, verdict, error = self._connection.recv()
            except (EOFError, OSError):
                break
            task, future = self._waiting.pop(number)
            failure = None if error is None else _error(task, *error)
            future.set_result(Judged(number, task, verdict, failure))
        with self._lock:
            for number in list(self._waiting):
                self._fail(number)

    def _fail(self, number: int) -> None:
        task, future = self._waiting.pop(number)
        future.set_result(Judged(number, task, None, VerifierError("the judge's own process has died")))

    def close(self) -> None:
        """Let it end; what is under way is lost."""
        self._socket.shutdown(socket.SHUT_RDWR)  # a reader would keep the connection open
        self._reader.join()
        self._connection.close()
        self._socket.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _error(task: Task, kind: type[TritonrlError], text: str) -> TritonrlError:
    if issubclass(kind, TaskError):
        return kind(task.id, text.removeprefix(f"{task.id}: "))
    return DeviceFull(text) if issubclass(kind, DeviceFull) else VerifierError(text)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the pool is interrupted, and then closes the connection
    sys.setswitchinterval(SWITCH_SECONDS)
    pool = Connection(int(sys.argv[1]))
    orders: Orders = pool.recv()
    if orders.settings.timing:
        leave_reserved()
    with Zygotes(orders.turns, orders.num_judges, timing=orders.settings.timing) as zygotes:
        zygotes.expect(orders.settings.device)
        from tritonrl.verify.desk import Desk  # PyTorch, while the zygotes load theirs

        line = Line(Desk(zygotes, orders.settings.device, orders.num_threads, orders.num_judges), pool)
        for _ in range(orders.num_threads):
            threading.Thread(target=line.work, daemon=True).start()
        try:
            while True:
                line.put(*pool.recv())
        except (EOFError, OSError):
            zygotes.close()
            os._exit(0)  # nobody waits for what is under way


class Line:
    """Candidates that wait for a thread. Those come first whose task is prepared, then those whose task
    nobody has begun with: no thread waits for another's exam while there is something else to do."""

    def __init__(self, desk: "Desk", pool: Connection) -> None:
        self._desk, self._pool = desk, pool
        self._changed = threading.Condition()
        self._sending = threading.Lock()
        self._waiting: list[Job] = []
        self._under_way: Counter[str] = Counter()

    def put(self, *job: *Job) -> None:
        with self._changed:
            self._waiting.append(job)
            self._changed.notify()

    def work(self) -> None:
        """What each thread does."""
        while True:
            number, task, candidate, settings = self._take()
            judged = self._desk.judge(number, task, candidate, settings)
            error = judged.error and (type(judged.error), str(judged.error))
            with self._changed:
                self._under_way[task.source] -= 1
            with self._sending, contextlib.suppress(OSError):  # who was interrupted does not wait for it
                self._pool.send((number, judged.verdict, error))

    def _take(self) -> "Job":
        with self._changed:
            self._changed.wait_for(lambda: self._waiting)
            job = min(self._waiting, key=self._rank)
            self._waiting.remove(job)
            self._under_way[job[1].source] += 1
            return job

    def _rank(self, job: "Job") -> int:
        _, task, _, settings = job
        if self._desk.is_ready(task, settings):
            return 0
        return 2 if self._under_way[task.source] else 1


if __name__ == "__main__":
    main()
