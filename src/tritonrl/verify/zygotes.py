"""The zygotes of a judge: it starts them, and asks them for sandboxed processes.

with Zygotes() as zygotes:
    with zygotes.start(CANDIDATE) as process:
        answer = process.ask({"do": "load", ...}, seconds=10)
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import weakref
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tritonrl.verify.budget import Budget
from tritonrl.verify.channel import Channel, ChannelError
from tritonrl.verify.turns import Turns
from tritonrl.verify.zygote import ENVIRONMENT

if TYPE_CHECKING:
    from tritonrl.verify.timing.clock import Clock

from tritonrl.verify.process import Death, Process
from tritonrl.verify.roles import NotReady, Role, VerifierError

START_SECONDS = 120
"""For importing torch on a cold and busy machine."""
CANDIDATES_SHARE = 0.4
"""Of a device's memory, for candidates under way and all that is asked of them."""
MOST_KEPT = 3
"""Processes of a role that a judge keeps from one candidate to the next: each is needed for a fraction of a
verdict, and the more contexts a device has, the longer the next one takes."""


@dataclass
class _Zygote:
    process: subprocess.Popen[bytes]
    channel: Channel
    facts: dict[str, Any] = field(default_factory=dict)
    """What it said when it was ready."""
    lock: threading.Lock = field(default_factory=threading.Lock)


class Zygotes:
    """The zygotes of one judge: that which compiles, and one for each kind of device when first asked for;
    again if one dies."""

    def __init__(self, turns: str | None = None, num_judges: int = 1, *, timing: bool = True) -> None:
        """`turns` is a folder by which several judges take turns at a GPU, where there are several. Where
        nothing is timed, processes that are used again are bounded in number, and who needs one more waits:
        who is timed would hold one while it waits for its turn."""
        self.device = "cpu"
        """Where tasks run, also those that are only looked at."""
        self.scratch = tempfile.mkdtemp(prefix="tritonrl-")
        self.launchers = f"{self.scratch}/launchers"
        """What Triton builds to launch kernels on a GPU; roles read it."""
        self._lock = threading.Lock()
        self._turns: dict[str, Turns] = {}
        self._turns_folder = turns
        self._budgets: dict[str, Budget] = {}
        self.num_judges = num_judges
        self._clock: Clock | None = None
        self._idle: dict[tuple[Role, str], list[Process]] = defaultdict(list)
        self._most_kept = None if timing else MOST_KEPT
        self._permits: dict[tuple[Role, str], threading.Semaphore] = {}
        self._started = weakref.WeakSet[Process]()
        self._is_stopped = False
        self._zygotes = {"compiling": self._launch("compiling")}

    def expect(self, device: str) -> None:
        """Tasks will run on this device: its zygote starts now, beside the other."""
        self.device = device
        self._zygote("interpreting" if device == "cpu" else "device")

    def turns(self, device: str) -> Turns:
        """Whose turn it is at a GPU."""
        with self._lock:
            if device not in self._turns:
                path = self._turns_folder and f"{self._turns_folder}/{device}"
                self._turns[device] = Turns(path, self.num_judges)
            return self._turns[device]

    def budget(self, device: str) -> Budget:
        """Of a GPU's memory, for candidates."""
        with self._lock:
            return self._budgets.setdefault(device, Budget(lambda: _memory_of(device) // self.num_judges))

    def take(self, role: Role, device: str, *, fresh: bool) -> Process:
        """A process of this role, that others have used before if there is one and `fresh` is not asked."""
        if fresh:
            return self.start(role, device)
        permit = self._permit(role, device)
        try:
            with self._lock:
                idle = self._idle[role, device]
                process = idle.pop() if idle else None
            if process is None:
                process = self.start(role, device)
            else:
                process.num_uses += 1
        except BaseException:
            if permit is not None:
                permit.release()
            raise
        process.permit = permit
        return process

    def _permit(self, role: Role, device: str) -> threading.Semaphore | None:
        """Wait until one may be used."""
        if self._most_kept is None or device == "cpu":
            return None
        with self._lock:
            permit = self._permits.setdefault((role, device), threading.Semaphore(self._most_kept))
        with self.turns(device).apart():
            permit.acquire()
        return permit

    @contextlib.contextmanager
    def lent(self, process: Process) -> Iterator[None]:
        """Within it the process has nothing to do: another may be used in its stead."""
        if process.permit is None:
            yield
            return
        process.permit.release()
        try:
            yield
        finally:
            process.permit.acquire()

    def give_back(self, process: Process, seconds: float) -> None:
        """For who takes it next, as new, if all is well with it; else it ends."""
        permit, process.permit = process.permit, None
        try:
            if not self._keeps(process, seconds):
                process.end()
        finally:
            if permit is not None:
                permit.release()

    def _keeps(self, process: Process, seconds: float) -> bool:
        with contextlib.suppress(Death):
            may_stay = process.ended is None and process.may_go_on
            if may_stay and "error" not in process.ask({"do": "reset"}, seconds=seconds):
                assert process.kept_as is not None
                with self._lock:
                    self._idle[process.kept_as].append(process)
                return True
        return False

    def start(self, role: Role, device: str = "cpu") -> Process:
        """A fresh process of this role, in its sandbox, waiting for its first message."""
        made = role.on(device)
        if not made.is_on_device:
            process = self._start_somehow(made, None)
        else:
            turns = self.turns(device)
            with turns.starting():
                process = self._start_somehow(made, _gpu_of(device))
            process.turns = turns
        process.kept_as = (role, device)
        return process

    def _start_somehow(self, role: Role, gpu: str | None) -> Process:
        """At the second try, if the zygote has died or the process was not ready."""
        for attempt in (1, 2):
            zygote = self._zygote(role.zygote)
            try:
                return self._start(zygote, role, gpu)
            except NotReady:
                if attempt == 2:
                    raise
            except ChannelError as error:
                if attempt == 2:
                    reason = (
                        self._log(role.zygote).read_text(errors="replace").strip().rpartition("\n")[2]
                        or error
                    )
                    raise VerifierError(
                        f"the {role.zygote} zygote starts no {role.name}: {reason}"
                    ) from error
                self._replace(role.zygote, zygote)
        raise AssertionError("unreachable")

    def _zygote(self, kind: str) -> _Zygote:
        with self._lock:
            if kind not in self._zygotes:
                self._zygotes[kind] = self._launch(kind)
            return self._zygotes[kind]

    def _start(self, zygote: _Zygote, role: Role, gpu: str | None) -> Process:
        ours, theirs = Channel.pair()
        watching, warden = Channel.pair()
        request = {
            "role": role.name, "scratch": self.scratch, "memory_bytes": role.memory_bytes,
            "cpu_seconds": role.cpu_seconds, "executable": role.executable,
            "starts_programs": role.starts_programs, "gpu": gpu, "num_queues": role.num_queues,
        }  # fmt: skip
        with zygote.lock:
            self._wait_for(zygote)
            zygote.channel.send(request, [theirs.fileno(), warden.fileno()], timeout=START_SECONDS)
        theirs.close()
        warden.close()
        hello = watching.receive(START_SECONDS)
        process = Process(role, ours, watching, hello["sandbox"], hello["pid"])
        with self._lock:
            self._started.add(process)
            if self._is_stopped:
                process.kill()
        if not hello["is_ready"]:
            raise NotReady(f"a {role.name} does not start: {_raised(str(process.end().get('output', '')))}")
        return process

    @staticmethod
    def _wait_for(zygote: _Zygote) -> None:
        if not zygote.facts:
            zygote.facts = zygote.channel.receive(START_SECONDS)

    @property
    def clock(self) -> "Clock":
        """A process that measures time, started when first asked for."""
        from tritonrl.verify.timing.clock import Clock

        with self._lock:
            if self._clock is None:
                self._clock = Clock(ENVIRONMENT | {"PYTHONPATH": os.pathsep.join(import_path())})
            return self._clock

    @property
    def targets(self) -> dict[str, list[str]]:
        """Architecture → the assembler for it, and the assembler's name of it."""
        zygote = self._zygotes["compiling"]
        with zygote.lock:
            self._wait_for(zygote)
        return zygote.facts["targets"]

    def _replace(self, kind: str, dead: _Zygote) -> None:
        with self._lock:
            if self._zygotes[kind] is dead:
                _end(dead)
                self._zygotes[kind] = self._launch(kind)

    def _launch(self, kind: str) -> _Zygote:
        if self._is_stopped:
            raise VerifierError("interrupted")
        ours, theirs = Channel.pair()
        # The environment of the zygote is the candidate's to read in /proc: it holds what is needed, and no
        # more.
        environment = ENVIRONMENT | {"PYTHONPATH": os.pathsep.join(import_path())}
        if kind == "device":
            environment |= {"TRITON_CACHE_DIR": self.launchers, "PATH": os.environ.get("PATH", os.defpath)}
        with open(self._log(kind), "wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "tritonrl.verify.zygote", kind, str(theirs.fileno())],
                env=environment,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                cwd="/",
                start_new_session=True,
            )
        theirs.close()
        return _Zygote(process, ours)

    def _log(self, kind: str) -> Path:
        return Path(self.scratch) / f"{kind}.log"

    def stop(self) -> None:
        """From any thread, for who is interrupted: all that is under way ends without an answer, and so does
        what is started until `go_on`."""
        with self._lock:
            self._is_stopped = True
            for process in self._started:
                process.kill()

    def go_on(self) -> None:
        self._is_stopped = False

    def close(self) -> None:
        if self._clock is not None:
            self._clock.close()
        for process in (each for idle in self._idle.values() for each in idle):
            process.end()
        for zygote in self._zygotes.values():
            _end(zygote)
        shutil.rmtree(self.scratch, ignore_errors=True)

    def __enter__(self) -> "Zygotes":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _raised(output: str) -> str:
    """The line of a traceback that says what was raised; hints may follow it."""
    lines = output.strip().splitlines() or ["it printed nothing"]
    return next((line for line in reversed(lines) if "Error: " in line), lines[-1])


def _end(zygote: _Zygote) -> None:
    """At once: one that still imports torch would hear of it seconds later, and none has anything to save."""
    zygote.channel.close()
    zygote.process.kill()
    zygote.process.wait()


@lru_cache(maxsize=16)
def _memory_of(device: str) -> int:
    """What candidates may take of a GPU's memory."""
    import torch

    return int(CANDIDATES_SHARE * torch.cuda.get_device_properties(device).total_memory)


@lru_cache(maxsize=16)
def _gpu_of(device: str) -> str:
    """The name under which a process sees this GPU and no other."""
    import torch

    return f"GPU-{torch.cuda.get_device_properties(device).uuid}"


@lru_cache(maxsize=1)
def import_path() -> tuple[str, ...]:
    """Where this process finds its libraries, made absolute."""
    return tuple(str(Path(entry).resolve()) for entry in sys.path if entry and Path(entry).exists())


@contextlib.contextmanager
def zygotes_of_own(given: Zygotes | None) -> Iterator[Zygotes]:
    """The zygotes given, or new ones that are gone afterwards."""
    if given is not None:
        yield given
        return
    with Zygotes() as made:
        yield made
