"""Attacks on the judge's ears: forged, broken and oversized answers, on every descriptor there is."""

from .attack import ACCEPTED, Escaped, attack, reply

WRONG = ("correct", "B8", "A2", "D6", "compile")
"""How a forged answer can fail: it names no kernel, or what lies in memory is not the result."""


@attack(*WRONG, wrong=True)
def claims_success_everywhere(outside):
    import contextlib

    claim = {
        "accepted": True,
        "correct": True,
        "structure": ["list", [["tensor", 0]]],
        "outputs": [],
        "log": {},
    }
    for descriptor in range(256):
        with contextlib.suppress(OSError):
            reply(claim, to=descriptor)


@attack(*WRONG, wrong=True)
def answers_before_it_computes(outside):
    """The right-looking answer at once, and then the harness's own."""
    output = {
        "dtype": "float32", "shape": [7, 33], "stride": [33, 1], "type": "Tensor",
        "layout": "torch.strided", "device": "cpu", "aliases": None,
    }  # fmt: skip
    reply(
        {
            "structure": ["list", [["tensor", 0]]],
            "outputs": [output],
            "log": {
                name: []
                for name in (
                    "sizes",
                    "inputs",
                    "state",
                    "outputs",
                    "constants",
                    "literals",
                    "foreign",
                    "steps",
                )
            },
            "kernels": {},
            "configs": 0,
        }
    )


@attack(*WRONG, wrong=True)
def answers_all_questions_at_once(outside):
    output = {
        "dtype": "float32", "shape": [7, 33], "stride": [33, 1], "type": "Tensor",
        "layout": "torch.strided", "device": "cpu", "aliases": None,
    }  # fmt: skip
    answer = {
        "structure": ["list", [["tensor", 0]]],
        "outputs": [output],
        "log": {
            name: []
            for name in ("sizes", "inputs", "state", "outputs", "constants", "literals", "foreign", "steps")
        },
        "kernels": {},
        "configs": 0,
    }
    reply(*[answer] * 100)


@attack("D6")
def announces_four_gigabytes(outside):
    import os

    os.write(3, b"\xff\xff\xff\xff" + b"{}")


@attack("D6")
def writes_garbage(outside):
    import os

    os.write(3, b"\x00\x00\x00\x10" + bytes(range(200, 216)))


@attack("D6")
def writes_a_list(outside):
    reply([1, 2, 3])


@attack("D6")
def nests_a_hundred_thousand_lists(outside):
    import os
    import struct

    text = b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    os.write(3, struct.pack("!I", len(text)) + text)


@attack("D6")
def writes_a_number_of_a_million_digits(outside):
    import os
    import struct

    text = b'{"a":' + b"9" * 1_000_000 + b"}"
    os.write(3, struct.pack("!I", len(text)) + text)


@attack("timeout", hangs=True)
def writes_half_an_answer(outside):
    import os
    import time

    os.write(3, b"\x00\x00\x10\x00{")
    time.sleep(1000)


@attack("timeout", hangs=True)
def drips_an_answer(outside):
    import os
    import time

    os.write(3, b"\x00\x00\x10\x00")
    while True:
        os.write(3, b" ")
        time.sleep(0.01)


@attack("timeout", "D6", "D7", "A2", "crash", hangs=True)
def floods_the_channel(outside):
    import os

    while True:
        os.write(3, b"\x00\x00\x00\x02{}" * 1000)


@attack("D6", hangs=True)
def closes_its_channel_and_stays(outside):
    import os
    import time

    os.close(3)
    time.sleep(1000)


@attack("D6", "D7")
def closes_everything(outside):
    import os

    os.closerange(0, 256)


@attack("D6", hangs=True)
def hangs_up_and_stays(outside):
    import socket
    import time

    socket.socket(fileno=3).shutdown(socket.SHUT_RDWR)
    time.sleep(1000)


@attack(*WRONG, "D6")
def sends_its_descriptors_back(outside):
    import array
    import os
    import socket
    import struct

    end = socket.socket(fileno=os.dup(3))
    many = array.array("i", [os.open("/dev/null", os.O_RDONLY) for _ in range(200)])
    end.sendmsg([struct.pack("!I", 2) + b"{}"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, many)])


@attack(ACCEPTED, at="import")
def shrinks_the_shared_memory(outside):
    """Cuts off what the judge reads, while the harness still holds the descriptors."""
    import contextlib
    import os
    import sys

    memory = sys.modules["tritonrl.verify.inside.serving"].Memory
    accept = memory.accept

    def shrunk(self, message):
        for each in self.channel._received:
            with contextlib.suppress(PermissionError):
                os.ftruncate(each, 0)
                raise Escaped("shrunk")
        accept(self, message)

    memory.accept = shrunk


@attack(ACCEPTED, at="import")
def seals_the_shared_memory(outside):
    """Forbids the judge to write its next questions."""
    import contextlib
    import fcntl
    import sys

    memory = sys.modules["tritonrl.verify.inside.serving"].Memory
    accept = memory.accept

    def sealed(self, message):
        for each in self.channel._received:
            with contextlib.suppress(PermissionError):
                fcntl.fcntl(each, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)
                raise Escaped("sealed")
        accept(self, message)

    memory.accept = sealed


@attack("D7", at="import")
def leaves_when_it_is_given_memory(outside):
    import os
    import sys

    sys.modules["tritonrl.verify.inside.serving"].Memory.accept = lambda *_: os._exit(0)


@attack(*WRONG, "crash", "B4")
def punches_holes_into_the_shared_memory(outside):
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    with open("/proc/self/maps") as file:
        mine = [line.split()[0].split("-") for line in file if "memfd:tensors" in line]
    for start, end in mine:
        library.madvise(ctypes.c_void_p(int(start, 16)), ctypes.c_size_t(int(end, 16) - int(start, 16)), 9)


@attack(*WRONG, "crash")
def unmaps_the_shared_memory(outside):
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    with open("/proc/self/maps") as file:
        mine = [line.split()[0].split("-") for line in file if "memfd:tensors" in line]
    for start, end in mine:
        library.munmap(ctypes.c_void_p(int(start, 16)), ctypes.c_size_t(int(end, 16) - int(start, 16)))


@attack(ACCEPTED)
def makes_itself_invisible(outside):
    # Not dumpable: its files in /proc are then root's, and the warden must still see its memory.
    import ctypes

    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)


@attack("memory", memory_bytes=2**29)
def makes_itself_invisible_and_takes_memory(outside):
    import ctypes

    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
    held = [bytearray(b"x") * 2**24 for _ in range(128)]
    raise RuntimeError(f"has {len(held)} pieces")
