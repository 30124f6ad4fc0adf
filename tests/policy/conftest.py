import pytest


@pytest.fixture(scope="module", autouse=True)
def _calmly(one_thread: None) -> None:
    """Small models, by one thread."""
