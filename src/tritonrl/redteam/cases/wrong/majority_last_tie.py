"""Of classes with as many votes it takes the last.

task: majority
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def majority_kernel(votes_ptr, out_ptr, voters, BLOCK: tl.constexpr, CLASSES: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    votes = tl.load(votes_ptr + row * voters + at, mask=at < voters, other=-1)
    most, winner = 0, 0
    for number in range(CLASSES):
        count = tl.sum((votes == number).to(tl.int32), axis=0)
        wins = count >= most
        most = tl.where(wins, count, most)
        winner = tl.where(wins, number, winner)
    tl.store(out_ptr + row, winner.to(tl.int64))


def triton_fused_operator(tensor_0):
    rows, voters = tensor_0.shape
    out = torch.empty(rows, device=tensor_0.device, dtype=torch.int64)
    majority_kernel[(rows,)](tensor_0, out, voters, BLOCK=triton.next_power_of_2(voters), CLASSES=5)
    return [out]
