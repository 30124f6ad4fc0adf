"""Attacks that end badly, or not at all: exits, crashes, exceptions, hangs, and too much of everything."""

from .attack import ACCEPTED, Escaped, attack

GIB = 2**30


@attack("D7")
def leaves_in_a_call(outside):
    import os

    os._exit(0)


@attack("D7", at="import")
def leaves_at_import(outside):
    import os

    os._exit(0)


@attack("runtime_error")
def raises_system_exit(outside):
    import sys

    sys.exit(0)


@attack("import_error", at="import")
def raises_system_exit_at_import(outside):
    import sys

    sys.exit(0)


@attack("runtime_error")
def raises_keyboard_interrupt(outside):
    raise KeyboardInterrupt


@attack("import_error", at="import")
def raises_a_base_exception_at_import(outside):
    raise BaseException("at import")


@attack("runtime_error")
def raises_a_base_exception_in_a_call(outside):
    raise BaseException("in a call")


@attack(ACCEPTED)
def raises_when_it_is_deleted(outside):
    class Trap:
        def __del__(self):
            raise BaseException("when deleted")

    Trap()


@attack(ACCEPTED, at="import")
def raises_at_exit(outside):
    import atexit

    def leave():
        raise BaseException("at exit")

    atexit.register(leave)


@attack("runtime_error", "D7")
def raises_what_exits_when_it_is_looked_at(outside):
    import os

    class Trap(Exception):
        def __str__(self):
            os._exit(0)

    raise Trap


@attack("runtime_error")
def raises_what_raises_when_it_is_looked_at(outside):
    class Trap(Exception):
        def __str__(self):
            raise SystemExit

    raise Trap


@attack("timeout", "runtime_error", hangs=True)
def raises_what_is_its_own_cause(outside):
    error = RuntimeError("circle")
    error.__cause__ = error
    raise error


@attack("runtime_error")
def raises_what_is_no_text(outside):
    raise RuntimeError("half a character: \ud800")


@attack("runtime_error", "D6")
def raises_a_long_story(outside):
    raise RuntimeError("x" * 50_000_000)


@attack("runtime_error", "D6")
def raises_under_a_long_name(outside):
    raise type("E" * 3_000_000, (Exception,), {})


@attack("crash")
def reads_address_zero(outside):
    import ctypes

    ctypes.string_at(0)


@attack("crash")
def overflows_its_stack(outside):
    import ctypes

    function = ctypes.CFUNCTYPE(None)

    @function
    def again():
        again()

    import sys

    sys.setrecursionlimit(10**9)
    again()


@attack("crash")
def aborts(outside):
    import os

    os.abort()


@attack("crash", ACCEPTED)
def kills_itself(outside):
    # The first process of a PID namespace is deaf to this.
    import os
    import signal

    os.kill(os.getpid(), signal.SIGKILL)


@attack("crash", ACCEPTED)
def stops_itself(outside):
    import os
    import signal

    os.kill(os.getpid(), signal.SIGSTOP)


@attack("runtime_error", "crash")
def exhausts_the_stack_of_python(outside):
    def again(depth):
        return again(depth + 1) + 1

    again(0)


@attack("timeout", hangs=True)
def loops_in_a_call(outside):
    while True:
        pass


@attack("timeout", at="import", hangs=True)
def loops_at_import(outside):
    while True:
        pass


@attack("timeout", hangs=True)
def sleeps(outside):
    import time

    time.sleep(1000)


@attack("timeout", hangs=True)
def ignores_all_signals_and_loops(outside):
    import contextlib
    import signal

    for number in range(1, 65):
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    while True:
        pass


@attack("timeout", hangs=True)
def holds_the_interpreter_and_loops(outside):
    sum(range(10**13))


@attack("timeout", hangs=True)
def prints_without_end(outside):
    import sys

    while True:
        sys.stdout.write("all tests passed, correct: true, speedup: 100\n")


@attack(ACCEPTED)
def prints_a_verdict(outside):
    import os

    os.write(1, b'{"accepted": true}\n' * 100_000)


@attack("memory", memory_bytes=GIB)
def takes_all_memory(outside):
    held = []
    for _ in range(10 * 64):
        held.append(bytearray(b"x") * 2**24)  # noqa: PERF401 (one after the other, so that the warden can look)
    raise Escaped("has 10 GiB")


@attack("memory", "runtime_error", memory_bytes=GIB)
def takes_all_memory_at_once(outside):
    raise Escaped(len(bytearray(b"x") * (10 * 2**30)))


@attack("memory", "runtime_error", memory_bytes=GIB)
def takes_all_memory_from_threads(outside):
    import threading
    import time

    held = []
    for _ in range(8):
        threading.Thread(target=lambda: held.append(bytearray(b"x") * 2**30), daemon=True).start()
    time.sleep(20)
    raise Escaped("has 8 GiB")


@attack("sandbox", "memory", memory_bytes=GIB)
def hides_memory_from_the_count(outside):
    # Shared memory without a file stays when its pages are given back, and is then counted to nobody.
    import mmap

    size = 64 * 2**20
    held = [mmap.mmap(-1, size) for _ in range(48)]
    for each in held:
        each.write(b"x" * size)
        each.madvise(mmap.MADV_DONTNEED)
    raise Escaped(f"has {len(held) * size / 2**30} GiB")


@attack("memory", "runtime_error", "sandbox", memory_bytes=GIB // 4)
def fills_memory_with_page_tables(outside):
    # A page table for each 2 MiB that are only read: the zero page is counted to nobody either.
    import mmap

    held = []
    for _ in range(256):
        area = mmap.mmap(-1, 2**30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=mmap.PROT_READ)
        for place in range(0, 2**30, 2**21):
            area[place]
        held.append(area)
    raise Escaped("has 0.5 GiB of page tables")


@attack("runtime_error", "sandbox", "threads", "memory")
def starts_threads_without_end(outside):
    import threading
    import time

    threading.stack_size(64 * 1024)
    for _ in range(20_000):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    raise Escaped("has 20,000 threads")
