"""A zygote: a process that has imported torch and triton, and forks one role after another from that state.

    python -m tritonrl.verify.zygote interpreting|compiling|device DESCRIPTOR

It has one thread, does no tensor work, never sees a task, a candidate or a seed, and never touches CUDA: what
it forks inherits nothing but libraries. The judge asks for a role over the descriptor, with two sockets
beside the request: one for the role, one for its warden. When the judge is gone, so is the zygote, and every
warden then kills what it watches.
"""

import dataclasses
import gc
import importlib
import itertools
import os
import signal
import socket
import sys
from collections.abc import Callable

from tritonrl.verify import large_pages
from tritonrl.verify.channel import Channel, Closed
from tritonrl.verify.sandbox import Profile

ENVIRONMENT = {
    # One thread: OpenBLAS starts its pool on import, and a forked child would wait for threads it does not
    # have.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    # Say it, so that triton 3.9 does not warn on every compilation. Fused multiply-add is today's default.
    "TRITON_DEFAULT_FP_FUSION": "1",
    # A baseline that is compiled is compiled in its own process: helpers would be programs to start.
    "TORCHINDUCTOR_COMPILE_THREADS": "1",
    "LANG": "C.UTF-8",
    # torch asks for the user's name, and a container may have no entry for it.
    "USER": "nobody",
}
FORKS_WORTH_LARGE_PAGES = 12
"""A second's work for who judges a few candidates at most is not worth what it saves."""


def main() -> None:
    kind, descriptor = sys.argv[1], int(sys.argv[2])
    roles, facts = PREPARE[kind]()
    threads = len(os.listdir("/proc/self/task"))
    judge = Channel(socket.socket(fileno=descriptor), takes_descriptors=True)
    judge.send({"threads": threads, "pid": os.getpid(), **facts})
    # Wardens report to the judge, not to the zygote: their exit status is nobody's business here.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.freeze()  # a collection in a fork looks at its own objects only, and leaves shared pages alone
    for number in itertools.count():
        if number == FORKS_WORTH_LARGE_PAGES:
            large_pages.collapse()
        try:
            request = judge.receive()
        except Closed:
            os._exit(0)
        role_end, warden_end = judge.take_descriptors()
        if os.fork() == 0:
            judge.close()
            _become_warden(roles[request["role"]], request, role_end, warden_end)
        os.close(role_end)
        os.close(warden_end)


def _become_warden(role: Callable[[Channel], None], request: dict, role_end: int, warden_end: int) -> None:
    from tritonrl.verify import warden

    try:
        programs = tuple(request["executable"])
        profile = Profile(request["cpu_seconds"], programs, starts_programs=request["starts_programs"])
        if request["gpu"] is not None:
            queues = str(request["num_queues"])
            os.environ |= {"CUDA_VISIBLE_DEVICES": request["gpu"], "CUDA_DEVICE_MAX_CONNECTIONS": queues}
            profile = _on_device(profile)
        warden.watch(role, profile, request["scratch"], request["memory_bytes"], role_end, warden_end)
    finally:
        os._exit(1)


def _on_device(profile: Profile) -> Profile:
    from tritonrl.verify.inside import device

    return dataclasses.replace(
        profile,
        pid_namespace=False,
        before_seccomp=device.start_cuda,
        readable=(*device.READABLE, os.environ["TRITON_CACHE_DIR"]),
        devices=device.device_files(),
    )


Roles = dict[str, Callable[[Channel], None]]


def _interpreting() -> tuple[Roles, dict[str, object]]:
    os.environ["TRITON_INTERPRET"] = "1"
    # Loaded by torch on the first dispatch mode or manual seed, and a second's work; by Triton at the first
    # launch, and a fifth of a small candidate's: once, not in every fork.
    for name in ("torch._dynamo", "triton.experimental.gluon"):
        importlib.import_module(name)
    from tritonrl.verify.inside import candidate, reference, repairs, replay

    repairs.repair()
    roles = {
        "candidate": candidate.serve_candidate,
        "reference": reference.serve_reference,
        "replay": replay.serve_replay,
    }
    return roles, {}


def _compiling() -> tuple[Roles, dict[str, object]]:
    from tritonrl.verify.inside import assembler, compiler

    facts = compiler.warm_up()
    return {"compiler": compiler.serve_compiler, "assembler": assembler.serve_assembler}, facts


def _device() -> tuple[Roles, dict[str, object]]:
    for name in ("torch._dynamo", "triton.tools.tensor_descriptor"):
        importlib.import_module(name)
    from tritonrl.verify.inside import candidate, device, reference, replay

    device.prepare()
    roles = {
        "candidate": candidate.serve_candidate,
        "reference": reference.serve_reference,
        "replay": replay.serve_replay,
    }
    return roles, {}


PREPARE = {"interpreting": _interpreting, "compiling": _compiling, "device": _device}

if __name__ == "__main__":
    main()
