"""HRD, hierarchical reward decomposition (TritonRL): the plan answers for speed, the code for correctness.

    r_code = R_correct      r_plan = R_speedup      Â_c = r_c normalised in its group, each class by itself
    J = α·J_plan + J_code   J_c = mean_i 1/|o_i| Σ_{t of class c} min(ρ_it·Â_ci, clip(ρ_it)·Â_ci)

Both classes are divided by |o_i|, the length of the whole answer: a token of the plan weighs α times one of
the code, however long either is; were all tokens code, J would be GRPO's on R_correct, and were all plan, α
times GRPO's on R_speedup. An answer whose speed is not known (NaN) gets no gradient on its plan, and the
others of its group are compared without it. So J is the clipped surrogate with the advantages below.
"""

import torch

from tritonrl.train.objectives import surrogate
from tritonrl.train.objectives.groups import normalised


def advantages(
    correct: torch.Tensor, speedup: torch.Tensor, plan: torch.Tensor, size: int, alpha: float
) -> torch.Tensor:
    """α·Â_plan on tokens of the plan, Â_code on all others, (B, T). `plan` is true on the former."""
    of_plan, of_code = alpha * normalised(speedup, size), normalised(correct, size)
    return torch.where(plan, of_plan[:, None], of_code[:, None])


def loss(
    logps: torch.Tensor, old_logps: torch.Tensor, mask: torch.Tensor, plan: torch.Tensor,
    correct: torch.Tensor, speedup: torch.Tensor, size: int, alpha: float = 0.1, clip: float = 0.2,
) -> torch.Tensor:  # fmt: skip
    """-J."""
    return surrogate.loss(logps, old_logps, advantages(correct, speedup, plan, size, alpha), mask, clip)
