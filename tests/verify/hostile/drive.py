"""Attacks without pytest: what `test_escape.py` runs as another user.

    python -m hostile.drive          (in tests/verify)

Prints one JSON document: who it was, and the faults of each attack.
"""

import json
import os
import sys
from pathlib import Path

from tritonrl.verify.zygotes import Zygotes

from . import endings, forgeries, network, processes, reaching, reading, writing
from .attack import Attack, attacks_of, fits_this_machine
from .trial import Trial, honest_code


def representative() -> list[Attack]:
    """Everything that meets the sandbox, and one of each way to end."""
    sandbox = [
        attack for module in (network, reading, writing, processes, reaching) for attack in attacks_of(module)
    ]
    endings_of_each_kind = [
        endings.leaves_in_a_call, endings.reads_address_zero, endings.ignores_all_signals_and_loops,
        endings.takes_all_memory, endings.hides_memory_from_the_count, endings.starts_threads_without_end,
        forgeries.writes_garbage, forgeries.closes_its_channel_and_stays, forgeries.shrinks_the_shared_memory,
        forgeries.makes_itself_invisible_and_takes_memory,
    ]  # fmt: skip
    return [attack for attack in (*sandbox, *endings_of_each_kind) if fits_this_machine(attack)]


def main() -> None:
    with Zygotes() as zygotes:
        trial = Trial(zygotes)
        faults = {attack.name: trial.faults(attack) for attack in representative()}
        verdict = trial.verify(honest_code())
        trial.close()
    document = {
        "user": os.getuid(),
        "capabilities": next(
            line for line in Path("/proc/self/status").read_text().splitlines() if "CapEff" in line
        ),
        "faults": faults,
        "accepted": verdict.accepted,
        "missing": verdict.sandbox.missing if verdict.sandbox else None,
    }
    sys.stdout.write(json.dumps(document))


if __name__ == "__main__":
    main()
