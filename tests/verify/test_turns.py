"""Turns at a GPU: who measures is alone, among the threads of a process and among processes."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tritonrl.verify.turns import Turns

QUICK = 5.0


@pytest.fixture
def turns(tmp_path: Path) -> Turns:
    return Turns(str(tmp_path / "gpu"))


def in_thread(job) -> threading.Thread:
    thread = threading.Thread(target=job, daemon=True)
    thread.start()
    return thread


def test_many_share(turns: Turns):
    together = threading.Barrier(3, timeout=QUICK)

    def share() -> None:
        with turns.sharing():
            together.wait()

    threads = [in_thread(share) for _ in range(3)]
    for thread in threads:
        thread.join(QUICK)
    assert not together.broken


def test_nobody_shares_while_one_is_alone(turns: Turns):
    inside, most, stop = [0], [0], threading.Event()

    def share() -> None:
        with turns.sharing():
            while not stop.is_set():
                inside[0] += 1
                time.sleep(0.001)
                inside[0] -= 1
                turns.give_way()

    threads = [in_thread(share) for _ in range(4)]
    for _ in range(5):
        with turns.alone():
            most[0] = max(most[0], inside[0])
            time.sleep(0.01)
            most[0] = max(most[0], inside[0])
    stop.set()
    for thread in threads:
        thread.join(QUICK)
    assert most[0] == 0
    assert not any(thread.is_alive() for thread in threads)


def test_who_shares_and_then_measures_does_not_wait_for_itself(turns: Turns):
    with turns.sharing():
        with turns.alone():
            pass
        turns.give_way()


def test_who_stands_apart_keeps_nobody_waiting(turns: Turns):
    apart, done = threading.Event(), threading.Event()

    def compile_for_long() -> None:
        with turns.sharing(), turns.apart():
            apart.set()
            done.wait(QUICK)

    thread = in_thread(compile_for_long)
    apart.wait(QUICK)
    with turns.alone():
        done.set()
    thread.join(QUICK)
    assert not thread.is_alive()


def test_all_who_wish_to_be_alone_are_before_anybody_shares_again(tmp_path: Path):
    one, two, three = (Turns(str(tmp_path / "gpu")) for _ in range(3))
    order: list[str] = []

    def measure() -> None:
        with two.alone():
            order.append("alone")

    def share() -> None:
        with three.sharing():
            order.append("shares")

    with one.alone():
        sharing = in_thread(share)
        time.sleep(0.05)  # it is first in line
        measuring = in_thread(measure)
        time.sleep(0.05)
    for thread in (sharing, measuring):
        thread.join(QUICK)
    assert order == ["alone", "shares"]


NEIGHBOUR = """
import sys, time
from tritonrl.verify.turns import Turns
turns = Turns(sys.argv[1])
with turns.sharing():
    print("shares", flush=True)
    while True:
        turns.give_way()
        print(time.monotonic(), flush=True)
        time.sleep(0.001)
"""


def test_another_process_gives_way_too(tmp_path: Path, turns: Turns):
    command = [sys.executable, "-c", NEIGHBOUR, str(tmp_path / "gpu")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as neighbour:
        assert neighbour.stdout is not None
        assert neighbour.stdout.readline() == "shares\n"
        with turns.sharing(), turns.alone():
            began = time.monotonic()
            time.sleep(0.1)
            ended = time.monotonic()
        time.sleep(0.05)
        neighbour.kill()
        steps = [float(line) for line in neighbour.stdout.read().splitlines() if line]
    assert [step for step in steps if began < step < ended] == []
    assert any(step > ended for step in steps), "it goes on afterwards"


def start_as_many_as_may(
    turns: Turns, wanted: int
) -> tuple[list[int], threading.Event, list[threading.Thread]]:
    begun, stop = [], threading.Event()

    def start(number: int) -> None:
        with turns.starting():
            begun.append(number)
            stop.wait(QUICK)

    return begun, stop, [in_thread(lambda n=n: start(n)) for n in range(wanted)]


@pytest.mark.parametrize(("num_judges", "some_wait", "most"), [(1, False, 4), (2, False, 2), (2, True, 1)])
def test_few_start_at_a_time_and_fewer_while_somebody_waits_to_be_alone(
    num_judges: int, some_wait: bool, most: int
):
    turns, shared, done = Turns(None, num_judges), threading.Event(), threading.Event()

    def share() -> None:
        with turns.sharing():
            shared.set()
            done.wait(QUICK)

    threads = [in_thread(share)]
    shared.wait(QUICK)
    if some_wait:  # it stays patient for as long as this takes: somebody shares, and nobody else wants it
        threads.append(in_thread(lambda: turns.alone().__enter__()))
        while not turns._num_patient:
            time.sleep(0.001)
    begun, stop, starting = start_as_many_as_may(turns, 10)
    time.sleep(0.2)
    assert len(begun) == most
    stop.set()
    for thread in starting:
        thread.join(QUICK)
    assert sorted(begun) == list(range(10))
    done.set()
