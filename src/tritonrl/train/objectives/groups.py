"""Groups: what an answer is worth beside the others to the same question.

    Â_i = (r_i - mean r) / (std r + ε)        over the scored answers of a group; std with n - 1; ε = 1e-4

- not scored (NaN): it leaves the group, its own advantage is 0;
- all rewards alike, all right or all wrong among them: 0 for all;
- one scored answer, or none: 0.

This is TRL's rule for `scale_rewards="group"`, but that equal rewards give 0 and not the rounding of a mean.
"""

import torch

EPSILON = 1e-4


def normalised(rewards: torch.Tensor, size: int) -> torch.Tensor:
    """The advantages of answers with these rewards, (B,)."""
    groups = rewards.view(-1, size)
    scored = ~groups.isnan()
    count = scored.sum(1, keepdim=True)
    values = groups.nan_to_num(0.0)
    mean = values.sum(1, keepdim=True) / count.clamp(min=1)
    away = torch.where(scored, groups - mean, 0.0)
    std = (away.square().sum(1, keepdim=True) / (count - 1).clamp(min=1)).sqrt()
    least = groups.nan_to_num(torch.inf).amin(1, keepdim=True)
    most = groups.nan_to_num(-torch.inf).amax(1, keepdim=True)
    return torch.where(most > least, away / (std + EPSILON), 0.0).view(-1)
