"""Attacks on files: changing what is outside, bringing it inside, filling what is inside."""

from .attack import ACCEPTED, Escaped, attack, system_call


@attack("sandbox")
def writes_a_new_file(outside):
    with open(f"{outside.folder}/new.txt", "w") as file:
        file.write("out")


@attack("sandbox")
def writes_into_a_file(outside):
    with open(f"{outside.folder}/kept.txt", "a") as file:
        file.write("out")


@attack("sandbox")
def writes_to_shared_memory_files(outside):
    with open("/dev/shm/out", "w") as file:
        file.write("out")


@attack("sandbox")
def writes_into_the_library(outside):
    with open(f"{outside.package}/sitecustomize.py", "w") as file:
        file.write("raise SystemExit")


@attack("sandbox")
def cuts_a_file_off(outside):
    import os

    os.truncate(f"{outside.folder}/kept.txt", 0)


@attack("sandbox")
def deletes_a_file(outside):
    import os

    os.unlink(f"{outside.folder}/kept.txt")


@attack("sandbox")
def renames_a_file(outside):
    import os

    os.rename(f"{outside.folder}/kept.txt", f"{outside.folder}/other.txt")


@attack("sandbox", "runtime_error")
def moves_a_file_to_itself(outside):
    import os

    os.rename(f"{outside.folder}/kept.txt", "kept.txt")


@attack("sandbox")
def makes_a_folder(outside):
    import os

    os.mkdir(f"{outside.folder}/new")


@attack("sandbox")
def makes_a_link_outside(outside):
    import os

    os.symlink("/etc/passwd", f"{outside.folder}/new")


@attack("sandbox", "runtime_error")
def forbids_a_file_to_its_owner(outside):
    # Landlock has no say in modes, owners, times and attributes.
    import os

    os.chmod(f"{outside.folder}/kept.txt", 0)


@attack("sandbox", "runtime_error")
def opens_a_folder_to_everybody(outside):
    import os

    os.chmod(outside.folder, 0o777)


@attack("sandbox", "runtime_error")
def changes_a_mode_by_fchmodat2(outside):
    system_call(452, -100, f"{outside.folder}/kept.txt".encode(), 0o600, 0)


@attack("sandbox", "runtime_error")
def gives_a_file_away(outside):
    import os

    os.chown(f"{outside.folder}/kept.txt", os.getuid(), os.getgid())
    raise Escaped("changed the owner")


@attack("sandbox", "runtime_error")
def changes_the_time_of_a_file(outside):
    import os

    os.utime(f"{outside.folder}/kept.txt", (1, 1))


@attack("sandbox", "runtime_error")
def marks_a_file(outside):
    import os

    os.setxattr(f"{outside.folder}/kept.txt", "user.mark", b"1")


@attack("sandbox", "runtime_error")
def marks_a_file_by_setxattrat(outside):
    import ctypes
    import struct

    value = ctypes.create_string_buffer(b"1")
    how = ctypes.create_string_buffer(struct.pack("QII", ctypes.addressof(value), 1, 0), 16)
    system_call(463, -100, f"{outside.folder}/kept.txt".encode(), 0, b"user.mark", how, 16)


@attack("sandbox", "runtime_error")
def sets_the_flags_of_a_file(outside):
    import ctypes
    import struct

    flags = ctypes.create_string_buffer(struct.pack("QIIII", 0x80, 0, 0, 0, 0), 24)
    system_call(469, -100, f"{outside.folder}/kept.txt".encode(), flags, 24, 0)
    raise Escaped("set the flags of a file")


@attack("sandbox", "runtime_error")
def sets_the_flags_of_a_library(outside):
    # To what they are, so that nothing happens if it is allowed.
    import fcntl
    import os

    with open(os.__file__) as file:
        flags = fcntl.ioctl(file, 0x80086601, bytes(8))
        fcntl.ioctl(file, 0x40086602, flags)
    raise Escaped("set the flags of a file")


@attack("sandbox")
def makes_a_device(outside):
    import os
    import stat

    os.mknod("memory", stat.S_IFCHR | 0o600, os.makedev(1, 1))
    with open("memory", "rb") as file:
        raise Escaped(file.read(16))


@attack("sandbox")
def mounts_the_root_into_scratch(outside):
    import os

    os.mkdir("root")
    system_call(outside.calls["mount"], b"/", b"root", None, 4096, None)
    with open(f"root{outside.secret}") as file:
        raise Escaped(file.read())


@attack("sandbox")
def mounts_processes_into_scratch(outside):
    import os

    os.mkdir("processes")
    system_call(outside.calls["mount"], b"proc", b"processes", b"proc", 0, None)


@attack("sandbox")
def takes_its_scratch_off(outside):
    import os

    os.chdir("/")
    system_call(outside.calls["umount2"], os.environ["HOME"].encode(), 2)


@attack("sandbox")
def changes_its_root(outside):
    import os

    os.chroot(".")


@attack("runtime_error")
def fills_the_disk(outside):
    for number in range(100):
        with open(f"large_{number}", "wb") as file:
            for _ in range(16):
                file.write(b"x" * 2**20)


@attack("runtime_error")
def writes_one_large_file(outside):
    with open("large", "wb") as file:
        file.seek(2**30)
        file.write(b"x")


@attack("runtime_error")
def makes_a_million_files(outside):
    for number in range(1_000_000):
        open(f"small_{number}", "w").close()


@attack("runtime_error")
def opens_files_without_end(outside):
    import os

    while True:
        os.open("/dev/null", os.O_RDONLY)


@attack(ACCEPTED, "runtime_error", at="import")
def makes_folders_too_deep_to_delete(outside):
    import os

    for _ in range(3000):
        os.mkdir("deeper")
        os.chdir("deeper")


@attack(ACCEPTED, "runtime_error", at="import")
def forbids_its_scratch_to_whoever_cleans_up(outside):
    import os

    os.mkdir("closed", 0)


@attack(ACCEPTED, "runtime_error", "sandbox")
def deletes_its_scratch(outside):
    import os
    import shutil

    shutil.rmtree(os.getcwd(), ignore_errors=True)


@attack("runtime_error", "sandbox", at="import")
def deletes_its_scratch_and_says_so(outside):
    import os
    import shutil

    shutil.rmtree(os.getcwd())
