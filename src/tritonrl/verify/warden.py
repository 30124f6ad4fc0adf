"""The warden: the parent of one sandboxed process, which it starts, watches and buries. It runs no code of
others.

It makes the namespaces, so that its child is alone in them, and then does three things until the child is
dead: keeps the last of what the child prints, ends it when it uses too much memory, and ends it when the
judge says so or is gone. A deadline is the judge's: it lets go of the warden, and the warden kills.
"""

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import tempfile
import traceback
from collections.abc import Callable

from tritonrl.verify.channel import Channel
from tritonrl.verify.sandbox import Profile, Report, confine, enter_namespaces
from tritonrl.verify.sandbox.kernel import PR_SET_PDEATHSIG, prctl, unmount

TICK_MS = 20
OUTPUT_TAIL_BYTES = 4096
MOST_THREADS = 256


def watch(
    role: Callable[[Channel], None],
    profile: Profile,
    scratch_root: str,
    memory_bytes: int,
    role_end: int,
    warden_end: int,
) -> None:
    """Run `role` in the sandbox until it ends or is ended, tell the judge how, and exit."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    judge = Channel(socket.socket(fileno=warden_end))
    scratch = tempfile.mkdtemp(dir=scratch_root)
    held = enter_namespaces(scratch, profile)
    output, printed = os.pipe()
    report, reported = os.pipe()
    pid = os.fork()
    if pid == 0:
        _become_role(role, profile, scratch, role_end, printed, reported)
    for descriptor in (role_end, printed, reported):
        os.close(descriptor)
    with open(report, encoding="utf-8") as file:
        line = file.readline()
    held |= json.loads(line or "{}")
    judge.send({"pid": pid, "sandbox": held, "is_ready": bool(line)})
    ended = _watch(pid, judge, output, memory_bytes)
    if held["scratch_limit"] is None:
        unmount(scratch)
    shutil.rmtree(scratch, ignore_errors=True)
    judge.send(ended)
    os._exit(0)


def _become_role(
    role: Callable[[Channel], None],
    profile: Profile,
    scratch: str,
    role_end: int,
    printed: int,
    reported: int,
) -> None:
    """In the child: enter the sandbox, say what held, serve the judge. Nothing of this returns."""
    try:
        os.setsid()
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        # Nothing stays open but silence for input, the warden's pipe for output, and the role's socket.
        nothing = os.open(os.devnull, os.O_RDONLY)
        for descriptor, place in ((role_end, 200), (reported, 201), (nothing, 0), (printed, 1), (printed, 2)):
            os.dup2(descriptor, place)
        os.dup2(200, 3)
        os.dup2(201, 4)
        os.closerange(5, 65536)
        held: Report = confine(scratch, profile)
        os.write(4, json.dumps(held).encode() + b"\n")
        os.close(4)
        role(Channel(socket.socket(fileno=3), takes_descriptors=True))
        os._exit(0)
    except BaseException:
        with contextlib.suppress(BaseException):
            traceback.print_exc()
        os._exit(1)


def _watch(pid: int, judge: Channel, output: int, memory_bytes: int) -> dict[str, object]:
    """Until the child is dead: what it printed last, how it ended, how much memory it used at most."""
    child = os.pidfd_open(pid)
    most = baseline = _used(pid)[0]
    tail, killed_for = b"", None
    poll = select.poll()
    for descriptor in (child, judge.fileno(), output):
        poll.register(descriptor, select.POLLIN)
    while True:
        events = dict(poll.poll(TICK_MS))
        used, threads = _used(pid)
        most = max(most, used)
        if output in events:
            chunk = os.read(output, 65536)
            tail = (tail + chunk)[-OUTPUT_TAIL_BYTES:]
            if not chunk:
                poll.unregister(output)
        if judge.fileno() in events:
            # The judge has nothing to say to a warden but that it is done.
            killed_for = killed_for or "judge"
            poll.unregister(judge.fileno())
        if used - baseline > memory_bytes:
            killed_for = killed_for or "memory"
        if threads > MOST_THREADS:
            killed_for = killed_for or "threads"
        if killed_for:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(child, signal.SIGKILL)
        if child in events:
            break
    status = os.waitpid(pid, 0)[1]
    return {
        "exit": os.waitstatus_to_exitcode(status),
        "killed_for": killed_for,
        "output": tail.decode(errors="replace"),
        "memory_bytes": max(0, most - baseline),
    }


def _used(pid: int) -> tuple[int, int]:
    """Memory in bytes, swapped out and page tables included, and the number of threads."""
    try:
        with open(f"/proc/{pid}/status") as file:
            fields = dict(line.split(":", 1) for line in file)
        kilobytes = sum(int(fields[name].split()[0]) for name in ("VmRSS", "VmSwap", "VmPTE"))
        return kilobytes * 1024, int(fields["Threads"])
    except (OSError, KeyError):
        return 0, 0  # dead, and not yet buried
