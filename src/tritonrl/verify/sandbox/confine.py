"""The sandbox, in the order in which a process enters it.

`enter_namespaces` is for the warden, whose next child is then alone in them. `confine` is for that child:
after it the process can read the system's libraries, write its scratch folder, use its memory and its one
descriptor, and nothing else. Neither raises for what the machine does not allow: each feature is reported as
held, or as missing with the reason, and the judge decides whether that is enough.

What this does not stop: bugs of the kernel or of a GPU driver, covert channels (timing, cache), and a process
that uses all the processor time and memory that its limits leave it.
"""

import os
import resource
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from dataclasses import dataclass

from tritonrl.verify.sandbox import kernel, landlock, seccomp

SCRATCH_BYTES = 64 * 2**20
LARGEST_FILE_BYTES = 64 * 2**20
MOST_OPEN_FILES = 256

SYSTEM_READABLE = (
    "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/dev/null",
    "/dev/urandom", "/dev/random", "/proc/cpuinfo", "/proc/meminfo", "/proc/filesystems",
    "/sys/devices/system", "/sys/kernel/mm",
)  # fmt: skip
"""What libraries look at: themselves, the number of cores, the size of memory. Nobody's data."""

Report = dict[str, str | None]
"""Feature → None if it holds, else why it is missing."""


@dataclass(frozen=True)
class Profile:
    """What a role is given beyond what every sandboxed process has."""

    cpu_seconds: int
    executable: tuple[str, ...] = ()
    """Programs that it may turn into; none for a role that runs somebody's Python."""
    starts_programs: bool = False
    """Whether it may start these programs beside itself: compilers, for a role that runs no candidate."""
    pid_namespace: bool = True
    """CUDA does not start in one."""
    before_seccomp: Callable[[], None] | None = None
    """What must be done before system calls are restricted: CUDA opens sockets to start."""
    readable: tuple[str, ...] = ()
    """Folders beside the system's."""
    devices: tuple[str, ...] = ()
    """Device files that it may use."""


def enter_namespaces(scratch: str, profile: Profile) -> Report:
    """Own network, IPC, mounts and (for children) processes; scratch becomes a small file system of its
    own."""
    user, group = os.geteuid(), os.getegid()
    report: Report = {}
    # Within a user namespace nobody is root outside it, and an ordinary user may make the others.
    _try(report, "user_namespace", lambda: _enter_user_namespace(user, group))
    flags = {
        "network_namespace": kernel.CLONE_NEWNET,
        "ipc_namespace": kernel.CLONE_NEWIPC,
        "mount_namespace": kernel.CLONE_NEWNS,
    }
    if profile.pid_namespace:
        flags["pid_namespace"] = kernel.CLONE_NEWPID
    for name, flag in flags.items():
        _try(report, name, lambda flag=flag: kernel.unshare(flag))
    _try(report, "scratch_limit", lambda: _mount_scratch(scratch, report))
    return report


def confine(scratch: str, profile: Profile) -> Report:
    """Give up everything that this process does not need, for ever. It must have one thread; what starts
    threads before the last step leaves them under the file rules, and seccomp takes them in."""
    report: Report = {}
    os.chdir(scratch)
    os.environ.pop("PYTHONPATH", None)  # the rest was scrubbed when the zygote was started
    os.environ.update(HOME=scratch, TMPDIR=scratch, TRITON_HOME=scratch)
    tempfile.tempdir = None  # where the zygote has looked it up
    if not profile.devices or profile.starts_programs:  # others on a GPU read what was built for them
        os.environ.update(TRITON_CACHE_DIR=f"{scratch}/triton", TORCHINDUCTOR_CACHE_DIR=f"{scratch}/inductor")
    _try(report, "limits", lambda: _limit(profile))
    _try(report, "no_new_privileges", lambda: kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1))
    _try(report, "capabilities_dropped", kernel.drop_capabilities)
    _try(report, "landlock", lambda: _restrict_files(scratch, profile))
    if profile.before_seccomp is not None:
        profile.before_seccomp()
    executes, on_device = bool(profile.executable), bool(profile.devices)
    _try(report, "seccomp", lambda: seccomp.install(executes, on_device, profile.starts_programs))
    return report


def _try(report: Report, name: str, step: Callable[[], object]) -> None:
    try:
        step()
        report[name] = None
    except OSError as error:
        report[name] = error.strerror or str(error)


def _enter_user_namespace(user: int, group: int) -> None:
    kernel.unshare(kernel.CLONE_NEWUSER)
    for path, text in (
        ("/proc/self/uid_map", f"{user} {user} 1"),
        ("/proc/self/setgroups", "deny"),
        ("/proc/self/gid_map", f"{group} {group} 1"),
    ):
        with open(path, "w") as file:
            file.write(text)


def _mount_scratch(scratch: str, report: Report) -> None:
    if report["mount_namespace"] is not None:
        raise OSError(1, "needs a mount namespace")
    kernel.mount("", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    options = f"size={SCRATCH_BYTES},nr_inodes=4096,mode=700"
    kernel.mount("scratch", scratch, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)


def _limit(profile: Profile) -> None:
    for what, most in (
        (resource.RLIMIT_CPU, profile.cpu_seconds),
        (resource.RLIMIT_FSIZE, LARGEST_FILE_BYTES),
        (resource.RLIMIT_NOFILE, MOST_OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
    ):
        soft = min(most, hard) if (hard := resource.getrlimit(what)[1]) != resource.RLIM_INFINITY else most
        resource.setrlimit(what, (soft, soft))


def _restrict_files(scratch: str, profile: Profile) -> None:
    own = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    # Libraries of an interpreter that is not the system's lie under its prefix.
    own |= {f"{prefix}/lib" for prefix in (sys.prefix, sys.base_prefix)}
    # Some are installed elsewhere, on PYTHONPATH.
    loaded = (sys.modules.get(name) for name in ("torch", "triton", "numpy"))
    own |= {os.path.dirname(module.__file__) for module in loaded if module and module.__file__}
    myself = os.path.realpath("/proc/self")
    # A CUDA driver writes the names of its threads there, and does not start where it cannot.
    own_process = (myself,) if profile.devices else ()
    landlock.restrict(
        readable=(*SYSTEM_READABLE, *sorted(own), myself, *profile.readable),
        writable=(scratch, "/dev/null", *profile.devices, *own_process),
        executable=profile.executable,
    )
