"""Programs in which fragments are functions of their own: they compute the same, whatever names these use."""

import random

import pytest
import torch

from tritonrl.program import Program
from tritonrl.program.emit import emit_function
from tritonrl.program.fragment import Fragment, fragment, fragments
from tritonrl.program.run import draw_inputs, run
from tritonrl.search.fragments.choose import Option, choose
from tritonrl.search.fragments.names import SpliceError, numbered
from tritonrl.search.fragments.splice import Spliced, reads_of, spliced
from tritonrl.synth import Config, program

HEAD = "import torch\nimport torch.nn.functional as F\n\n\n"


def in_torch(part: Fragment) -> str:
    """What a kernel's file looks like, with PyTorch for Triton; it knows contiguous inputs only."""
    function = emit_function(part.program, "triton_fused_operator")
    check = "    assert all(each.is_contiguous() for each in locals().values())"
    return HEAD + "\n".join([function[0], check, *function[1:]]) + "\n"


def disjoint(whole: Program, rng: random.Random) -> list[Fragment]:
    """Some fragments that can run one after the other."""
    cut = fragments(whole, 4)
    offered = rng.sample(cut, min(12, len(cut)))
    chosen = choose(reads_of(whole), [Option(frozenset(each.positions), rng.random()) for each in offered])
    return [offered[place] for place in chosen or ()]


@pytest.mark.parametrize("index", range(25))
def test_a_spliced_program_computes_what_the_program_does(index: int):
    whole = program(Config(10, seed=9), index)
    inputs = draw_inputs(whole, 1)
    names: dict = {}
    code = spliced(whole, [Spliced(part, in_torch(part)) for part in disjoint(whole, random.Random(index))])
    exec(code, names)
    for mine, expected in zip(names["triton_fused_operator"](*inputs), run(whole, inputs), strict=True):
        torch.testing.assert_close(mine, expected, equal_nan=True)


def test_views_are_taken_again_where_the_rest_needs_them():
    document = {
        "inputs": ["float32[3,5]"],
        "nodes": [
            ["permute", [0], {"dims": [1, 0]}], ["relu", [1]], ["reshape", [2], {"shape": [15]}],
            ["abs", [3]], ["tanh", [1]],
        ],
        "outputs": [3, 4, 5],
    }  # fmt: skip
    whole = Program.from_json(document)
    code = spliced(whole, [Spliced(part := fragment(whole, [1, 3]), in_torch(part))])
    body = code.partition("def triton_fused_operator")[2]
    assert "[tensor_2, tensor_4] = fragment_1(tensor_0.contiguous())" in body
    assert "tensor_3 = torch.reshape(tensor_2, shape=(15,))" in body
    assert "tensor_1 = " in body, "tanh still reads it"
    names: dict = {}
    exec(code, names)
    inputs = draw_inputs(whole, 1)
    for mine, expected in zip(names["triton_fused_operator"](*inputs), run(whole, inputs), strict=True):
        assert torch.equal(mine, expected)


def test_a_kernel_that_occurs_twice_is_written_once():
    nodes = [["relu", [0]], ["abs", [1]], ["sum", [2], {"dim": [1]}], ["relu", [2]], ["abs", [4]]]
    whole = Program.from_json({"inputs": ["float32[3,5]"], "nodes": nodes, "outputs": [3, 5]})
    parts = [fragment(whole, [0, 1]), fragment(whole, [3, 4])]
    code = spliced(whole, [Spliced(part, in_torch(part)) for part in parts])
    assert code.count("def fragment_") == 1
    assert code.count("fragment_1(") == 3


OWN = """import torch
import triton
import triton.language as tl

BLOCK = 128


@triton.autotune([triton.Config({"BLOCK": BLOCK})], key=["n"])
@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, helper(tl.load(x_ptr + at, at < n)), at < n)


@triton.jit
def helper(x):
    return x + 1


def triton_fused_operator(x):
    helper = torch.empty_like(x)  # not the one above
    sizes = [BLOCK for kernel in range(2)]
    kernel[lambda META: (triton.cdiv(x.numel(), META["BLOCK"]),)](x, helper, n=x.numel())
    return [helper.kernel if sizes is None else helper]
"""


def test_names_are_numbered_where_they_are_the_files_own():
    made = numbered(OWN, "triton_fused_operator", "fragment", 3)
    assert made.entry == "fragment_3"
    assert made.imports == ("import torch", "import triton", "import triton.language as tl")
    assert "BLOCK_3 = 128" in made.code
    assert '@triton.autotune([triton.Config({"BLOCK": BLOCK_3})], key=["n"])' in made.code
    assert "def kernel_3(x_ptr, out_ptr, n, BLOCK: tl.constexpr):" in made.code
    assert "at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)" in made.code, "the parameter"
    assert "helper_3(tl.load(x_ptr + at, at < n))" in made.code
    assert "helper = torch.empty_like(x)" in made.code, "a local"
    assert "sizes = [BLOCK_3 for kernel in range(2)]" in made.code
    assert "kernel_3[lambda META:" in made.code
    assert "return [helper.kernel if sizes is None else helper]" in made.code
    compile(made.code, "made", "exec")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("from torch import *\n" + OWN, "everything of a module"),
        (OWN + "\nkernel_1 = None\nprint(kernel_1)\n", "uses the name"),
        (OWN + "\nmax = 3\n", "uses the name 'max'"),
        (OWN + "\ndef change():\n    global BLOCK\n    BLOCK = 2\n", "changes its global 'BLOCK'"),
    ],
)
def test_code_that_cannot_be_numbered_is_named(code: str, words: str):
    with pytest.raises(SpliceError, match=words):
        numbered(code, "triton_fused_operator", "fragment", 1)


def test_two_meanings_of_a_name_are_named():
    nodes = [["relu", [0]], ["abs", [1]]]
    whole = Program.from_json({"inputs": ["float32[3,5]"], "nodes": nodes, "outputs": [2]})
    parts = [fragment(whole, [0]), fragment(whole, [1])]
    first, second = (in_torch(part) for part in parts)
    second = second.replace("import torch.nn.functional as F", "import triton as F")
    with pytest.raises(SpliceError, match=r"'F' is torch\.nn\.functional for one kernel and triton"):
        spliced(whole, [Spliced(parts[0], first), Spliced(parts[1], second)])
