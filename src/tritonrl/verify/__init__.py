"""Verify: whether a candidate computes its task's function, decided in processes that it cannot leave.

Names are looked up when they are first used: a sandboxed process imports modules of this room, and must not
load the judge's.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tritonrl.verify.completion import Completion
    from tritonrl.verify.judge import verify
    from tritonrl.verify.pool import verify_many
    from tritonrl.verify.roles import VerifierError
    from tritonrl.verify.settings import Settings
    from tritonrl.verify.verdict import Finding, Judged, Layer, Sandbox, Verdict
    from tritonrl.verify.zygotes import Zygotes

_HOMES = {
    "Completion": "completion", "Finding": "verdict", "Judged": "verdict", "Layer": "verdict",
    "Sandbox": "verdict",
    "Settings": "settings", "Verdict": "verdict", "VerifierError": "roles", "Zygotes": "zygotes",
    "verify": "judge", "verify_many": "pool",
}  # fmt: skip

__all__ = [
    "Completion", "Finding", "Judged", "Layer", "Sandbox", "Settings", "Verdict", "VerifierError", "Zygotes",
    "verify", "verify_many",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
