"""Judges: processes of our own that verify for one pool, a few threads each.

    python -m tritonrl.verify.judges DESCRIPTOR

A verdict takes a quarter of a second of Python, and a process runs one thread of it at a time. What goes
between the pool and its judges is pickled: both sides are ours, and no process of a candidate's is among
them.
"""

import os
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection

from tritonrl.errors import TritonrlError
from tritonrl.tasks import Task, TaskError
from tritonrl.verify.completion import Completion
from tritonrl.verify.roles import END_SECONDS, VerifierError, Zygotes, import_path
from tritonrl.verify.settings import Settings
from tritonrl.verify.timing.cores import leave_reserved
from tritonrl.verify.verdict import Judged


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
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(import_path())}
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


def _error(task: Task, is_tasks: bool, text: str) -> TritonrlError:
    return TaskError(task.id, text.removeprefix(f"{task.id}: ")) if is_tasks else VerifierError(text)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the pool is interrupted, and then closes the connection
    pool = Connection(int(sys.argv[1]))
    orders: Orders = pool.recv()
    if orders.settings.timing:
        leave_reserved()
    lock = threading.Lock()
    with (
        Zygotes(orders.turns, orders.num_judges) as zygotes,
        ThreadPoolExecutor(orders.num_threads) as threads,
    ):
        zygotes.expect(orders.settings.device)
        from tritonrl.verify.desk import Desk  # PyTorch, while the zygotes load theirs

        desk = Desk(zygotes, orders.settings.device, orders.num_threads, orders.num_judges)

        def judge(number: int, task: Task, candidate: Completion, settings: Settings) -> None:
            judged = desk.judge(number, task, candidate, settings)
            error = judged.error and (isinstance(judged.error, TaskError), str(judged.error))
            with lock:
                pool.send((number, judged.verdict, error))

        try:
            while True:
                threads.submit(judge, *pool.recv())
        except (EOFError, OSError):
            zygotes.close()
            os._exit(0)  # nobody waits for what is under way


if __name__ == "__main__":
    main()
