"""`World`: what lies outside the sandbox, for attacks to reach, and whether any of them did."""

import os
import resource
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path
from typing import Any

from tritonrl.verify.sandbox import seccomp
from tritonrl.verify.sandbox.kernel import MACHINE

CALLS = {
    name: number
    for name, numbers in seccomp.NUMBERS.items()
    if (number := numbers[list(seccomp.AUDIT_ARCH).index(MACHINE)]) is not None
}
"""System calls that the sandbox knows, by their numbers on this machine."""
SECRET = "the expected value is 42"


class World:
    """A secret, files, listening sockets, a living process; `state` says if anything happened to them."""

    def __init__(self, zygotes: list[int]) -> None:
        self.zygotes = zygotes
        # Not pytest's folder: the name of a socket has at most 107 characters.
        self.root = Path(tempfile.mkdtemp(prefix="outside-"))
        self.root.chmod(0o755)
        self.secret = self.root / "secret.txt"
        self.secret.write_text(SECRET)
        self.secret.chmod(0o644)
        self.folder = self.root / "folder"
        self.folder.mkdir(mode=0o777)
        (self.folder / "kept.txt").write_text("kept")
        self.abstract = f"tritonrl-{uuid.uuid4()}"
        self.stream, self.datagram = str(self.root / "stream"), str(self.root / "datagram")
        self.sockets = [
            _listen(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            _listen(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            _listen(socket.AF_UNIX, socket.SOCK_STREAM, self.stream),
            _listen(socket.AF_UNIX, socket.SOCK_DGRAM, self.datagram),
            _listen(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{self.abstract}"),
        ]
        # It ends when this process does, however that ends.
        waits = [sys.executable, "-S", "-c", "import sys; sys.stdin.read()"]
        self.witness = subprocess.Popen(waits, stdin=subprocess.PIPE)

    def facts(self) -> dict[str, Any]:
        """All that an attack is told."""
        return {
            "secret": str(self.secret),
            "folder": str(self.folder),
            "tcp": self.sockets[0].getsockname()[1],
            "udp": self.sockets[1].getsockname()[1],
            "stream": self.stream,
            "datagram": self.datagram,
            "abstract": self.abstract,
            "judge": os.getpid(),
            "zygotes": self.zygotes,
            "witness": self.witness.pid,
            "calls": CALLS,
            "refused": {name: number for name, number in CALLS.items() if name not in seccomp.SPECIAL},
            "package": str(Path(os.__file__).parent),
        }

    def state(self) -> dict[str, Any]:
        """Everything that an attack could have changed."""
        heard, _, _ = select.select(self.sockets, [], [], 0)
        return {
            "files": {str(path): _describe(path) for path in sorted([self.root, *self.root.rglob("*")])},
            "heard": [each.getsockname() for each in heard],
            "witness": self.witness.poll(),
            "processes": {pid: _traits(pid) for pid in (os.getpid(), self.witness.pid, *self.zygotes)},
        }

    def close(self) -> None:
        self.witness.communicate()
        for each in self.sockets:
            each.close()
        shutil.rmtree(self.root)


def _listen(family: int, kind: int, address: Any) -> socket.socket:
    made = socket.socket(family, kind)
    made.bind(address)
    if kind == socket.SOCK_STREAM:
        made.listen()
    return made


def _describe(path: Path) -> dict[str, Any]:
    found = path.lstat()
    return {
        "mode": oct(found.st_mode),
        "owner": (found.st_uid, found.st_gid),
        "modified_ns": found.st_mtime_ns,
        "attributes": os.listxattr(path),
        "content": path.read_bytes() if path.is_file() else None,
    }


def _traits(pid: int) -> dict[str, Any]:
    return {
        "priority": os.getpriority(os.PRIO_PROCESS, pid),
        "cores": os.sched_getaffinity(pid),
        "policy": os.sched_getscheduler(pid),
        "files": resource.prlimit(pid, resource.RLIMIT_NOFILE),
    }
