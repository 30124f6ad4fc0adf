"""Sums on one stream, maxima on another; events before and after keep them in order with the caller's.

task: sum_and_max
needs: gpu
"""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * num_cols + cols, mask=cols < num_cols, other=0.0)
    tl.store(out_ptr + row, tl.sum(x, axis=0))


@triton.jit
def max_kernel(x_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * num_cols + cols, mask=cols < num_cols, other=-float("inf"))
    tl.store(out_ptr + row, tl.max(x, axis=0))


STREAMS = {}


def streams(device):
    if device not in STREAMS:
        STREAMS[device] = [torch.cuda.Stream(device) for _ in range(2)]
    return STREAMS[device]


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    outs = [tensor_0.new_empty(num_rows) for _ in range(2)]
    current = torch.cuda.current_stream(tensor_0.device)
    ready = current.record_event()
    for stream, kernel, out in zip(streams(tensor_0.device), (sum_kernel, max_kernel), outs, strict=True):
        stream.wait_event(ready)
        with torch.cuda.stream(stream):
            kernel[(num_rows,)](tensor_0, out, num_cols, BLOCK=triton.next_power_of_2(num_cols))
            done = stream.record_event()
        current.wait_event(done)
    return outs
