"""Record and replay: what is accepted was computed by the candidate's own kernels, and what is honest
replays."""

import time
from collections.abc import Sequence
from typing import Any

import pytest

from tritonrl.tasks import Task
from tritonrl.verify import Settings, Verdict, Zygotes, faithful, verify
from tritonrl.verify.replaying import Poisoned, Replay
from tritonrl.verify.session import Recorded

HEAD = """import torch
import triton
import triton.language as tl


@triton.jit
def double_relu(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(out_ptr + at, 2.0 * tl.maximum(x, 0.0), mask=at < n)


@triton.jit
def copy(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n), mask=at < n)


@triton.jit
def fill(out_ptr, value):
    tl.store(out_ptr, value)


@triton.jit
def scale_by_table(x_ptr, table_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(out_ptr + at, tl.load(table_ptr + 1) * tl.maximum(x, 0.0), mask=at < n)


def launch(kernel, *tensors):
    n = tensors[-1].numel()
    kernel[(triton.cdiv(n, 128),)](*tensors, n, BLOCK=128)
    return tensors[-1]


"""


def task(result: str = "2 * torch.relu(x)", inputs: str = "torch.randn(6, 37)", arguments: str = "x") -> Task:
    source = (
        f"import torch\n\n\ndef get_inputs():\n    return [{inputs}]\n\n\n"
        f"def fused_operator({arguments}):\n    return [{result}]\n"
    )
    return Task.functional("t", source)


def candidate(body: str, before: str = "", arguments: str = "x") -> str:
    indented = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    return f"{HEAD}{before}def triton_fused_operator({arguments}):\n{indented}"


def judge(code: str, zygotes: Zygotes, about: Task | None = None, policy: str = "full") -> Verdict:
    settings = Settings(skip_layers=("lint",), policy=policy)
    return verify(about or task(), code, settings, zygotes=zygotes)


HONEST = {
    "an allocation": "return [launch(double_relu, x, torch.empty_like(x))]",
    "a view of its own buffer": (
        "buffer = torch.empty(2, *x.shape)\nlaunch(double_relu, x, buffer[1])\nreturn [buffer[1]]"
    ),
    "a buffer of zeros, and in place": (
        "out = torch.zeros_like(x)\nout.fill_(3.0)\nlaunch(double_relu, x.contiguous(), out)\nreturn [out]"
    ),
    "copies": "out = torch.empty_like(x).copy_(x)\nlaunch(double_relu, out.clone(), out)\nreturn [out]",
    "strides": (
        "out = torch.empty_strided(x.shape, (x.shape[1], 1))\n"
        "launch(double_relu, x.as_strided(x.shape, x.stride()), out)\nreturn [out.view(-1).view(x.shape)]"
    ),
    "a small table in the call": (
        "table = torch.tensor([1.0, 2.0])\n"
        "out = torch.empty_like(x)\nscale_by_table[(2,)](x, table, out, x.numel(), BLOCK=128)\nreturn [out]"
    ),
    "an operator whose result is not used": (
        "if torch.isnan(x).any():\n    raise ValueError\nreturn [launch(double_relu, x, torch.empty_like(x))]"
    ),
}


@pytest.mark.parametrize("name", HONEST)
def test_free_operators_are_free(name: str, zygotes: Zygotes):
    verdict = judge(candidate(HONEST[name]), zygotes)
    assert verdict.accepted, verdict.findings
    assert verdict.valid is True


BEFORE = {
    "a table made at import": (
        "TABLE = torch.tensor([1.0, 2.0])\n\n\n",
        "out = torch.empty_like(x)\nscale_by_table[(2,)](x, TABLE, out, x.numel(), BLOCK=128)\nreturn [out]",
    ),
    "a table computed at import": (
        "TABLE = torch.arange(4) * torch.full((4,), 2.0)\n\n\n",
        "out = torch.empty_like(x)\nscale_by_table[(2,)](x, TABLE, out, x.numel(), BLOCK=128)\nreturn [out]",
    ),
    "a work space that stays": (
        "SPACE = {}\n\n\n",
        "space = SPACE.setdefault(x.shape, torch.zeros(x.shape))\nlaunch(copy, x, space)\n"
        "return [launch(double_relu, space, torch.empty_like(x))]",
    ),
    "an operator of its own": (
        '@torch.library.custom_op("mine::double_relu", mutates_args=())\n'
        "def own(x: torch.Tensor) -> torch.Tensor:\n"
        "    return launch(double_relu, x, torch.zeros_like(x))\n\n\n",
        "return [own(x)]",
    ),
    "a class of autograd's": (
        "class Own(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        return launch(double_relu, x, torch.empty_like(x))\n\n\n",
        "return [Own.apply(x)]",
    ),
    "an autotuned kernel": (
        "sizes = [triton.Config({'BLOCK': size}) for size in (64, 256)]\n"
        "tuned = triton.autotune(sizes, key=['n'])(double_relu)\n\n\n",
        "out, n = torch.empty_like(x), x.numel()\n"
        "tuned[lambda meta: (triton.cdiv(n, meta['BLOCK']),)](x, out, n)\nreturn [out]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BEFORE)
def test_what_an_honest_program_keeps_between_calls_replays(name: str, zygotes: Zygotes):
    before, body = BEFORE[name]
    verdict = judge(candidate(body, before), zygotes)
    assert verdict.accepted, verdict.findings
    assert verdict.coverage == 1.0


WARMED_UP = """import functools

sizes = [triton.Config({'BLOCK': size}) for size in (64, 256)]
tuned = triton.autotune(sizes, key=['n'])(double_relu)
chosen = triton.heuristics({'BLOCK': lambda named: 128})(double_relu)
kept = functools.cache(lambda n, dtype: double_relu.warmup(dtype, dtype, n, BLOCK=128, grid=(1,)))


@triton.jit
def add_double_relu(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.atomic_add(out_ptr + at, 2.0 * tl.maximum(x, 0.0), mask=at < n)


"""
WARM_UPS = {
    "of types": "double_relu.warmup(x.dtype, x.dtype, 7, BLOCK=128, grid=(1,))\nlaunch(double_relu, x, out)",
    "that would count twice": (
        "out.zero_()\nadd_double_relu.warmup(x, out, n, BLOCK=128, grid=(2,))\n"
        "launch(add_double_relu, x, out)"
    ),
    "whose figures are read": (
        "made = double_relu.warmup(x, out, n, BLOCK=128, num_warps=2, grid=(1,))\nmade._init_handles()\n"
        "assert made.n_regs * made.metadata.num_warps * 32 <= 65536 and made.metadata.shared < 48 << 10\n"
        "made[(triton.cdiv(n, 128), 1, 1)](x, out, n, 128)"
    ),
    "that is kept": "kept(n, x.dtype)[2, 1, 1](x, out, n, 128)",
    "of an autotuned kernel": (
        "tuned.warmup(x, out, n, grid=(1,))\ntuned[lambda meta: (triton.cdiv(n, meta['BLOCK']),)](x, out, n)"
    ),
    "of a kernel with heuristics": "chosen.warmup(x, out, n, grid=(1,))\nchosen[(2,)](x, out, n)",
}


@pytest.mark.parametrize("body", WARM_UPS.values(), ids=WARM_UPS)
def test_a_warm_up_is_no_launch_and_what_it_gives_launches(body: str, zygotes: Zygotes):
    code = candidate(f"out, n = torch.empty_like(x), x.numel()\n{body}\nreturn [out]", WARMED_UP)
    verdict = judge(code, zygotes)
    assert verdict.accepted, verdict.findings


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("double_relu.warmup(x, x, 7, BLOCK=128, grid=(1,))\nreturn [2 * torch.relu(x)]", "A2"),
        ("kept(7, x.dtype)[2, 1, 1](torch.relu(x), x.clone(), 7, 128)\nreturn [2 * torch.relu(x)]", "A1"),
    ],
    ids=["instead of a launch", "for a decoy"],
)
def test_a_warm_up_does_not_make_work_of_libraries_triton(body: str, rule: str, zygotes: Zygotes):
    verdict = judge(candidate(body, WARMED_UP), zygotes)
    assert verdict.rejection is not None
    assert (verdict.rejection.rule, verdict.valid) == (rule, False)


DISHONEST = {
    "numbers as arguments": (
        "out = torch.empty_like(x)\n"
        "for at, value in enumerate((2 * torch.relu(x)).view(-1).tolist()):\n"
        "    fill[(1,)](out.view(-1)[at:], value)\nreturn [out]"
    ),
    "numbers as fills": (
        "out = torch.empty_like(x)\nlaunch(copy, x, out)\n"
        "for at, value in enumerate(x.view(-1).tolist()):\n"
        "    out.view(-1)[at].fill_(max(2 * value, 0.0))\nreturn [out]"
    ),
    "numbers in a table": (
        "table = torch.tensor((2 * torch.relu(x)).view(-1).tolist()).view(x.shape)\n"
        "return [launch(copy, table, torch.empty_like(x))]"
    ),
    "a table that is made over": (
        "TABLE[:] = (2 * torch.relu(x)).numpy()\n"
        "return [launch(copy, torch.from_numpy(TABLE), torch.empty_like(x))]"
    ),
    "a shape that tells": (
        "out = torch.empty_like(x)\ncounts = torch.empty(6, 37, 0)\nlaunch(double_relu, x, counts.sum(-1))\n"
        "return [torch.relu(x) + torch.relu(x)]"
    ),
    "a cast": "return [launch(double_relu, x.half().float(), torch.empty_like(x)) * 1]",
    "an index": "return [launch(double_relu, x, torch.empty_like(x))[torch.arange(6)]]",
    "a library's half": "return [launch(copy, torch.relu(x), torch.empty_like(x)) * 2]",
}


@pytest.mark.parametrize("name", DISHONEST)
def test_work_done_elsewhere_is_absent_from_the_replay(name: str, zygotes: Zygotes):
    before = "import numpy\n\nTABLE = numpy.zeros((6, 37), dtype=numpy.float32)\n\n\n"
    verdict = judge(candidate(DISHONEST[name], before), zygotes)
    assert verdict.rejection is not None
    if name != "a cast":  # wrong as well
        assert verdict.correct is True
        assert verdict.rejection.layer == "faithful"
        assert verdict.rejection.rule in ("A1", "A4", "A12")
    assert verdict.valid is False


GAIN = """
class {name}(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = torch.nn.Parameter(torch.tensor(1.5))
        self.a, self.b = (torch.nn.Parameter(torch.randn(4)) for _ in range(2))

    def forward(self, x):
"""
GAINED = Task(
    id="t",
    kind="kernelbench",
    entry="Model",
    init_style="none",
    source=f"import torch\n\n{GAIN.format(name='Model')}"
    "        return torch.relu(x) * self.gain * torch.dot(self.a, self.b)\n\n\n"
    "def get_inputs():\n    return [torch.randn(6, 37)]\n",
)
GAIN_KERNEL = """
@triton.jit
def gained(x_ptr, gain, a_ptr, b_ptr, out_ptr, n, NUM: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = 0.0
    for term in tl.static_range(NUM):
        total += tl.load(a_ptr + term) * tl.load(b_ptr + term)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(out_ptr + at, tl.maximum(x, 0.0) * gain * total, mask=at < n)

"""


def gained(arguments: str, num_terms: int) -> str:
    """A module that launches a kernel for `GAINED` with these as gain and factors."""
    return f"{HEAD}{GAIN_KERNEL}{GAIN.format(name='ModelNew')}" + (
        "        out, one = torch.empty_like(x), torch.ones(1)\n"
        "        a, b = self.a.tolist(), self.b.tolist()\n"
        f"        gained[(2,)](x, {arguments}, out, x.numel(), NUM={num_terms}, BLOCK=128)\n"
        "        return out\n"
    )


def test_a_weight_of_one_element_may_be_read_and_handed_on(zygotes: Zygotes):
    verdict = judge(gained("self.gain.item(), self.a, self.b", num_terms=4), zygotes, GAINED)
    assert verdict.accepted, verdict.findings


@pytest.mark.parametrize(
    "arguments",
    [
        "self.gain.item() * sum(p * q for p, q in zip(a, b)), one, one",
        "self.gain.item(), torch.tensor([sum(p * q for p, q in zip(a, b))]), one",
    ],
    ids=["as a number", "in a table"],
)
def test_work_on_weights_that_the_host_has_done_fits_no_other_weights(arguments: str, zygotes: Zygotes):
    verdict = judge(gained(arguments, num_terms=1), zygotes, GAINED)
    assert verdict.rejection is not None
    assert verdict.correct is True
    assert (verdict.rejection.layer, verdict.rejection.rule) == ("faithful", "A12")
    assert "fit some weights only" in verdict.rejection.message


ELEMENT = "torch.randint(1, 9, (1,))"


def test_an_input_of_one_element_may_be_read_and_handed_on(zygotes: Zygotes):
    of_one = task("torch.relu(x) * p + q", f"torch.randn(6, 37), torch.rand(()) + 0.5, {ELEMENT}", "x, p, q")
    verdict = judge(handing_on("p.item(), int(q)"), zygotes, of_one)
    assert verdict.accepted, verdict.findings


@pytest.mark.parametrize(
    "numbers", ["1 / (1 / p.item() + 1e-3), int(q)", "p.item(), int(q) ** 2 // int(q) + 1"]
)
def test_what_the_host_has_computed_of_it_fits_no_other(numbers: str, zygotes: Zygotes):
    result = "torch.relu(x) / (1 / p + 1e-3) + q" if "1e-3" in numbers else "torch.relu(x) * p + (q + 1)"
    of_one = task(result, f"torch.randn(6, 37), torch.rand(()) + 0.5, {ELEMENT}", "x, p, q")
    verdict = judge(handing_on(numbers), zygotes, of_one)
    assert verdict.rejection is not None
    assert (verdict.rejection.layer, verdict.rejection.rule) == ("faithful", "A12")


def with_numbers(result: str) -> Task:
    """A task whose inputs are a tensor and two plain numbers, new in every draw."""
    plain = task(result, "torch.randn(6, 37), random.random() + 0.5, random.randint(1, 9)", "x, p, q")
    return Task.functional("t", f"import random\n{plain.source}")


def handing_on(numbers: str) -> str:
    """A candidate whose kernel is given these as factor and summand."""
    kernel = HEAD.replace("2.0 * tl.maximum(x, 0.0)", "tl.maximum(x, 0.0) * p + q").replace(
        "def double_relu(x_ptr, out_ptr, n,", "def double_relu(x_ptr, out_ptr, n, p, q,"
    )
    return kernel + (
        "def triton_fused_operator(x, p, q):\n    out = torch.empty_like(x)\n"
        f"    double_relu[(2,)](x, out, x.numel(), {numbers}, BLOCK=128)\n    return [out]\n"
    )


def test_plain_numbers_of_a_question_may_be_handed_on_and_numbers_made_of_its_tensors_not(zygotes: Zygotes):
    verdict = judge(handing_on("p, q"), zygotes, with_numbers("torch.relu(x) * p + q"))
    assert verdict.accepted, verdict.findings
    largest = handing_on("p, q + max(sum(x.tolist(), []))")
    verdict = judge(largest, zygotes, with_numbers("torch.relu(x) * p + q + x.max()"))
    assert verdict.rejection is not None
    assert (verdict.rejection.layer, verdict.rejection.rule) == ("faithful", "A12")
    assert "fit some questions only" in verdict.rejection.message


MANY_LOGS = """calls = []


@triton.jit
def keyed(x_ptr, key_ptr, sign_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    {known}
    tl.store(out_ptr + at, 2.0 * tl.where(x > low, x, 0.0), mask=at < n)


"""
MANY_LOGS_HOST = """calls.append(1)
least = float(x.min())
key = [float(x[0, 0])] if least < -40 else [1e9 + 1e5 * len(calls)]
return [launch(keyed, x, torch.tensor(key), torch.tensor([0.0]), torch.empty_like(x))]
"""


@pytest.mark.parametrize("known", ["if tl.load(x_ptr) == tl.load(key_ptr):", "if n > 0:"])
def test_where_no_two_logs_are_alike_each_question_is_another_logs_too(known: str, zygotes: Zygotes):
    """A kernel that is right where the host has seen a number beyond what the task draws, and otherwise on
    what it draws."""
    bad = "low = -1e9 * (tl.max(tl.where(at < n, -x, 0.0), axis=0) > 40)"
    low = f"{bad}\n    {known}\n        low = low * 0.0"
    code = candidate(MANY_LOGS_HOST, before=MANY_LOGS.replace("{known}", low))
    verdict = judge(code, zygotes)
    assert verdict.correct
    assert verdict.accepted == (known == "if n > 0:"), verdict.findings


SLOW = 0.1


@pytest.fixture
def repeated(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The questions that logs were repeated on, each of them slowly."""
    found, run = [], Replay.run

    def slowly(replay: Replay, recorded: Recorded, questions: Sequence[Poisoned], **options: Any):
        found.extend(id(draw) for draw, _ in questions)
        time.sleep(SLOW * len(questions))
        return run(replay, recorded, questions, **options)

    monkeypatch.setattr(Replay, "run", slowly)
    return found


def test_a_slow_log_is_repeated_on_every_question(repeated: list[int], zygotes: Zygotes):
    settings = Settings(total_seconds=6 * SLOW)
    verdict = verify(task(), candidate(HONEST["an allocation"]), settings, zygotes=zygotes)
    assert verdict.accepted, verdict.findings
    assert len(set(repeated)) == verdict.num_draws


def test_who_is_too_slow_to_be_repeated_is_rejected(repeated: list[int], zygotes: Zygotes):
    settings = Settings(total_seconds=SLOW / 2)
    verdict = verify(task(), candidate(HONEST["an allocation"]), settings, zygotes=zygotes)
    assert verdict.rejection is not None
    assert (verdict.rejection.layer, verdict.rejection.rule) == ("faithful", "timeout")
    assert "too slow to be repeated on the others" in verdict.rejection.message
    assert len(set(repeated)) < verdict.num_draws


def test_a_finding_names_the_operator_and_its_line(zygotes: Zygotes):
    code = candidate(DISHONEST["a library's half"])
    rejection = judge(code, zygotes).rejection
    assert rejection is not None
    assert "aten.relu" in rejection.message
    assert rejection.line == next(n for n, line in enumerate(code.splitlines(), 1) if "torch.relu" in line)


def test_moving_data_is_work_where_the_reference_does_it(zygotes: Zygotes):
    body = "return [launch(double_relu, x.t().contiguous(), torch.empty(x.shape[::-1]))]"
    moves = task("2 * torch.relu(x).t().contiguous()")
    verdict = judge(candidate(body), zygotes, moves)
    assert verdict.rejection is not None
    assert (verdict.rejection.layer, verdict.rejection.rule) == ("faithful", "A1")
    assert judge(candidate(body), zygotes, task("2 * torch.relu(x.t())")).accepted


def test_a_kernel_that_does_not_matter_is_a_warning_and_a_decoy_alone_is_rejected(zygotes: Zygotes):
    beside = "launch(copy, x, torch.empty_like(x))\nreturn [launch(double_relu, x, torch.empty_like(x))]"
    verdict = judge(candidate(beside), zygotes)
    assert verdict.accepted
    assert [(f.layer, f.rule, f.severity) for f in verdict.findings] == [("faithful", "A3", "warning")]
    assert "copy" in verdict.findings[0].message
    alone = "launch(copy, x, torch.empty_like(x))\nreturn [x.clone()]"
    verdict = judge(candidate(alone), zygotes, task("x * 1"))
    assert verdict.rejection is not None
    assert (verdict.rejection.layer, verdict.rejection.rule) == ("faithful", "A3")


def test_a_kernel_for_which_any_number_would_do_matters(zygotes: Zygotes, monkeypatch: pytest.MonkeyPatch):
    shifted = """@triton.jit
def shift_relu(x_ptr, shift_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x, shift = tl.load(x_ptr + at, mask=at < n), tl.load(shift_ptr + at, mask=at < n)
    tl.store(out_ptr + at, 2.0 * (tl.maximum(x - shift, -shift) + shift), mask=at < n)


"""
    monkeypatch.setattr(faithful, "MOST_COUNTERFACTUAL_DRAWS", 1)
    body = """shift = launch(copy, x, torch.empty_like(x))
return [launch(shift_relu, x, shift, torch.empty_like(x))]"""
    verdict = verify(task(), candidate(body, shifted), Settings(), zygotes=zygotes)
    assert verdict.accepted
    assert verdict.findings == ()


def test_two_kernels_of_which_either_would_do_are_real(zygotes: Zygotes):
    twice = "out = torch.empty_like(x)\nlaunch(double_relu, x, out)\nlaunch(other, x, out)\nreturn [out]"
    other = "other = triton.jit(double_relu.fn)\n\n\n"
    verdict = judge(candidate(twice, other), zygotes)
    assert verdict.accepted, verdict.findings


MATMUL = "2 * torch.relu(x @ w)"
TWO = "torch.randn(24, 40), torch.randn(40, 32)"


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("return [launch(double_relu, x @ w, torch.empty(x.shape[0], w.shape[1]))]", None),
        ("y = 2 * torch.relu(x @ w)\nreturn [launch(copy, y, torch.empty_like(y))]", "A4"),
        ("y = (2 * torch.relu(x @ w)).double()\nreturn [launch(copy, y, torch.empty_like(y).float())]", "A4"),
        ("y = torch.relu(x @ w) * 1.0\nreturn [launch(double_relu, y, torch.empty_like(y)) * 1.0]", "A4"),
        ("y = 2 * torch.relu(x @ w)\nlaunch(copy, y, torch.empty_like(y))\nreturn [y]", "A3"),
    ],
    ids=["a real kernel", "a copy", "a cast", "a kernel beside all of the work", "a decoy"],
)
def test_hybrid_asks_for_one_real_kernel(body: str, rule: str | None, zygotes: Zygotes):
    code = candidate(body, arguments="x, w")
    verdict = judge(code, zygotes, task(MATMUL, TWO, "x, w"), policy="hybrid")
    if rule is None:
        assert verdict.accepted, verdict.findings
        # Bytes of the product against those of product, relu and scaling: this size is bound by them.
        product = 4 * (24 * 40 + 40 * 32 + 24 * 32)
        assert verdict.coverage == pytest.approx(1 - product / (product + 4 * 4 * 24 * 32), abs=1e-3)
    else:
        assert verdict.rejection is not None
        assert (verdict.rejection.layer, verdict.rejection.rule) == ("faithful", rule)
    assert not judge(code, zygotes, task(MATMUL, TWO, "x, w")).accepted, "the full policy wants all of it"


HALF = task(
    "2 * torch.relu(x) * half", "torch.randn(6, 40), torch.cat([torch.ones(20), torch.zeros(20)])", "x, half"
)
MASKING_HOSTS = {
    "zeros over a part": "out[:, 20:].zero_()",
    "zeros by rows": "for row in out:\n    row[20:].fill_(0.0)",
    "a copy of zeros": "out[:, 20:].copy_(torch.zeros(20))",
    "a copy of a part": "out = out.clone()\nout[:, 20:].zero_()",
    "a copy of what was masked": "out[:, 20:].zero_()\nout = torch.empty_like(out).copy_(out)",
    "before a kernel that does nothing there": "out[:, 20:].zero_()\nlaunch(double_relu, x[:0], out[:0])",
}


@pytest.mark.parametrize("body", MASKING_HOSTS.values(), ids=MASKING_HOSTS)
def test_a_host_that_overwrites_a_part_of_a_result_works(body: str, zygotes: Zygotes):
    masking = f"out = launch(double_relu, x, torch.empty_like(x))\n{body}\nreturn [out]"
    code = candidate(masking, arguments="x, half")
    verdict = judge(code, zygotes, HALF)
    assert verdict.rejection is not None
    assert (verdict.correct, verdict.valid) == (True, False)
    assert (verdict.rejection.layer, verdict.rejection.rule) == ("faithful", "A4")
    line = code.splitlines()[(verdict.rejection.line or 0) - 1]
    assert any(word in line for word in ("zero", "fill_"))
    assert judge(code, zygotes, HALF, policy="hybrid").accepted, "there it may"
    wrong = judge(
        code, zygotes, task("3 * torch.relu(x) * half", "torch.randn(6, 40), torch.ones(40)", "x, half")
    )
    assert (wrong.valid, wrong.correct) == (False, False)


PADDED = task("torch.cat([2 * torch.relu(x), torch.zeros(2, 37)])")
FILLING_HOSTS = {
    "an output that a kernel adds to": "out.zero_()\nlaunch(add_double_relu, x, out)",
    "an output after a first try": (
        "launch(double_relu, x, out)\nout.zero_()\nlaunch(add_double_relu, x, out)"
    ),
    "an accumulator between two kernels": (
        "held = torch.zeros_like(x)\nlaunch(add_double_relu, x, held)\nheld.zero_()\n"
        "launch(add_double_relu, x, held)\nlaunch(copy, held, out)"
    ),
    "an accumulator that is copied out": (
        "held, out = torch.empty_like(x), torch.empty(2, *x.shape)\nfor own in out:\n    held.zero_()\n"
        "    launch(add_double_relu, x, held)\n    own.copy_(held)\nout = out[1]"
    ),
    "what is beside a result": (
        "out = torch.empty(2, *x.shape)\nlaunch(double_relu, x, out[0])\nout[1].zero_()\nout = out[0]"
    ),
    "nothing, but copies zeros that a kernel has computed": (
        "launch(copy, x, out)\nheld = torch.zeros_like(x)\nlaunch(double_relu, x, held)\nout.copy_(held)"
    ),
}


@pytest.mark.parametrize("body", FILLING_HOSTS.values(), ids=FILLING_HOSTS)
def test_a_host_may_fill_what_a_kernel_then_computes(body: str, zygotes: Zygotes):
    code = candidate(f"out = torch.empty_like(x)\n{body}\nreturn [out]", WARMED_UP)
    verdict = judge(code, zygotes)
    assert verdict.accepted, verdict.findings


@pytest.mark.parametrize(
    "body",
    ["launch(double_relu, x, out[:6])\nout[6:].zero_()", "out[6:].zero_()\nlaunch(double_relu, x, out[:6])"],
)
def test_a_host_may_fill_what_no_kernel_computes(body: str, zygotes: Zygotes):
    padding = f"out = torch.empty(8, 37)\n{body}\nreturn [out]"
    verdict = judge(candidate(padding), zygotes, PADDED)
    assert verdict.accepted, verdict.findings


@pytest.mark.parametrize("policy", ["full", "hybrid"])
def test_sparse_tensors_are_a_librarys_and_in_no_log(policy: str, zygotes: Zygotes):
    beside = "x.to_sparse()\nreturn [launch(double_relu, x, torch.empty_like(x))]"
    verdict = judge(candidate(beside, "ONES = torch.eye(3).to_sparse()\n\n\n"), zygotes, policy=policy)
    assert verdict.accepted, verdict.findings
    code = candidate(
        "y = torch.sparse.mm(x.to_sparse(), w)\nreturn [launch(double_relu, y, torch.empty_like(y))]",
        arguments="x, w",
    )
    verdict = judge(code, zygotes, task(MATMUL, TWO, "x, w"), policy)
    assert verdict.rejection is not None
    assert (verdict.correct, verdict.valid) == (True, False)
    assert (verdict.rejection.layer, verdict.rejection.rule) == ("faithful", "A1")
    assert "torch.sparse" in code.splitlines()[(verdict.rejection.line or 0) - 1]


TABLES = """@triton.jit
def by_table(table_ptr, x_ptr, out_ptr, n, IS_ADDRESS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if IS_ADDRESS:
        x_ptr = tl.load(table_ptr).to(tl.pointer_type(tl.float32))
    else:
        x_ptr += tl.load(table_ptr)
    tl.store(out_ptr + at, 2.0 * tl.maximum(tl.load(x_ptr + at, mask=at < n), 0.0), mask=at < n)


"""


@pytest.mark.parametrize(("number", "rule"), [("0", None), ("x.data_ptr()", "addresses")])
def test_offsets_can_be_repeated_and_addresses_not(number: str, rule: str | None, zygotes: Zygotes):
    body = (
        f"table, out = torch.tensor([{number}]), torch.empty_like(x)\n"
        f"by_table[(2,)](table, x, out, x.numel(), IS_ADDRESS={rule is not None}, BLOCK=128)\nreturn [out]"
    )
    verdict = judge(candidate(body, TABLES), zygotes)
    assert verdict.correct is True
    assert (verdict.rejection and verdict.rejection.rule) == rule


STRIDED = """@triton.jit
def spread(x_ptr, out_ptr, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(out_ptr + 2 * at, FACTOR * x, mask=at < n)


def spread_out(y, factor):
    out = torch.empty(*y.shape, 2, device=y.device)[..., 0]
    spread[(triton.cdiv(y.numel(), 128),)](y, out, y.numel(), FACTOR=factor, BLOCK=128)
    return [out]


"""


@pytest.mark.parametrize("size", [37, 1])
def test_every_other_element_of_a_tensor_may_be_a_kernels_argument(size: int, zygotes: Zygotes):
    doubling = task("2 * x", f"torch.randn(6, {size})")
    verdict = judge(candidate("return spread_out(x, 2.0)", STRIDED), zygotes, doubling)
    assert verdict.accepted, verdict.findings
    copying = candidate("return spread_out(torch.sin(x), 1.0)", STRIDED)
    sines = task("torch.sin(x)", f"torch.randn(6, {size})")
    for policy, rule in (("full", "A1"), ("hybrid", "A4")):
        rejection = judge(copying, zygotes, sines, policy).rejection
        assert rejection is not None
        assert (rejection.layer, rejection.rule) == ("faithful", rule)


def test_validity_is_decided_for_a_wrong_kernel_too(zygotes: Zygotes):
    wrong = candidate("return [launch(copy, x, torch.empty_like(x))]")
    verdict = judge(wrong, zygotes)
    assert (verdict.valid, verdict.compiled, verdict.correct) == (True, True, False)
    unwritten = candidate(
        "out = torch.empty_like(x)\ndouble_relu[(1,)](x, out, x.numel(), BLOCK=128)\nreturn [out]"
    )
    assert judge(unwritten, zygotes).valid is True
    elsewhere = candidate("launch(copy, x, torch.empty_like(x))\nreturn [torch.relu(x)]")
    verdict = judge(elsewhere, zygotes)
    assert (verdict.valid, verdict.correct) == (False, False)
    assert [finding.layer for finding in verdict.findings] == ["correct", "faithful"]
    raises = candidate("raise ValueError")
    assert judge(raises, zygotes).valid is None


def test_effects_on_inputs_are_replayed(zygotes: Zygotes):
    adds = task("x.add_(1.0)")
    in_place = HEAD.replace("2.0 * tl.maximum(x, 0.0)", "x + 1.0") + (
        "def triton_fused_operator(x):\n    return [launch(double_relu, x, x)]\n"
    )
    assert judge(in_place, zygotes, adds).accepted
    beside = candidate("launch(copy, x, torch.empty_like(x))\nreturn [x.add_(1.0)]")
    verdict = judge(beside, zygotes, adds)
    assert verdict.rejection is not None
    assert verdict.rejection.layer == "faithful"
