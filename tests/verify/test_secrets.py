"""A candidate's process holds nothing secret: no expected value and no seed, in its memory or around it.

Its memory is read from outside, while it lives, after it has answered every question of an exam.
"""

import contextlib
import itertools
import os
import secrets
import sys

import pytest
from hostile.searching import forms_found, num_found, read_memory, telling_windows

from tritonrl.redteam.corpus import FOLDER
from tritonrl.tasks import load_task
from tritonrl.verify import Settings
from tritonrl.verify.oracle.oracle import Oracle
from tritonrl.verify.oracle.worker import Worker
from tritonrl.verify.sandbox.confine import SYSTEM_READABLE
from tritonrl.verify.session import Raised, Session
from tritonrl.verify.zygote import ENVIRONMENT
from tritonrl.verify.zygotes import Zygotes

TASKS = FOLDER / "tasks"
SETTINGS = Settings(require_sandbox=True)
KNOWN = 0x2EDCBA9876543217
"""A number of the size of a seed, which the candidate has in all forms: the search must find it."""

ZEROS = f'''
import torch

known = (int("{KNOWN}"), torch.tensor([{KNOWN}]))


def triton_fused_operator(*inputs):
    return [torch.zeros_like(inputs[0])]


class ModelNew(torch.nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = torch.nn.Linear(in_features, out_features)

    def forward(self, x):
        return torch.zeros(len(x), self.linear.out_features)
'''


@pytest.fixture(scope="module", params=["add_relu.py", "linear.py"])
def examined(zygotes, request):
    """An exam, the seeds behind it, and the memory of a candidate that has answered it with zeros."""
    with pytest.MonkeyPatch.context() as patch:
        seeds = recorded_seeds(patch)
        exam = Oracle(zygotes, load_task(TASKS / request.param), SETTINGS).exam()
        with contextlib.closing(Session(zygotes, exam, SETTINGS)) as session:
            session.load(ZEROS)
            for number in range(len(exam.variants)):
                session.construct(number)
            for slot, draw in itertools.product(range(2), exam.draws):
                session.call(draw, slot)
            try:
                memory = list(read_memory(session.process.pid))
            except PermissionError:
                pytest.skip("this user may not read the memory of its own processes")
    return exam, seeds, memory


def recorded_seeds(patch):
    """Every seed that the judge draws, or has something drawn from."""
    seeds = set()
    randbits, draw, expect = secrets.randbits, Worker.draw, Worker.expect

    def recorded_bits(count):
        seeds.add(made := randbits(count))
        return made

    def recorded_draw(worker, seed, sizes):
        seeds.add(seed)
        return draw(worker, seed, sizes)

    def recorded_expect(worker, variant, inputs, state, tolerance, noise, far, **how):
        seeds.update((*noise, *far))
        return expect(worker, variant, inputs, state, tolerance, noise, far, **how)

    patch.setattr(secrets, "randbits", recorded_bits)
    patch.setattr(Worker, "draw", recorded_draw)
    patch.setattr(Worker, "expect", recorded_expect)
    return seeds


def test_no_expected_value_is_in_its_memory(examined):
    exam, _, memory = examined
    states = [state for variant in exam.variants for state in variant.states]
    given = [each for one in (*(draw.inputs for draw in exam.draws), *states) for each in one.tensors]
    last_inputs = telling_windows(exam.draws[-1].inputs.tensors[0], [])
    assert num_found(memory, last_inputs) >= len(last_inputs), "the search does not find what is there"
    values = [value for draw in exam.draws for value in draw.expected.outputs]
    rounded = [value.exact.to(value.native.dtype) for value in values]
    for kind, expected in (("in the task's type", rounded), ("exact", [value.exact for value in values])):
        windows = set().union(*(telling_windows(each, given) for each in expected))
        assert len(windows) > 1000
        assert num_found(memory, windows) == 0, kind


def test_no_seed_is_in_its_memory(examined):
    _, seeds, memory = examined
    assert forms_found(memory, {KNOWN}) == {"little endian", "Python", "decimal"}, "the search misses some"
    large = {seed for seed in seeds if seed > 2**60}  # a small number may be there for another reason
    assert len(large) > 50
    assert forms_found(memory, large) == set()


def test_it_opens_no_file_outside_the_libraries(zygotes):
    paths = list(files_outside())
    assert len(paths) > 1000
    # The last is its own, and shows that the probe can tell.
    assert raised_by(OPENS.format(paths=[*paths, "/proc/self/maps"]), zygotes) == "['/proc/self/maps']"


def test_it_lists_no_folder_outside_the_libraries(zygotes):
    tops = [f"/{name}" for name in os.listdir("/")]
    allowed = [*map(os.path.realpath, (*SYSTEM_READABLE, *python_folders()))]
    assert raised_by(LISTS.format(tops=tops, allowed=allowed), zygotes) == "[]"


def test_it_holds_silence_two_pipes_and_its_socket(zygotes):
    assert raised_by(HOLDS, zygotes).split() == ["0:/dev/null", "1:pipe", "2:pipe", "3:socket"]


def test_its_environment_has_nothing_of_the_user(monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_do_not_tell")
    with Zygotes() as own:
        names, _, text = raised_by(KNOWS, own).partition("|")
    assert "hf_do_not_tell" not in text
    ours = {"HOME", "TMPDIR", "TRITON_HOME", "TRITON_CACHE_DIR", "TRITON_INTERPRET", *ENVIRONMENT}
    assert {name for name in names.split(",") if not name.startswith(("TORCH", "KINETO", "LC_"))} <= ours


OPENS = """
import os

opened = []
for path in {paths!r}:
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
        opened.append(path)
    except OSError:
        pass
raise RuntimeError(opened[:20])
"""

LISTS = """
import os

allowed = (*{allowed!r}, os.path.realpath("/proc/self"), os.getcwd())
listed, waiting, own = [], ["/", *{tops!r}], os.getcwd()
while (own := os.path.dirname(own)) != "/":
    waiting.append(own)
while waiting:
    folder = waiting.pop()
    try:
        inner = [entry.path for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        continue
    if not os.path.realpath(folder).startswith(allowed):
        listed.append(folder)
        waiting += inner
raise RuntimeError(listed[:20])
"""

HOLDS = """
import os

held = []
for name in sorted(os.listdir("/proc/self/fd"), key=int):
    try:
        held.append(name + ":" + os.readlink("/proc/self/fd/" + name).partition(":")[0])
    except FileNotFoundError:
        pass  # that of the listing itself
raise RuntimeError(" ".join(held))
"""

KNOWS = """
import os

with open("/proc/self/environ") as file:
    raise RuntimeError(",".join(os.environ) + "|" + str(os.environ) + file.read())
"""


def raised_by(code, zygotes):
    """What a candidate says when it is imported: the text of the `RuntimeError` with which it ends."""
    exam = Oracle(zygotes, load_task(TASKS / "add_relu.py"), SETTINGS).exam()
    with contextlib.closing(Session(zygotes, exam, SETTINGS)) as session, pytest.raises(Raised) as caught:
        session.load(code)
    assert caught.value.error["type"] == "RuntimeError", caught.value.error
    return caught.value.error["message"]


def python_folders():
    return [f"{prefix}/lib" for prefix in (sys.prefix, sys.base_prefix)]


def files_outside():
    """Files of this machine that are no library, some of each folder at the top; and those of processes."""
    libraries = (*map(os.path.realpath, (*SYSTEM_READABLE, *python_folders())), "/proc", "/sys")
    for top in sorted(os.listdir("/")):
        yield from itertools.islice(_files(os.path.realpath(f"/{top}"), libraries), 2000)
    for pid in filter(str.isdigit, os.listdir("/proc")):
        yield from (f"/proc/{pid}/{name}" for name in ("environ", "cmdline", "maps", "mem", "status"))
    yield from (f"/proc/{name}" for name in ("kcore", "kmsg", "modules", "stat", "uptime", "version"))


def _files(top, passed_over):
    for folder, inner, names in os.walk(top):
        inner[:] = [name for name in inner if not os.path.join(folder, name).startswith(passed_over)]
        paths = (os.path.join(folder, name) for name in names)
        outside = (path for path in paths if not path.startswith(passed_over))
        yield from (path for path in outside if os.path.isfile(path) and not os.path.islink(path))
