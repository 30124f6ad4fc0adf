"""Protocols: what counts as right, and what a failure's speed is, as each paper has it; see docs/evaluate.md.

The same verdicts can be read by any of them. Only `strict` asks everything that the verifier knows.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tritonrl.errors import UnknownNameError
from tritonrl.verify.verdict import Verdict


@dataclass(frozen=True)
class Protocol:
    name: str
    counts: Callable[[Verdict], bool]
    """Whether a candidate is right."""
    failed_speedup: float | None
    """What a failure counts as in a mean of speedups; None: it is left out."""
    words: str


def _accepted(verdict: Verdict) -> bool:
    return verdict.accepted


def _close(verdict: Verdict) -> bool:
    return bool(verdict.compiled) and bool(verdict.correct or verdict.allclose)


PROTOCOLS = {
    each.name: each
    for each in (
        Protocol(
            "strict", _accepted, 1.0,
            "right is what the verifier accepts: honest Triton, within the error of the type, on inputs "
            "that nobody has seen; a failure counts as 1×, since its user keeps PyTorch",
        ),
        Protocol(
            "kernelbench", _close, None,
            "right is what compiles and is close on the task's own inputs (allclose, 1e-2), whoever computes "
            "it; speedups are of right answers only. Only what the verifier accepts has a time",
        ),
        Protocol(
            "tritonrl", _accepted, 0.0,
            "right is valid and correct; a failure counts as 0× in the mean",
        ),
        Protocol(
            "drtriton", _accepted, None,
            "right is valid and correct; speedups are of right answers only",
        ),
    )
}  # fmt: skip


def protocol(name: str) -> Protocol:
    if name not in PROTOCOLS:
        raise UnknownNameError("protocol", name, list(PROTOCOLS))
    return PROTOCOLS[name]
