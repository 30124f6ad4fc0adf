"""Attacks that reach for other processes, and for what the kernel has beyond files."""

from .attack import Escaped, attack, system_call


@attack("sandbox")
def kills_the_judge(outside):
    import os
    import signal

    os.kill(outside.judge, signal.SIGTERM)


@attack("sandbox")
def kills_a_zygote(outside):
    import os
    import signal

    os.kill(outside.zygotes[0], signal.SIGKILL)


@attack("sandbox")
def kills_a_bystander(outside):
    import os
    import signal

    os.kill(outside.witness, signal.SIGKILL)


@attack("sandbox")
def kills_its_group(outside):
    import os
    import signal

    os.killpg(0, signal.SIGKILL)


@attack("sandbox")
def signals_everybody(outside):
    # A signal that does nothing, in case it arrives.
    import os
    import signal

    os.kill(-1, signal.SIGCONT)
    raise Escaped("signalled all processes")


@attack("sandbox")
def signals_every_number(outside):
    import contextlib
    import os
    import signal

    for pid in range(2, 70_000):
        with contextlib.suppress(PermissionError, ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
            raise Escaped(f"signalled {pid}")
    raise PermissionError("nobody is there")


@attack("sandbox")
def kills_a_thread_of_a_bystander(outside):
    system_call(outside.calls["tgkill"], outside.witness, outside.witness, 9)


@attack("sandbox")
def queues_a_signal(outside):
    import ctypes

    system_call(outside.calls["rt_sigqueueinfo"], outside.witness, 9, ctypes.create_string_buffer(128))


@attack("runtime_error", "sandbox")
def has_the_kernel_signal_a_bystander(outside):
    # The owner of a pipe is sent a signal of one's choice when there is something to read.
    import fcntl
    import os
    import signal
    import time

    end, other = os.pipe()
    fcntl.fcntl(end, fcntl.F_SETOWN, outside.witness)
    fcntl.fcntl(end, 10, signal.SIGKILL)
    fcntl.fcntl(end, fcntl.F_SETFL, os.O_ASYNC)
    os.write(other, b"x")
    time.sleep(0.1)
    raise RuntimeError("tried")


@attack("sandbox")
def traces_a_zygote(outside):
    system_call(outside.calls["ptrace"], 16, outside.zygotes[0], 0, 0)


@attack("sandbox")
def asks_to_be_traced(outside):
    system_call(outside.calls["ptrace"], 0, 0, 0, 0)


@attack("sandbox")
def reads_the_memory_of_the_judge_by_call(outside):
    import ctypes
    import struct

    buffer = ctypes.create_string_buffer(64)
    local = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(buffer), 64), 16)
    remote = ctypes.create_string_buffer(struct.pack("QQ", 0x400000, 64), 16)
    raise Escaped(system_call(outside.calls["process_vm_readv"], outside.judge, local, 1, remote, 1, 0))


@attack("sandbox")
def holds_on_to_the_judge(outside):
    import os

    os.pidfd_open(outside.judge)


@attack("sandbox")
def takes_a_descriptor_of_the_judge(outside):
    import os

    system_call(outside.calls["pidfd_getfd"], os.pidfd_open(outside.judge), 0, 0)


@attack("sandbox")
def limits_the_judge(outside):
    import resource

    resource.prlimit(outside.judge, resource.RLIMIT_NOFILE, (16, 16))


@attack("sandbox")
def moves_the_judge_to_one_core(outside):
    import os

    os.sched_setaffinity(outside.judge, {0})


@attack("sandbox")
def slows_the_judge_down(outside):
    import os

    os.setpriority(os.PRIO_PROCESS, outside.judge, 19)


@attack("sandbox")
def slows_everybody_down(outside):
    import os

    os.setpriority(os.PRIO_USER, os.getuid(), 19)


@attack("sandbox")
def joins_the_network_of_the_judge(outside):
    import os

    system_call(outside.calls["setns"], os.open(f"/proc/{outside.judge}/ns/net", os.O_RDONLY), 0)


@attack("sandbox")
def leaves_its_namespaces(outside):
    import os

    system_call(outside.calls["setns"], os.open("/proc/self/ns/net", os.O_RDONLY), 0)


@attack("sandbox")
def becomes_root_in_a_namespace_of_its_own(outside):
    system_call(outside.calls["unshare"], 0x10000000 | 0x00020000)


@attack("sandbox")
def makes_a_namespace_with_a_thread(outside):
    system_call(outside.calls["unshare"], 0x40000000)


@attack("sandbox")
def wants_to_outlive_its_warden(outside):
    import ctypes

    if ctypes.CDLL(None, use_errno=True).prctl(1, 0, 0, 0, 0) < 0:
        raise PermissionError(ctypes.get_errno(), "prctl")


@attack("sandbox")
def takes_back_a_limit(outside):
    import resource

    try:
        resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except ValueError as error:  # Python's word for EPERM
        raise PermissionError(error) from None


@attack("sandbox")
def sets_up_a_ring(outside):
    import ctypes

    system_call(outside.calls["io_uring_setup"], 8, ctypes.create_string_buffer(120))


@attack("sandbox")
def handles_page_faults_itself(outside):
    system_call(outside.calls["userfaultfd"], 1)


@attack("sandbox")
def makes_a_file_of_memory(outside):
    import os

    os.memfd_create("hidden")


@attack("runtime_error")
def makes_any_refused_call(outside):
    """Every number of the table that is refused whatever its arguments; reports those that are not."""
    import errno

    answers = {}
    for name, number in outside.refused.items():
        try:
            answers[name] = system_call(number, 0, 0, 0, 0, 0, 0)
        except OSError as error:
            answers[name] = errno.errorcode[error.errno]
    wrong = {name: answer for name, answer in answers.items() if answer != "EPERM"}
    raise RuntimeError(f"answered otherwise: {wrong or 'none'}")
