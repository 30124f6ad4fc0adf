"""No candidate gets out, ends the judge, or talks its way to a verdict.

Every attack of `hostile/` is a candidate that is verified. Each time: there is a verdict, with the right
finding; nothing outside has changed; no process, file or descriptor is left; an honest candidate is right
afterwards. The same as an ordinary user.
"""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import as_user
import pytest
from hostile import (
    broken,
    compiling,
    endings,
    forgeries,
    network,
    patches,
    processes,
    reaching,
    reading,
    writing,
)
from hostile.attack import attacks_of, fits_this_machine
from hostile.trial import honest_code

from tritonrl.tasks import TaskError
from tritonrl.verify.oracle.worker import Worker
from tritonrl.verify.roles import COMPILER

HERE = Path(__file__).parent


def every(attacks):
    return pytest.mark.parametrize("attack", [pytest.param(each, id=each.name) for each in attacks])


def held(trial, attack, then=lambda: True):
    """The attack has its verdict, nothing else happened, and `then` holds."""
    if not fits_this_machine(attack):
        pytest.skip(f"can only be tried on {attack.machine}")
    faults = trial.faults(attack, then)
    assert not faults, "\n".join(faults)


def held_in_its_process(trial, attack):
    """For what comes to nothing but an error there: an honest candidate is asked one question afterwards."""
    held(trial, attack, trial.answers_right)


def held_altogether(trial, attack):
    """For what the judge itself has to bear: an honest candidate is verified afterwards."""
    held(trial, attack, trial.accepts_honest)


def test_the_whole_sandbox_holds_here(trial):
    verdict = trial.verify(honest_code())
    assert verdict.accepted
    assert verdict.sandbox.missing == {}


@every(attacks_of(network))
def test_nobody_is_reached_by_network_or_socket(trial, attack):
    held_in_its_process(trial, attack)


@every(attacks_of(reading))
def test_nothing_outside_is_read(trial, attack):
    held_in_its_process(trial, attack)


@every(attacks_of(writing))
def test_nothing_outside_is_changed_and_little_inside(trial, attack):
    held_in_its_process(trial, attack)


@every(attacks_of(processes))
def test_no_process_is_made_and_none_is_left(trial, attack):
    held_in_its_process(trial, attack)


@every(attacks_of(reaching))
def test_no_other_process_is_reached(trial, attack):
    held_in_its_process(trial, attack)


@every(attacks_of(endings))
def test_every_ending_is_a_verdict(trial, attack):
    held_altogether(trial, attack)


@pytest.mark.slow
def test_the_usual_memory_limit_holds(trial):
    held_altogether(trial, dataclasses.replace(endings.takes_all_memory, memory_bytes=None))


@every(attacks_of(forgeries))
def test_no_message_makes_a_verdict(trial, attack):
    held_altogether(trial, attack)


@every(broken.attacks())
def test_an_answer_that_makes_no_sense_is_a_verdict(trial, attack):
    held(trial, attack)  # the next one shows that the judge is well


@every(attacks_of(patches))
def test_a_wrong_result_stays_wrong_whatever_is_patched(trial, attack):
    held_in_its_process(trial, attack)


@every(compiling.ATTACKS)
def test_a_kernel_runs_no_python_where_it_is_compiled(trial, attack):
    held_altogether(trial, attack)


@every([reading.reads_the_secret, writing.writes_a_new_file, processes.forks, processes.runs_a_shell,
        network.connects_by_tcp, reaching.kills_a_bystander])  # fmt: skip
def test_the_other_roles_are_confined_as_well(trial, attack):
    """Should a task be hostile, or a kernel find a way to Python."""
    text = dataclasses.replace(attack, at="import").candidate(trial.world.facts())
    before = trial.world.state()
    with trial.zygotes.start(COMPILER) as process:
        answer = process.ask({"do": "load", "text": text, "name": "kernels", "arch": 90}, seconds=30)
    assert answer["error"]["denied"]
    task = trial.task.model_copy(update={"source": text})
    with pytest.raises(TaskError, match="PermissionError"):
        Worker(trial.zygotes, task, 30)
    assert trial.world.state() == before


def test_an_honest_candidate_is_accepted_after_all_of_them(trial):
    assert trial.verify(honest_code()).accepted


def test_all_of_it_holds_for_an_ordinary_user():
    if os.geteuid() != 0:
        pytest.skip("these tests already run as an ordinary user")
    command = [sys.executable, HERE / "as_user.py", sys.executable, "-m", "hostile.drive"]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode == as_user.UNAVAILABLE:
        pytest.skip(f"cannot become an ordinary user here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["user"] == as_user.USER
    assert int(report["capabilities"].split()[-1], 16) == 0
    assert report["missing"] == {}
    assert {name: faults for name, faults in report["faults"].items() if faults} == {}
    assert report["accepted"]
