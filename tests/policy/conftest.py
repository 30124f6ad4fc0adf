import pytest


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    """Threads that wait for each other over so little work take minutes on a busy machine."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
