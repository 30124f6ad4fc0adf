"""Run a command as an ordinary user: uid 1000, no capabilities.

    python as_user.py COMMAND [ARGUMENT…]

Root gives nothing up for ever: it enters a user namespace in which it is somebody else, and becomes the
command. Its files are then this user's. Exits with 77 where the kernel makes no user namespaces.
"""

import ctypes
import os
import sys
from pathlib import Path

USER = 1000
UNAVAILABLE = 77
_CLONE_NEWUSER = 0x10000000


def main() -> None:
    user, group = os.getuid(), os.getgid()
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(_CLONE_NEWUSER) != 0:
        sys.stderr.write(f"no user namespace: {os.strerror(ctypes.get_errno())}\n")
        sys.exit(UNAVAILABLE)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{USER} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{USER} {group} 1")
    # Whoever is not root has no capabilities left after this.
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
