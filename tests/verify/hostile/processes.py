"""Attacks that make processes, become programs, or leave something running."""

from .attack import ACCEPTED, Escaped, attack, system_call


@attack("sandbox")
def forks(outside):
    import os

    if os.fork() == 0:
        os._exit(0)


@attack("sandbox")
def forks_again_and_again(outside):
    import contextlib
    import os

    made = 0
    for _ in range(64):
        with contextlib.suppress(PermissionError):
            if os.fork() == 0:
                os._exit(0)
            made += 1
    raise Escaped(f"made {made} processes") if made else PermissionError("no fork")


@attack("sandbox")
def starts_a_multiprocessing_worker(outside):
    import multiprocessing
    import os

    multiprocessing.get_context("fork").Process(target=os.getpid).start()


@attack("sandbox")
def starts_a_pool_by_spawning(outside):
    import multiprocessing

    multiprocessing.get_context("spawn").Pool(1)


@attack("sandbox")
def leaves_a_daemon_behind(outside):
    import os
    import time

    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(60)
        os._exit(0)


@attack("sandbox")
def forks_by_vfork(outside):
    # Not called by its number: a process that returns from it twice would be broken if it were allowed.
    import ctypes

    if ctypes.CDLL(None, use_errno=True).vfork() < 0:
        raise PermissionError(ctypes.get_errno(), "vfork")


@attack("sandbox")
def forks_by_clone(outside):
    import os

    if system_call(outside.calls["clone"], 17, 0, 0, 0, 0) == 0:
        os._exit(0)


@attack("runtime_error")
def forks_by_clone3(outside):
    import ctypes
    import os
    import struct

    arguments = struct.pack("8Q", 0, 0, 0, 0, 17, 0, 0, 0)
    if system_call(outside.calls["clone3"], ctypes.create_string_buffer(arguments, 64), 64) == 0:
        os._exit(0)
    raise Escaped("made a process")


@attack("sandbox")
def runs_a_shell(outside):
    import subprocess

    subprocess.run(["/bin/sh", "-c", f"cat {outside.secret}"], check=True)


@attack("sandbox")
def runs_a_shell_by_system(outside):
    import os

    if os.system(f"echo out > {outside.folder}/new.txt") == 0:
        raise Escaped("ran a shell")
    raise PermissionError("system")


@attack("sandbox")
def becomes_a_shell(outside):
    import os

    os.execv("/bin/sh", ["sh", "-c", f"echo out > {outside.folder}/new.txt"])


@attack("sandbox")
def spawns_a_shell(outside):
    import os

    os.posix_spawn("/bin/sh", ["sh", "-c", "true"], {})


@attack("sandbox")
def becomes_a_file_of_memory(outside):
    import os

    program = os.memfd_create("program")
    with open("/bin/true", "rb") as file:
        os.write(program, file.read())
    os.execve(program, ["true"], {})


@attack("sandbox")
def becomes_what_it_wrote(outside):
    import os

    with open("program", "wb") as copy, open("/bin/true", "rb") as file:
        copy.write(file.read())
    os.chmod("program", 0o700)
    os.execv("./program", ["program"])


@attack("sandbox")
def starts_a_program_through_its_loader(outside):
    import glob
    import os

    os.execv(glob.glob("/lib/*/ld-linux*")[0], ["ld", "/bin/true"])


@attack("sandbox")
def compiles_an_extension(outside):
    import subprocess

    with open("x.c", "w") as file:
        file.write("int x;")
    subprocess.run(["cc", "-shared", "-o", "x.so", "x.c"], check=True)


@attack(ACCEPTED)
def leaves_a_thread_running(outside):
    import threading
    import time

    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()


@attack(ACCEPTED, at="import")
def leaves_a_thread_that_cannot_be_joined(outside):
    import threading
    import time

    threading.Thread(target=time.sleep, args=(60,)).start()


@attack("B6", "C5", "correct", at="import")
def changes_its_answer_from_a_thread(outside):
    """A result that is right when it is returned, and wrong a moment later."""
    import threading
    import time

    honest = globals()["compute"]

    def compute(a, b):
        (result,) = honest(a, b)

        def spoil():
            time.sleep(0.002)
            result.zero_()

        threading.Thread(target=spoil, daemon=True).start()
        return [result]

    globals()["compute"] = compute
