"""What tests of the verifier share."""

import sys
from pathlib import Path

import pytest

sys.path.insert(
    0, str(Path(__file__).parent)
)  # `hostile` is imported by tests, and by the driver that is no test


@pytest.fixture(scope="session")
def trial(zygotes):
    from hostile.trial import Trial

    made = Trial(zygotes)
    yield made
    made.close()
