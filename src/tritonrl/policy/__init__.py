"""Who writes kernels."""

from tritonrl.policy.policy import Hear, Policy, Proposal, propose_each, unheard

__all__ = ["Hear", "Policy", "Proposal", "propose_each", "unheard"]
