"""The operator table: complete, consistent, and in agreement with PyTorch on shapes, types and text."""

import random

import pytest

from tests.program.recapture import recapture
from tritonrl.errors import UnknownNameError
from tritonrl.program import COMPUTE, TABLE, Program, emit, lookup
from tritonrl.program.run import draw_inputs, run_all
from tritonrl.synth.profile import PROFILES
from tritonrl.synth.sample import sketch

PAPER = """
add mul sub div maximum minimum lerp max min sum mean argmax argmin var norm matmul bmm transpose triu tril
relu leaky_relu sigmoid tanh silu gelu selu elu hardsigmoid hardtanh softplus softsign logsigmoid clamp
softmax log_softmax cos sin exp2 abs cummax cummin cumsum batch_norm layer_norm group_norm instance_norm
avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool2d max_pool3d conv1d conv2d conv3d
conv_transpose1d conv_transpose2d conv_transpose3d cat stack
"""

VIEWS = {
    "reshape": {"nodes": [["reshape", [0], {"shape": [4, -1]}]]},
    "expand": {"nodes": [["expand", [0], {"size": [5, -1, -1, -1]}]]},
    "permute": {"nodes": [["permute", [0], {"dims": [2, 0, 1]}]]},
    "squeeze": {"nodes": [["unsqueeze", [0], {"dim": 1}], ["squeeze", [1], {"dim": [1]}]]},
    "unsqueeze": {"nodes": [["unsqueeze", [0], {"dim": 0}]]},
    "select": {"nodes": [["select", [0], {"dim": 1, "index": 2}]]},
    "slice": {"nodes": [["slice", [0], {"dim": 2, "start": 1, "step": 2}], ["slice", [1], {"end": 2}]]},
}


def sampled(op: str, seed: int) -> Program:
    """A random program of one operator; for a view, a small one that uses it."""
    if op in VIEWS:
        nodes = [*VIEWS[op]["nodes"], ["relu", [len(VIEWS[op]["nodes"])]]]
        return Program.from_json({"inputs": ["float32[3,4,8]"], "nodes": nodes, "outputs": [len(nodes)]})
    for attempt in range(50):
        made = sketch(random.Random(f"{op} {seed} {attempt}"), [op], PROFILES["cpu"]).solve()
        if made is not None:
            return made
    raise AssertionError(f"no program of {op}")


def test_all_operators_of_the_paper_are_there():
    names = PAPER.split()
    assert len(names) == 61
    assert set(names) <= set(COMPUTE)


def test_names_are_unique_and_patterns_parse():
    assert len(TABLE) == len(COMPUTE) + len(VIEWS) + 1
    for row in TABLE.values():
        assert row.name == "opaque" or row.matches
        assert all(match.root.startswith("aten.") for match in row.matches)


def test_unknown_operator_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match="unknown operator 'fold'; known: abs, add"):
        lookup("fold")


@pytest.mark.parametrize("op", [*COMPUTE, *VIEWS])
def test_rule_agrees_with_torch(op: str):
    """Shapes and types that the table infers are those that PyTorch computes."""
    for seed in range(8):
        program = sampled(op, seed)
        values = run_all(program, draw_inputs(program, seed))
        for spec, value in zip(program.values, values, strict=True):
            assert (spec.shape, f"torch.{spec.dtype}") == (tuple(value.shape), str(value.dtype)), emit(
                program
            )


@pytest.mark.parametrize("op", [*COMPUTE, *VIEWS])
def test_emit_capture_emit_is_a_fixed_point(op: str):
    for seed in range(2):
        program = sampled(op, seed)
        source = emit(program)
        captured = recapture(source)
        assert emit(captured.program) == source
        assert captured.program == program
        assert captured.opaque == ()


def test_flops_and_bytes_by_hand():
    """A batch of 2, 8→4 channels, 3×3 kernel on 6×6 without padding: 4×4 outputs of 72 terms each."""
    conv = Program.from_json(
        {"inputs": ["float32[2,8,6,6]", "float32[4,8,3,3]"], "nodes": [["conv2d", [0, 1]]], "outputs": [2]}
    )
    assert conv.values[2].shape == (2, 4, 4, 4)
    assert conv.flops == 2 * (2 * 4 * 4 * 4) * (8 * 3 * 3)
    assert conv.node_terms(0) == 72
    assert conv.bytes == conv.fused_bytes == 4 * (2 * 8 * 36 + 4 * 72 + 128)
    chain = Program.from_json(
        {
            "inputs": ["float16[32,64]"],
            "nodes": [
                ["relu", [0]],
                ["sum", [1], {"dim": 1}],
                ["permute", [1], {"dims": [1, 0]}],
                ["abs", [3]],
            ],
            "outputs": [2, 4],
        }
    )
    assert chain.flops == 32 * 64 + 32 * 64 + 0 + 32 * 64
    assert chain.bytes == 2 * (2 * 2048 + (2048 + 32) + 0 + 2 * 2048)
    assert chain.fused_bytes == 2 * (2048 + 32 + 2048)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([["softmax", [0], {"dim": 5}]], "dim 5 is out of range"),
        ([["softmax", [0], {"dim": 1, "x": 2}]], "no attribute 'x'"),
        ([["softmax", [0]]], "needs attribute 'dim'"),
        ([["add", [0]]], "needs 2 operands"),
        ([["relu", [0, 0]]], "takes 1 operands"),
        ([["bmm", [0, 0]]], "no 'x' of rank 2"),
        ([["matmul", [0, 0]]], "sizes 6 and 4 differ"),
        ([["relu", [1]]], "reads value 1"),
        ([["fold", [0]]], "unknown operator 'fold'"),
    ],
)
def test_a_wrong_node_is_one_clear_line(nodes: list, message: str):
    from tritonrl.errors import UserError

    with pytest.raises(UserError, match=message):
        Program.from_json({"inputs": ["float32[4,6]"], "nodes": nodes, "outputs": [1]})
