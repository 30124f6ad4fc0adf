"""Who writes kernels."""

from tritonrl.policy.policy import Hear, Policy, Proposal, unheard

__all__ = ["Hear", "Policy", "Proposal", "unheard"]
