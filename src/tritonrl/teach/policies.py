"""The policies that a user can name."""

from collections.abc import Callable

from tritonrl.errors import UnknownNameError
from tritonrl.policy import Policy
from tritonrl.teach.composer.policy import ComposerPolicy
from tritonrl.verify import Zygotes

Make = Callable[[int, Zygotes], Policy]
"""A policy from the seed of its draws, and the processes that it may capture with."""

POLICIES: dict[str, Make] = {"composer": ComposerPolicy}


def policy(name: str) -> Make:
    """What makes the policy of this name; a `UserError` lists those there are."""
    if name not in POLICIES:
        raise UnknownNameError("model", name, list(POLICIES))
    return POLICIES[name]
