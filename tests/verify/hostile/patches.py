"""Attacks on the process that serves the judge: whatever is patched there, a wrong result stays wrong.

Each of these returns a wrong result and changes what the harness in its own process calls.
"""

from .attack import ACCEPTED, ANY_RULE, attack, change_answers, change_lists, handlers_of_the_harness


@attack(*ANY_RULE, wrong=True, at="import")
def patches_comparisons(outside):
    import builtins

    import torch

    torch.equal = torch.allclose = torch.isclose = torch.testing.assert_close = lambda *_, **__: True
    torch.Tensor.__eq__ = lambda *_: True
    builtins.all = lambda *_: True


@attack(*ANY_RULE, wrong=True, at="import")
def patches_json(outside):
    import json

    dumps = json.dumps

    def forged(value, *args, **kwargs):
        value.pop("error", None)
        return dumps({**value, "accepted": True, "correct": True}, *args, **kwargs)

    json.dumps = forged


@attack(*ANY_RULE, wrong=True, at="import")
def patches_the_copy_out(outside):
    import torch

    torch.Tensor.copy_ = lambda self, *_, **__: self


@attack(*ANY_RULE, wrong=True, at="import")
def patches_the_socket(outside):
    import socket

    socket.socket.sendall = lambda self, data: self.send(data)
    socket.socket.sendmsg = lambda self, buffers, *_: self.send(b"".join(buffers))


@attack(*ANY_RULE, wrong=True, at="import")
def patches_the_channel(outside):
    from tritonrl.verify.channel import Channel

    send = Channel.send

    def forged(self, message, *args, **kwargs):
        message.pop("error", None)
        return send(self, message, *args, **kwargs)

    Channel.send = forged


@attack(*ANY_RULE, wrong=True, at="import")
def patches_the_harness(outside):
    """Finds the session of the harness, and has it forget, keep nothing and copy nothing."""
    import gc
    import sys

    harness = sys.modules["tritonrl.verify.inside.candidate"]
    session = next(each for each in gc.get_objects() if type(each) is harness._Session)
    session.held = {}
    harness._Session._copy = staticmethod(lambda values, places: None)
    sys.modules["tritonrl.verify.inside.serving"].describe = lambda *_: None


@attack(*ANY_RULE, wrong=True, at="import")
def hands_out_a_result_of_an_earlier_call(outside):
    kept = []
    change_answers(lambda answer: kept.append(answer) or kept[0])


@attack("B6", at="import")
def hides_that_all_results_lie_in_one_buffer(outside):
    import torch

    make, kept = torch.empty_like, []
    handlers_of_the_harness()["look"] = lambda message: {}

    def empty_like(tensor):
        kept.append(kept[-1] if kept and kept[-1].shape == tensor.shape else make(tensor))
        return kept[-1]

    torch.empty_like = empty_like


@attack("D6", at="import")
def gives_no_answers(outside):
    change_lists(lambda answers: [])


@attack("D6", at="import")
def gives_answers_that_are_none(outside):
    change_lists(lambda answers: [None, *answers])


@attack(ACCEPTED, at="import")
def gives_more_answers_than_it_was_asked_for(outside):
    change_lists(lambda answers: [*answers, answers[0], {"error": {"type": "Nothing"}}])


@attack(*ANY_RULE, wrong=True, at="import")
def gives_fewer_answers_than_it_was_asked_for(outside):
    change_lists(lambda answers: answers[:1])


@attack(*ANY_RULE, wrong=True, at="import")
def patches_the_harness_through_its_frames(outside):
    import sys

    frame = sys._getframe()
    while frame is not None:
        for name in ("expected", "seed", "exam", "oracle", "draw"):
            if name in frame.f_locals or name in frame.f_globals:
                raise RuntimeError(f"found {name}: {frame.f_locals.get(name)}")
        if "handlers" in frame.f_locals:
            frame.f_locals["handlers"]["look"] = lambda message: {}
        frame = frame.f_back


@attack(*ANY_RULE, wrong=True, at="import")
def patches_zip(outside):
    import builtins

    zipped = builtins.zip
    builtins.zip = lambda *args, strict=False: zipped(*args)


@attack(*ANY_RULE, wrong=True, at="import")
def patches_the_record_of_launches(outside):
    from tritonrl.verify.inside.recorder import Recorder

    report = Recorder.report

    def without_steps(self):
        made = report(self)
        made["log"]["steps"] = []
        return made

    Recorder.report = without_steps


@attack(*ANY_RULE, wrong=True, at="import")
def patches_the_kernel_that_is_interpreted(outside):
    from triton.runtime.interpreter import InterpretedFunction

    InterpretedFunction.run = lambda self, *args, **kwargs: None


@attack(*ANY_RULE, wrong=True, at="import")
def patches_what_a_tensor_says_of_itself(outside):
    import torch

    torch.Tensor.shape = property(lambda self: torch.Size([7, 33]))
    torch.Tensor.detach = lambda self: self


@attack(*ANY_RULE, wrong=True, at="import")
def patches_time(outside):
    import time

    time.monotonic = time.perf_counter = time.time = lambda: 0.0


@attack(*ANY_RULE, wrong=True, at="import")
def replaces_the_judge_in_its_own_process(outside):
    import sys
    import types

    for name in ("judge", "checking", "session", "oracle.compare"):
        sys.modules[f"tritonrl.verify.{name}"] = types.ModuleType(name)


@attack(*ANY_RULE, wrong=True)
def spoils_the_guards(outside):
    """Writes over the whole of the shared memory, inputs and guards included."""
    import ctypes

    with open("/proc/self/maps") as file:
        mine = [line.split()[0].split("-") for line in file if "memfd:tensors" in line]
    for start, end in mine:
        ctypes.memset(int(start, 16), 0, int(end, 16) - int(start, 16))


@attack("B4")
def writes_beside_its_inputs(outside):
    """The right result, and one byte changed between the tensors."""
    import ctypes

    with open("/proc/self/maps") as file:
        mine = [line.split()[0].split("-") for line in file if "memfd:tensors" in line]
    for start, _ in mine:
        address = int(start, 16)
        ctypes.memset(address + 3, ctypes.string_at(address + 3, 1)[0] ^ 0xFF, 1)
