"""The next lower precision fails, and honest float32 passes in whatever order it is added up, by operator.

Every operator below is a small task with two kernels that compute it in different orders. Each kernel marks
where a precision can be lowered: `operand(x)` around what it reads, `inner(x)` around what it computes on the
way. As written neither loses anything; a variant lowers one of them to float16, bfloat16 or tf32.
"""

import re
from dataclasses import dataclass

import pytest

from tritonrl.tasks import Task
from tritonrl.verify.pool import verify_many
from tritonrl.verify.settings import Settings
from tritonrl.verify.verdict import Verdict
from tritonrl.verify.zygotes import Zygotes

HEAD = """import torch
import triton
import triton.language as tl


@triton.jit
def operand(x):
    return x.to(tl.float32)


@triton.jit
def inner(x):
    return x


"""

LOWER = {
    "float16": "x.to(tl.float16).to(tl.float32)",
    "bfloat16": "x.to(tl.float32).to(tl.bfloat16).to(tl.float32)",
    # To nearest, 10 bits after the point: what a tensor core does to the operands of a tf32 dot.
    "tf32": "((x.to(tl.int32, bitcast=True) + 0x1000) & -0x2000).to(tl.float32, bitcast=True)",
}
IEEE = ', input_precision="ieee"'


@dataclass(frozen=True)
class Operator:
    """A task and two honest kernels for it."""

    inputs: tuple[str, ...]
    """How each input is drawn."""
    result: str
    """The reference's result, over `tensor_0`, `tensor_1`, …"""
    kernel: str
    other_order: str

    def task(self, dtype: str = "float32") -> Task:
        arguments = ", ".join(f"tensor_{place}" for place in range(len(self.inputs)))
        drawn = ", ".join(f"({each}).to(torch.{dtype})" for each in self.inputs)
        source = (
            "import torch\nimport torch.nn.functional as F\n\n\n"
            f"def get_inputs():\n    return [{drawn}]\n\n\n"
            f"def fused_operator({arguments}):\n    return [{self.result}]\n"
        )
        return Task.functional(self.result, source)


def candidate(kernel: str, operand: str = "", inner: str = "") -> str:
    """A kernel with one or both of its marked places lowered."""
    head = HEAD
    for place, precision in (("operand", operand), ("inner", inner)):
        if precision:
            head = re.sub(rf"(def {place}\(x\):\n    return) .*", rf"\1 {LOWER[precision]}", head)
    return head + kernel


ROWS = """@triton.jit
def kernel(x_ptr, out_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.arange(0, BM)
    cols = tl.arange(0, BN)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    at = rows[:, None] * N + cols[None, :]
    x = operand(tl.load(x_ptr + at, mask=mask, other={padding}))
{body}


def triton_fused_operator(tensor_0):
    m, n = tensor_0.shape
    out = torch.empty({out}, dtype=tensor_0.dtype, device=tensor_0.device)
    kernel[(1,)](tensor_0, out, m, n, BM=8, BN=128)
    return [out]
"""

CHUNKS = """@triton.jit
def kernel(x_ptr, out_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.arange(0, BM)
    cols = tl.arange(0, BN)
    in_rows = rows[:, None] < M
{body}


def triton_fused_operator(tensor_0):
    m, n = tensor_0.shape
    out = torch.empty({out}, dtype=tensor_0.dtype, device=tensor_0.device)
    kernel[(1,)](tensor_0, out, m, n, BM=8, BN=32)
    return [out]
"""

FLAT = """@triton.jit
def kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = operand(tl.load(x_ptr + at, mask=at < count))
{body}
    tl.store(out_ptr + at, result, mask=at < count)


def triton_fused_operator(tensor_0):
    out = torch.empty_like(tensor_0)
    kernel[({count} // {block},)](tensor_0, out, {count}, BLOCK={block})
    return [out]
"""


def rows(body: str, padding: str = "0.0", out: str = "m") -> str:
    """One program over all rows, each in one piece."""
    return ROWS.format(body=_indented(body), padding=padding, out=out)


def chunks(body: str, out: str = "m") -> str:
    """One program that walks over the columns; `LOAD(start)` stands for a chunk of them."""
    load = (
        "operand(tl.load(x_ptr + rows[:, None] * N + {0} + cols[None, :],"
        " mask=in_rows & ({0} + cols[None, :] < N), other=0.0))"
    )
    for start in ("start", "back"):
        body = body.replace(f"LOAD({start})", load.format(start))
    return CHUNKS.format(body=_indented(body), out=out)


def flat(body: str, block: int, count: int = 768) -> str:
    return FLAT.format(body=_indented(body), block=block, count=count)


def _indented(body: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in body.strip("\n").splitlines())


BACKWARDS = "for step in range(0, tl.cdiv(N, BN)):\n    back = (tl.cdiv(N, BN) - 1 - step) * BN\n"

GEMM = """@triton.jit
def kernel(a_ptr, b_ptr, bias_ptr, out_ptr, M, N, K, stride_k, stride_n, HAS_BIAS: tl.constexpr,
           BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.arange(0, BN)
    a_ptr += tl.program_id(1) * M * K
    b_ptr += tl.program_id(1) * K * N
    out_ptr += tl.program_id(1) * M * N
    total = tl.zeros((BM, BN), tl.float32)
    {before}
    for step in range(0, tl.cdiv(K, BK)):
        k = {start} + tl.arange(0, BK)
        a_mask = (rows[:, None] < M) & (k[None, :] < K)
        b_mask = (k[:, None] < K) & (cols[None, :] < N)
        a = operand(tl.load(a_ptr + rows[:, None] * K + k[None, :], mask=a_mask, other=0.0))
        b = operand(tl.load(b_ptr + k[:, None] * stride_k + cols[None, :] * stride_n, mask=b_mask, other=0.0))
        {step}
    {after}
    if HAS_BIAS:
        total += tl.load(bias_ptr + cols, mask=cols < N, other=0.0)[None, :]
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(out_ptr + rows[:, None] * N + cols[None, :], total.to(out_ptr.dtype.element_ty), mask=mask)


def triton_fused_operator({arguments}):
{host}
"""
ONE_SUM = {
    "before": "",
    "after": "",
    "start": "step * BK",
    "step": f"total = inner(tl.dot(a, b, total{IEEE}))",
}
TWO_SUMS_BACKWARDS = {
    "before": "odd = tl.zeros((BM, BN), tl.float32)",
    "after": "total += odd",
    "start": "(tl.cdiv(K, BK) - 1 - step) * BK",
    "step": (
        "part = tl.sum(a[:, :, None] * b[None, :, :], axis=1)\n"
        "        if step % 2 == 0:\n            total += part\n        else:\n            odd += part"
    ),
}


def gemm(order: dict[str, str], arguments: str, host: str) -> str:
    return GEMM.format(**order, arguments=arguments, host=_indented(host))


MATMUL_HOST = """
m, k = tensor_0.shape
n = tensor_1.shape[1]
out = torch.empty(m, n, dtype=tensor_0.dtype, device=tensor_0.device)
kernel[(2, 1)](tensor_0, tensor_1, out, out, m, n, k, n, 1, HAS_BIAS=False, BM=16, BN=32, BK=16)
return [out]
"""
BMM_HOST = """
batch, m, k = tensor_0.shape
n = tensor_1.shape[2]
out = torch.empty(batch, m, n, dtype=tensor_0.dtype, device=tensor_0.device)
kernel[(1, batch)](tensor_0, tensor_1, out, out, m, n, k, n, 1, HAS_BIAS=False, BM=16, BN=16, BK=16)
return [out]
"""
LINEAR_HOST = """
m, k = tensor_0.shape
n = tensor_1.shape[0]
out = torch.empty(m, n, dtype=tensor_0.dtype, device=tensor_0.device)
kernel[(1, 1)](tensor_0, tensor_1, tensor_2, out, m, n, k, 1, k, HAS_BIAS=True, BM=16, BN=32, BK=32)
return [out]
"""

CONV = """@triton.jit
def kernel(x_ptr, w_ptr, out_ptr, C, H, W, F, BP: tl.constexpr, BF: tl.constexpr, BK: tl.constexpr):
    image = tl.program_id(0)
    place = tl.arange(0, BP)
    filters = tl.arange(0, BF)
    total = tl.zeros((BP, BF), tl.float32)
    for step in range(0, tl.cdiv(C * 9, BK)):
        k = {start} + tl.arange(0, BK)
        r = (place // W)[:, None] + (k // 3 % 3)[None, :] - 1
        c = (place % W)[:, None] + (k % 3)[None, :] - 1
        inside = (k[None, :] < C * 9) & (r >= 0) & (r < H) & (c >= 0) & (c < W) & (place[:, None] < H * W)
        at = image * C * H * W + (k // 9)[None, :] * H * W + r * W + c
        x = operand(tl.load(x_ptr + at, mask=inside, other=0.0))
        known = (k[:, None] < C * 9) & (filters[None, :] < F)
        w = operand(tl.load(w_ptr + filters[None, :] * C * 9 + k[:, None], mask=known, other=0.0))
        total = {sum}
    at = image * F * H * W + filters[None, :] * H * W + place[:, None]
    tl.store(out_ptr + at, total, mask=(place[:, None] < H * W) & (filters[None, :] < F))


def triton_fused_operator(tensor_0, tensor_1):
    n, c, h, w = tensor_0.shape
    f = tensor_1.shape[0]
    out = torch.empty(n, f, h, w, dtype=tensor_0.dtype, device=tensor_0.device)
    kernel[(n,)](tensor_0, tensor_1, out, c, h, w, f, BP=64, BF=16, BK={block})
    return [out]
"""

GROUPS = """@triton.jit
def kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, C, L, G, BC: tl.constexpr, BL: tl.constexpr):
    channels = tl.arange(0, BC)
    places = tl.arange(0, BL)
    channel = tl.program_id(1) * (C // G) + channels
    mask = (channels[:, None] < C // G) & (places[None, :] < L)
    at = tl.program_id(0) * C * L + channel[:, None] * L + places[None, :]
    x = operand(tl.load(x_ptr + at, mask=mask, other=0.0))
    count = (C // G) * L
{statistics}
    weight = tl.load(weight_ptr + channel, mask=channels < C // G)
    bias = tl.load(bias_ptr + channel, mask=channels < C // G)
    result = inner((x - mean) * scale) * weight[:, None] + bias[:, None]
    tl.store(out_ptr + at, result, mask=mask)


def triton_fused_operator(tensor_0, tensor_1, tensor_2):
    n, c, l = tensor_0.shape
    out = torch.empty_like(tensor_0)
    kernel[(n, 4)](tensor_0, tensor_1, tensor_2, out, c, l, 4, BC=4, BL=32)
    return [out]
"""

LAYER_NORM_ROWS = """@triton.jit
def kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.arange(0, BM)
    cols = tl.arange(0, BN)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    at = rows[:, None] * N + cols[None, :]
    x = operand(tl.load(x_ptr + at, mask=mask, other=0.0))
    mean = tl.sum(x, axis=1) / N
    centred = inner(tl.where(mask, x - mean[:, None], 0.0))
    scale = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=1) / N + 1e-5)
    weight = tl.load(weight_ptr + cols, mask=cols < N)
    bias = tl.load(bias_ptr + cols, mask=cols < N)
    tl.store(out_ptr + at, centred * scale[:, None] * weight[None, :] + bias[None, :], mask=mask)


def triton_fused_operator(tensor_0, tensor_1, tensor_2):
    m, n = tensor_0.shape
    out = torch.empty_like(tensor_0)
    kernel[(1,)](tensor_0, tensor_1, tensor_2, out, m, n, BM=8, BN=128)
    return [out]
"""
LAYER_NORM_WELFORD = """@triton.jit
def kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.arange(0, BM)
    cols = tl.arange(0, BN)
    in_rows = rows[:, None] < M
    mean = tl.zeros((BM,), tl.float32)
    squares = tl.zeros((BM,), tl.float32)
    for start in range(0, N, BN):
        at = rows[:, None] * N + start + cols[None, :]
        mask = in_rows & (start + cols[None, :] < N)
        x = operand(tl.load(x_ptr + at, mask=mask, other=0.0))
        count = tl.minimum(BN, N - start)
        own = tl.sum(x, axis=1) / count
        off = tl.where(mask, x - own[:, None], 0.0)
        change = own - mean
        mean += change * (count / (start + count))
        squares += tl.sum(off * off, axis=1) + change * change * (start * count / (start + count))
    scale = 1.0 / tl.sqrt(squares / N + 1e-5)
    for start in range(0, N, BN):
        at = rows[:, None] * N + start + cols[None, :]
        mask = in_rows & (start + cols[None, :] < N)
        x = tl.load(x_ptr + at, mask=mask, other=0.0)
        weight = tl.load(weight_ptr + start + cols, mask=start + cols < N)
        bias = tl.load(bias_ptr + start + cols, mask=start + cols < N)
        result = inner((x - mean[:, None]) * scale[:, None]) * weight[None, :] + bias[None, :]
        tl.store(out_ptr + at, result, mask=mask)


def triton_fused_operator(tensor_0, tensor_1, tensor_2):
    m, n = tensor_0.shape
    out = torch.empty_like(tensor_0)
    kernel[(1,)](tensor_0, tensor_1, tensor_2, out, m, n, BM=8, BN=32)
    return [out]
"""

ATTENTION = """@triton.jit
def kernel(q_ptr, k_ptr, v_ptr, out_ptr, S, BS: tl.constexpr, BK: tl.constexpr, D: tl.constexpr):
    q_ptr += tl.program_id(0) * S * D
    k_ptr += tl.program_id(0) * S * D
    v_ptr += tl.program_id(0) * S * D
    rows = tl.arange(0, BS)
    depth = tl.arange(0, D)
    q = operand(tl.load(q_ptr + rows[:, None] * D + depth[None, :], mask=rows[:, None] < S, other=0.0)) * 0.25
    highest = tl.full((BS,), float("-inf"), tl.float32)
    weight = tl.zeros((BS,), tl.float32)
    total = tl.zeros((BS, D), tl.float32)
    for start in range(0, S, BK):
        keys = {keys} + tl.arange(0, BK)
        k = operand(tl.load(k_ptr + keys[None, :] * D + depth[:, None], mask=keys[None, :] < S, other=0.0))
        v = operand(tl.load(v_ptr + keys[:, None] * D + depth[None, :], mask=keys[:, None] < S, other=0.0))
        scores = tl.where(keys[None, :] < S, tl.dot(q, k, input_precision="ieee"), float("-inf"))
        now = tl.maximum(highest, tl.max(scores, axis=1))
        p = inner(tl.exp(scores - now[:, None]))
        shrink = tl.exp(highest - now)
        weight = weight * shrink + tl.sum(p, axis=1)
        total = tl.dot(p, v, total * shrink[:, None], input_precision="ieee")
        highest = now
    at = tl.program_id(0) * S * D + rows[:, None] * D + depth[None, :]
    tl.store(out_ptr + at, total / weight[:, None], mask=rows[:, None] < S)


def triton_fused_operator(tensor_0, tensor_1, tensor_2):
    batch, heads, s, d = tensor_0.shape
    out = torch.empty_like(tensor_0)
    kernel[(batch * heads,)](tensor_0, tensor_1, tensor_2, out, s, BS=32, BK={block}, D=d)
    return [out]
"""

NORMALISED = ("torch.randn(6, 100)", "1 + 0.1 * torch.randn(100)", "torch.randn(100)")

OPERATORS: dict[str, Operator] = {
    "matmul": Operator(
        ("torch.randn(24, 50)", "torch.randn(50, 20)"),
        "tensor_0 @ tensor_1",
        gemm(ONE_SUM, "tensor_0, tensor_1", MATMUL_HOST),
        gemm(TWO_SUMS_BACKWARDS, "tensor_0, tensor_1", MATMUL_HOST),
    ),
    "bmm": Operator(
        ("torch.randn(3, 12, 40)", "torch.randn(3, 40, 16)"),
        "torch.bmm(tensor_0, tensor_1)",
        gemm(ONE_SUM, "tensor_0, tensor_1", BMM_HOST),
        gemm(TWO_SUMS_BACKWARDS, "tensor_0, tensor_1", BMM_HOST),
    ),
    "linear": Operator(
        ("torch.randn(10, 72)", "0.2 * torch.randn(20, 72)", "torch.randn(20)"),
        "F.linear(tensor_0, tensor_1, tensor_2)",
        gemm(ONE_SUM, "tensor_0, tensor_1, tensor_2", LINEAR_HOST),
        gemm(TWO_SUMS_BACKWARDS, "tensor_0, tensor_1, tensor_2", LINEAR_HOST),
    ),
    "conv2d": Operator(
        ("torch.randn(2, 5, 8, 7)", "0.2 * torch.randn(12, 5, 3, 3)"),
        "F.conv2d(tensor_0, tensor_1, padding=1)",
        CONV.format(start="step * BK", sum=f"inner(tl.dot(x, w, total{IEEE}))", block=16),
        CONV.format(
            start="(tl.cdiv(C * 9, BK) - 1 - step) * BK",
            sum="total + tl.sum(x[:, :, None] * w[None, :, :], axis=1)",
            block=8,
        ),
    ),
    "attention": Operator(
        ("torch.randn(1, 2, 25, 16)", "torch.randn(1, 2, 25, 16)", "torch.randn(1, 2, 25, 16)"),
        "F.scaled_dot_product_attention(tensor_0, tensor_1, tensor_2)",
        ATTENTION.format(keys="start", block=32),
        ATTENTION.format(keys="tl.cdiv(S, BK) * BK - BK - start", block=16),
    ),
    "softmax": Operator(
        ("torch.randn(6, 100)",),
        "torch.softmax(tensor_0, dim=-1)",
        rows(
            """
weight = inner(tl.exp(x - tl.max(x, axis=1)[:, None]))
tl.store(out_ptr + at, weight / tl.sum(weight, axis=1)[:, None], mask=mask)
""",
            padding='float("-inf")',
            out="m, n",
        ),
        chunks(
            f"""
highest = tl.full((BM,), float("-inf"), tl.float32)
total = tl.zeros((BM,), tl.float32)
{BACKWARDS}    x = tl.where(back + cols[None, :] < N, LOAD(back), float("-inf"))
    now = tl.maximum(highest, tl.max(x, axis=1))
    total = inner(total * tl.exp(highest - now) + tl.sum(tl.exp(x - now[:, None]), axis=1))
    highest = now
for start in range(0, N, BN):
    x = LOAD(start)
    at = rows[:, None] * N + start + cols[None, :]
    result = tl.exp(x - highest[:, None]) / total[:, None]
    tl.store(out_ptr + at, result, mask=in_rows & (start + cols[None, :] < N))
""",
            out="m, n",
        ),
    ),
    "log_softmax": Operator(
        ("torch.randn(6, 100)",),
        "F.log_softmax(tensor_0, dim=-1)",
        rows(
            """
x = x - tl.max(x, axis=1)[:, None]
total = inner(tl.sum(tl.exp(x), axis=1))
tl.store(out_ptr + at, x - tl.log(total)[:, None], mask=mask)
""",
            padding='float("-inf")',
            out="m, n",
        ),
        chunks(
            f"""
highest = tl.full((BM,), float("-inf"), tl.float32)
total = tl.zeros((BM,), tl.float32)
{BACKWARDS}    x = tl.where(back + cols[None, :] < N, LOAD(back), float("-inf"))
    now = tl.maximum(highest, tl.max(x, axis=1))
    total = total * tl.exp(highest - now) + tl.sum(tl.exp(x - now[:, None]), axis=1)
    highest = now
lse = inner(highest + tl.log(total))
for start in range(0, N, BN):
    x = LOAD(start)
    at = rows[:, None] * N + start + cols[None, :]
    tl.store(out_ptr + at, x - lse[:, None], mask=in_rows & (start + cols[None, :] < N))
""",
            out="m, n",
        ),
    ),
    "logsumexp": Operator(
        ("torch.randn(6, 100)",),
        "torch.logsumexp(tensor_0, dim=-1)",
        rows(
            """
highest = tl.max(x, axis=1)
total = tl.sum(inner(tl.exp(x - highest[:, None])), axis=1)
tl.store(out_ptr + rows, tl.log(total) + highest, mask=rows < M)
""",
            padding='float("-inf")',
        ),
        chunks(
            f"""
highest = tl.full((BM,), float("-inf"), tl.float32)
total = tl.zeros((BM,), tl.float32)
{BACKWARDS}    x = tl.where(back + cols[None, :] < N, LOAD(back), float("-inf"))
    now = tl.maximum(highest, tl.max(x, axis=1))
    total = inner(total * tl.exp(highest - now) + tl.sum(tl.exp(x - now[:, None]), axis=1))
    highest = now
tl.store(out_ptr + rows, tl.log(total) + highest, mask=rows < M)
""",
        ),
    ),
    "layer_norm": Operator(
        NORMALISED,
        "F.layer_norm(tensor_0, (100,), tensor_1, tensor_2)",
        LAYER_NORM_ROWS,
        LAYER_NORM_WELFORD,
    ),
    "rms_norm": Operator(
        ("torch.randn(6, 100)",),
        "F.rms_norm(tensor_0, (100,), eps=1e-5)",
        rows(
            """
scale = inner(1.0 / tl.sqrt(tl.sum(x * x, axis=1) / N + 1e-5))
tl.store(out_ptr + at, x * scale[:, None], mask=mask)
""",
            out="m, n",
        ),
        chunks(
            f"""
total = tl.zeros((BM,), tl.float32)
{BACKWARDS}    x = LOAD(back)
    total += inner(tl.sum(x * x, axis=1))
scale = tl.rsqrt(total / N + 1e-5)
for start in range(0, N, BN):
    x = LOAD(start)
    at = rows[:, None] * N + start + cols[None, :]
    tl.store(out_ptr + at, x * scale[:, None], mask=in_rows & (start + cols[None, :] < N))
""",
            out="m, n",
        ),
    ),
    "group_norm": Operator(
        ("torch.randn(2, 12, 30)", "1 + 0.1 * torch.randn(12)", "torch.randn(12)"),
        "F.group_norm(tensor_0, 4, tensor_1, tensor_2)",
        GROUPS.format(
            statistics=_indented("""
mean = tl.sum(x) / count
off = tl.where(mask, x - mean, 0.0)
scale = 1.0 / tl.sqrt(tl.sum(off * off) / count + 1e-5)
""")
        ),
        GROUPS.format(
            statistics=_indented("""
own = tl.sum(x, axis=1) / L
mean = tl.sum(own) / (C // G)
off = tl.where(mask, x - own[:, None], 0.0)
between = tl.where(channels < C // G, own - mean, 0.0)
scale = tl.rsqrt((tl.sum(off * off) + L * tl.sum(between * between)) / count + 1e-5)
""")
        ),
    ),
    "sum": Operator(
        ("torch.randn(6, 100)",),
        "tensor_0.sum(dim=-1)",
        rows("tl.store(out_ptr + rows, inner(tl.sum(x, axis=1)), mask=rows < M)"),
        chunks(
            f"""
total = tl.zeros((BM,), tl.float32)
{BACKWARDS}    total = inner(total + tl.sum(LOAD(back), axis=1))
tl.store(out_ptr + rows, total, mask=rows < M)
"""
        ),
    ),
    "mean": Operator(
        ("torch.rand(6, 100)",),
        "tensor_0.mean(dim=-1)",
        rows("tl.store(out_ptr + rows, inner(tl.sum(x, axis=1)) / N, mask=rows < M)"),
        chunks(
            f"""
total = tl.zeros((BM, BN), tl.float32)
{BACKWARDS}    total = inner(total + LOAD(back) / N)
tl.store(out_ptr + rows, tl.sum(total, axis=1), mask=rows < M)
"""
        ),
    ),
    "cumsum": Operator(
        ("torch.randn(6, 100)",),
        "torch.cumsum(tensor_0, dim=-1)",
        rows("tl.store(out_ptr + at, inner(tl.cumsum(x, axis=1)), mask=mask)", out="m, n"),
        chunks(
            """
before = tl.zeros((BM,), tl.float32)
for start in range(0, N, BN):
    x = LOAD(start)
    at = rows[:, None] * N + start + cols[None, :]
    total = tl.cumsum(x, axis=1) + before[:, None]
    tl.store(out_ptr + at, total, mask=in_rows & (start + cols[None, :] < N))
    before = inner(before + tl.sum(x, axis=1))
""",
            out="m, n",
        ),
    ),
    "gelu": Operator(
        ("torch.randn(12, 64)",),
        "F.gelu(tensor_0)",
        flat("result = 0.5 * x * (1.0 + inner(tl.erf(x * 0.7071067811865476)))", block=256),
        flat("half = 0.5 * x\nresult = half + inner(half * tl.erf(x / 1.4142135623730951))", block=128),
    ),
    "silu": Operator(
        ("torch.randn(12, 64)",),
        "F.silu(tensor_0)",
        flat("result = x * inner(1.0 / (1.0 + tl.exp(-x)))", block=256),
        flat(
            "small = tl.exp(-tl.abs(x))\nresult = x * inner(tl.where(x < 0, small, 1.0) / (1.0 + small))",
            block=128,
        ),
    ),
    "exp": Operator(
        ("torch.randn(12, 64)",),
        "torch.exp(-tensor_0 * tensor_0)",
        flat("result = tl.exp(inner(-x * x))", block=256),
        flat("result = tl.exp2(inner(x * x) * -1.4426950408889634)", block=128),
    ),
}


DOTS = [name for name, operator in OPERATORS.items() if IEEE in operator.kernel]


def judge(
    operator: Operator,
    candidates: dict[str, str],
    zygotes: Zygotes,
    precision: str = "ieee",
    dtype: str = "float32",
) -> dict[str, Verdict]:
    """The verdict on each candidate, by its name. Every draw is asked, and no more."""
    settings = Settings(precision=precision, num_calls=1)
    tasks = [operator.task(dtype)] * len(candidates)
    verdicts = {}
    for judged in verify_many(tasks, candidates.values(), settings, zygotes=zygotes):
        assert judged.verdict is not None, judged.error
        verdicts[list(candidates)[judged.number]] = judged.verdict
    return verdicts


def wrongly_rejected(verdicts: dict[str, Verdict]) -> dict[str, str]:
    return {name: str(verdict.rejection) for name, verdict in verdicts.items() if not verdict.accepted}


def not_found_inexact(verdicts: dict[str, Verdict]) -> dict[str, str]:
    """Those that were accepted, or rejected for anything but their results."""
    return {
        name: str(verdict.rejection)
        for name, verdict in verdicts.items()
        if verdict.rejection is None or not (verdict.compiled and verdict.rejection.layer == "correct")
    }


@pytest.mark.parametrize("name", OPERATORS)
def test_a_float32_task_is_accepted_in_any_order_and_rejected_at_lower_precision(name: str, zygotes: Zygotes):
    operator = OPERATORS[name]
    honest = {"as written": candidate(operator.kernel), "in another order": candidate(operator.other_order)}
    lower = {
        f"{place} in {precision}": candidate(operator.kernel, **{place: precision})
        for place in ("operand", "inner")
        for precision in ("float16", "bfloat16")
    }
    if name in DOTS:
        lower["what a tf32 dot does on a GPU"] = candidate(operator.kernel, operand="tf32")
    verdicts = judge(operator, honest | lower, zygotes)
    assert wrongly_rejected({each: verdicts[each] for each in honest}) == {}
    assert not_found_inexact({each: verdicts[each] for each in lower}) == {}


@pytest.mark.parametrize("name", DOTS)
def test_a_tf32_dot_is_rejected_under_ieee_though_the_interpreter_computes_it_exactly(
    name: str, zygotes: Zygotes
):
    operator = OPERATORS[name]
    dots = {
        "by default": candidate(operator.kernel.replace(IEEE, "")),
        "by name": candidate(operator.kernel.replace(IEEE, ', input_precision="tf32"')),
    }
    verdicts = judge(operator, dots, zygotes)
    found = {each: (v.rejection.layer, v.rejection.rule) for each, v in verdicts.items() if v.rejection}
    assert found == dict.fromkeys(dots, ("compile", "E8"))


@pytest.mark.parametrize("name", DOTS)
def test_tf32_is_accepted_where_it_is_allowed_and_bfloat16_is_not(name: str, zygotes: Zygotes):
    kernel = OPERATORS[name].kernel.replace(IEEE, "")
    candidates = {
        "the dot": candidate(kernel),
        "what it does on a GPU": candidate(kernel, operand="tf32"),
        "bfloat16": candidate(kernel, operand="bfloat16", inner="bfloat16"),
    }
    verdicts = judge(OPERATORS[name], candidates, zygotes, precision="tf32")
    lower = {"bfloat16": verdicts.pop("bfloat16")}
    assert wrongly_rejected(verdicts) == {}
    assert not_found_inexact(lower) == {}


TOO_COARSE = ("logsumexp", "log_softmax")
"""Their results are of size 5, and one rounding of those to float16 hides bfloat16 exponentials."""


@pytest.mark.parametrize("name", OPERATORS)
def test_a_float16_task_is_accepted_with_float32_inside_and_rejected_with_bfloat16(
    name: str, zygotes: Zygotes
):
    kernel = OPERATORS[name].kernel
    candidates = {"honest": candidate(kernel)}
    if name not in TOO_COARSE:
        candidates["lower"] = candidate(kernel, operand="bfloat16", inner="bfloat16")
    verdicts = judge(OPERATORS[name], candidates, zygotes, dtype="float16")
    assert wrongly_rejected({"honest": verdicts.pop("honest")}) == {}
    assert not_found_inexact(verdicts) == {}
