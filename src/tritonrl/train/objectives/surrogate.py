"""The clipped surrogate that HRD and GRPO share, with an advantage for each token:

    L = - mean_i 1/|o_i| Σ_t min(ρ_it·A_it, clip(ρ_it, 1 - ε, 1 + ε)·A_it)        ρ = π_θ / π_old

The mean is over all answers, whether their advantage is 0 or not, and |o_i| is the length of the whole
answer. It is TRL's loss for `loss_type="grpo"`, which takes advantages of this form: the trainer lets TRL
compute it.
"""

import torch


def loss(
    logps: torch.Tensor, old_logps: torch.Tensor, advantages: torch.Tensor, mask: torch.Tensor, clip: float
) -> torch.Tensor:
    """Of log-probabilities of tokens, (B, T), and advantages of tokens, (B, T), or of answers, (B,)."""
    if advantages.dim() == 1:
        advantages = advantages[:, None]
    ratio = (logps - old_logps).exp()
    gain = torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)
    return -((gain * mask).sum(1) / mask.sum(1).clamp(min=1)).mean()
