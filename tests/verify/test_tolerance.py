"""The tolerance table bites: 5 % off and the next lower precision are rejected, honest error is not.

Results are marked here as the judge marks them, with values made the way the reference worker makes them: the
task's type, float64, and the spread of the latter under rounding noise.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch

from tritonrl.errors import UnknownNameError
from tritonrl.tasks import Task
from tritonrl.verify.inside.rounding import MOST_DRAWN, RoundingNoise
from tritonrl.verify.oracle.author import Author
from tritonrl.verify.oracle.compare import Value, compare
from tritonrl.verify.oracle.exam import Exam
from tritonrl.verify.oracle.fitness import _is_smooth, _under_far_noise, is_fit
from tritonrl.verify.oracle.tolerance import FAR, PRECISIONS, TABLE, Tolerance, tolerance
from tritonrl.verify.oracle.worker import Worker
from tritonrl.verify.settings import Settings
from tritonrl.verify.zygotes import Zygotes

Function = Callable[..., torch.Tensor]

BITS = {"float64": 53, "float32": 24, "tf32": 11, "float16": 11, "bfloat16": 8, "float8_e4m3": 4}
NEXT_LOWER = {"float64": "float32", "float32": "tf32", "float16": "bfloat16", "bfloat16": "float8_e4m3"}
LOWER_THAN_ALLOWED = {"tf32": "bfloat16", "fp16": "bfloat16", "bf16": "float8_e4m3"}

FUNCTIONS: dict[str, Function] = {
    "product": lambda a, b: a * b,
    "matmul": lambda a, b: a @ b.mT,
    "softmax": lambda a, b: torch.softmax(a + b, dim=-1),
    "normalise": lambda a, b: torch.nn.functional.layer_norm(a, a.shape[-1:]) * b,
}


def drawn(dtype: str, shape: tuple[int, ...] = (48, 64)) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(2)
    a, b = (torch.randn(shape, generator=generator, dtype=torch.float64) for _ in range(2))
    return a.to(getattr(torch, dtype)), b.to(getattr(torch, dtype))


def expected(function: Function, *inputs: torch.Tensor, roundoff: float) -> tuple[Value, int]:
    """What the judge knows of a call, and how many terms it accumulates."""
    doubles = [each.double() for each in inputs]
    exact = function(*doubles)
    runs, longest = [], 1
    for seed in range(6):
        noise = RoundingNoise(roundoff, seed)
        disturbed = [each.clone() for each in doubles]
        for each in disturbed:
            noise.disturb(each)
        with noise:
            runs.append(function(*disturbed) - exact)
        longest = max(longest, noise.longest)
    spread = torch.stack(runs).square().mean(0).sqrt()
    return Value("the output", function(*inputs), exact, spread), longest


def rounded(tensor: torch.Tensor, bits: int, how: Function = torch.round) -> torch.Tensor:
    """The nearest numbers of so many bits."""
    mantissa, exponent = torch.frexp(tensor.double())
    return torch.ldexp(how(mantissa * 2.0**bits) / 2.0**bits, exponent)


def computed_at(function: Function, bits: int, *inputs: torch.Tensor) -> torch.Tensor:
    """The function of operands cut to so many bits, rounded to as many."""
    result = rounded(function(*(rounded(each, bits) for each in inputs)), bits)
    return result.to(inputs[0].dtype)


def units(value: Value, row: Tolerance) -> torch.Tensor:
    """One unit of honest error of every element."""
    size = float(value.exact.square().mean().sqrt())
    unit = torch.maximum(value.spread, value.own_error)
    return torch.maximum(unit, row.roundoff * value.exact.abs().clamp(min=size))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", TABLE)
def test_pytorchs_own_result_is_accepted(dtype: str, function: str):
    row = TABLE[dtype]
    value, num_terms = expected(FUNCTIONS[function], *drawn(dtype), roundoff=row.roundoff)
    assert compare(value, value.native, row, num_terms) is None


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", TABLE)
def test_five_percent_off_is_rejected(dtype: str, function: str):
    row = TABLE[dtype]
    value, num_terms = expected(FUNCTIONS[function], *drawn(dtype), roundoff=row.roundoff)
    wrong = compare(value, (value.exact * 1.05).to(value.native.dtype), row, num_terms)
    assert wrong is not None
    assert wrong.rule == "correct"


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", TABLE)
def test_the_next_lower_precision_is_rejected(dtype: str, function: str):
    row = TABLE[dtype]
    inputs = drawn(dtype)
    value, num_terms = expected(FUNCTIONS[function], *inputs, roundoff=row.roundoff)
    lower = computed_at(FUNCTIONS[function], BITS[NEXT_LOWER[dtype]], *inputs)
    assert compare(value, lower, row, num_terms) is not None
    own = computed_at(FUNCTIONS[function], BITS[dtype], *inputs)
    assert compare(value, own, row, num_terms) is None


@pytest.mark.parametrize("dtype", TABLE)
@pytest.mark.parametrize(("share", "accepted"), [(0.5, True), (0.9, True), (2.0, False)])
def test_an_error_within_the_allowance_is_accepted_and_twice_the_allowance_is_not(
    dtype: str, share: float, accepted: bool
):
    row = TABLE[dtype]
    value, num_terms = expected(FUNCTIONS["product"], *drawn(dtype), roundoff=row.roundoff)
    off = units(value, row) * share * row.typical_at(num_terms)
    # Held in float64: rounding to the task's type would be an error of its own.
    held = Value("the output", value.exact, value.exact, units(value, row))
    assert (compare(held, value.exact + off, row, num_terms) is None) == accepted
    assert (compare(held, value.exact - off, row, num_terms) is None) == accepted


@pytest.mark.parametrize("dtype", TABLE)
@pytest.mark.parametrize(("share", "accepted"), [(0.9, True), (1.1, False)])
def test_one_element_among_many_has_a_bound_of_its_own(dtype: str, share: float, accepted: bool):
    row = TABLE[dtype]
    exact = torch.linspace(0.5, 2, 400_000, dtype=torch.float64)
    value = Value("the output", exact, exact, torch.full_like(exact, 0.25))
    got = exact.clone()
    got[1234] += 0.25 * row.typical_at(9) * row.worst * share
    wrong = compare(value, got, row, 9)
    assert (wrong is None) == accepted
    assert accepted or "[1234]" in wrong.what


def test_what_is_accumulated_in_the_tasks_own_type_may_be_off_by_the_root_of_its_length():
    inputs = torch.rand(8, 65536, generator=torch.Generator().manual_seed(3))
    row = TABLE["float32"]
    value, num_terms = expected(lambda x: x.sum(-1), inputs, roundoff=row.roundoff)
    one_by_one = torch.from_numpy(np.cumsum(inputs.numpy(), axis=-1, dtype=np.float32)[:, -1].copy())
    assert num_terms == 65536
    assert compare(value, one_by_one, row, num_terms) is None
    assert compare(value, one_by_one, row, 1) is not None, "it needs the allowance for its length"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_nothing_grows_where_accumulation_is_in_float32(dtype: str):
    assert TABLE[dtype].typical_at(1_000_000) == TABLE[dtype].typical_at(1)


@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (lambda x: torch.logsumexp(x, -1), (8, 128)),
        (lambda x: torch.logsumexp(x, -1), (8, 1024)),
        (torch.nn.functional.silu, (1, 65536)),
        (torch.nn.functional.silu, (1, 2**21)),
    ],
    ids=["logsumexp of 128", "logsumexp of 1024", "silu of 64 Ki", "silu of 2 Mi"],
)
def test_float16_operands_are_rejected_however_long_the_tensor_is(function: Function, shape: tuple[int, ...]):
    inputs = torch.randn(shape, generator=torch.Generator().manual_seed(4))
    row = TABLE["float32"]
    value, num_terms = expected(function, inputs, roundoff=row.roundoff)
    assert compare(value, function(inputs.half().float()), row, num_terms) is not None


@pytest.mark.parametrize("function", ["matmul", "softmax"])
@pytest.mark.parametrize("precision", LOWER_THAN_ALLOWED)
def test_an_allowed_precision_is_accepted(precision: str, function: str):
    row = tolerance("float32", precision)
    inputs = drawn("float32")
    value, num_terms = expected(FUNCTIONS[function], *inputs, roundoff=row.roundoff)
    bits = {"tf32": 11, "fp16": 11, "bf16": 8}[precision]
    assert compare(value, computed_at(FUNCTIONS[function], bits, *inputs), row, num_terms) is None


@pytest.mark.parametrize("precision", ["tf32", "fp16", "bf16"])
def test_operands_of_a_lower_precision_than_the_allowed_one_are_rejected(precision: str):
    row = tolerance("float32", precision)
    a, b = drawn("float32")
    value, num_terms = expected(FUNCTIONS["matmul"], a, b, roundoff=row.roundoff)
    bits = BITS[LOWER_THAN_ALLOWED[precision]]
    lower = (rounded(a, bits) @ rounded(b, bits).mT).float()
    assert compare(value, lower, row, num_terms) is not None


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("dtype", TABLE)
def test_an_allowed_precision_never_tightens_a_task(dtype: str, precision: str):
    row = tolerance(dtype, precision)
    assert row.roundoff >= TABLE[dtype].roundoff
    if PRECISIONS[precision] is None or PRECISIONS[precision] <= TABLE[dtype].roundoff:
        assert row == TABLE[dtype]
    else:
        assert row.roundoff == PRECISIONS[precision]


def test_an_unknown_precision_is_an_error_that_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match=r"unknown precision 'fp8'; known: ieee, tf32, fp16, bf16"):
        tolerance("float32", "fp8")
    with pytest.raises(UnknownNameError, match=r"unknown precision 'TF32'; known: ieee, tf32, fp16, bf16"):
        Settings(precision="TF32")


DOTS: dict[str, tuple[tuple[str, ...], str]] = {
    "matmul": (("24, 50", "50, 20"), "torch.matmul"),
    "linear": (("10, 72", "20, 72"), "F.linear"),
    "attention": (("1, 2, 25, 16",) * 3, "F.scaled_dot_product_attention"),
}


def farthest_off(exam: Exam, function: Function, change: Callable[[torch.Tensor], torch.Tensor]) -> float:
    """Units that a function of changed operands is off by, on the draw that shows most."""
    found = []
    for draw in exam.draws:
        (value,) = draw.expected.outputs
        got = function(*(change(each) for each in draw.inputs.tensors))
        off = (got.float().double() - value.exact) / value.scale(exam.tolerance.roundoff)
        found.append(float(off.square().mean().sqrt()))
    return max(found)


@pytest.mark.parametrize("name", DOTS)
def test_an_exam_tells_tf32_from_bfloat16_whatever_is_drawn(name: str, zygotes: Zygotes):
    shapes, called = DOTS[name]
    names = ", ".join(f"tensor_{place}" for place in range(len(shapes)))
    drawn = ", ".join(f"torch.randn({shape})" for shape in shapes)
    source = (
        f"import torch\nimport torch.nn.functional as F\n\n\ndef get_inputs():\n    return [{drawn}]\n\n\n"
        f"def fused_operator({names}):\n    return [{called}({names})]\n"
    )
    function = eval(called, {"torch": torch, "F": torch.nn.functional})
    for seed in range(4):
        with Worker(zygotes, Task.functional(name, source), 60) as worker:
            exam = Author(worker, "tf32", seed=seed).write()
        allowed = exam.tolerance.typical
        # To nearest, as Triton converts them, and cut off, as a tensor core takes what was not converted.
        assert farthest_off(exam, function, lambda x: rounded(x, BITS["tf32"])) < allowed / 2
        assert farthest_off(exam, function, lambda x: rounded(x, BITS["tf32"], torch.trunc)) < allowed
        assert farthest_off(exam, function, lambda x: rounded(x, BITS["bfloat16"])) > allowed


def is_smooth(function: Function, x: torch.Tensor) -> bool:
    """As the exam finds it, of a result under noise of one roundoff of tf32 and of eight."""
    row = tolerance("float32", "tf32")
    near, _ = expected(function, x, roundoff=row.roundoff)
    far, _ = expected(function, x, roundoff=FAR * row.roundoff)
    return _is_smooth(*map(float, _under_far_noise(replace(near, far=far.spread), row)))


@pytest.mark.parametrize(
    ("gap", "smooth"),
    [
        (0.0, True),  # scores of 1: a weight moves as its score does
        (3000.0, True),  # the first wins by far, whatever the noise
        (50.0, False),  # noise of one roundoff is 7 on the gap and never decides, of eight it does
        (0.5, False),  # of one does, too
    ],
)
def test_noise_that_reaches_far_finds_a_cliff(gap: float, smooth: bool):
    scores = torch.randn(400, 2, generator=torch.Generator().manual_seed(5))
    if gap:
        scores = 10_000 + torch.tensor([gap, 0.0]) + scores / 100
    values = torch.tensor([1.0, 2.0])
    assert is_smooth(lambda x: torch.softmax(x, -1) @ values.to(x.dtype), scores) == smooth


@pytest.mark.parametrize(("own", "fits"), [(300.0, True), (0.0, False)])
def test_inputs_on_which_pytorch_itself_is_wrong_ask_nothing(own: float, fits: bool):
    """The largest of many is lost where the square of a deviation overflows, in a kernel as in PyTorch."""
    exact = torch.ones(2**20, dtype=torch.float64)
    exact[7] = 300.0
    native = exact.float()
    native[7] = own
    value = Value("the output", native, exact, torch.full(exact.shape, 1e-7))
    assert is_fit(value, tolerance("float32"), num_terms=1, own=False) is fits


def asked(zygotes: Zygotes, drawn: str, returned: str, row: Tolerance) -> tuple[torch.Tensor, Value]:
    """A question of one input, and what the reference worker tells of its answer."""
    source = (
        f"import torch\nimport torch.nn.functional as F\n\n\ndef get_inputs():\n    return [{drawn}]\n\n\n"
        f"def fused_operator(x):\n    return [{returned}]\n"
    )
    with Worker(zygotes, Task.functional("asked", source), 60) as worker:
        state, inputs = worker.build(0, 1, {}), worker.draw(1, {})
        found = worker.expect(0, inputs, state, row, range(row.num_noise))
    return inputs.tensors[0], found.outputs[0]


def test_beside_a_cliff_the_spread_tells_what_a_few_roundoffs_do(zygotes: Zygotes):
    row = tolerance("float32")
    question = "1e7 + torch.tensor([12.0, 0.0]).expand(400, 2)", "torch.softmax(x, -1)"
    (_, wide), (_, near) = (asked(zygotes, *question, each) for each in (row, replace(row, num_wide=0)))
    assert float(wide.spread.mean()) > 100 * float(near.spread.mean())
    smooth = "torch.randn(400, 64)", "torch.softmax(x, -1)"
    (_, wide), (_, near) = (asked(zygotes, *smooth, each) for each in (row, replace(row, num_wide=0)))
    assert float(wide.spread.mean()) == pytest.approx(float(near.spread.mean()), rel=0.05)


@pytest.mark.parametrize(
    ("function", "num_roundings"),
    [
        (lambda x: x.clone(), 2),
        (lambda x: x * 1.5 * 1.3 * 0.7, 4),
        (lambda x: x.T.contiguous().T, 2),
        (lambda x: x.sum() / x.numel(), 2),  # those of single elements even out
    ],
    ids=["a copy", "a chain", "not in order", "a sum"],
)
def test_noise_is_as_large_as_it_is_said_to_be(function: Function, num_roundings: int):
    """An error of one roundoff in each value on the way, the input and the result among them."""
    ones, num_runs = torch.ones(64, 100, dtype=torch.float64), 400
    exact, total = function(ones), torch.zeros((), dtype=torch.float64)
    for seed in range(num_runs):
        noise = RoundingNoise(1e-6, seed)
        disturbed = ones.clone()
        noise.disturb(disturbed)
        with noise:
            result = function(disturbed)
        total += ((result / exact - 1) / 1e-6).square().mean()
    assert float(total) / num_runs == pytest.approx(num_roundings, rel=0.25)


def test_noise_in_more_elements_than_are_drawn_at_a_time():
    tensor = torch.ones(MOST_DRAWN + 1000, dtype=torch.float64)
    RoundingNoise(1e-6, 1).disturb(tensor)
    off = (tensor - 1) / 1e-6
    for part in off.split(MOST_DRAWN // 4):
        assert float(part.square().mean()) == pytest.approx(1.0, rel=0.2)
    assert not torch.equal(off[:1000], off[MOST_DRAWN // 2 :][:1000])


@pytest.mark.parametrize(
    "returned",
    [
        "torch.softmax(x.masked_fill(torch.ones(64, 64).triu(1).bool(), -float('inf')), -1)",
        "F.scaled_dot_product_attention(x, x, x, is_causal=True)",
    ],
)
def test_a_mask_of_infinities_allows_no_more_than_another(returned: str, zygotes: Zygotes):
    row = tolerance("float32")
    _, value = asked(zygotes, "torch.randn(4, 64, 64)", returned, row)
    assert float(value.spread.max()) < 1e-5
    assert compare(value, value.native, row, 64) is None
    assert compare(value, torch.zeros_like(value.native), row, 64) is not None


def test_noise_that_leaves_no_number_allows_nothing(zygotes: Zygotes):
    """A root of what is zero exactly, and now and then a little less under noise."""
    row = tolerance("float32")
    _, value = asked(zygotes, "torch.randn(400, 64)", "torch.sqrt(x - x.amin(1, keepdim=True))", row)
    assert bool(torch.isfinite(value.spread).all())
    assert compare(value, value.native, row, 64) is None
    assert compare(value, value.native + 0.05, row, 64) is not None


def test_which_of_nearly_the_same_is_the_smallest_is_not_held_against_a_kernel(zygotes: Zygotes):
    """Near its smallest value mish is flat: rounding decides which element has it."""
    row = tolerance("float32")
    x, value = asked(zygotes, "torch.randn(1000, 8192)", "torch.argmin(F.mish(x), dim=1)", row)
    honest = (x * torch.tanh(torch.log(1 + torch.exp(x)))).argmin(dim=1)
    assert int((honest != value.native).sum()) > 100
    assert compare(value, honest, row, 1) is None


@pytest.mark.parametrize(
    ("drawn", "returned"),
    [
        ("torch.randn(40, 50)", "(x * 1.5).round().to(torch.int32)"),
        ("torch.randn(40, 50)", "(x * 9).floor().long()"),
        ("torch.randint(0, 5, (60, 7))", "F.one_hot(x, 5).float().sum(1).argmax(1)"),
        ("torch.randint(0, 5, (60, 7)).float()", "x.cumsum(1).argmin(1)"),
    ],
    ids=["rounded", "floored", "equal counts", "sums of whole numbers"],
)
def test_what_rounding_cannot_change_is_no_tie(drawn: str, returned: str, zygotes: Zygotes):
    _, value = asked(zygotes, drawn, returned, TABLE["float32"])
    assert (value.spread > 0).double().mean() < 0.01


def test_a_number_that_is_rounded_may_be_the_next_one_and_no_other():
    native, spread = torch.tensor([5, 5, 5, 5, 40, 3]), torch.tensor([0.0, 1.0, 1.0, 1.0, 30.0, 0.0])
    value = Value("the output", native, native, spread)
    for got, is_right in (
        ([5, 4, 6, 5, 7, 3], True),  # 40 or 10 is a place, and so any
        ([5, 3, 5, 5, 40, 3], False),
        ([5, -5, 5, 5, 40, 3], False),
        ([4, 5, 5, 5, 40, 3], False),
    ):
        assert (compare(value, torch.tensor(got), TABLE["float32"], 1) is None) == is_right


def test_an_absolute_error_is_honest_where_inputs_are_small_as_well(zygotes: Zygotes):
    """There is no tanh in Triton's own language; 2·sigmoid(2x) - 1 is exact to 6e-8 anywhere."""
    body = "def fused_operator(tensor_0):\n    return [torch.tanh(tensor_0)]\n"
    source = f"import torch\ndef get_inputs():\n    return [torch.randn(40, 50)]\n{body}"
    with Worker(zygotes, Task.functional("tanh", source), seconds=60) as worker:
        exam = Author(worker, "ieee", seed=3).write()
    assert "all_small" in {draw.kind for draw in exam.draws}
    for draw in exam.draws:
        (x,), (value,) = draw.inputs.tensors, draw.expected.outputs
        for scale, is_right in ((1.0, True), (1.001, False)):
            got = scale * (2 * torch.sigmoid(2 * x) - 1)
            assert (compare(value, got, exam.tolerance, draw.expected.num_terms) is None) == is_right, (
                draw.kind
            )


def test_most_places_of_a_largest_are_no_ties(zygotes: Zygotes):
    row = tolerance("float32")
    x, value = asked(zygotes, "torch.randn(1000, 512)", "torch.argmax(x, dim=1)", row)
    assert float((value.spread > 0).double().mean()) < 0.01
    wrong = compare(value, x[:, :-1].argmax(dim=1) + 1, row, 1)
    assert wrong is not None
