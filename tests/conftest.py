"""One pair of zygotes for all tests that judge: they take seconds to start, a process from them
milliseconds."""

import pytest


@pytest.fixture(scope="session")
def zygotes():
    from tritonrl.verify.roles import Zygotes

    with Zygotes() as made:
        yield made
