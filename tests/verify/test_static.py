"""The layers that only read: what they reject, and the honest look-alikes that they must let through."""

import pytest

from tritonrl.tasks import Task
from tritonrl.verify import static, tripwires
from tritonrl.verify.completion import Completion
from tritonrl.verify.verdict import Finding

FUNCTIONAL = Task.functional("t", "")
MODULE = Task(id="t", kind="kernelbench", source="", entry="Model", init_style="args")

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n"
KERNEL = "@triton.jit\ndef kernel(x):\n    tl.store(x, 1)\n\n\n"
HOST = "def triton_fused_operator(x):\n    kernel[(1,)](x)\n    return [x]\n"
HONEST = HEAD + KERNEL + HOST


def found(code: str, task: Task = FUNCTIONAL) -> list[Finding]:
    """What syntax and then lint have to say, as the judge asks them."""
    return list(static.syntax(code, task)) or list(tripwires.lint(code))


def test_an_honest_candidate_has_no_findings():
    assert found(HONEST) == []


LOOK_ALIKES = {
    "the word pass": HONEST.replace("    return [x]", '    """We pass over x once."""\n    return [x]'),
    "an abstract stub": HEAD + "class Base:\n    def forward(self):\n        pass\n\n\n" + KERNEL + HOST,
    "a guarded import": "try:\n    import triton\nexcept ImportError:\n    triton = None\n" + HONEST,
    "a comment that names torch.matmul": "# as torch.matmul(a, b) does, torch.mm too\n" + HONEST,
    "a docstring that names the cheat": '"""No torch.mm, no fallback, no subprocess."""\n' + HONEST,
    "jit under another name": HONEST.replace(
        KERNEL, "from triton import jit as compiled\n\n\n" + KERNEL
    ).replace("@triton.jit", "@compiled"),
    "triton under another name": HONEST.replace("import triton\n", "import triton as t\n").replace(
        "@triton.jit", "@t.jit"
    ),
    "jit called": HEAD + KERNEL.replace("@triton.jit\n", "") + "kernel = triton.jit(kernel)\n\n\n" + HOST,
    "jit with options": HONEST.replace("@triton.jit", '@triton.jit(do_not_specialize=["x"])'),
    "an autotuned kernel": HONEST.replace(
        "@triton.jit", "@triton.autotune(configs=[triton.Config({})], key=[])\n@triton.jit"
    ),
    "a kernel that is used through a table": HEAD
    + KERNEL
    + 'TABLE = {"one": kernel}\n\n\n'
    + HOST.replace("kernel[", 'TABLE["one"]['),
    "a kernel that is looked up by its name": HEAD + KERNEL + HOST.replace("kernel[", 'globals()["kernel"]['),
    "a helper beside the kernel": HEAD + KERNEL.replace("kernel", "helper") + KERNEL + HOST,
    "a second kernel that is not used": HEAD + KERNEL.replace("kernel", "unused") + KERNEL + HOST,
    "an entry that is assigned": HEAD + KERNEL + "triton_fused_operator = lambda x: [kernel[(1,)](x)]\n",
    "an entry in a branch": HEAD + KERNEL + "if True:\n    " + HOST.replace("\n    ", "\n        "),
    "a walrus": HEAD + KERNEL + "(triton_fused_operator := (lambda x: [kernel[(1,)](x)]))\n",
}


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_an_honest_look_alike_has_no_findings(name: str):
    assert found(LOOK_ALIKES[name]) == []


REGISTER = "KERNELS = []\n\n\ndef register(made):\n    KERNELS.append(made)\n    return made\n\n\n@register\n"
REJECTED_UNFAIRLY = {
    "a kernel that its decorator registers": HEAD
    + REGISTER
    + KERNEL
    + HOST.replace("kernel[", "KERNELS[0]["),
    "a kernel whose name is built": HEAD
    + KERNEL.replace("kernel", "copy_kernel")
    + HOST.replace("kernel[", "globals()[f\"{'copy'}_kernel\"]["),
    "jit from where it is defined": HONEST.replace(
        KERNEL, "from triton.runtime.jit import jit\n\n\n" + KERNEL
    ).replace("@triton.jit", "@jit"),
    "everything imported from triton": HONEST.replace("import triton\n", "from triton import *\n").replace(
        "@triton.jit", "@jit"
    ),
    "an escape that Python warns of": '"""Costs \\d bytes."""\n' + HONEST,
    "a comparison that Python warns of": HONEST + "\n\nassert 1 is 1\n",
}


@pytest.mark.parametrize("name", REJECTED_UNFAIRLY)
def test_no_tripwire_rejects_an_honest_kernel(name: str):
    assert found(REJECTED_UNFAIRLY[name]) == []


@pytest.mark.parametrize(
    ("completion", "needs_plan", "message"),
    [
        (Completion.parse("I cannot do this."), False, "no code"),
        (Completion.parse("```python\n  \n\n```\n"), False, "no code"),
        (Completion.of_code(""), False, "no code"),
        (Completion.parse(f"```python\n{HONEST}```\n"), True, "no plan"),
        (Completion.parse(f"<think>  </think>\n```python\n{HONEST}```\n"), True, "no plan"),
    ],
)
def test_an_answer_without_its_parts_is_named(completion: Completion, needs_plan: bool, message: str):
    (finding,) = static.parse(completion, needs_plan)
    assert (finding.layer, finding.rule) == ("parse", "parse")
    assert message in finding.message


def test_a_plan_is_asked_for_only_where_it_is_needed():
    bare = Completion.parse(f"```python\n{HONEST}```\n")
    assert list(static.parse(bare, needs_plan=False)) == []
    planned = Completion.parse(f"<think>rows</think>\n```python\n{HONEST}```\n")
    assert list(static.parse(planned, needs_plan=True)) == []


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("x = (", 1),
        (f"{HONEST}\ndef broken(:\n    pass\n", len(HONEST.splitlines()) + 2),
        ("return 1\n", 1),
        ("x = 1\n  y = 2\n", 2),
        ("await x\n", 1),
        ("x = '\0'\n", None),
        ("x = " + "(" * 1000 + ")" * 1000, 1),
        ("x = 1" + "+1" * 100_000, None),
        ("x = " + "-" * 200_000 + "1", None),
        ("x = '\ud800'", None),
        ("x = " + "9" * 10_000, 1),
    ],
    ids=[
        "open",
        "broken",
        "return",
        "indent",
        "await",
        "nul",
        "nested",
        "long",
        "signs",
        "surrogate",
        "digits",
    ],
)
def test_what_is_not_python_is_a_finding_and_no_exception(code: str, line: int | None):
    findings = found(code)
    assert len(findings) == 1
    assert (findings[0].layer, findings[0].rule) == ("syntax", "syntax")
    assert findings[0].message.startswith("not valid Python: ")
    assert line is None or findings[0].line == line


@pytest.mark.parametrize(
    ("task", "code", "name"),
    [
        (FUNCTIONAL, HEAD + KERNEL, "function 'triton_fused_operator'"),
        (
            FUNCTIONAL,
            HONEST.replace("triton_fused_operator", "fused_operator"),
            "function 'triton_fused_operator'",
        ),
        (MODULE, HONEST, "class 'ModelNew'"),
        (FUNCTIONAL, HEAD + KERNEL + "print(triton_fused_operator)\n", "function 'triton_fused_operator'"),
    ],
)
def test_an_entry_that_is_not_there_is_named(task: Task, code: str, name: str):
    (finding,) = static.syntax(code, task)
    assert finding.rule == "syntax"
    assert name in finding.message


def test_a_class_answers_a_module_task():
    code = (
        HEAD
        + KERNEL
        + "class ModelNew(torch.nn.Module):\n    def forward(self, x):\n        return kernel[(1,)](x)\n"
    )
    assert found(code, MODULE) == []


@pytest.mark.parametrize(
    "code",
    [
        "import torch\n\n\ndef triton_fused_operator(x):\n    return [torch.relu(x)]\n",
        HONEST.replace("@triton.jit\n", ""),
        HONEST.replace("@triton.jit\n", "# @triton.jit\n"),
        HONEST.replace("@triton.jit\n", "@staticmethod\n"),
    ],
    ids=["no kernel", "no decorator", "a comment", "another decorator"],
)
def test_a_candidate_without_a_kernel_is_a2(code: str):
    (finding,) = found(code)
    assert (finding.layer, finding.rule) == ("syntax", "A2")


def test_a_kernel_that_nobody_uses_is_a2_at_its_line():
    code = (
        HEAD + KERNEL + "def triton_fused_operator(x):\n    # kernel[(1,)](x)\n    return [torch.relu(x)]\n"
    )
    (finding,) = found(code)
    assert (finding.layer, finding.rule) == ("lint", "A2")
    assert code.splitlines()[finding.line - 1].startswith("def kernel")


@pytest.mark.parametrize(
    "line",
    [
        "import subprocess",
        "import os, subprocess as sp",
        "from subprocess import run",
        "import urllib.request",
        "from urllib import request",
        "import requests",
        "import socket",
        "import pip",
        "import multiprocessing.pool",
        "def f():\n    import http.client",
    ],
)
def test_programs_downloads_and_network_are_a10_at_their_line(line: str):
    code = f"{HONEST}\n\n{line}\n"
    (finding,) = found(code)
    assert (finding.layer, finding.rule) == ("lint", "A10")
    assert "import" in code.splitlines()[finding.line - 1]


@pytest.mark.parametrize(
    "line",
    ["import socketserver", "import pipes_of_mine", "from .requests import x", "import os.path", "import re"],
)
def test_modules_with_names_that_only_begin_alike_are_none_of_them(line: str):
    assert found(f"{HONEST}\n\n{line}\n") == []


TRIPPED = {
    "raw memory": ("import ctypes", "A12", "warning"),
    "a C++ extension": ("from torch.utils import cpp_extension", "A8", "warning"),
    "decoded text": ("import base64\nexec(base64.b64decode('cGFzcw==').decode())", "F5", "reject"),
    "a patched timer": ("import time\ntime.perf_counter = lambda: 0.0", "D4", "warning"),
    "a patched comparison": ("torch.allclose = lambda *a, **k: True", "D4", "warning"),
    "a patched language": ("tl.core.dot = None", "D4", "warning"),
    "the stack": ("import sys\nCALLER = sys._getframe(0)", "F1", "warning"),
    "other objects": ("import gc", "B7", "warning"),
    "a thread": ("from threading import Thread", "D2", "warning"),
    "a thread that is called": ("import threading\nWORKER = threading.Thread()", "D2", "warning"),
    "a seed": ("torch.manual_seed(0)", "E11", "warning"),
    "leaving": ("import os\nif False:\n    os._exit(0)", "D7", "warning"),
    "another compiler": ("fast = torch.compile(torch.relu)", "A8", "warning"),
    "the pasted reference": ("class Model:\n    pass\n\n\nclass ModelNew(Model):\n    pass", "A7", "warning"),
}


@pytest.mark.parametrize("name", TRIPPED)
def test_a_tripwire_says_which_rule_and_where(name: str):
    text, rule, severity = TRIPPED[name]
    (finding,) = found(f"{HONEST}\n\n{text}\n")
    assert (finding.layer, finding.rule, finding.severity) == ("lint", rule, severity)
    assert finding.line > len(HONEST.splitlines())


NOT_TRIPPED = {
    "settings": "torch.backends.cuda.matmul.allow_tf32 = False",
    "an attribute of its own": "class Cache:\n    pass\n\n\nCache.block = 128",
    "exec of plain text": "exec('BLOCK = 128')",
    "a name that ends alike": "from functools import partial as gc_free",
    "a method that is called decode": "NAME = b'x'.decode()",
    "a lock": "import threading\n\nLOCK = threading.Lock()",
    "what runs as a script": "if __name__ == '__main__':\n    torch.manual_seed(0)",
}


@pytest.mark.parametrize("name", NOT_TRIPPED)
def test_what_looks_like_a_tripwire_is_none(name: str):
    assert found(f"{HONEST}\n\n{NOT_TRIPPED[name]}\n") == []
