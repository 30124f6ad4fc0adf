"""The policies that a user can name."""

import os
from collections.abc import Callable
from pathlib import Path

from tritonrl.errors import UnknownNameError
from tritonrl.llm import Endpoint
from tritonrl.policy import Policy
from tritonrl.policy.endpoint import EndpointPolicy
from tritonrl.policy.local import Folder, LocalPolicy
from tritonrl.policy.nano import NanoPolicy, is_shipped, shipped_weights
from tritonrl.policy.nano.shipped import NAME as NANO
from tritonrl.policy.nano.shipped import is_packed
from tritonrl.verify import Zygotes

Make = Callable[[int, Zygotes], Policy]
"""A policy from the seed of its draws, and the processes that it may capture with."""

ENDPOINT = "openai:"


def _composer(seed: int, zygotes: Zygotes) -> Policy:
    # Imported here: other policies have nothing of it.
    from tritonrl.teach.composer.policy import ComposerPolicy

    return ComposerPolicy(seed, zygotes)


POLICIES: dict[str, Make] = {"composer": _composer}


def default() -> str:
    """Who writes where nobody is named: nano, where its weights are."""
    return NANO if is_shipped() else "composer"


def policy(name: str) -> Make:
    """What makes the policy of this name; a `UserError` lists those there are."""
    if name.startswith(ENDPOINT):
        endpoint = Endpoint.named(name)
        return lambda seed, zygotes: EndpointPolicy(endpoint)
    if name in POLICIES:
        return POLICIES[name]
    if name == NANO:
        return _nano(shipped_weights())
    if os.sep in name or Path(name).is_dir():
        if is_packed(Path(name)):
            return _nano(Path(name))
        folder = Folder.at(name)
        return lambda seed, zygotes: LocalPolicy(folder, seed, zygotes=zygotes)
    raise UnknownNameError("model", name, [*POLICIES, NANO, f"{ENDPOINT}NAME", "PATH of a folder"])


def _nano(path: Path) -> Make:
    NanoPolicy(path)  # whether it is one is said at once
    return lambda seed, zygotes: NanoPolicy(path, seed, zygotes)
