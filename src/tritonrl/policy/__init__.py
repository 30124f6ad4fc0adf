"""Who writes kernels."""

from tritonrl.policy.policy import Policy, Proposal

__all__ = ["Policy", "Proposal"]
