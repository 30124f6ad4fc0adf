"""DRPO, decoupled reward policy optimisation (DRTriton): speed is weighed among right answers only.

    s_i = 1/|o_i| Σ_t log π_θ(o_it)        S+ right answers, S- wrong ones
    ω = softmax over S+ of log(speedup)/λ
    L = -1/n Σ_q [ Σ_{i∈S+} ω_i·s_i - τ·log( 1/|S-| Σ_{j∈S-} exp(s_j/τ) ) ] + β·[KL(π_old‖π_θ) - δ]₊²

- a group that is all right or all wrong drops out: it counts among the n groups, as 0;
- an answer that was not scored (NaN) is in neither set;
- an answer of S+ whose speed is not known has the share 1/|S+|, and the softmax divides what is left among
  those with a speed: with no speed at all, ω is uniform;
- KL is estimated on the answers, which π_old wrote: the mean over answers of the mean over tokens of
  ρ - 1 - log ρ, ρ = π_θ / π_old, which is never negative. It takes all answers, scored or not.
"""

import torch

SLOWEST = 1e-6
"""Speedup that is told from none."""
FAR_BELOW = -1e9
"""A score that no speedup has; finite, so that the softmax of a group without speeds is one."""


def weights(correct: torch.Tensor, speedup: torch.Tensor, size: int, lam: float) -> torch.Tensor:
    """ω in S+ and 0 elsewhere, (B,)."""
    right = (correct == 1).view(-1, size)
    timed = right & ~speedup.isnan().view(-1, size)
    num_right = right.sum(1, keepdim=True).clamp(min=1).to(speedup)
    scores = speedup.view(-1, size).clamp(min=SLOWEST).log() / lam
    by_speed = torch.where(timed, scores, FAR_BELOW).softmax(1)
    left = timed.sum(1, keepdim=True) / num_right
    return torch.where(timed, left * by_speed, right / num_right).view(-1)


def kl(logps: torch.Tensor, old_logps: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The estimate of KL(π_old‖π_θ)."""
    away = logps - old_logps
    return (((away.exp() - 1 - away) * mask).sum(1) / mask.sum(1).clamp(min=1)).mean()


def loss(
    logps: torch.Tensor, old_logps: torch.Tensor, mask: torch.Tensor, correct: torch.Tensor,
    speedup: torch.Tensor, size: int, tau: float = 5.0, lam: float = 0.1, beta: float = 100.0,
    delta: float = 0.001,
) -> torch.Tensor:  # fmt: skip
    """L; `speedup` is the measured one, not clipped."""
    means = ((logps * mask).sum(1) / mask.sum(1).clamp(min=1)).view(-1, size)
    right, wrong = (correct == 1).view(-1, size), (correct == 0).view(-1, size)
    mixed = right.any(1) & wrong.any(1)
    omega = weights(correct, speedup, size, lam).view(-1, size)[mixed]
    means, wrong, num_groups = means[mixed], wrong[mixed], len(means)
    gain = (omega * means).sum(1)
    pain = torch.where(wrong, means / tau, -torch.inf).logsumexp(1) - wrong.sum(1).to(means).log()
    over = (kl(logps, old_logps, mask) - delta).clamp(min=0)
    return -(gain - tau * pain).sum() / num_groups + beta * over.square()
