"""The few kernel calls that Python has no function for: numbers, structures, and errors as `OSError`.

Standard library only: this is loaded into every sandboxed process.
"""

import ctypes
import os
import platform

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
CLONE_THREAD = 0x00010000

PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 24, 38

MADV_COLLAPSE = 25

MNT_DETACH = 0x2
MS_NOSUID, MS_NODEV, MS_REC, MS_PRIVATE = 0x2, 0x4, 0x4000, 0x40000

# Younger than the common table: the same numbers on every architecture.
SYS_LANDLOCK_CREATE_RULESET, SYS_LANDLOCK_ADD_RULE, SYS_LANDLOCK_RESTRICT_SELF = 444, 445, 446

MACHINE = platform.machine()
SYS_SECCOMP = {"x86_64": 317, "aarch64": 277}.get(MACHINE, -1)

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def _checked(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def syscall(number: int, *arguments: object) -> int:
    # Variadic: an int would be passed as 32 bits, and a flag word or pointer may need 64.
    wide = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return _checked(_libc.syscall(ctypes.c_long(number), *wide), f"system call {number}")


def prctl(option: int, *arguments: object) -> int:
    wide = [ctypes.c_ulong(each) if isinstance(each, int) else each for each in arguments]
    wide += [ctypes.c_ulong(0)] * (4 - len(wide))
    return _checked(_libc.prctl(ctypes.c_int(option), *wide), f"prctl {option}")


def unshare(flags: int) -> None:
    _checked(_libc.unshare(ctypes.c_int(flags)), "unshare")


def madvise(address: int, size_bytes: int, advice: int) -> None:
    where = ctypes.c_void_p(address), ctypes.c_size_t(size_bytes)
    _checked(_libc.madvise(*where, ctypes.c_int(advice)), "madvise")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    encoded = [text.encode() or None for text in (source, target, kind)]
    _checked(_libc.mount(*encoded, ctypes.c_ulong(flags), options.encode() or None), f"mount {target}")


def unmount(target: str) -> None:
    _checked(_libc.umount2(target.encode(), MNT_DETACH), f"umount {target}")


class _CapHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapData(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


_CAPABILITY_VERSION_3 = 0x20080522


def drop_capabilities() -> None:
    """Give up every capability, those that an exec could give back included."""
    last = int(_read("/proc/sys/kernel/cap_last_cap"))
    for capability in range(last + 1):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except PermissionError:
            break  # an ordinary user has none to drop, and no_new_privileges keeps it so
    header, data = _CapHeader(_CAPABILITY_VERSION_3, 0), (_CapData * 2)()
    _checked(_libc.capset(ctypes.byref(header), data), "capset")


def _read(path: str) -> str:
    with open(path) as file:
        return file.read()
