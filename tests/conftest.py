"""One pair of zygotes for all tests that judge: they take seconds to start, a process from them
milliseconds."""

import signal

import pytest

from tests import command
from tritonrl.verify.zygotes import Zygotes

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # As in a shell's background: commands that tests start and interrupt would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def zygotes():
    with Zygotes() as made:
        yield made


@pytest.fixture(scope="session", autouse=True)
def _share_zygotes(request: pytest.FixtureRequest) -> None:
    """With commands that run in this process."""
    command.shared["zygotes"] = lambda: request.getfixturevalue("zygotes")


@pytest.fixture(scope="module")
def one_thread():
    """Threads that wait for each other over so little work take minutes on a busy machine."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
