"""`Trial`: attacks run through the verifier one after the other, and everything that must hold after each."""

import contextlib
import dataclasses
import gc
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tritonrl.redteam.corpus import FOLDER
from tritonrl.tasks import load_task
from tritonrl.verify import Settings, Verdict, session, verify
from tritonrl.verify.oracle.compare import compare
from tritonrl.verify.oracle.oracle import Oracle
from tritonrl.verify.zygotes import Zygotes

from .attack import ACCEPTED, Attack
from .world import SECRET, World

HERE = Path(__file__).parent
SETTINGS = Settings(
    skip_layers=("lint",), require_sandbox=True, num_calls=1, call_seconds=30.0, compile_seconds=30.0
)
"""Nothing here is run without the sandbox: some of it would hurt."""
SHORT = SETTINGS.model_copy(update={"call_seconds": 0.5, "compile_seconds": 0.5})
GONE_SECONDS = 2.0


def honest_code() -> str:
    return (FOLDER / "cases" / "honest" / "add_relu_flat.py").read_text()


class Trial:
    """A judge with its zygotes, a task, and a world outside."""

    def __init__(self, zygotes: Zygotes) -> None:
        self.zygotes = zygotes
        self.task = load_task(HERE / "task.py")
        self.oracle = Oracle(self.zygotes, self.task, SETTINGS)
        zygotes.expect("cpu")
        self.pids = [each.process.pid for each in self.zygotes._zygotes.values()]
        self.oracle.exam()
        self.world = World(self.pids)
        gc.freeze()  # what is there is not looked at again: collecting takes a millisecond, not 160

    def faults(self, attack: Attack, then: Callable[[], bool] = lambda: True) -> list[str]:
        """What went wrong with the verdict, the judge or the world; nothing if the attack was held and `then`
        holds."""
        # A judge that another test kills meanwhile leaves zygotes, too, but those were there before.
        before, processes, descriptors = self.world.state(), _running(), _descriptors()
        verdict = self.verify(attack.candidate(self.world.facts()), attack)
        faults = list(_verdict_faults(attack, verdict))
        if not then():
            faults.append("an honest candidate is not right afterwards")
        after = self.world.state()
        faults += [
            f"{key} outside: {before[key]} became {after[key]}" for key in before if before[key] != after[key]
        ]
        if not _soon(lambda: _processes(self.pids) <= processes):
            faults.append(f"processes are left: {_processes(self.pids) - processes}")
        if not _soon(lambda: not self.scratch()):
            faults.append(f"scratch is left: {self.scratch()}")
        if not _soon(lambda: _descriptors() <= descriptors):
            faults.append(f"the judge has {_descriptors() - descriptors} more open descriptors than before")
        if [each.process.pid for each in self.zygotes._zygotes.values()] != self.pids:
            faults.append("a zygote had to be replaced")
        return faults

    def verify(self, code: str, attack: Attack | None = None) -> Verdict:
        settings = SHORT if attack and attack.hangs else SETTINGS
        with _memory_limit(attack.memory_bytes if attack else None):
            return verify(self.task, code, settings, zygotes=self.zygotes, oracle=self.oracle)

    def accepts_honest(self) -> bool:
        return self.verify(honest_code()).accepted

    def answers_right(self) -> bool:
        """Whether an honest candidate, in a new process, answers one question right."""
        exam = self.oracle.exam()
        draw = exam.draws[0]
        with contextlib.closing(session.Session(self.zygotes, exam, SETTINGS)) as opened:
            opened.load(honest_code())
            opened.construct(draw.variant)
            (output,) = opened.call(draw, 0).outputs
        return compare(draw.expected.outputs[0], output, exam.tolerance, draw.expected.num_terms) is None

    def scratch(self) -> list[str]:
        """What lies in the scratch root beside the logs of the zygotes."""
        return [name for name in os.listdir(self.zygotes.scratch) if not name.endswith(".log")]

    def close(self) -> None:
        gc.unfreeze()
        self.world.close()


def _verdict_faults(attack: Attack, verdict: Verdict) -> Iterator[str]:
    found = verdict.rejection
    outcome = ACCEPTED if verdict.accepted else found.rule if found else "rejected without a finding"
    if outcome not in attack.rules:
        yield f"{outcome} instead of {' or '.join(attack.rules)}: {found.message if found else ''}"
    if found and "Escaped" in found.message:
        yield f"it escaped: {found.message}"
    text = verdict.model_dump_json()
    if SECRET in text:
        yield "the secret is in the verdict"
    if len(text) > 20_000:
        yield f"the verdict has {len(text):,} characters"


@contextlib.contextmanager
def _memory_limit(memory_bytes: int | None) -> Iterator[None]:
    usual = session.CANDIDATE
    if memory_bytes is not None:
        session.CANDIDATE = dataclasses.replace(usual, memory_bytes=memory_bytes)
    try:
        yield
    finally:
        session.CANDIDATE = usual


def _running() -> set[int]:
    """Every process of the machine."""
    return {int(name) for name in os.listdir("/proc") if name.isdigit()}


def _processes(zygotes: list[int]) -> set[int]:
    """The zygotes, what descends from them, and what looks like them and has lost its parent."""
    parents: dict[int, int] = {}
    orphans: set[int] = set()
    for pid in _running():
        with contextlib.suppress(OSError):
            parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
            parents[pid] = parent
            if parent == 1 and b"tritonrl.verify.zygote" in Path(f"/proc/{pid}/cmdline").read_bytes():
                orphans.add(pid)
    family = set(zygotes) | orphans
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return family


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def _soon(holds: Callable[[], Any]) -> bool:
    deadline = time.monotonic() + GONE_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            return False
        gc.collect()  # what a raised exception holds on to goes with it
        time.sleep(0.005)
    return True
