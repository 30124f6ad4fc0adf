"""What a whole verification does with tasks and candidates of every form: verdict, layers, findings."""

import pytest

from tritonrl.errors import UserError
from tritonrl.tasks import Task, TaskError
from tritonrl.train.rewards import reward
from tritonrl.verify import Completion, Judged, Settings, Verdict, Zygotes, verify
from tritonrl.verify.process import Process

KERNEL = """
import torch
from torch import nn
import triton
import triton.language as tl


@triton.jit
def affine_kernel(x_ptr, w_ptr, b_ptr, o_ptr, num, cols, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < num
    x = tl.load(x_ptr + i, mask=mask)
    w = tl.load(w_ptr + i % cols, mask=mask)
    b = tl.load(b_ptr + i % cols, mask=mask)
    tl.store(o_ptr + i, x * w + b, mask=mask)


def affine(x, w, b):
    out = torch.empty_like(x)
    affine_kernel[(triton.cdiv(x.numel(), 128),)](x, w, b, out, x.numel(), w.numel(), BLOCK=128)
    return out
"""
FUNCTIONAL = """
import torch

def get_inputs():
    return [torch.randn(7, 30), torch.randn(30), torch.randn(30)]

def fused_operator(x, w, b):
    return [x * w + b]
"""
MODULE = """
import torch
from torch import nn

cols = 30

class Model(nn.Module):
    def __init__(self, cols, offset=0.0):
        super().__init__()
        self.w = nn.Parameter(torch.randn(cols))
        self.b = nn.Parameter(torch.zeros(cols) + offset)

    def forward(self, x):
        return x * self.w + self.b

def get_inputs():
    return [torch.randn(7, cols)]

def get_init_inputs():
    return [cols]
"""
FUNCTION = KERNEL + "\n\ndef triton_fused_operator(x, w, b):\n    return [affine(x, w, b)]\n"
CLASS = KERNEL + (
    "\n\nclass ModelNew(nn.Module):\n    def __init__(self, cols, offset=0.0):\n        super().__init__()\n"
    "        self.w = nn.Parameter(torch.randn(cols))\n"
    "        self.b = nn.Parameter(torch.zeros(cols) + offset)\n\n"
    "    def forward(self, x):\n        return affine(x, self.w, self.b)\n"
)


def functional(source: str = FUNCTIONAL) -> Task:
    return Task.functional("affine", source)


def module(source: str = MODULE, init_style: str = "args") -> Task:
    return Task(id="affine", kind="kernelbench", source=source, entry="Model", init_style=init_style)


def rules(verdict: Verdict) -> list[tuple[str, str, str]]:
    return [(finding.layer, finding.rule, finding.severity) for finding in verdict.findings]


ASSEMBLY = FUNCTION.replace(
    "x * w + b, mask",
    """tl.inline_asm_elementwise(
        "fma.rn.f32 $0, $1, $2, $3;", "=f,f,f,f", [x, w, b], dtype=tl.float32, is_pure=True, pack=1), mask""",
)


def test_what_only_a_gpu_can_do_is_not_decided_without_one(zygotes: Zygotes):
    verdict = verify(functional(), ASSEMBLY, zygotes=zygotes)
    assert (verdict.valid, verdict.compiled, verdict.correct) == (None, True, None)
    assert rules(verdict) == [("correct", "gpu-only", "note")]
    assert verdict.findings[0].line == ASSEMBLY.splitlines().index(KERNEL.splitlines()[13]) + 2
    assert "tl.inline_asm_elementwise" in verdict.findings[0].message
    assert not verdict.accepted
    assert reward(Judged(0, functional(), verdict)).correct == 0.0, "to raise it gains nothing"


RAISED = [
    ("from tritonrl.verify.inside.gpu_only import GpuOnly", None),
    ("class GpuOnly(NotImplementedError):\n    pass", False),
]


@pytest.mark.parametrize(("define", "correct"), RAISED, ids=["ours", "of that name"])
def test_an_error_is_known_by_its_type_and_nobody_is_accepted_for_it(
    define: str, correct: bool | None, zygotes: Zygotes
):
    raising = FUNCTION.replace(
        "    return [affine(", "    affine(x, w, b)\n    raise GpuOnly('x')\n    return [affine("
    )
    verdict = verify(functional(), f"{define}\n{raising}", zygotes=zygotes)
    assert (verdict.valid, verdict.correct, verdict.accepted) == (None, correct, False)


def test_a_function_is_accepted_after_thirty_calls(zygotes: Zygotes):
    verdict = verify(functional(), FUNCTION, zygotes=zygotes)
    assert verdict.accepted
    assert (verdict.valid, verdict.compiled, verdict.correct, verdict.speedup) == (True, True, True, None)
    names = [layer.name for layer in verdict.layers]
    assert names == ["parse", "syntax", "lint", "judge", "compile", "correct", "faithful", "timing"]
    assert verdict.num_calls >= 30
    assert verdict.num_draws >= 10
    assert verdict.weights_replaced is None
    assert verdict.findings == ()


def test_a_module_with_the_same_state_has_its_weights_replaced(zygotes: Zygotes):
    verdict = verify(module(), CLASS, zygotes=zygotes)
    assert verdict.accepted
    assert verdict.weights_replaced is True


def test_constructor_keywords_reach_both_sides(zygotes: Zygotes):
    source = MODULE.replace("return [cols]", "return [[cols], {'offset': 2.5}]")
    # Under other names the bias is what the constructor made of the keyword.
    other = CLASS.replace("self.b", "self.bias")
    verdict = verify(module(source, "args_kwargs"), other, zygotes=zygotes)
    assert verdict.accepted
    assert verdict.weights_replaced is False


def test_other_names_of_parameters_are_judged_under_shared_seeds(zygotes: Zygotes):
    other = CLASS.replace("self.w", "self.weight")
    verdict = verify(module(), other, zygotes=zygotes)
    assert verdict.accepted
    assert verdict.weights_replaced is False
    assert rules(verdict) == [("correct", "weights", "note")]
    wrong = other.replace("torch.randn(cols)", "torch.ones(cols)")
    assert rules(verify(module(), wrong, zygotes=zygotes))[0] == ("correct", "correct", "reject")


OTHER = CLASS.replace("self.w", "self.weight")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("self.b = nn.Parameter(torch.zeros(cols) + offset)", "self.b = nn.Parameter(torch.zeros(1, cols))"),
        ("self.b = nn.Parameter(torch.zeros(cols) + offset)", "self.register_buffer('b', torch.zeros(cols))"),
        (
            "self.b = nn.Parameter(",
            "self.unused = nn.Parameter(torch.zeros(cols))\n        self.b = nn.Parameter(",
        ),
    ],
    ids=["in another shape", "as a buffer", "beside one like it"],
)
def test_a_parameter_of_one_value_may_be_kept_otherwise(before: str, after: str, zygotes: Zygotes):
    changed = OTHER.replace(before, after)
    assert changed != OTHER
    verdict = verify(module(), changed, zygotes=zygotes)
    assert verdict.accepted
    assert "it has nothing" not in verdict.findings[0].message


@pytest.mark.parametrize(
    ("before", "after", "missing"),
    [
        ("self.b = nn.Parameter(torch.zeros(cols) + offset)", "self.b = torch.zeros(cols)", True),
        ("affine(x, self.weight, self.b)", "affine(x, self.weight, torch.zeros_like(self.b))", False),
    ],
    ids=["it has none", "it does not use it"],
)
def test_a_parameter_of_one_value_is_not_left_out_by_another_name(
    before: str, after: str, missing: bool, zygotes: Zygotes
):
    changed = OTHER.replace(before, after)
    assert changed != OTHER
    verdict = verify(module(), changed, zygotes=zygotes)
    assert rules(verdict) == [("correct", "correct", "reject"), ("correct", "weights", "note")]
    assert ("it has nothing for 'b'" in verdict.findings[1].message) == missing


def test_which_of_two_parameters_of_one_value_is_which_does_not_matter(zygotes: Zygotes):
    def of_ones(text: str) -> str:
        return text.replace("torch.randn(cols)", "torch.ones(cols)").replace(
            "torch.zeros(cols)", "torch.ones(cols)"
        )

    weight, bias = (line for line in OTHER.splitlines(keepends=True) if "= nn.Parameter" in line)
    swapped = of_ones(OTHER.replace(weight + bias, bias + weight))
    assert verify(module(of_ones(MODULE)), swapped, zygotes=zygotes).accepted
    without = swapped.replace("affine(x, self.weight", "affine(x, torch.ones_like(self.weight)")
    assert not verify(module(of_ones(MODULE)), without, zygotes=zygotes).correct


def test_a_parameter_that_the_reference_does_not_use_may_be_missing(zygotes: Zygotes):
    source = MODULE.replace(
        "        self.b =", "        self.unused = nn.Parameter(torch.ones(cols))\n        self.b ="
    )
    assert source != MODULE
    assert verify(module(source), OTHER, zygotes=zygotes).accepted


def test_weights_fixed_at_construction_are_found_out(zygotes: Zygotes):
    fixed = CLASS.replace("+ offset)\n", "+ offset)\n        self.kept = self.w.detach().clone()\n", 1)
    fixed = fixed.replace("affine(x, self.w, self.b)", "affine(x, self.kept, self.b)")
    assert rules(verify(module(), fixed, zygotes=zygotes)) == [("correct", "correct", "reject")]


def test_sizes_named_as_varying_are_varied(zygotes: Zygotes):
    varying = MODULE + '\nVARYING = ("cols",)\n'
    assert verify(module(varying), CLASS, zygotes=zygotes).accepted
    fixed = CLASS.replace("x.numel(), w.numel()", "x.numel(), 30")
    assert verify(module(), fixed, zygotes=zygotes).accepted
    verdict = verify(module(varying), fixed, zygotes=zygotes)
    assert not verdict.accepted
    assert "cols = " in verdict.findings[0].message


def test_shapes_that_differ_from_draw_to_draw_are_kept_apart(zygotes: Zygotes):
    source = FUNCTIONAL.replace("torch.randn(7, 30)", "torch.randn(int(torch.randint(1, 40, ())), 30)")
    assert verify(functional(source), FUNCTION, zygotes=zygotes).accepted
    short = FUNCTION.replace("affine(x, w, b)]", "affine(x[:4], w, b)]")
    verdict = verify(functional(source), short, zygotes=zygotes)
    assert rules(verdict) == [("correct", "B8", "reject")]


def test_inputs_may_be_nested_and_plain(zygotes: Zygotes):
    source = """
import torch

def get_inputs():
    return [{"x": torch.randn(7, 30)}, [torch.randn(30), torch.randn(30)], 2, None]

def fused_operator(tensors, pair, power, nothing):
    return (tensors["x"] * pair[0] + pair[1], power)
"""
    code = KERNEL + (
        "\n\ndef triton_fused_operator(tensors, pair, power, nothing):\n    assert nothing is None\n"
        "    return (affine(tensors['x'], *pair), power)\n"
    )
    assert verify(functional(source), code, zygotes=zygotes).accepted
    listed = code.replace(
        "return (affine(tensors['x'], *pair), power)", "return [affine(tensors['x'], *pair), power]"
    )
    assert rules(verify(functional(source), listed, zygotes=zygotes)) == [("correct", "B8", "reject")]


def test_strided_inputs_keep_their_strides(zygotes: Zygotes):
    source = FUNCTIONAL.replace("torch.randn(7, 30)", "torch.randn(30, 7).t()")
    code = FUNCTION.replace(
        "    return [affine(x, w, b)]",
        "    assert x.stride() == (1, 7)\n    return [affine(x.contiguous(), w, b)]",
    )
    assert verify(functional(source), code, zygotes=zygotes).accepted
    # A kernel that takes them for contiguous reads the wrong elements.
    assert not verify(functional(source), FUNCTION, zygotes=zygotes).accepted


def test_a_reference_with_its_own_types_is_compared_in_them_with_a_warning(zygotes: Zygotes):
    source = FUNCTIONAL.replace("[x * w + b]", "[x.float() * w.float() + b.float()]")
    verdict = verify(functional(source), FUNCTION, zygotes=zygotes)
    assert verdict.accepted
    assert ("correct", "task.precision", "warning") in rules(verdict)


def test_a_task_that_keeps_what_is_no_state_is_refused(zygotes: Zygotes):
    """Its second call gives something else; a copy of the module for each call would hide that."""
    counted = "self.calls = getattr(self, 'calls', 0) + 1\n        return self.calls * x *"
    counting = MODULE.replace("return x *", counted)
    with pytest.raises(TaskError, match="keeps something that is no parameter or buffer"):
        verify(module(counting), CLASS, zygotes=zygotes)
    cached = MODULE.replace("return x *", "self.last = x.shape\n        return x *")
    assert cached != MODULE
    assert verify(module(cached), CLASS, zygotes=zygotes).accepted


FILLED = """
import torch

def get_inputs():
    mask = torch.rand(6, 40) > 0.2
    mask[0] = False
    return [torch.randn(6, 40), mask]

def fused_operator(x, mask):
    return [torch.softmax(x.masked_fill(~mask, -1e9), -1)]
"""
SOFTMAX = """
import torch, triton, triton.language as tl

@triton.jit
def softmax_kernel(x_ptr, mask_ptr, o_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.program_id(0) * 40 + i
    kept = tl.load(mask_ptr + at, mask=i < 40, other=0) != 0
    x = tl.where(kept, tl.load(x_ptr + at, mask=i < 40, other=0.0), FILL)
    x = tl.where(i < 40, x, -float("inf"))
    e = tl.exp(x - tl.max(x, 0))
    tl.store(o_ptr + at, e / tl.sum(e, 0)MORE, mask=i < 40)

def triton_fused_operator(x, mask):
    out = torch.empty_like(x)
    softmax_kernel[(6,)](x, mask, out, BLOCK=64)
    return [out]
"""


def test_a_number_that_fills_is_not_off_by_rounding(zygotes: Zygotes):
    """Of a row that is masked as a whole all shares are the same, however large the number that masks it."""
    right = SOFTMAX.replace("FILL", "-1e9")
    assert verify(functional(FILLED), right.replace("MORE", ""), zygotes=zygotes).accepted
    zero = right.replace("MORE", " * (tl.max(kept.to(tl.int32), 0) > 0)")
    assert not verify(functional(FILLED), zero, zygotes=zygotes).correct


@pytest.mark.parametrize(
    ("returned", "dtype", "computed"),
    [
        (
            "torch.nan_to_num(torch.log(x * w))", "float32",
            "tl.where(x * w < 0, 0.0, tl.where(x * w == 0, -3.4028234663852886e38, tl.log(x * w)))",
        ),
        ("torch.exp(x) * w", "float64", "tl.exp(x) * w"),
    ],
    ids=["the limits of a type", "more than float32 holds"],
)  # fmt: skip
def test_numbers_beyond_a_type_are_no_errors(returned: str, dtype: str, computed: str, zygotes: Zygotes):
    source = FUNCTIONAL.replace("[x * w + b]", f"[{returned} + 0 * b]").replace(
        "30)", f"30, dtype=torch.{dtype})"
    )
    code = FUNCTION.replace("x * w + b", computed)
    verdict = verify(functional(source), code, zygotes=zygotes)
    assert verdict.accepted, verdict.findings
    assert not verify(functional(source), code.replace("* w", "* x"), zygotes=zygotes).correct


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (FUNCTIONAL.replace("[x * w + b]", "[torch.nn.functional.dropout(x) * w + b]"), "is random"),
        (
            FUNCTIONAL.replace("torch.randn(7, 30)", "1 / 0"),
            "cannot draw its inputs: ZeroDivisionError.*line 5",
        ),
        (FUNCTIONAL.replace("[x * w + b]", "[x @ w @ b]"), "cannot run: RuntimeError.*line 8"),
        ("import no_such_module\n" + FUNCTIONAL, "cannot be imported: ModuleNotFoundError"),
        (FUNCTIONAL + "\nwhile True:\n    pass\n", "cannot be imported: it gave no answer within 2 s"),
        (FUNCTIONAL + "\nimport os\nos._exit(0)\n", "cannot be imported: it left with exit code 0"),
        (
            FUNCTIONAL.replace("return [torch.randn(7", "return torch.randn(3) or [torch.randn(7"),
            "cannot draw",
        ),
        (FUNCTIONAL + '\nVARYING = ("rows",)\n', "VARYING names 'rows'"),
        (FUNCTIONAL.replace("[x * w + b]", "[object()]"), "cannot run: Unsupported: a object"),
    ],
)
def test_a_task_at_fault_is_an_error_of_the_user(zygotes: Zygotes, source: str, message: str):
    with pytest.raises(TaskError, match=message) as caught:
        verify(functional(source), FUNCTION, Settings(reference_seconds=2.0), zygotes=zygotes)
    assert "\n" not in str(caught.value)


def changed(*pairs: tuple[str, str]) -> str:
    """The right candidate with something replaced."""
    code = FUNCTION
    for old, new in pairs:
        assert old in code
        code = code.replace(old, new)
    return code


WORK = "[affine(x, w, b)]"


@pytest.mark.parametrize(
    ("code", "layer", "rule", "where"),
    [
        ("def broken(:\n", "syntax", "syntax", "def broken"),
        (KERNEL, "syntax", "syntax", None),
        (changed(("@triton.jit", "")), "syntax", "A2", None),
        (changed((WORK, "[x * w + b]"), ("affine_kernel[", "print[")), "lint", "A2", "def affine_kernel"),
        (FUNCTION + "\nexec(bytes.fromhex('70617373'))\n", "lint", "F5", "exec(bytes"),
        (FUNCTION + "\nraise ValueError('no')\n", "compile", "import_error", "raise ValueError"),
        (changed((WORK, "[x * w + b]")), "compile", "A2", None),
        (changed((WORK, "[affine(x, w)]")), "compile", "runtime_error", "[affine(x, w)]"),
        (changed((WORK, "[affine(x, w, b) + unknown]")), "correct", "runtime_error", "+ unknown"),
        (changed(("i < num", "i < undefined_name")), "compile", "compile", "undefined_name"),
        (changed(("i < num", "i < int(num)")), "compile", "compile", "int(num)"),
        (changed(("BLOCK=128)", "BLOCK=100)")), "compile", "compile", None),
        (changed(("BLOCK=128)", "BLOCK=128, num_wraps=4)")), "compile", "compile", None),
    ],
)
def test_the_first_failing_layer_decides(
    zygotes: Zygotes, code: str, layer: str, rule: str, where: str | None
):
    verdict = verify(functional(), code, zygotes=zygotes)
    assert not verdict.accepted
    found = verdict.rejection
    assert (found.layer, found.rule) == (layer, rule), found
    assert where is None or found.line == 1 + code[: code.index(where)].count("\n")
    status = {step.name: step.status for step in verdict.layers}
    assert status.pop("judge") == "skip", "nobody asked for it"
    statuses, at = list(status.values()), list(status).index(layer)
    assert statuses == ["pass"] * at + ["fail"] + ["skip"] * (len(statuses) - at - 1)


def test_a_completion_is_taken_apart(zygotes: Zygotes):
    text = f"<think>\nOne kernel.\n```python\nsketch(\n```\n</think>\nHere:\n```python\n{FUNCTION}```\n"
    assert verify(functional(), Completion.parse(text), Settings(needs_plan=True), zygotes=zygotes).accepted
    bare = Completion.parse(f"```python\n{FUNCTION}```\n")
    assert rules(verify(functional(), bare, Settings(needs_plan=True), zygotes=zygotes)) == [
        ("parse", "parse", "reject")
    ]
    assert rules(verify(functional(), Completion.parse("I cannot."), zygotes=zygotes)) == [
        ("parse", "parse", "reject")
    ]


def test_skipping_lint_changes_no_answer(zygotes: Zygotes):
    unused = FUNCTION.replace("[affine(x, w, b)]", "[x * w + b]").replace("affine_kernel[", "print[")
    verdict = verify(functional(), unused, Settings(skip_layers=("lint",)), zygotes=zygotes)
    assert rules(verdict) == [("compile", "A2", "reject")]
    assert next(layer.status for layer in verdict.layers if layer.name == "lint") == "skip"


def test_settings_name_what_they_know():
    for wrong in (
        {"precision": "fp8"},
        {"policy": "half"},
        {"target": "sm_1"},
        {"skip_layers": ("correct",)},
    ):
        with pytest.raises(UserError, match=r"unknown .*; known: "):
            Settings(**wrong)


def test_a_missing_sandbox_feature_is_named_and_can_be_refused(
    zygotes: Zygotes, monkeypatch: pytest.MonkeyPatch
):
    def without_landlock(self: Zygotes, role: object, *lent: object) -> Process:
        process = started(self, role, *lent)
        process.sandbox["landlock"] = "Function not implemented"
        return process

    started = Zygotes.start
    monkeypatch.setattr(Zygotes, "start", without_landlock)
    verdict = verify(functional(), FUNCTION, zygotes=zygotes)
    assert verdict.accepted
    assert verdict.sandbox.missing == {"landlock": "Function not implemented"}
    with pytest.raises(UserError, match="--require-sandbox: this machine does not allow landlock"):
        verify(functional(), FUNCTION, Settings(require_sandbox=True), zygotes=zygotes)


def test_slow_candidates_are_asked_every_question_once_or_rejected(zygotes: Zygotes):
    slow = FUNCTION.replace("    return [affine", "    import time\n    time.sleep(0.05)\n    return [affine")
    verdict = verify(functional(), slow, Settings(total_seconds=0.5), zygotes=zygotes)
    assert verdict.accepted, verdict.findings
    assert verdict.num_draws <= verdict.num_calls < 30  # hardly one of them twice
    verdict = verify(functional(), slow, Settings(total_seconds=0.01), zygotes=zygotes)
    assert verdict.rejection is not None
    assert verdict.rejection.rule == "timeout"
    assert "too slow to be asked the others" in verdict.rejection.message
    assert verdict.valid


def test_every_configuration_of_an_autotuner_is_checked(zygotes: Zygotes):
    configs = ", ".join(f"triton.Config({{'BLOCK': {size}}})" for size in (32, 64, 128))
    tuned = FUNCTION.replace(
        "@triton.jit", f"@triton.autotune(configs=[{configs}], key=['num'])\n@triton.jit"
    )
    tuned = tuned.replace(
        "(triton.cdiv(x.numel(), 128),)", "lambda meta: (triton.cdiv(x.numel(), meta['BLOCK']),)"
    )
    tuned = tuned.replace(", BLOCK=128)", ")")
    verdict = verify(functional(), tuned, zygotes=zygotes)
    assert verdict.accepted, verdict.findings
    stories = {layer.name: layer.story for layer in verdict.layers}
    assert "1 specialisation of affine_kernel for sm_90" in stories["compile"]
    assert "2 specialisations of affine_kernel for sm_90" in stories["correct"]
    # Wrong in one configuration only, which a benchmark on some GPU may choose.
    wrong = tuned.replace("x * w + b", "x * w + b * (BLOCK != 64)")
    assert not verify(functional(), wrong, zygotes=zygotes).accepted


def test_a_write_beside_an_input_is_seen(zygotes: Zygotes):
    stray = FUNCTION.replace(
        "    tl.store(o_ptr + i, x * w + b, mask=mask)",
        "    tl.store(o_ptr + i, x * w + b, mask=mask)\n    tl.store(w_ptr + cols, 0.0)",
    )
    assert rules(verify(functional(), stray, zygotes=zygotes)) == [("correct", "B4", "reject")]


@pytest.mark.parametrize(("factor", "close"), [("2.002", True), ("2.2", False), ("2", None)])
def test_a_wrong_candidate_may_be_close_as_kernelbench_has_it(
    factor: str, close: bool | None, zygotes: Zygotes
):
    source = (
        "import torch\n\n\ndef get_inputs():\n    return [torch.randn(40)]\n\n\n"
        "def fused_operator(tensor_0):\n    return [tensor_0 * 2]\n"
    )
    candidate = (
        "import torch\nimport triton\nimport triton.language as tl\n\n\n@triton.jit\n"
        "def kernel(x, out, BLOCK: tl.constexpr):\n    at = tl.arange(0, BLOCK)\n"
        f"    tl.store(out + at, tl.load(x + at, at < 40) * {factor}, at < 40)\n\n\n"
        "def triton_fused_operator(x):\n    out = torch.empty_like(x)\n"
        "    kernel[(1,)](x, out, BLOCK=64)\n    return [out]\n"
    )
    settings = Settings(num_calls=1, lint_seconds=0, looks_close=True)
    verdict = verify(Task.functional("double", source), candidate, settings, zygotes=zygotes)
    assert verdict.correct is (close is None)
    assert verdict.allclose is close
    assert verdict.valid, "closeness is looked at without disturbing what follows"
