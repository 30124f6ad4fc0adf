"""Triton's interpreter as the zygote repairs it: bfloat16 as on a GPU, closures, and what kernels may call.

All cases run in one process, as a candidate's would: a repaired interpreter cannot be undone, and must not be
loaded into the process of the tests.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tritonrl

SCRIPT = r'''
import json
import math
import sys
import traceback

import torch
import triton
import triton.language as tl
from triton.language import exp2, maximum
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as cuda_libdevice

from tritonrl.verify.inside.repairs import repair

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def launch(kernel, *tensors, **constants):
    kernel[(1,)](*tensors, **constants)
    return tensors[-1]


def bf16(*numbers):
    return torch.tensor(numbers, dtype=torch.float32).to(torch.bfloat16)


def hard():
    """Finite bfloat16 of every sign and size, 256 of them, and as many in another order."""
    g = torch.Generator().manual_seed(1)
    bits = torch.randint(-(2**15), 2**15, (4096,), generator=g).to(torch.int16)
    numbers = bits.view(torch.bfloat16)
    size = numbers.float().abs()
    numbers = numbers[(size > 1e-30) & (size < 1e30)]
    return numbers[:256].clone(), numbers[256:512].clone()


@triton.jit
def arithmetic(a_ptr, b_ptr, out_ptr, OP: tl.constexpr):
    at = tl.arange(0, 256)
    a = tl.load(a_ptr + at)
    b = tl.load(b_ptr + at)
    if OP == "add":
        result = a + b
    elif OP == "sub":
        result = a - b
    elif OP == "mul":
        result = a * b
    elif OP == "div":
        result = a / b
    elif OP == "neg":
        result = -a
    elif OP == "abs":
        result = tl.abs(a)
    elif OP == "maximum":
        result = tl.maximum(a, b)
    elif OP == "minimum":
        result = tl.minimum(a, b)
    elif OP == "where":
        result = tl.where(a > b, a, b)
    elif OP == "scalar":
        result = a * 0.3 + 1
    else:
        result = tl.where(a < 0, -a, a)
    tl.store(out_ptr + at, result)


EXPECTED = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: (a.float() / b.float()).bfloat16(),
    "neg": lambda a, b: -a,
    "abs": lambda a, b: a.abs(),
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "where": lambda a, b: torch.where(a > b, a, b),
    "scalar": lambda a, b: a * torch.tensor(0.3, dtype=torch.bfloat16) + 1,
    "conditional": lambda a, b: a.abs(),
}
for name, expected in EXPECTED.items():
    def run(name=name, expected=expected):
        a, b = hard()
        return launch(arithmetic, a, b, torch.empty_like(a), OP=name), expected(a, b)

    run.__name__ = f"bfloat16_{name}"
    case(run)


@triton.jit
def compared(a_ptr, b_ptr, out_ptr):
    at = tl.arange(0, 256)
    a = tl.load(a_ptr + at)
    b = tl.load(b_ptr + at)
    tl.store(out_ptr + at, (a < b).to(tl.int32) + 2 * (a >= b).to(tl.int32) + 4 * (a == b).to(tl.int32))


@case
def bfloat16_comparisons():
    a, b = hard()
    b[:50] = a[:50]
    wanted = (a < b).int() + 2 * (a >= b).int() + 4 * (a == b).int()
    return launch(compared, a, b, torch.empty(256, dtype=torch.int32)), wanted


@triton.jit
def stored(x_ptr, out_ptr, COUNT: tl.constexpr):
    at = tl.arange(0, COUNT)
    tl.store(out_ptr + at, tl.load(x_ptr + at))


@triton.jit
def cast(x_ptr, out_ptr, COUNT: tl.constexpr, TO: tl.constexpr):
    at = tl.arange(0, COUNT)
    tl.store(out_ptr + at, tl.load(x_ptr + at).to(TO))


TIES = [1 + 2**-8, 1 + 3 * 2**-8, -(1 + 2**-8), 1 + 2**-8 + 2**-20, 3.4e38, -3.4e38, 1e-40, 0.0, -0.0]
TIES += [math.inf, -math.inf, math.nan, 1 + 2**-9, 65504.0, 1 / 3, 2**-133]


@case
def a_cast_to_bfloat16_rounds_to_nearest_even():
    x = torch.tensor(TIES, dtype=torch.float32)
    return launch(cast, x, torch.empty(16, dtype=torch.bfloat16), COUNT=16, TO=tl.bfloat16), x.bfloat16()


@case
def a_store_to_bfloat16_rounds_to_nearest_even():
    x = torch.tensor(TIES, dtype=torch.float32)
    return launch(stored, x, torch.empty(16, dtype=torch.bfloat16), COUNT=16), x.bfloat16()


@case
def a_cast_from_bfloat16_is_exact():
    x = hard()[0]
    return launch(cast, x, torch.empty(256), COUNT=256, TO=tl.float32), x.float()


@case
def a_cast_from_float16_to_bfloat16():
    x = torch.randn(256, generator=torch.Generator().manual_seed(2)).half()
    return launch(cast, x, torch.empty(256, dtype=torch.bfloat16), COUNT=256, TO=tl.bfloat16), x.bfloat16()


@case
def a_cast_from_bfloat16_to_float16():
    x = torch.randn(256, generator=torch.Generator().manual_seed(2)).bfloat16()
    return launch(cast, x, torch.empty(256, dtype=torch.float16), COUNT=256, TO=tl.float16), x.half()


@case
def a_cast_from_integers_to_bfloat16():
    x = torch.arange(-128, 128, dtype=torch.int32) * 37
    return launch(cast, x, torch.empty(256, dtype=torch.bfloat16), COUNT=256, TO=tl.bfloat16), x.bfloat16()


@case
def a_cast_from_bfloat16_to_integers():
    x = (torch.randn(256, generator=torch.Generator().manual_seed(2)) * 100).bfloat16()
    return launch(cast, x, torch.empty(256, dtype=torch.int32), COUNT=256, TO=tl.int32), x.int()


@triton.jit
def product(a_ptr, b_ptr, out_ptr):
    rows = tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :]
    cols = tl.arange(0, 32)[:, None] * 16 + tl.arange(0, 16)[None, :]
    result = tl.dot(tl.load(a_ptr + rows), tl.load(b_ptr + cols))
    tl.store(out_ptr + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], result)


@case
def a_bfloat16_dot_accumulates_in_float32():
    # Small whole numbers: every order of addition gives the same float32.
    g = torch.Generator().manual_seed(3)
    a = torch.randint(-128, 128, (16, 32), generator=g).bfloat16()
    b = torch.randint(-128, 128, (32, 16), generator=g).bfloat16()
    return launch(product, a, b, torch.empty(16, 16)), a.float() @ b.float()


@case
def a_bfloat16_dot_that_is_stored_is_torchs():
    g = torch.Generator().manual_seed(3)
    a = torch.randint(-128, 128, (16, 32), generator=g).bfloat16()
    b = torch.randint(-128, 128, (32, 16), generator=g).bfloat16()
    got = launch(product, a, b, torch.empty(16, 16, dtype=torch.bfloat16))
    return got, (a.float() @ b.float()).bfloat16()


@triton.jit
def reduced(x_ptr, out_ptr, OP: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, 64))
    if OP == "sum":
        result = tl.sum(x, axis=0)
    elif OP == "max":
        result = tl.max(x, axis=0)
    elif OP == "argmax":
        result = tl.argmax(x, axis=0).to(tl.float32)
    else:
        result = tl.min(x, axis=0)
    tl.store(out_ptr, result)


def in_a_tree(x):
    """The sum, rounded at each step."""
    while x.numel() > 1:
        x = x[0::2] + x[1::2]
    return x[0]


@triton.jit
def larger(a, b):
    if a > b:
        result = a
    else:
        result = b
    return result


@triton.jit
def largest(x_ptr, out_ptr):
    tl.store(out_ptr, tl.reduce(tl.load(x_ptr + tl.arange(0, 64)), 0, larger))


@case
def a_reduction_may_branch():
    x = torch.randn(64, generator=torch.Generator().manual_seed(4))
    return launch(largest, x, torch.empty(())), x.max()


@case
def a_float16_sum_is_rounded_at_each_step():
    x = torch.randn(64, generator=torch.Generator().manual_seed(4)).half()
    got = launch(reduced, x, torch.empty((), dtype=torch.float16), OP="sum")
    assert x.float().sum().half() != got
    return got, in_a_tree(x)


@triton.jit
def half_product(a_ptr, b_ptr, out_ptr):
    i, k = tl.arange(0, 16), tl.arange(0, 64)
    a, b = tl.load(a_ptr + i[:, None] * 64 + k), tl.load(b_ptr + k[:, None] * 16 + i)
    tl.store(out_ptr + i[:, None] * 16 + i, tl.dot(a, b, out_dtype=tl.float16))


@case
def a_float16_dot_is_rounded_after_sixteen_products():
    g = torch.Generator().manual_seed(5)
    a, b = torch.randn(16, 64, generator=g).half(), torch.randn(64, 16, generator=g).half()
    wanted = torch.zeros(16, 16).half()
    for k in range(0, 64, 16):
        wanted = (wanted.float() + a[:, k : k + 16].float() @ b[k : k + 16].float()).half()
    got = launch(half_product, a, b, torch.empty(16, 16, dtype=torch.float16))
    return (got - wanted).abs() <= 2.0**-10 * wanted.abs(), torch.ones(16, 16, dtype=torch.bool)


for name in ("sum", "max", "min", "argmax"):
    def run(name=name):
        x = torch.randint(-100, 100, (64,), generator=torch.Generator().manual_seed(4)).bfloat16()
        wanted = {"sum": in_a_tree(x), "max": x.max(), "min": x.min(), "argmax": x.argmax()}[name]
        return launch(reduced, x, torch.empty((), dtype=torch.bfloat16), OP=name), wanted.bfloat16()

    run.__name__ = f"bfloat16_{name}_of_a_row"
    case(run)


@triton.jit
def scanned(x_ptr, out_ptr):
    at = tl.arange(0, 64)
    tl.store(out_ptr + at, tl.cumsum(tl.load(x_ptr + at), axis=0))


@case
def bfloat16_cumsum():
    x = torch.randint(-5, 5, (64,), generator=torch.Generator().manual_seed(4)).bfloat16()
    return launch(scanned, x, torch.empty_like(x)), x.float().cumsum(0).bfloat16()


@triton.jit
def added(a, b):
    return a + b


@triton.jit
def scanned_far(x_ptr, sums_ptr, others_ptr):
    at = tl.arange(0, 4096)
    x = tl.load(x_ptr + at)
    tl.store(sums_ptr + at, tl.cumsum(x, axis=0))
    tl.store(others_ptr + at, tl.associative_scan(x, 0, added))


@case
def a_scan_is_a_tree():
    """Twelve roundings, where from one to the next it would be thousands."""
    x = torch.full((4096,), 0.1)
    sums, others = torch.empty_like(x), torch.empty_like(x)
    scanned_far[(1,)](x, sums, others)
    exact = x.double().cumsum(0)
    worst = max(float((got / exact - 1).abs().max()) for got in (sums, others))
    return torch.tensor(worst < 13 * 2**-24), torch.tensor(True)


@triton.jit
def mixed(a_ptr, b_ptr, out_ptr):
    at = tl.arange(0, 256)
    tl.store(out_ptr + at, tl.load(a_ptr + at) * tl.load(b_ptr + at))


@case
def bfloat16_times_float32_is_float32():
    a, b = hard()[0], torch.randn(256, generator=torch.Generator().manual_seed(5))
    return launch(mixed, a, b, torch.empty(256)), a.float() * b


@triton.jit
def masked(x_ptr, out_ptr, n):
    at = tl.arange(0, 256)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n, other=-1.5))


@case
def a_masked_bfloat16_load_fills_in_the_number_given():
    x = hard()[0]
    got = torch.empty_like(x)
    masked[(1,)](x, got, 100)
    wanted = x.clone()
    wanted[100:] = -1.5
    return got, wanted


def make(scale, shift):
    @triton.jit
    def closed(x_ptr, out_ptr):
        at = tl.arange(0, 64)
        tl.store(out_ptr + at, tl.load(x_ptr + at) * scale + shift)

    return closed


@case
def a_kernel_reads_the_variables_of_the_function_that_made_it():
    x = torch.arange(64.0)
    return launch(make(3.0, 1.0), x, torch.empty(64)), x * 3 + 1


@case
def two_kernels_of_one_factory_keep_their_own_variables():
    x = torch.arange(64.0)
    first, second = make(2.0, 0.0), make(5.0, 1.0)
    launch(first, x, torch.empty(64))
    return launch(second, x, torch.empty(64)), x * 5 + 1


@triton.jit
def counted(n_ptr, out_ptr):
    total = 0
    for number in range(0, tl.load(n_ptr)):
        total += number
    tl.store(out_ptr, total)


@case
def a_loaded_number_bounds_a_loop():
    bound, out = torch.tensor([5], dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    return launch(counted, bound, out), torch.tensor([10], dtype=torch.int32)


@triton.jit
def library(x_ptr, out_ptr):
    at = tl.arange(0, 64)
    tl.store(out_ptr + at, libdevice.tanh(tl.load(x_ptr + at)))


@triton.jit
def cuda_library(x_ptr, out_ptr):
    at = tl.arange(0, 64)
    tl.store(out_ptr + at, cuda_libdevice.tanh(tl.load(x_ptr + at)))


@triton.jit
def extra(x_ptr, out_ptr):
    at = tl.arange(0, 64)
    tl.store(out_ptr + at, tl.extra.cuda.libdevice.tanh(tl.load(x_ptr + at)))


for kernel in (library, cuda_library, extra):
    def run(kernel=kernel):
        x = torch.linspace(-3, 3, 64)
        got = launch(kernel, x, torch.empty(64))
        return (got - torch.tanh(x)).abs() < 1e-6, torch.ones(64, dtype=torch.bool)

    run.__name__ = f"libdevice_by_{kernel.__name__}"
    case(run)


@triton.jit
def fast_log(x_ptr, out_ptr):
    at = tl.arange(0, 64)
    tl.store(out_ptr + at, libdevice.fast_logf(tl.load(x_ptr + at)))


@case
def fast_functions_are_as_far_off_as_on_a_gpu():
    x = torch.linspace(0.9, 1.1, 64)
    off = (launch(fast_log, x, torch.empty(64)) - x.double().log()).abs()
    return torch.stack([off.max() < 2.0**-22, off.mean() > 2.0**-25]), torch.tensor([True, True])



@triton.jit
def by_name(x_ptr, out_ptr):
    at = tl.arange(0, 64)
    tl.store(out_ptr + at, maximum(exp2(tl.load(x_ptr + at)), 1.0))


@case
def names_imported_from_the_language():
    x = torch.arange(64.0) - 32
    return launch(by_name, x, torch.empty(64)), torch.exp2(x).clamp(min=1)


@triton.jit
def long_annotation(x_ptr, out_ptr, SIZE: triton.language.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(out_ptr + at, tl.load(x_ptr + at))


@triton.jit
def quoted_annotation(x_ptr, out_ptr, SIZE: "tl.constexpr"):
    at = tl.arange(0, SIZE)
    tl.store(out_ptr + at, tl.load(x_ptr + at))


for kernel in (long_annotation, quoted_annotation):
    def run(kernel=kernel):
        x = torch.arange(64.0)
        return launch(kernel, x, torch.empty(64), SIZE=64), x

    run.__name__ = kernel.__name__
    case(run)


@case
def a_size_that_equals_a_known_one_is_refused_all_the_same():
    tl.block_type(tl.float32, [64])
    try:
        tl.block_type(tl.float32, [64.0])
    except TypeError:
        return torch.ones(1), torch.ones(1)
    raise AssertionError("a block has 64.0 elements")


def bits(tensor):
    return tensor.nan_to_num().contiguous().reshape(-1).view(torch.uint8)


def outcome(function):
    try:
        got, wanted = function()
    except Exception as error:
        return "".join(traceback.format_exception_only(error))
    if got.dtype != wanted.dtype or got.shape != wanted.shape:
        return f"{got.dtype} {got.shape}, not {wanted.dtype} {wanted.shape}"
    if torch.equal(bits(got), bits(wanted)):
        return "equal"
    first = (got != wanted).nonzero()[:1].flatten().tolist()
    return f"{got[tuple(first)].item()!r} instead of {wanted[tuple(first)].item()!r} at {first}"


if __name__ == "__main__":
    repair()
    print(json.dumps({name: outcome(function) for name, function in CASES.items()}))
'''

BFLOAT16 = [
    "bfloat16_sum_of_a_row",
    "bfloat16_argmax_of_a_row",
    "bfloat16_cumsum",
    *(
        f"bfloat16_{name}"
        for name in ("add", "sub", "mul", "div", "neg", "abs", "maximum", "minimum", "where")
    ),
    *(
        f"bfloat16_{name}"
        for name in ("scalar", "conditional", "comparisons", "max_of_a_row", "min_of_a_row")
    ),
    "bfloat16_times_float32_is_float32",
    "a_masked_bfloat16_load_fills_in_the_number_given",
    "a_cast_to_bfloat16_rounds_to_nearest_even",
    "a_store_to_bfloat16_rounds_to_nearest_even",
    "a_cast_from_bfloat16_is_exact",
    "a_cast_from_float16_to_bfloat16",
    "a_cast_from_bfloat16_to_float16",
    "a_cast_from_integers_to_bfloat16",
    "a_cast_from_bfloat16_to_integers",
    "a_bfloat16_dot_accumulates_in_float32",
    "a_bfloat16_dot_that_is_stored_is_torchs",
]
OTHERS = [
    "libdevice_by_library",
    "libdevice_by_cuda_library",
    "libdevice_by_extra",
    "names_imported_from_the_language",
    "long_annotation",
    "quoted_annotation",
    "a_kernel_reads_the_variables_of_the_function_that_made_it",
    "two_kernels_of_one_factory_keep_their_own_variables",
    "a_loaded_number_bounds_a_loop",
    "a_scan_is_a_tree",
    "a_reduction_may_branch",
    "a_float16_sum_is_rounded_at_each_step",
    "a_float16_dot_is_rounded_after_sixteen_products",
    "fast_functions_are_as_far_off_as_on_a_gpu",
    "a_size_that_equals_a_known_one_is_refused_all_the_same",
]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    path = tmp_path_factory.mktemp("interpreter") / "cases.py"
    path.write_text(SCRIPT)
    environment = os.environ | {
        "TRITON_INTERPRET": "1",
        "PYTHONPATH": str(Path(tritonrl.__file__).parents[1]),
    }
    done = subprocess.run(
        [sys.executable, path], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", BFLOAT16)
def test_bfloat16_is_torchs_to_the_bit(name: str, outcomes: dict[str, str]):
    assert outcomes[name] == "equal"


@pytest.mark.parametrize("name", OTHERS)
def test_what_the_compiler_takes_the_interpreter_takes(name: str, outcomes: dict[str, str]):
    assert outcomes[name] == "equal"


def test_every_case_is_held_by_a_test(outcomes: dict[str, str]):
    assert set(outcomes) == {*BFLOAT16, *OTHERS}
