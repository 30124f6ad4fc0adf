"""Entry points by syntax: what each form is taken for, and what each mistake is told, with its line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritonrl.tasks import TaskError
from tritonrl.tasks.parse import EntryPoints, Origin, find_entry_points

INPUTS = "def get_inputs(): return []\n"
INIT = "def get_init_inputs(): return [4]\n"
HEAD = "import torch\nimport torch.nn as nn\n" + INPUTS


def find(source, **options):
    return find_entry_points(source, Origin("t.py"), **options)


def error(source, **options):
    with pytest.raises(TaskError) as caught:
        find(source, **options)
    return str(caught.value)


def module(name, base="nn.Module", body="pass"):
    return f"class {name}({base}):\n    {body}\n"


def test_kernelbench():
    source = HEAD + INIT + module("Model", body="def __init__(self, dim): pass")
    assert find(source) == EntryPoints("kernelbench", "Model", "args")


def test_functional():
    source = INPUTS + "def fused_operator(tensor_0): return [tensor_0]\n"
    assert find(source) == EntryPoints("functional", "fused_operator", "none")


def test_model_wins_over_fused_operator_unless_that_is_named():
    source = HEAD + INIT + "def fused_operator(x): return [x]\n" + module("Model")
    assert find(source).kind == "kernelbench"
    assert find(source, entry="fused_operator").kind == "functional"


def test_model_without_get_init_inputs_is_a_module_file():
    assert find(HEAD + module("Model")) == EntryPoints("module", "Model", "none")


@pytest.mark.parametrize(
    ("imports", "base"),
    [
        ("import torch.nn as nn", "nn.Module"),
        ("import torch", "torch.nn.Module"),
        ("import torch.nn", "torch.nn.Module"),
        ("import torch as t", "t.nn.Module"),
        ("import torch.nn as N", "N.Module"),
        ("from torch import nn as layers", "layers.Module"),
        ("from torch.nn import Module", "Module"),
        ("from torch.nn import Module as Base", "Base"),
        ("from torch.nn import *", "Module"),
        ("import torch\nnn = torch.nn", "nn.Module"),
        ("from torch.nn import Linear", "Linear"),
        ("from torch import nn", "nn.ParameterList"),
        ("from torch.nn.modules.loss import _Loss", "_Loss"),
        ("from torch import nn\nclass Base(nn.Module): pass", "Base"),
        ("from torch import nn\nclass A(nn.Module): pass\nclass Base(A): pass", "Base"),
        ("from torch import nn\nfrom typing import Generic, TypeVar", "nn.Module, Generic[TypeVar('T')]"),
    ],
)
def test_module_bases(imports, base):
    assert find(f"{imports}\n{INPUTS}{module('Net', base)}") == EntryPoints("module", "Net", "none")


@pytest.mark.parametrize(
    "base", ["object", "dict", "abc.ABC", "nn.Parameter", "Other", "Unknown", "make()", "Net"]
)
def test_other_classes_are_no_modules(base):
    source = f"{HEAD}import abc\nclass Other: pass\n{module('Net', base)}"
    assert error(source).startswith("t.py:1: no entry points; expected class Model with get_inputs()")
    assert (
        error(source, entry="Net") == "t.py:6: class Net is not an nn.Module; derive it from torch.nn.Module"
    )


def test_a_named_class_may_have_a_base_that_the_text_does_not_show():
    source = f"from somewhere import Backbone\n{INPUTS}{module('Net', 'Backbone')}"
    assert find(source, entry="Net").entry == "Net"
    assert "no entry points" in error(source)


def test_helper_blocks_are_passed_over():
    source = HEAD + module("Block") + module("Net", body="def __init__(self): self.b = Block()")
    assert find(source).entry == "Net"


def test_helper_blocks_made_by_functions_and_base_classes_are_passed_over():
    helpers = module("Block") + "def make(): return inner()\ndef inner(): return Block()\n" + module("Base")
    assert find(HEAD + helpers + module("Net", "Base", "def __init__(self): self.b = make()")).entry == "Net"


def test_a_function_that_no_class_calls_uses_nothing():
    source = HEAD + module("Net") + "def main(): return Net()\n"
    assert find(source).entry == "Net"


def test_a_class_that_names_itself_is_not_its_own_helper():
    source = HEAD + module("Net", body="def __init__(self): super(Net, self).__init__()")
    assert find(source).entry == "Net"


def test_several_classes_are_listed():
    source = HEAD + module("A") + module("B")
    assert error(source) == "t.py:4: several nn.Module classes could be the task: A, B; use t.py:A"
    assert find(source, entry="B").entry == "B"


def test_classes_that_use_each_other_are_listed():
    source = HEAD + module("A", body="other = lambda: B") + module("B", body="other = A")
    assert "could be the task: A, B;" in error(source)


def test_unknown_entry_lists_the_known_ones():
    source = HEAD + "def fused_operator(x): return [x]\n" + module("Net")
    assert error(source, entry="Nett") == "t.py:1: no entry 'Nett'; it has: Net, fused_operator"
    assert error("x = 1", entry="Net") == "t.py:1: no entry 'Net'; it has: none"


@pytest.mark.parametrize(
    "frame",
    [
        "if True:\n    {}",
        "if 0:\n    pass\nelse:\n    {}",
        "try:\n    {}\nexcept ImportError:\n    pass",
        "try:\n    pass\nexcept ImportError:\n    {}",
        "try:\n    pass\nfinally:\n    {}",
        "with open('x'):\n    {}",
    ],
)
def test_definitions_in_top_level_blocks_count(frame):
    source = frame.format("def get_inputs(): return []") + "\ndef fused_operator(): return []\n"
    assert find(source).kind == "functional"


@pytest.mark.parametrize(
    "frame", ["def f():\n    {}", "class C:\n    {}", "if __name__ == '__main__':\n    {}"]
)
def test_definitions_elsewhere_do_not_count(frame):
    source = "def fused_operator(): return []\n" + frame.format("def get_inputs(): return []")
    assert error(source) == (
        "t.py:1: fused_operator has no get_inputs(); define it to return the list of inputs"
    )


def test_model_without_get_inputs():
    source = "from torch import nn\n\n" + module("Model")
    assert error(source) == "t.py:3: Model has no get_inputs(); define it to return the list of inputs"


@pytest.mark.parametrize(
    ("signature", "needed"),
    [
        ("self, dim, eps=1e-5", "dim"),
        ("self, a, b, /, c, *, d, e=2", "a, b, c, d"),
        ("self, *args, **kwargs", None),
        ("self, dim=3, *, eps=1", None),
    ],
)
def test_constructor_arguments(signature, needed):
    source = HEAD + module("Net", body=f"def __init__({signature}): pass")
    if needed is None:
        assert find(source).init_style == "none"
    else:
        assert error(source) == (
            f"t.py:4: class Net needs constructor arguments ({needed}); "
            "define get_init_inputs() that returns them"
        )
    assert find(source + INIT).init_style == "args"


def test_constructor_of_a_base_class_in_the_same_text():
    source = HEAD + module("Base", body="def __init__(self, dim): pass") + module("Net", "Base")
    assert "class Net needs constructor arguments (dim)" in error(source)


@pytest.mark.parametrize("name", ["get_inputs", "get_init_inputs"])
def test_input_functions_take_no_arguments(name):
    source = HEAD + INIT + module("Model") + f"def {name}(n, m=1): return []\n"
    assert error(source) == f"t.py:7: {name}() needs arguments (n); it is called without any"


@pytest.mark.parametrize(
    ("returned", "by_default_args", "by_default_pair"),
    [
        ("[[4], {'bias': True}]", "args_kwargs", "args_kwargs"),
        ("[[], {}]", "args_kwargs", "args_kwargs"),
        ("((4,), {})", "args_kwargs", "args_kwargs"),
        ("[]", "args", "args"),
        ("[4, 8]", "args", "args"),
        ("[[4], 8]", "args", "args"),
        ("[[4], {}, 8]", "args", "args"),
        ("make()", "args", "args_kwargs"),
    ],
)
def test_init_style(returned, by_default_args, by_default_pair):
    source = HEAD + module("Net") + f"def get_init_inputs(): return {returned}\n"
    assert find(source).init_style == by_default_args
    assert find(source, init_default="args_kwargs").init_style == by_default_pair


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1\n\ndef f(:\n", "t.py:3: not valid Python: "),
        ("if x:\ny = 1\n", "t.py:2: not valid Python: expected an indented block"),
        ("a\nb\0c\n", "t.py:2: contains a null byte; expected Python text"),
        ("x = '\ud800'", "t.py:1: not valid Python: contains characters that are not text"),
        ("(" * 5000, "t.py:1: "),
        ("x = " + "-" * 50_000 + "1", "t.py:1: "),
        ("x = " + "9" * 10_000, "t.py:1: "),
        ("", "t.py:1: no entry points; expected class Model"),
        ("#" * (1 << 20) + "\n", "t.py: larger than 1 MiB; expected one task"),
    ],
)
def test_unreadable_texts(source, message):
    assert error(source).startswith(message)


def test_a_long_chain_of_elif_is_read_or_refused():
    source = "if 0: pass\n" + "elif 0: pass\n" * 3000
    assert error(source).startswith("t.py:1: ")


def test_warnings_about_the_text_stay_inside():
    source = INPUTS + "def fused_operator(): return ['\\d' is 1]\n"
    assert find(source).kind == "functional"


def test_lines_of_a_row_are_told_apart_from_lines_of_its_file():
    with pytest.raises(TaskError, match=r"^t\.jsonl:7: line 2 of its code: not valid Python"):
        find_entry_points("x\n)", Origin("t.jsonl:7", is_file=False))


@given(st.text())
def test_arbitrary_text_gives_an_error_of_ours(text):
    assert error(text).startswith("t.py")


HEADERS = [
    "class Model(nn.Module):",
    "class A(Model):",
    "def get_inputs():",
    "def fused_operator(x):",
    "try:",
]
PIECES = [
    "pass",
    "return",
    "if x:",
    "import torch.nn as nn",
    "from torch.nn import *",
    "(",
    ")",
    "\n",
    "\n    ",
    "'",
]


@given(st.lists(st.sampled_from(HEADERS + PIECES)).map(" ".join))
def test_python_like_text_gives_entry_points_or_an_error_of_ours(text):
    try:
        answer = find(text).entry
    except TaskError as refusal:
        answer = str(refusal)
    assert answer in ("Model", "A", "fused_operator") or answer.startswith("t.py:")


@given(st.lists(st.sampled_from([f"{header} pass\n" for header in HEADERS[:-1]])).map("".join))
def test_any_mixture_of_definitions_is_decided(text):
    whole = {"class Model(nn.Module): pass\n", "def get_inputs(): pass\n"} <= set(
        text.splitlines(keepends=True)
    )
    try:
        answer = find("from torch import nn\n" + text).entry
    except TaskError:
        answer = None
    assert (answer == "Model") == whole
