"""Kernels are cut out of a candidate as text: jit functions and constants, no host code, lines in place."""

import ast
import contextlib
import importlib.util
from pathlib import Path
from types import ModuleType
from unittest.mock import Mock

import pytest

from tritonrl.tasks import Task
from tritonrl.verify import compiling
from tritonrl.verify.judge import verify
from tritonrl.verify.kernels import Kernel, NotInFile, kernel_file
from tritonrl.verify.process import Death
from tritonrl.verify.settings import Settings
from tritonrl.verify.zygotes import Zygotes

HEAD = "import torch\nimport triton\nimport triton.language as tl\n"
TRACE = "__import__('pathlib').Path({path!r}).touch()"


def cut(code: str, launched: str = "kernel", **scopes: dict[str, list]) -> str:
    """The file of `launched`, with every function of the code known and the scopes given by name."""
    kernels = {}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef):
            line = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            kernels[node.name] = Kernel(name=node.name, line=line, scope=scopes.get(node.name, {}))
    return kernel_file(code, kernels, launched)


def imported(text: str, folder: Path) -> ModuleType:
    """The text as the compile role imports it."""
    path = folder / "kernels.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("kernels", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def functions(text: str) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}


PLAIN = f"""{HEAD}
print("host code")
TABLE = {{}}


@triton.jit
def kernel(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at))


class Wrapper(torch.nn.Module):
    pass


def triton_fused_operator(x):
    out = torch.empty_like(x)
    kernel[(1,)](x, out, BLOCK=64)
    return [out]
"""


def test_only_imports_constants_and_jit_functions_are_left():
    text = cut(PLAIN)
    assert list(functions(text)) == ["kernel"]
    for node in ast.parse(text).body:
        assert isinstance(node, (ast.Import, ast.FunctionDef))
    for word in ("print", "TABLE", "Wrapper", "torch", "triton_fused_operator"):
        assert word not in text


def test_lines_stay_where_they_were():
    text = cut(PLAIN)
    was, now = PLAIN.splitlines(), text.splitlines()
    for wanted in ("    at = tl.arange(0, BLOCK)", "    tl.store(out + at, tl.load(x + at))"):
        assert was.index(wanted) == now.index(wanted)
    assert functions(text)["kernel"].lineno == functions(PLAIN)["kernel"].lineno


def test_a_kernel_inside_a_function_comes_to_the_top_on_its_own_lines():
    code = f"""{HEAD}

def make(scale):
    if scale:

        @triton.jit
        def kernel(x):
            if scale > 2:
                tl.store(x, scale)

        return kernel
"""
    text = cut(code, kernel={"scale": ["constexpr", ["value", 3]]})
    node = functions(text)["kernel"]
    assert node.col_offset == 0
    assert node.body[0].lineno == next(n for n, s in enumerate(code.splitlines(), 1) if "scale > 2" in s)
    assert "scale = tl.constexpr(3)" in text.splitlines()[0]


def test_what_a_kernel_calls_comes_with_it_and_nothing_else_does():
    code = f"""{HEAD}

@triton.jit
def half(x):
    return x * 0.5


@triton.jit
def quarter(x):
    return half(x) * 0.5


@triton.jit
def other(x):
    return x


@triton.jit
def kernel(x):
    tl.store(x, quarter(tl.load(x)))
"""
    text = cut(code, kernel={"quarter": ["function", "quarter"]}, quarter={"half": ["function", "half"]})
    assert list(functions(text)) == ["half", "quarter", "kernel"]


def test_kernels_that_call_each_other_end():
    code = f"""{HEAD}

@triton.jit
def even(x):
    return odd(x)


@triton.jit
def odd(x):
    return even(x)
"""
    text = cut(code, "even", even={"odd": ["function", "odd"]}, odd={"even": ["function", "even"]})
    assert set(functions(text)) == {"even", "odd"}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (["value", 3], "SIZE = 3"),
        (["value", "tanh"], "SIZE = 'tanh'"),
        (["value", True], "SIZE = True"),
        (["float", "-inf"], 'SIZE = float("-inf")'),
        (["constexpr", ["value", 0.5]], "SIZE = tl.constexpr(0.5)"),
        (["dtype", "fp16"], 'SIZE = tl.dtype("fp16")'),
        (["tuple", [["value", 1], ["value", 2]]], "SIZE = (1, 2,)"),
    ],
)
def test_constants_are_written_as_literals(value: list, text: str):
    code = f"{HEAD}\n@triton.jit\ndef kernel(x):\n    tl.store(x, SIZE)\n"
    assert text in cut(code, kernel={"SIZE": value}).splitlines()[0]


@pytest.mark.parametrize(
    "value",
    [
        ["other", "function"],
        ["value", ["nested"]],
        ["value", {"a": 1}],
        ["float", "__import__('os')"],
        ["dtype", "x'); print('"],
        ["torch_dtype", "float32; print()"],
        ["module", "os"],
        ["module", "tritonrl.verify"],
        ["module", "torch'); print('"],
        ["attribute", "subprocess", "run"],
        ["attribute", "triton", "jit(print())"],
        ["tuple", [["value", 1], ["other", "function"]]],
        ["constexpr", ["other", "list"]],
        ["unheard of", 1],
    ],
)
def test_a_name_that_stands_for_python_is_left_undefined(value: list):
    code = f"{HEAD}\n@triton.jit\ndef kernel(x):\n    tl.store(x, SIZE)\n"
    text = cut(code, kernel={"SIZE": value})
    assert "SIZE =" not in text
    assert "print" not in text


def test_a_recorded_name_that_the_text_does_not_use_writes_nothing():
    code = f"{HEAD}\n@triton.jit\ndef kernel(x):\n    tl.store(x, 1)\n"
    scope = {"x = print()  #": ["value", 1], "unused": ["value", 2]}
    assert cut(code, kernel=scope) == cut(code)


@pytest.mark.parametrize(
    "head",
    [
        "def kernel(x, low={evil}):",
        "def kernel(x, *, low={evil}):",
        "def kernel(x, low=[{evil} for _ in range(1)]):",
        "def kernel(x, low=(lambda: 0)()):",
        "def kernel(x: {evil}, BLOCK: ({evil}, tl.constexpr)[1]):",
        "def kernel(x) -> {evil}:",
        "def kernel(x, *rest: {evil}):",
        "def kernel(x, **rest: {evil}):",
    ],
)
def test_what_computes_in_the_head_of_a_function_is_not_run(head: str, tmp_path: Path):
    trace = tmp_path / "was here"
    head = head.format(evil=TRACE.format(path=str(trace)))
    text = cut(f"{HEAD}\n@triton.jit\n{head}\n    tl.store(x, 1)\n")
    with contextlib.suppress(TypeError):  # Triton itself takes no **rest
        assert imported(text, tmp_path).kernel.arg_names[0] == "x"
    assert not trace.exists()


@pytest.mark.parametrize(
    "decorators",
    [
        "@{evil}\n@triton.jit",
        "@triton.autotune(configs=[{evil}], key=[])\n@triton.jit",
        "@triton.heuristics({{'A': lambda args: {evil}}})\n@triton.jit",
        "@triton.jit(debug={evil})",
        "@triton.jit(**{evil})",
        "@(lambda f: {evil})\n@triton.jit",
    ],
)
def test_decorators_are_not_run(decorators: str, tmp_path: Path):
    trace = tmp_path / "was here"
    decorators = decorators.format(evil=TRACE.format(path=str(trace)))
    text = cut(f"{HEAD}\n{decorators}\ndef kernel(x):\n    tl.store(x, 1)\n")
    imported(text, tmp_path)
    assert not trace.exists()
    assert [ast.unparse(each) for each in functions(text)["kernel"].decorator_list] == ["triton.jit"]


def test_literal_options_of_jit_are_kept():
    code = (
        f"{HEAD}\n@triton.jit(do_not_specialize=['n'], debug=True)\ndef kernel(x, n):\n    tl.store(x, n)\n"
    )
    decorator = functions(cut(code))["kernel"].decorator_list[0]
    assert ast.unparse(decorator) == "triton.jit(do_not_specialize=['n'], debug=True)"


def test_annotations_say_constexpr_or_nothing():
    code = f"""{HEAD}
@triton.jit
def kernel(x: torch.Tensor, n: "tl.int32", A: tl.constexpr, B: triton.language.constexpr, C: "tl.constexpr"):
    tl.store(x, A + B + C)
"""
    head = functions(cut(code))["kernel"].args
    said = {each.arg: ast.unparse(each.annotation) if each.annotation else None for each in head.args}
    assert said == {"x": None, "n": None, "A": "tl.constexpr", "B": "tl.constexpr", "C": "tl.constexpr"}


@pytest.mark.parametrize(
    ("name", "line"),
    [("kernel", 1), ("kernel", 999), ("missing", 5), ("triton_fused_operator\nimport os", 5)],
)
def test_a_kernel_that_the_file_does_not_hold_is_refused(name: str, line: int):
    with pytest.raises(NotInFile):
        kernel_file(PLAIN, {"k": Kernel(name=name, line=line, scope={})}, "k")


def test_a_call_of_a_function_that_nobody_described_is_refused():
    with pytest.raises(NotInFile, match="gone is not a function"):
        cut(PLAIN, kernel={"helper": ["function", "gone"]})


@pytest.mark.parametrize("end", ["\x0c", "\x0b", "\x1c", "\x85", "\u2028"])
def test_lines_are_counted_as_python_counts_them(end: str):
    code = f'{HEAD}"""one{end}line"""\n\n\n@triton.jit\ndef kernel(x):\n    tl.store(x, 1)\n'
    assert "    tl.store(x, 1)" in cut(code)


def functional(inputs: str, arguments: str, result: str) -> Task:
    source = (
        f"import torch\n\n\ndef get_inputs():\n    return {inputs}\n\n\n"
        f"def fused_operator({arguments}):\n    return [{result}]\n"
    )
    return Task.functional(result, source)


TASK = functional("[torch.randn(64)]", "tensor_0", "torch.relu(tensor_0) * 3")
QUICK = Settings(num_calls=1, lint_seconds=0)
RELU = "\n\n@triton.jit\ndef relu(v):\n    return tl.maximum(v, 0.0)\n"
BODY = """    at = tl.arange(0, BLOCK)
    v = tl.load(x + at, at < n)
    tl.store(out + at, {result}, at < n)
"""


def candidate(
    result: str = "tl.maximum(v, 0.0) * 3",
    *,
    before: str = "",
    decorator: str = "@triton.jit",
    head: str = "def kernel(x, out, n, BLOCK: tl.constexpr):",
    launch: str = "kernel[(1,)](x, out, 64, BLOCK=64)",
) -> str:
    """A right kernel for the task, written in one way or another."""
    return (
        f"{HEAD}{before}\n\n{decorator}\n{head}\n{BODY.format(result=result)}\n\n"
        f"def triton_fused_operator(x):\n    out = torch.empty_like(x)\n    {launch}\n    return [out]\n"
    )


def made_by(factory: str, call: str, result: str, before: str = "") -> str:
    """A right kernel that a function makes."""
    nested = "\n".join(f"    {line}" for line in BODY.format(result=result).splitlines())
    text = f"\n\ndef {factory}:\n    @triton.jit\n    def made(x, out, n, BLOCK: tl.constexpr):\n{nested}\n"
    text += f"\n    return made\n\n\nright = {call}\n"
    return candidate(before=before + text, launch="right[(1,)](x, out, 64, BLOCK=64)")


def constant(body: str, *, name: str = "triple", decorator: str = "triton.constexpr_function") -> str:
    return f"\n\n@{decorator}\ndef {name}(n):\n    {body}\n"


SIZED = '@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"])})'
LOW = "LOW = tl.constexpr(0.0)\n"
LOW_BY_DEFAULT = "\n\n@triton.jit\ndef relu(v, low=LOW):\n    return tl.maximum(v, low)\n"

WAYS = {
    "a helper": candidate("relu(v) * 3", before=RELU),
    "a constant": candidate("relu(v) * SCALE", before=f"{RELU}\nSCALE = tl.constexpr(3)\n"),
    "a type": candidate("relu(v.to(KIND)) * 3", before=f"{RELU}\nKIND = tl.float32\n"),
    "a module": candidate("relu(v) * math.floor(math.pi)", before=f"import math\n{RELU}"),
    "a default": candidate(
        head="def kernel(x, out, n, BLOCK: tl.constexpr = 64):", launch="kernel[(1,)](x, out, 64)"
    ),
    "heuristics": candidate(decorator=f"{SIZED}\n@triton.jit", launch="kernel[(1,)](x, out, 64)"),
    "jit called": candidate(decorator="", launch="triton.jit(kernel)[(1,)](x, out, 64, BLOCK=64)"),
    "jit renamed": candidate(before="from triton import jit as compiled\n", decorator="@compiled"),
    "a static method": made_by("make()", "make()", "tl.maximum(v, 0.0) * 3")
    .replace("def make():", "class Kernels:\n    @staticmethod")
    .replace("    return made\n", "")
    .replace("make()", "Kernels.made"),
    "a factory of constants": made_by(
        "make(low, scale)", "make(tl.constexpr(0.0), tl.constexpr(3))", "tl.maximum(v, low) * scale"
    ),
    "postponed annotations": "from __future__ import annotations\n" + candidate(),
    "a helper under another name": candidate("act(v) * 3", before=f"{RELU}\nact = relu\n"),
    "a factory of functions": made_by("make(act)", "make(relu)", "act(v) * 3", before=RELU),
    "a function as an argument": candidate(
        "ACT(v) * 3",
        before=RELU,
        head="def kernel(x, out, n, ACT: tl.constexpr, BLOCK: tl.constexpr):",
        launch="kernel[(1,)](x, out, 64, ACT=relu, BLOCK=64)",
    ),
    "a default with a name": candidate(
        "tl.maximum(v, low) * 3", before=LOW, head="def kernel(x, out, n, BLOCK: tl.constexpr, low=LOW):"
    ),
    "a helper's default with a name": candidate("relu(v) * 3", before=LOW + LOW_BY_DEFAULT),
    "a function of the language as a default": candidate(
        "ADD((tl.maximum(v, 0.0) * 3)[:, None], 1)",
        head="def kernel(x, out, n, ADD: tl.constexpr = tl.sum, BLOCK: tl.constexpr = 64):",
        launch="kernel[(1,)](x, out, 64)",
    ),
    "a function imported by name": candidate(
        "maximum(v, 0.0) * 3", before="from triton.language import maximum\n"
    ),
    "a choice of the language": candidate("tl.maximum(v, 0.0, propagate_nan=tl.PropagateNan.ALL) * 3"),
    "a constexpr_function": candidate(
        "relu(v) * triple(BLOCK)", before=RELU + constant("return 3 * n // 64")
    ),
    "a constexpr_function under another name": candidate(
        "relu(v) * triple(v.dtype)",
        before=RELU
        + constant("return n.primitive_bitwidth // less(11) if n.is_floating() else 0", decorator="constants")
        + constant("return n - 1", name="less"),
    ).replace("import torch\n", "import torch\nfrom triton import constexpr_function as constants\n", 1),
}


@pytest.mark.parametrize(
    "way",
    [
        *WAYS,
    ],
)
def test_a_kernel_may_be_written_in_any_way_that_triton_takes(way: str, zygotes: Zygotes):
    verdict = verify(TASK, WAYS[way], QUICK, zygotes=zygotes)
    assert verdict.accepted, verdict.rejection


@pytest.mark.parametrize(
    ("before", "result"),
    [
        ("\n\ndef relu(v):\n    return tl.maximum(v, 0.0)\n", "relu(v) * 3"),
        ("\n\nSCALE = [3]\n", "tl.maximum(v, 0.0) * SCALE.pop(0) if SCALE else tl.maximum(v, 0.0) * 3"),
        ("import numpy\n", "tl.maximum(v, 0.0) * int(numpy.int64(3))"),
    ],
    ids=["a plain function", "a list", "a module that is not Triton's"],
)
def test_a_kernel_that_needs_python_does_not_compile(before: str, result: str, zygotes: Zygotes):
    code = candidate(result, before=before)
    verdict = verify(TASK, code, QUICK, zygotes=zygotes)
    assert verdict.rejection is not None
    assert (verdict.rejection.layer, verdict.rejection.rule) == ("compile", "compile")
    assert verdict.rejection.line == next(n for n, s in enumerate(code.splitlines(), 1) if "tl.store" in s)


@pytest.mark.parametrize(
    "word",
    [
        "tl.core.is_builtin(tl.load)",
        "tl.core.dispatch",
        "tl.core.builtin",
        "tl.core.warn",
        "tl.core.base_value",
        "tl.target_info.driver",
        "tl.extra.modules",
        "OWN",
        "__builtins__['len']",
        "__loader__",
    ],
)
def test_what_is_no_word_of_the_language_is_in_no_kernel(word: str, zygotes: Zygotes):
    code = candidate(f"tl.maximum(v, 0.0) * (3 if {word} else 3)", before="OWN = tl.constexpr((3, abs))\n")
    verdict = verify(TASK, code, QUICK, zygotes=zygotes)
    assert verdict.rejection is not None
    assert (verdict.rejection.layer, verdict.rejection.rule) == ("compile", "compile")


@pytest.mark.parametrize("given", ["print", "Switch()", "(1, abs)", "triton.compile", "torch.sum", "tl"])
def test_nothing_of_python_is_given_to_a_kernel(given: str, zygotes: Zygotes):
    switch = "\n\nclass Switch:\n    pass\n\n\n"
    switch += "Switch.__module__, Switch.__qualname__ = 'triton.language', 'core.builtins.exec'\n"
    head = "def kernel(x, out, n, GIVEN: tl.constexpr, BLOCK: tl.constexpr):"
    launch = f"kernel[(1,)](x, out, 64, GIVEN={given}, BLOCK=64)"
    code = candidate("tl.maximum(v, 0.0) * 3", before=switch, head=head, launch=launch)
    verdict = verify(TASK, code, QUICK, zygotes=zygotes)
    assert verdict.rejection is not None
    assert (verdict.rejection.layer, verdict.rejection.rule) == ("compile", "compile")


SPLIT = f"""{HEAD}
@triton.jit
def kernel(x, out, low='''
    #'''): '''
    return
raise SystemError("this runs where kernels are imported")
def rest():
    '''; tl.store(out, tl.load(x))  # '''
"""


def test_a_string_that_begins_in_a_head_does_not_become_code():
    with pytest.raises(NotInFile, match="mean something else"):
        cut(SPLIT)
    plain = SPLIT.replace('raise SystemError("this runs where kernels are imported")\ndef rest():\n', "")
    assert compile(plain, "kernels", "exec")


def test_a_kernel_within_a_function_may_have_a_long_string():
    code = f"""{HEAD}

def make():
    @triton.jit
    def kernel(x, out):
        '''What it does,
            and why.
        '''
        tl.store(out, tl.load(x))

    return kernel
"""
    assert "and why." in cut(code)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return 3 if n else tl.program_id(0)", "calls tl.program_id"),
        ("return max(3, 3, key=tl.program_id)", "uses tl.program_id, which is no constant"),
        ("return 3 + 0 * len(OTHERS)", "uses OTHERS, which is no constant"),
        ("for max in (1, 2):\n        max(n)\n    return 3", "calls max"),
        ("try:\n        return 3\n    except:\n        return 4", "has a Try"),
        ("return 3 if f'{n}' else 4", "has a JoinedStr"),
        ("global OTHERS\n    OTHERS = n\n    return 3", "has a Global"),
        ("tl.maximum = 3\n    return 3", "changes tl.maximum"),
        ("return 3 if 1000 is 1000 else 4", "asks for identity"),
        ("import os\n    return 3", "imports nothing"),
        ("return 3 if open else 4", "'open' has no meaning on a GPU"),
        ("return tl.core.os.getpid() * 0 + 3", "'getpid' is a name of Python's"),
    ],
)
def test_a_constexpr_function_is_a_sum_over_constants(body: str, message: str, zygotes: Zygotes):
    before = f"OTHERS = (tl.program_id,)\n{constant(body)}"
    code = candidate("tl.maximum(v, 0.0) * triple(BLOCK)", before=before)
    verdict = verify(TASK, code, QUICK, zygotes=zygotes)
    assert verdict.rejection is not None
    assert (verdict.rejection.layer, verdict.rejection.rule) == ("compile", "compile")
    assert message in verdict.rejection.message
    assert verdict.rejection.line in range(7, 12)


@pytest.mark.parametrize("given", ["v", "x", "n", "tl.program_id(0)"])
def test_a_constexpr_function_is_given_no_tensor(given: str, zygotes: Zygotes):
    code = candidate(f"tl.maximum(v, 0.0) * triple({given})", before=constant("return 3 if True else n"))
    verdict = verify(TASK, code, QUICK, zygotes=zygotes)
    assert verdict.rejection is not None
    assert verdict.rejection.layer == "compile"
    assert (
        "triple, a constexpr_function, is given a tensor, which is no constant" in verdict.rejection.message
    )


@pytest.mark.parametrize(("kind", "value"), [("int", 48), ("float", 0.25), ("bool", True)])
def test_a_constant_of_the_text_is_compiled_as_it_was_launched(kind: str, value: object, zygotes: Zygotes):
    """The recorder sees the type, the text that is cut out says `constexpr`."""
    head = f"def kernel(x, out, n, GIVEN: constexpr_{kind}, BLOCK: tl.constexpr):"
    launch = f"kernel[(1,)](x, out, 64, GIVEN={value}, BLOCK=64)"
    code = candidate(before=f"constexpr_{kind} = {kind}\n", head=head, launch=launch)
    verdict = verify(TASK, code, QUICK, zygotes=zygotes)
    assert verdict.rejection is not None
    assert verdict.rejection.layer == "compile"
    assert "'GIVEN' is constexpr in the text" in verdict.rejection.message


GIVEN_FUNCTIONS = candidate(
    "ACT(v) * 3",
    before=f"""{RELU}

def max_of(low):
    @triton.jit
    def relu(v):
        return tl.maximum(v, low)

    return relu


acts, num_calls = (relu, max_of(tl.constexpr(0.0))), 0
""",
    head="def kernel(x, out, n, ACT: tl.constexpr, BLOCK: tl.constexpr):",
    launch="global num_calls; num_calls += 1; kernel[(1,)](x, out, 64, ACT=acts[num_calls % 2], BLOCK=64)",
)


def test_a_kernel_is_given_functions_of_one_name_call_by_call(zygotes: Zygotes):
    verdict = verify(TASK, GIVEN_FUNCTIONS, QUICK, zygotes=zygotes)
    assert verdict.accepted, verdict.rejection


DOTS = f"""{HEAD}

def make(precision):
    @triton.jit
    def kernel(a, b, out):
        at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
        tl.store(out + at, tl.dot(tl.load(a + at), tl.load(b + at), input_precision=precision))

    return kernel


first, second = make(tl.constexpr("ieee")), make(tl.constexpr("tf32"))


def triton_fused_operator(a, b):
    out = torch.empty_like(a)
    first[(1,)](a, b, out)
    second[(1,)](a, b, out)
    return [out]
"""


def test_two_kernels_made_from_one_text_are_both_compiled(zygotes: Zygotes):
    task = functional(
        "[torch.randn(16, 16), torch.randn(16, 16)]", "tensor_0, tensor_1", "tensor_0 @ tensor_1"
    )
    verdict = verify(task, DOTS, QUICK, zygotes=zygotes)
    assert verdict.rejection is not None
    assert verdict.rejection.rule == "E8"


MADE = {"name": "k", "ptx": "", "shared_bytes": 0, "dots": [["f32", "ieee"]], "metadata": {}, "signature": {}}
COMPLAINT = {"type": "TypeError", "message": "no", "line": 3, "denied": False, "gpu_only": False, "trace": ""}


@pytest.mark.parametrize("answer", [MADE, {"complaint": COMPLAINT}, {"error": {**COMPLAINT, "line": None}}])
def test_the_compile_role_says_what_it_made_or_why_not(answer: dict):
    assert compiling._ask(Mock(ask=Mock(return_value=answer)), {"do": "compile"}, QUICK) == answer


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {**MADE, "dots": [[1, 2, 3]]},
        {**MADE, "dots": [["f32", "ieee", "more"]]},
        {**MADE, "shared_bytes": "0"},
        {**MADE, "shared_bytes": -1},
        {**MADE, "ptx": None},
        {**MADE, "more": 1},
        {"complaint": "no"},
        {"complaint": {**COMPLAINT, "line": "3"}},
    ],
    ids=str,
)
def test_and_nothing_else_is_an_answer(answer: dict):
    process = Mock(ask=Mock(return_value=answer))
    with pytest.raises(Death) as death:
        compiling._ask(process, {"do": "compile"}, QUICK)
    assert death.value.reason == "protocol"
    process.end.assert_called_once_with()


def test_a_kernel_may_take_the_assembler_a_while(zygotes: Zygotes):
    task = functional("[torch.randn(65536)]", "tensor_0", "torch.relu(tensor_0) * 3")
    code = candidate(
        "tl.maximum(v, 0.0) * 3 + 0 * tl.exp(tl.sigmoid(v))",
        launch="kernel[(1,)](x, out, 65536, BLOCK=65536)",
    )
    verdict = verify(task, code, QUICK, zygotes=zygotes)
    assert verdict.accepted, verdict.rejection
