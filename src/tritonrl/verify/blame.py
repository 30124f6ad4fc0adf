"""What a candidate's process raised, or how it ended, as a finding."""

from typing import Any

from tritonrl.verify.case import Case, is_full
from tritonrl.verify.process import Death
from tritonrl.verify.session import Raised
from tritonrl.verify.verdict import Finding

DEATHS = {
    "timeout": ("timeout", "a candidate must answer in time"),
    "memory": ("memory", "a candidate must fit into the memory it is given"),
    "threads": ("threads", "a candidate needs no crowd of threads"),
    "crashed": ("crash", "a candidate must not take its process down"),
    "exited": ("D7", "leaving early is no answer: every question must be answered"),
    "protocol": ("D6", "only the judge decides, and it listens to nothing but the answers it asked for"),
}
"""How a candidate's process can end → the rule, and the rule in words."""


def blame(case: Case, failure: Exception, layer: str, when: str, rule: str) -> Finding:
    """A finding for what the candidate's process raised, or for how it ended."""
    error = failure.error if isinstance(failure, Raised) else {}
    case.has_failed = True
    case.found_full |= is_full(case.settings.device, error=error)
    if isinstance(failure, Death):
        name, reason = DEATHS[failure.reason]
        printed = f"; it last printed: {failure.output.strip()[-300:]!r}" if failure.output.strip() else ""
        return Finding(
            layer=layer, rule=name, message=f"its process {failure.detail} {when}: {reason}{printed}"
        )
    if error.get("gpu_only") is True:
        case.gpu_only = True
        return _not_decided(error, layer, when)
    denied = error.get("denied") is True
    message = f"raised {error.get('type')} {when}: {str(error.get('message'))[:500]}"
    if denied:
        message += "; the sandbox refuses files, programs, processes and network that a kernel has no use for"
    return Finding(layer=layer, rule="sandbox" if denied else rule, message=message, line=_line(error))


def _not_decided(error: dict[str, Any], layer: str, when: str) -> Finding:
    """Neither for nor against the candidate: it is not accepted, and not wrong."""
    message = (
        f"{str(error.get('message'))[:500]} ({when}), and kernels are interpreted here: whether it is right "
        "is not decided; verify with --device cuda where there is one"
    )
    return Finding(layer=layer, rule="gpu-only", message=message, line=_line(error), severity="note")


def _line(error: dict[str, Any]) -> int | None:
    line = error.get("line")
    return line if type(line) is int else None
