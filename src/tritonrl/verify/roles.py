"""The judge's side of the roles: zygotes that it starts, and the sandboxed processes that it asks them for.

    with Zygotes() as zygotes:
        with zygotes.start(CANDIDATE) as process:
            answer = process.ask({"do": "load", ...}, seconds=10)

A process that dies, hangs, floods its channel or breaks the protocol raises `Died` with the reason; the judge
goes on.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tritonrl.errors import TritonrlError
from tritonrl.verify.budget import Budget
from tritonrl.verify.channel import Channel, ChannelError, Closed, Late, Malformed
from tritonrl.verify.sandbox import Report
from tritonrl.verify.turns import Turns
from tritonrl.verify.zygote import ENVIRONMENT

if TYPE_CHECKING:
    from tritonrl.verify.timing.clock import Clock

START_SECONDS = 120
"""For importing torch on a cold and busy machine."""
END_SECONDS = 20
"""For a killed process to be gone."""
CANDIDATES_SHARE = 0.4
"""Of a device's memory, for candidates under way and all that is asked of them."""
MOST_USES = 50
"""Candidates that one process of a GPU repeats for."""
MOST_KEPT = 3
"""Processes of a role that a judge keeps from one candidate to the next: each is needed for a fraction of a
verdict, and the more contexts a device has, the longer the next one takes."""


class VerifierError(TritonrlError):
    """Our own machinery failed: no verdict on the candidate, in either direction."""


class DeviceFull(VerifierError):
    """There was no memory left on a GPU for what had to be done there."""


class NotReady(DeviceFull):
    """A process did not enter its sandbox. Nobody's code was in it; on a GPU, CUDA did not start, as happens
    where there is no room for one more."""


def says_full(error: Mapping[str, Any]) -> bool:
    """Whether what a process raised is that it found no memory."""
    return error.get("type") == "OutOfMemoryError" or "out of memory" in str(error.get("message")).lower()


@dataclass(frozen=True)
class Role:
    """What is started, from which zygote, within which limits."""

    name: str
    zygote: str
    memory_bytes: int
    cpu_seconds: int
    executable: tuple[str, ...] = ()
    starts_programs: bool = False
    num_queues: int = 1
    """On a GPU; see `verify.streams`."""

    def on(self, device: str) -> "Role":
        """The same role where kernels run on this device."""
        return self if device == "cpu" else replace(self, zygote="device")

    @property
    def is_on_device(self) -> bool:
        return self.zygote == "device"


CANDIDATE = Role("candidate", "interpreting", memory_bytes=4 * 2**30, cpu_seconds=600)
REPLAY = Role("replay", "interpreting", memory_bytes=8 * 2**30, cpu_seconds=600)
REFERENCE = Role("reference", "interpreting", memory_bytes=16 * 2**30, cpu_seconds=3600)
COMPILER = Role("compiler", "compiling", memory_bytes=4 * 2**30, cpu_seconds=300)


_LOADERS = tuple(
    os.path.realpath(path) for path in ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1")
)
"""The loader of a program's libraries counts as executed."""


def assembler(ptxas: str) -> Role:
    """The role that turns into `ptxas` and nothing else."""
    return Role("assembler", "compiling", 4 * 2**30, 300, executable=(os.path.realpath(ptxas), *_LOADERS))


def compiled_baseline() -> Role:
    """A reference worker that compiles the task, for which PyTorch starts a C compiler and an assembler of
    its own or of Triton's."""
    import torch
    import triton

    packages = (os.path.dirname(str(package.__file__)) for package in (torch, triton))
    return replace(REFERENCE, executable=("/usr", *packages, *_LOADERS), starts_programs=True)


@dataclass(eq=False)
class Death(Exception):
    """How a sandboxed process ended before it gave its answer."""

    reason: str
    """`timeout`, `memory`, `threads`, `crashed`, `exited` or `protocol`."""
    detail: str
    output: str = ""
    """The last of what it printed."""

    def __str__(self) -> str:
        return f"its process {self.detail}"


@dataclass
class Process:
    """One sandboxed process, as the judge holds it."""

    role: Role
    channel: Channel
    warden: Channel
    sandbox: Report
    pid: int
    turns: Turns | None = None
    """At the GPU that it uses."""
    num_uses: int = 1
    kept_as: tuple[Role, str] | None = None
    """The role as it was asked for, and the device."""
    permit: threading.Semaphore | None = None
    """Held while it is in use, where only so many may be."""
    ended: dict[str, Any] | None = None

    @property
    def may_go_on(self) -> bool:
        """Whether it can be kept for another candidate. Where forks are cheap, none is."""
        return self.turns is not None and self.num_uses < MOST_USES

    def ask(
        self, message: dict[str, Any], descriptors: Sequence[int] = (), *, seconds: float
    ) -> dict[str, Any]:
        """Its answer; `Death` if there is none. The process is then gone."""
        if self.turns is not None:
            self.turns.give_way()
        try:
            self.channel.send(message, descriptors, timeout=seconds)
            return self.channel.receive(seconds)
        except ChannelError as error:
            raise self._bury(error, seconds) from error

    def ask_by(
        self, clock: "Clock", message: dict[str, Any], lead: dict[str, Any], *, seconds: float
    ) -> tuple[dict[str, Any], float]:
        """Its answer, and how long it took by that clock; what leads into it is asked before."""
        try:
            return clock.ask(self.channel, message, lead, seconds)
        except ChannelError as error:
            raise self._bury(error, seconds) from error

    def _bury(self, error: ChannelError, seconds: float) -> Death:
        if isinstance(error, Closed):
            # It may be dead or dying of itself: let the warden say how, and only then help.
            with contextlib.suppress(ChannelError):
                self.ended = self.warden.receive(0.5)
        ended = self.end()
        output, code = str(ended.get("output", "")), int(ended.get("exit", 0))
        if ended.get("killed_for") == "memory":
            used, most = ended["memory_bytes"] / 2**30, self.role.memory_bytes / 2**30
            return Death(
                "memory", f"used {used:.1f} GiB of memory; at most {most:.0f} GiB are allowed", output
            )
        if ended.get("killed_for") == "threads":
            return Death("threads", "started too many threads", output)
        if isinstance(error, Late):
            return Death("timeout", f"gave no answer within {seconds:.0f} s", output)
        if isinstance(error, Malformed):
            return Death("protocol", f"broke the protocol: {error}", output)
        if ended.get("killed_for") == "judge":
            return Death("protocol", "closed its channel to the judge", output)
        if code < 0:
            return Death("crashed", f"was ended by {_signal_name(-code)}", output)
        return Death("exited", f"left with exit code {code} before it answered", output)

    def end(self) -> dict[str, Any]:
        """Kill it if it lives, and say how it ended. May be called again."""
        self.channel.close()
        if self.ended is None:
            with contextlib.suppress(OSError):
                self.warden.socket.shutdown(socket.SHUT_WR)
            try:
                self.ended = self.warden.receive(END_SECONDS)
            except ChannelError as error:
                self.ended = {}
                raise VerifierError(f"the warden of a {self.role.name} is gone: {error}") from error
        self.warden.close()
        return self.ended

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def _raised(output: str) -> str:
    """The line of a traceback that says what was raised; hints may follow it."""
    lines = output.strip().splitlines() or ["it printed nothing"]
    return next((line for line in reversed(lines) if "Error: " in line), lines[-1])


def _signal_name(number: int) -> str:
    import signal

    with contextlib.suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"


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


def _end(zygote: _Zygote) -> None:
    zygote.channel.close()
    try:
        zygote.process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
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
