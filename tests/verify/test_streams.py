"""Who could use a second stream is given a second queue."""

import pytest

from tritonrl.redteam.corpus import FOLDER
from tritonrl.verify.streams import may_use_streams

PLAIN = """import torch
import triton
import triton.language as tl

# Rows stream through one block.
@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, at < n), at < n)

class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.name = "a stream"

    def forward(self, x):
        {}
        y = torch.empty_like(x)
        kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
        return y
"""


def test_a_plain_candidate_cannot():
    assert not may_use_streams(PLAIN.format("pass"))
    assert not may_use_streams(PLAIN.format(r"'a doubtful \d'"))  # of which Python warns


@pytest.mark.parametrize(
    "way",
    [
        "s = torch.cuda.Stream()",
        "s = torch.cuda.\uff33tream()",  # what Python reads as the same letter is the same
        "kernel[1,](x, x, 0, 1, stream=0)",
        "s = getattr(torch.cuda, 'Str' + 'eam')",
        "s = torch.cuda.__dict__['Str' 'eam']",
        "s = __builtins__",
        "exec('s = 0')",
        "import gc",
        "from operator import methodcaller",
        "from .other import anything",
        "import torch.cuda.streams as s",
        "g = torch.cuda.CUDAGraph()",
        "match torch.cuda:\n            case object(Stream=s): pass",
    ],
)
def test_whoever_has_a_way_could(way: str):
    assert may_use_streams(PLAIN.format(way))


def test_cases_about_streams_could():
    for name in ("D1/matmul_never_joined", "D1/bmm_event_unheard", "honest/sum_and_max_two_streams"):
        assert may_use_streams((FOLDER / "cases" / f"{name}.py").read_text())
