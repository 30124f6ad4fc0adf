"""One pair of zygotes for all tests of the verifier: they take seconds to start, a process from them
milliseconds."""

import sys
from pathlib import Path

import pytest

from tritonrl.verify.roles import Zygotes

sys.path.insert(
    0, str(Path(__file__).parent)
)  # `hostile` is imported by tests, and by the driver that is no test


@pytest.fixture(scope="session")
def zygotes():
    with Zygotes() as made:
        yield made


@pytest.fixture(scope="session")
def trial(zygotes):
    from hostile.trial import Trial

    made = Trial(zygotes)
    yield made
    made.close()
