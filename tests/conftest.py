"""One pair of zygotes for all tests that judge: they take seconds to start, a process from them
milliseconds."""

import pytest


@pytest.fixture(scope="session")
def zygotes():
    from tritonrl.verify.roles import Zygotes

    with Zygotes() as made:
        yield made


@pytest.fixture(scope="module")
def one_thread():
    """Threads that wait for each other over so little work take minutes on a busy machine."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
