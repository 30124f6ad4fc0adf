"""What this machine offers tritonrl: `examine()` looks, `render()` shows it.

`examine` changes nothing, never raises for something that is absent, and takes seconds (nearly all of them
for importing torch, which alone can say whether a GPU is usable). Sandbox features are not read off kernel
versions but tried, in a forked child that ends right after: containers forbid what their kernel can do. It
works on any Linux; elsewhere the sandbox features are simply absent.
"""

import errno
import functools
import importlib.metadata
import os
import platform
import re
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

import tritonrl
from tritonrl.verify.sandbox import kernel, landlock, seccomp

_FIX_NAMESPACES = "docker run --privileged; outside a container allow unprivileged user namespaces (sysctl)"


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Gpu(_Record):
    """The first GPU that torch can use."""

    name: str
    memory_bytes: int
    compute_capability: str
    """As `9.0`."""
    driver: str | None
    """Version of the kernel driver; None where the system does not show it."""
    count: int
    """Number of usable GPUs, this one included."""


class Feature(_Record):
    """One thing that the sandbox uses where it is there."""

    present: bool
    detail: str | None = None
    """What is known beyond presence: the ABI version, the path."""
    reason: str | None = None
    """Why it is absent, in one line."""
    fix: str | None = None
    """What would make it present."""


class Extra(_Record):
    """One optional set of packages."""

    present: bool
    missing: tuple[str, ...]
    """Packages that are not installed."""
    install: str
    """The command that installs it."""


class Doctor(_Record):
    """Everything that was found."""

    versions: dict[str, str | None]
    """Python, tritonrl and what it depends on; None for what is not installed."""
    gpu: Gpu | None
    gpu_reason: str | None
    """Why there is no GPU; None if there is one."""
    sandbox: dict[str, Feature]
    root: bool
    """Whether this runs as root: limits on the number of processes then do not bind."""
    cores: int
    """Cores that this process may use."""
    memory_bytes: int
    extras: dict[str, Extra]


def examine() -> Doctor:
    """Look at this machine."""
    # The sandbox first: it forks, and importing torch starts threads.
    sandbox = _sandbox()
    gpu = _gpu()
    return Doctor(
        versions={
            "python": platform.python_version(),
            "tritonrl": tritonrl.__version__,
            **{package: _version(package) for package, extra in _requirements() if extra is None},
        },
        gpu=gpu if isinstance(gpu, Gpu) else None,
        gpu_reason=gpu if isinstance(gpu, str) else None,
        sandbox=sandbox,
        root=os.geteuid() == 0,
        cores=len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1,
        memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        extras=_extras(),
    )


def _requirements() -> Iterator[tuple[str, str | None]]:
    """(package, extra or None) of tritonrl's own metadata; nothing where it runs uninstalled."""
    try:
        lines = importlib.metadata.requires("tritonrl") or []
    except importlib.metadata.PackageNotFoundError:
        return
    for line in lines:
        extra = re.search(r";.*\bextra\s*==\s*['\"]([^'\"]+)", line)
        yield re.split(r"[^\w.-]", line, maxsplit=1)[0], extra[1] if extra else None


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _extras() -> dict[str, Extra]:
    needed: dict[str, list[str]] = {}
    for package, extra in _requirements():
        if extra is not None:
            needed.setdefault(extra, []).append(package)
    missing = {extra: tuple(p for p in needed[extra] if _version(p) is None) for extra in needed}
    return {
        extra: Extra(present=not packages, missing=packages, install=f"pip install 'tritonrl[{extra}]'")
        for extra, packages in missing.items()
    }


def _gpu() -> Gpu | str:
    """The GPU, or why there is none."""
    try:
        import torch
    except ImportError:
        return "torch is not installed"
    with warnings.catch_warnings(record=True) as caught:
        # torch warns, and then says no, where the driver is there but unusable (too old, for one).
        warnings.simplefilter("always")
        usable = torch.cuda.is_available()
    if torch.version.cuda is None and torch.version.hip is None:
        return f"torch {torch.__version__} is built without CUDA"
    if not usable:
        return str(caught[0].message).splitlines()[0] if caught else "no driver, or no visible device"
    properties = torch.cuda.get_device_properties(0)
    return Gpu(
        name=properties.name,
        memory_bytes=properties.total_memory,
        compute_capability=f"{properties.major}.{properties.minor}",
        driver=_driver(),
        count=torch.cuda.device_count(),
    )


def _driver() -> str | None:
    path = Path("/proc/driver/nvidia/version")
    found = re.search(r"\d+\.\d[\d.]*", path.read_text()) if path.is_file() else None
    return found[0] if found else None


def _in_child(job: Callable[[], int]) -> int:
    """Run `job` in a forked child and give back its errno: what it changes dies with it."""
    with warnings.catch_warnings():
        # Python from 3.12 warns of forking where threads run; this child makes a few calls and leaves.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        code = errno.EIO
        try:
            code = job()
        except OSError as error:
            code = error.errno or code
        finally:
            os._exit(code)
    status = os.waitpid(pid, 0)[1]
    # A filter around this process may kill where another refuses.
    return errno.EPERM if os.WIFSIGNALED(status) else os.waitstatus_to_exitcode(status)


def _namespace(flag: int, check: Callable[[], int]) -> Feature:
    """Tried alone, as root may, and within a user namespace of its own."""

    def enter(flags: int) -> int:
        kernel.unshare(flags)
        return check()

    codes = [_in_child(functools.partial(enter, flags)) for flags in (flag, flag | kernel.CLONE_NEWUSER)]
    return Feature(present=True) if 0 in codes else _refused(codes[-1], _FIX_NAMESPACES)


def _refused(code: int, fix: str) -> Feature:
    return Feature(present=False, reason=f"refused: {os.strerror(code)}", fix=fix)


def _map_user(uid: int) -> int:
    # Some systems let anyone make a user namespace and then refuse every use of it, this one first.
    Path("/proc/self/uid_map").write_text(f"0 {uid} 1\n")
    return 0


def _is_first() -> int:
    # Only a child of the process that unshared is inside the PID namespace; there it is process 1.
    return _in_child(lambda: 0 if os.getpid() == 1 else errno.EPERM)


def _filter() -> int:
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    seccomp.install()
    return 0


def _seccomp() -> Feature:
    code = _in_child(_filter)
    return _refused(code, "a kernel with seccomp filters") if code else Feature(present=True)


def _landlock() -> Feature:
    try:
        return Feature(present=True, detail=f"ABI {landlock.version()}")
    except OSError as error:
        return _refused(error.errno or errno.EIO, "kernel 5.13 or newer, booted with landlock in lsm=")


def _sandbox() -> dict[str, Feature]:
    names = ("user_namespace", "network_namespace", "pid_namespace", "seccomp", "landlock")
    found = dict.fromkeys(names, Feature(present=False, reason="only Linux has it", fix="use Linux"))
    if sys.platform == "linux":
        map_user = functools.partial(_map_user, os.geteuid())
        found |= {
            "user_namespace": _namespace(kernel.CLONE_NEWUSER, map_user),
            "network_namespace": _namespace(kernel.CLONE_NEWNET, lambda: 0),
            "pid_namespace": _namespace(kernel.CLONE_NEWPID, _is_first),
            "seccomp": _seccomp(),
            "landlock": _landlock(),
        }
    path = shutil.which("bwrap")
    missing = {} if path else {"reason": "not on PATH", "fix": "install the system package bubblewrap"}
    return found | {"bwrap": Feature(present=path is not None, detail=path, **missing)}


Row = tuple[bool, str, str, str]  # present, name, what was found, what would change it


def render(doctor: Doctor) -> RenderableType:
    """A table a section: what is there, and beside each ✗ what would change it."""
    sections: dict[str, list[Row]] = {
        "Versions": [
            (version is not None, name, version or "not installed", f"pip install {name}")
            for name, version in doctor.versions.items()
        ],
        "Machine": _machine_rows(doctor),
        "Sandbox": [
            (feature.present, name, feature.detail or feature.reason or "", feature.fix or "")
            for name, feature in doctor.sandbox.items()
        ],
        "Extras": [
            (extra.present, name, "" if extra.present else f"no {', '.join(extra.missing)}", extra.install)
            for name, extra in doctor.extras.items()
        ],
    }
    return Group(*(_table(title, rows) for title, rows in sections.items() if rows))


def _machine_rows(doctor: Doctor) -> list[Row]:
    memory = f"{doctor.memory_bytes / 2**30:.0f} GiB"
    gpu = (
        False,
        "gpu",
        doctor.gpu_reason or "",
        "a driver, and a CUDA build of torch",
    )
    if found := doctor.gpu:
        size = f"{found.memory_bytes / 2**30:.0f} GiB"
        what = f"{found.name}, {size}, compute {found.compute_capability}, driver {found.driver or 'unknown'}"
        gpu = (True, "gpu", what if found.count == 1 else f"{found.count} of {what}", "")
    return [(True, "host", f"{doctor.cores} cores, {memory}, {'' if doctor.root else 'not '}root", ""), gpu]


def _table(title: str, rows: list[Row]) -> Table:
    table = Table(title=f"\n{title}", title_justify="left", title_style="bold", box=None, show_header=False)
    table.add_column()
    # One width for all sections, so that they read as one sheet.
    table.add_column(style="cyan", min_width=len("network_namespace"))
    for present, name, what, fix in rows:
        mark = Text("✓", style="green") if present else Text("✗", style="red")
        # On a line of its own a command stays whole, to be copied.
        table.add_row(mark, name, Text(what) if present else Text.assemble(what, (f"\n→ {fix}", "dim")))
    return table
