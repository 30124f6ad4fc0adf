"""The policies that a user can name."""

import os
from collections.abc import Callable
from pathlib import Path

from tritonrl.errors import UnknownNameError
from tritonrl.llm import Endpoint
from tritonrl.policy import Policy
from tritonrl.policy.endpoint import EndpointPolicy
from tritonrl.policy.local import Folder, LocalPolicy
from tritonrl.teach.composer.policy import ComposerPolicy
from tritonrl.verify import Zygotes

Make = Callable[[int, Zygotes], Policy]
"""A policy from the seed of its draws, and the processes that it may capture with."""

POLICIES: dict[str, Make] = {"composer": ComposerPolicy}
ENDPOINT = "openai:"


def policy(name: str) -> Make:
    """What makes the policy of this name; a `UserError` lists those there are."""
    if name.startswith(ENDPOINT):
        endpoint = Endpoint.named(name)
        return lambda seed, zygotes: EndpointPolicy(endpoint)
    if name in POLICIES:
        return POLICIES[name]
    if os.sep in name or Path(name).is_dir():
        folder = Folder.at(name)
        return lambda seed, zygotes: LocalPolicy(folder, seed)
    raise UnknownNameError("model", name, [*POLICIES, f"{ENDPOINT}NAME", "PATH of a folder"])
