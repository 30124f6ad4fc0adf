"""Seccomp: which system calls a sandboxed process may not make, as a table, and the filter made of it.

A list of what is refused rather than of what is allowed: Python, PyTorch and a CUDA driver use too many calls
to name, and what matters is named here: no new process, no other program, no signal to or look into another
process, no network, no way around the file rules (Landlock does not cover modes, owners, times and attributes
of files). Threads are allowed.
"""

import ctypes
import errno
import os
import struct

from tritonrl.verify.sandbox.kernel import (
    CLONE_THREAD,
    MACHINE,
    PR_SET_PDEATHSIG,
    SYS_SECCOMP,
    syscall,
)

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

NUMBERS: dict[str, tuple[int | None, int | None]] = {
    # name: (x86_64, aarch64); None where the architecture has no such call
    "fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281), "clone": (56, 220),
    "clone3": (435, 435), "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424), "pidfd_getfd": (438, 438), "ptrace": (101, 117),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "process_madvise": (440, 440),
    "kcmp": (312, 272), "socket": (41, 198), "socketpair": (53, 199),
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40),
    "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "move_mount": (429, 429),
    "open_tree": (428, 428), "fsopen": (430, 430), "fsmount": (432, 432), "mount_setattr": (442, 442),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "keyctl": (250, 219),
    "add_key": (248, 217), "request_key": (249, 218), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "memfd_create": (319, 279), "personality": (135, 92), "prctl": (157, 167), "prlimit64": (302, 261),
    "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119), "sched_setattr": (314, 274),
    "sched_setparam": (142, 118), "setpriority": (141, 140), "ioprio_set": (251, 30), "quotactl": (179, 60),
    "kexec_load": (246, 104), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "reboot": (169, 142), "swapon": (167, 224), "settimeofday": (170, 170),
    "clock_settime": (227, 112), "clock_adjtime": (305, 266), "adjtimex": (159, 171), "acct": (163, 89),
    "syslog": (103, 116), "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190),
    "mq_open": (240, 180), "mmap": (9, 222), "ioctl": (16, 29),
    "setxattrat": (463, 463), "removexattrat": (466, 466), "file_setattr": (469, 469),
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53),
    "fchmodat2": (452, 452), "chown": (92, None), "fchown": (93, 55), "lchown": (94, None),
    "fchownat": (260, 54), "utime": (132, None), "utimes": (235, None), "futimesat": (261, None),
    "utimensat": (280, 88), "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
}  # fmt: skip

ONLY_ON_ITSELF = (
    "kill", "tgkill", "prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setattr",
    "sched_setparam",
)  # fmt: skip
"""Allowed where the first argument is the process itself (or 0, which means the same, except to `kill`)."""

EXECUTING = ("execve", "execveat")
STARTING = (*EXECUTING, "fork", "vfork", "clone", "clone3")
OF_DRIVERS = ("mmap",)
"""A CUDA driver shares anonymous memory with its device while it runs, not only when it starts."""

SPECIAL = ("clone", "clone3", "prctl", "mmap", "ioctl", *ONLY_ON_ITSELF)
"""Refused by their arguments only; all others always."""

# Classic BPF: the call's number is word 0, the architecture word 1, arguments start at byte 16.
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_NUMBER, _ARCH, _ARGUMENT = 0, 4, 16
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_REFUSE = _ERRNO | errno.EPERM
_X32_BIT = 0x40000000
_SHARED_ANONYMOUS = 0x21
_FILE_FLAGS = (0x40086602, 0x401C5820)
_SET_MODE_FILTER, _ALL_THREADS = 1, 1


def install(may_execute: bool = False, has_device: bool = False, may_start: bool = False) -> None:
    """Put this process under the filter: every thread, and all that they will start. There is no way
    back."""
    if MACHINE not in AUDIT_ARCH:
        raise OSError(errno.ENOSYS, f"no system call table for {MACHINE}")
    allowed = (
        *(EXECUTING if may_execute else ()),
        *(OF_DRIVERS if has_device else ()),
        *(STARTING if may_start else ()),
    )
    code = _program(os.getpid(), allowed)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    program = ctypes.create_string_buffer(header, len(header))
    # All threads that there are already, not only this one.
    syscall(SYS_SECCOMP, _SET_MODE_FILTER, _ALL_THREADS, program)


def _program(pid: int, allowed: tuple[str, ...]) -> bytes:
    steps = [
        (_LOAD, 0, 0, _ARCH),
        (_EQUAL, 1, 0, AUDIT_ARCH[MACHINE]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if MACHINE == "x86_64":
        steps += [(_AT_LEAST, 0, 1, _X32_BIT), (_RETURN, 0, 0, _REFUSE)]
    column = list(AUDIT_ARCH).index(MACHINE)
    for name, numbers in NUMBERS.items():
        number = numbers[column]
        if number is not None and name not in allowed:
            rule = _rule(name, pid)
            steps += [(_EQUAL, 0, len(rule), number), *rule]
    steps.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _rule(name: str, pid: int) -> list[tuple[int, int, int, int]]:
    """What follows once the call is known; every path ends in a return."""
    allow, refuse = (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)
    if name == "clone":
        return [(_LOAD, 0, 0, _ARGUMENT), (_ANY_BIT, 0, 1, CLONE_THREAD), allow, refuse]
    if name == "clone3":
        # Its flags lie in memory, out of a filter's sight. Told that it is absent, libc uses clone.
        return [(_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    if name == "prctl":
        return [(_LOAD, 0, 0, _ARGUMENT), (_EQUAL, 0, 1, PR_SET_PDEATHSIG), refuse, allow]
    if name == "mmap":
        # Shared memory without a file, given back page by page, is counted to nobody and still held.
        flags = [(_LOAD, 0, 0, _ARGUMENT + 3 * 8), (_AND, 0, 0, _SHARED_ANONYMOUS)]
        return [*flags, (_EQUAL, 0, 1, _SHARED_ANONYMOUS), refuse, allow]
    if name == "ioctl":
        # Flags of a file that may only be read are set by an ioctl.
        tests = [step for request in _FILE_FLAGS for step in ((_EQUAL, 0, 1, request), refuse)]
        return [(_LOAD, 0, 0, _ARGUMENT + 8), *tests, allow]
    if name in ONLY_ON_ITSELF:
        itself = [(_EQUAL, 0, 1, pid), allow]
        if name != "kill":
            itself += [(_EQUAL, 0, 1, 0), allow]
        return [(_LOAD, 0, 0, _ARGUMENT), *itself, refuse]
    return [refuse]
