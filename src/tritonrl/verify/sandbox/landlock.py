"""Landlock: which files a sandboxed process may read, write and execute. Everything not named is out of
reach.

Rights that the running kernel does not know are left out: an older one restricts less, and says so.
"""

import ctypes
import errno
import os
import struct
from collections.abc import Iterable

from tritonrl.verify.sandbox.kernel import (
    SYS_LANDLOCK_ADD_RULE,
    SYS_LANDLOCK_CREATE_RULESET,
    SYS_LANDLOCK_RESTRICT_SELF,
    syscall,
)

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_RIGHTS_BY_ABI = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""Number of file rights that a version knows; later versions know the last number."""
_ALL_NETWORK = 0b11
_ALL_SCOPES = 0b11  # abstract sockets and signals stay within the sandbox
_VERSION, _PATH_BENEATH = 1, 1

_READING = _READ_FILE | _READ_DIR
_MOST_OF_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | (1 << 14) | (1 << 15)


def version() -> int:
    """The kernel's Landlock version; an `OSError` where it has none."""
    return syscall(SYS_LANDLOCK_CREATE_RULESET, None, 0, _VERSION)


def restrict(readable: Iterable[str], writable: Iterable[str] = (), executable: Iterable[str] = ()) -> None:
    """From here on only these files and what is beneath these folders; absent paths are passed over."""
    abi = version()
    handled = (1 << _RIGHTS_BY_ABI.get(abi, max(_RIGHTS_BY_ABI.values()))) - 1
    attributes = struct.pack("QQQ", handled, _ALL_NETWORK if abi >= 4 else 0, _ALL_SCOPES if abi >= 6 else 0)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    ruleset = syscall(
        SYS_LANDLOCK_CREATE_RULESET, ctypes.create_string_buffer(attributes[:size], size), size, 0
    )
    try:
        # The right to execute is for what an exec names; libraries are mapped with the right to read.
        for paths, rights in (
            (readable, _READING),
            (writable, handled & ~_EXECUTE),
            (executable, _READING | _EXECUTE),
        ):
            for path in paths:
                _allow(ruleset, path, rights & handled)
        syscall(SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.EACCES):
            return
        raise
    try:
        if not os.path.isdir(f"/proc/self/fd/{place}"):
            rights &= _MOST_OF_A_FILE  # the other rights are for folders only
        rule = struct.pack("=Qi", rights, place)
        syscall(
            SYS_LANDLOCK_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.create_string_buffer(rule, len(rule)), 0
        )
    finally:
        os.close(place)
