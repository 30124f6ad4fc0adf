"""The operator table: complete, consistent, and in agreement with PyTorch on shapes, types and text."""

import itertools
import json
import math
import random

import pytest

from tests.program.recapture import recapture
from tritonrl.errors import UnknownNameError
from tritonrl.program import COMPUTE, TABLE, Program, emit, lookup
from tritonrl.program.emit import draw
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

BEYOND = """
linear exp log sqrt rsqrt pow pow_positive add_scalar sub_scalar rsub_scalar mul_scalar div_scalar rdiv_scalar
lerp_scalar mish hardswish logsumexp cumprod flip where where_scalar masked_fill scaled_dot_product_attention
adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d
adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d
mse_loss l1_loss smooth_l1_loss huber_loss hinge_loss kl_div binary_cross_entropy_with_logits cross_entropy
soft_cross_entropy triplet_margin_loss
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


HALVES = ("float16", "bfloat16")


def sampled(op: str, seed: int, dtype: str = "float32") -> Program:
    """A random program of one operator; for a view, a small one that uses it."""
    if op in VIEWS:
        nodes = [*VIEWS[op]["nodes"], ["relu", [len(VIEWS[op]["nodes"])]]]
        return Program.from_json({"inputs": [f"{dtype}[3,4,8]"], "nodes": nodes, "outputs": [len(nodes)]})
    for attempt in range(50):
        made = sketch(random.Random(f"{op} {seed} {attempt}"), [op], PROFILES["cpu"], dtype).solve()
        if made is not None:
            return made
    raise AssertionError(f"no program of {op}")


def test_all_operators_of_the_paper_are_there():
    names = PAPER.split()
    assert len(names) == 61
    assert set(names) | set(BEYOND.split()) == set(COMPUTE)
    assert len(COMPUTE) == 100


def test_names_are_unique_and_patterns_parse():
    assert len(TABLE) == len(COMPUTE) + len(VIEWS) + 1
    for row in TABLE.values():
        assert row.name == "opaque" or row.matches
        assert all(match.root.startswith("aten.") for match in row.matches)


def test_unknown_operator_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match="unknown operator 'fold'; known: abs, adaptive_avg_pool1d"):
        lookup("fold")


@pytest.mark.parametrize("op", [*COMPUTE, *VIEWS])
def test_rule_agrees_with_torch(op: str):
    """Shapes and types that the table infers are those that PyTorch computes."""
    for seed in range(8):
        check_rule(sampled(op, seed))


def check_rule(program: Program) -> None:
    values = run_all(program, draw_inputs(program, 0))
    for spec, value in zip(program.values, values, strict=True):
        assert (spec.shape, f"torch.{spec.dtype}") == (tuple(value.shape), str(value.dtype)), emit(program)


@pytest.mark.parametrize("op", [*COMPUTE, *VIEWS])
def test_emit_capture_emit_is_a_fixed_point(op: str):
    check_fixed_point(sampled(op, 1))


def check_fixed_point(program: Program) -> None:
    source = emit(program)
    captured = recapture(source)
    assert emit(captured.program) == source
    assert captured.program == program
    assert captured.program.program_id == program.program_id
    assert captured.opaque == ()


IN_HALVES = [op for op in (*COMPUTE, *VIEWS) if op != "avg_pool3d"]


@pytest.mark.parametrize("op", IN_HALVES)
def test_rule_agrees_with_torch_in_half_precision(op: str):
    for seed, dtype in enumerate(HALVES * 2):
        program = sampled(op, seed, dtype)
        assert {spec.dtype for spec in program.inputs} <= {dtype, "int64"}
        check_rule(program)


@pytest.mark.slow
@pytest.mark.parametrize(("op", "dtype"), [*zip(IN_HALVES, itertools.cycle(HALVES), strict=False)])
def test_half_precision_is_a_fixed_point(op: str, dtype: str):
    check_fixed_point(sampled(op, 0, dtype))


@pytest.mark.parametrize("dtype", HALVES)
def test_what_no_cpu_computes_is_captured_and_not_drawn(dtype: str):
    """Were it implemented one day, the synthesiser could draw it."""
    program = alone([f"{dtype}[2,3,4,6,6]"], "avg_pool3d", {"kernel_size": 2})
    check_fixed_point(program)
    assert dtype not in (lookup("avg_pool3d").sampled_dtypes or ())
    with pytest.raises(RuntimeError, match="not implemented"):
        run_all(program, draw_inputs(program, 0))


@pytest.mark.parametrize(
    ("nodes", "drawn"),
    [
        ([["log", [0]]], "torch.rand(6, 5) + 0.5"),
        ([["kl_div", [0, 1]]], "torch.rand(6, 5)"),
        ([["kl_div", [0, 1]], ["sqrt", [1]]], "torch.rand(6, 5) / 2 + 0.5"),
        ([["where_scalar", [0, 0, 1], {"comparison": ">", "threshold": 0}]], "torch.randn(6, 5)"),
        ([["pow", [1], {"exponent": 3}]], "torch.randn(6, 5)"),
    ],
)
def test_inputs_are_drawn_for_those_who_read_them(nodes: list, drawn: str):
    program = Program.from_json({"inputs": ["float32[6,5]"] * 2, "nodes": nodes, "outputs": [2]})
    last = max(value for value in program.nodes[0].operands)
    assert draw(program, last) == drawn


def test_labels_are_indices_of_the_classes():
    program = Program.from_json(
        {"inputs": ["float16[6,5]", "int64[6]"], "nodes": [["cross_entropy", [0, 1]]], "outputs": [2]}
    )
    assert draw(program, 1) == "torch.randint(0, 5, (6,))"
    assert str(program.values[2]) == "float16[]"


def test_numbers_that_json_has_no_word_for():
    nodes = [
        ["norm", [0], {"ord": math.inf, "dim": 1}],
        ["masked_fill", [0, 0], {"comparison": ">", "threshold": 1, "value": -math.inf}],
    ]
    program = Program.from_json({"inputs": ["float32[6,5]"], "nodes": nodes, "outputs": [1, 2]})
    text = json.dumps(program.to_json(), allow_nan=False)
    assert Program.from_json(text) == program
    assert 'ord=float("inf"), dim=1)' in emit(program)
    assert 'torch.masked_fill(tensor_0, tensor_0 > 1, float("-inf"))' in emit(program)


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


def alone(inputs: list[str], op: str, attrs: dict) -> Program:
    """A program of one operator that reads all inputs."""
    node = [op, list(range(len(inputs))), attrs]
    return Program.from_json({"inputs": inputs, "nodes": [node], "outputs": [len(inputs)]})


def test_flops_of_attention_by_hand():
    """Six heads of 5 queries and 7 keys, 8 wide, with values 4 wide."""
    heads = ["bfloat16[2,3,5,8]", "bfloat16[2,3,7,8]", "bfloat16[2,3,7,4]"]
    attention = alone(heads, "scaled_dot_product_attention", {})
    assert attention.values[3].shape == (2, 3, 5, 4)
    assert attention.flops == 6 * 5 * 7 * (2 * 8 + 6 + 2 * 4)
    assert attention.node_terms(0) == 7
    assert attention.bytes == 2 * 6 * (5 * 8 + 7 * 8 + 7 * 4 + 5 * 4)


def test_flops_of_losses_and_pools_by_hand():
    pair = ["float32[6,10]"] * 2
    each, mean = (alone(pair, "mse_loss", {"reduction": how}) for how in ("none", "mean"))
    assert (each.flops, each.node_terms(0), each.values[2].shape) == (2 * 60, 1, (6, 10))
    assert (mean.flops, mean.node_terms(0), mean.values[2].shape) == (2 * 60, 60, ())
    labelled = alone(["float32[6,10]", "int64[6]"], "cross_entropy", {"reduction": "none"})
    assert (labelled.flops, labelled.node_terms(0), labelled.values[2].shape) == (6 * 60, 10, (6,))
    assert labelled.bytes == 4 * 60 + 8 * 6 + 4 * 6
    pooled = alone(["float32[2,3,8,12]"], "adaptive_avg_pool2d", {"output_size": [1, 5]})
    assert (pooled.values[1].shape, pooled.node_terms(0)) == ((2, 3, 1, 5), 8 * 3)
    assert pooled.flops == 2 * 3 * 5 * 24


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
        ([["pow", [0], {"exponent": 0.5}]], "0.5 is no whole exponent"),
        ([["pow_positive", [0], {"exponent": 2.0}]], "2.0 is a whole exponent"),
        ([["cross_entropy", [0, 0]]], "a loss of ranks 2 and 2"),
        ([["scaled_dot_product_attention", [0, 0]]], "needs 3 operands"),
        ([["scaled_dot_product_attention", [0, 0, 0, 0], {"is_causal": True}]], "causal or has a mask"),
    ],
)
def test_a_wrong_node_is_one_clear_line(nodes: list, message: str):
    from tritonrl.errors import UserError

    with pytest.raises(UserError, match=message):
        Program.from_json({"inputs": ["float32[4,6]"], "nodes": nodes, "outputs": [1]})
