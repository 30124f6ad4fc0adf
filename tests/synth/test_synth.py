"""CSP-DAG: healthy programs within bounds, uniform operators, the same bytes for any number of workers."""

import json
import os
import random
import signal
from collections import Counter
from pathlib import Path

import pytest
import torch

from tritonrl import jsonl
from tritonrl.errors import UserError
from tritonrl.program import COMPUTE, Program
from tritonrl.synth import PROFILES, Config, program, resized, rows, write
from tritonrl.synth.generate import derive_seed, operators
from tritonrl.synth.health import first_sick_node
from tritonrl.synth.many import row as row_of
from tritonrl.synth.report import Tally, chi_square_tail, possible_pairs
from tritonrl.synth.unknowns import Infeasible, Unknowns

HALVES = ("float16", "bfloat16")


def check_row(row: dict, draws: int = 2) -> None:
    """The source runs, outputs have exactly the solved shapes, all finite, none constant."""
    names: dict = {}
    exec(row["source"], names)
    for draw in range(draws):
        torch.manual_seed(draw)
        outputs = names["fused_operator"](*names["get_inputs"]())
        seen = [f"{str(out.dtype)[6:]}[{','.join(map(str, out.shape))}]" for out in outputs]
        assert seen == row["outputs"]
        for out in outputs:
            assert torch.isfinite(out.double()).all()
            assert (out != out.flatten()[0]).any()


@pytest.mark.parametrize(("level", "count"), [(1, 300), (2, 150), (3, 150), (5, 100), (10, 20), (20, 10)])
def test_rows_are_distinct_healthy_programs(level: int, count: int):
    made = list(rows(Config(level, seed=2), count))
    assert len({row["id"] for row in made}) == count
    for row in made:
        check_row(row)
        assert len(row["ops"]) == row["level"] == level
        whole = Program.from_json(row["program"])
        assert whole.program_id == row["id"]
        check_bounds(whole, "cpu")
        check_no_dead_code(whole)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize(("level", "count"), [(1, 150), (3, 60), (10, 10)])
def test_rows_of_half_precision_are_healthy(level: int, count: int, dtype: str):
    config = Config(level, seed=2, dtype=dtype)
    for row in rows(config, count):
        check_row(row)
        whole = Program.from_json(row["program"])
        assert row["dtype"] == dtype
        assert {spec.dtype for spec in whole.values} <= {dtype, "int64"}
        check_bounds(whole, "cpu")


@pytest.mark.parametrize(
    ("level", "dtype"), [(1, "float32"), (5, "float32"), (20, "float32"), (1, "float16"), (5, "bfloat16")]
)
def test_gpu_programs_are_large_enough(level: int, dtype: str):
    for index in range(15):
        whole = program(Config(level, seed=3, profile="gpu", dtype=dtype), index)
        check_bounds(whole, "gpu")
        check_no_dead_code(whole)


def check_bounds(whole: Program, profile: str) -> None:
    bounds = PROFILES[profile]
    sizes = [spec.num_elements for spec in whole.values]
    assert max(sizes) <= bounds.most_elements
    assert min(sizes[len(whole.inputs) :]) >= bounds.least_elements
    assert sum(sizes) <= bounds.most_total_elements * whole.level
    assert whole.bytes >= 4 * bounds.least_traffic * whole.level
    assert whole.flops <= bounds.most_flops * whole.level


def check_no_dead_code(whole: Program) -> None:
    unread = {value for value in range(len(whole.values)) if not whole.users[value]}
    assert unread == set(whole.outputs)
    assert min(whole.outputs) >= len(whole.inputs)


def test_types_are_other_programs_with_operators_of_their_own():
    half, whole = Config(1, dtype="float16"), Config(1)
    assert set(whole.ops) - set(half.ops) == {"avg_pool3d"}
    assert whole.ops == COMPUTE
    document = program(whole, 0).to_json()
    text = json.dumps(document)
    ids = {Program.from_json(text.replace("float32", dtype)).program_id for dtype in ("float32", *HALVES)}
    assert len(ids) == 3


def test_what_is_compared_was_not_computed():
    """A rounding error would make the choice another."""
    for index in range(60):
        whole = program(Config(5, seed=6, ops=("where", "where_scalar", "masked_fill", "relu", "exp")), index)
        for node in whole.nodes:
            compared = [
                value for place, value in enumerate(node.operands) if node.row.slot(place).needs == "exact"
            ]
            assert all(value < len(whole.inputs) for value in compared)


def test_degenerate_reductions_are_not_drawn():
    for index in range(300):
        whole = program(
            Config(1, seed=4, ops=("softmax", "sum", "mean", "layer_norm", "var", "argmax")), index
        )
        assert whole.node_terms(0) >= 2


@pytest.mark.parametrize("level", [1, 5, 20])
def test_operators_are_uniform(level: int):
    """The draw of operators alone is what every program keeps; the full programs are in the slow lane."""
    config = Config(level, seed=1)
    counts = Counter(dict.fromkeys(COMPUTE, 0))
    for index in range(20000 // level):
        counts.update(operators(config, index))
    expected = sum(counts.values()) / len(counts)
    statistic = sum((count - expected) ** 2 / expected for count in counts.values())
    assert chi_square_tail(statistic, len(counts) - 1) > 0.001


def test_a_program_keeps_the_operators_that_were_drawn():
    for level in (1, 3, 10):
        for index in range(20):
            config = Config(level, seed=8, views=0.5)
            assert list(program(config, index).ops) == operators(config, index)


def test_operators_that_want_other_ranks_or_inputs_find_them():
    """A product of short rows is no matrix that is large enough, though the loss after it takes matrices;
    and of an input that a root needs positive a logsumexp hardly varies."""
    for ops, dtype in ((("cumprod", "cross_entropy"), "bfloat16"), (("logsumexp", "sqrt"), "float16")):
        config = Config(2, 0, "gpu", ops=ops, dtype=dtype)
        for index in range(8):
            assert list(program(config, index).ops) == operators(config, index)


@pytest.mark.slow
@pytest.mark.parametrize(("level", "count"), [(1, 2000), (5, 400), (20, 500)])
def test_whole_runs_are_uniform(level: int, count: int):
    tally, ids = Tally(), set()
    for row in rows(Config(level, seed=1), count, workers=2):
        tally.add(row["program"])
        ids.add(row["id"])
    assert len(ids) == count
    report = tally.report()
    assert report.uniform
    assert sum(report.operators.values()) == level * count
    if level == 20:
        assert len(report.missing_pairs) < len(report.possible_pairs) / 2


@pytest.mark.slow
@pytest.mark.parametrize(("level", "count"), [(1, 500), (2, 250), (3, 150), (5, 100), (10, 25), (20, 10)])
def test_many_rows_are_healthy(level: int, count: int):
    ids = set()
    for row in rows(Config(level, seed=1), count, workers=2):
        check_row(row, draws=1)
        ids.add(row["id"])
    assert len(ids) == count


def test_the_report_can_say_no():
    tally = Tally()
    for _ in range(200):
        tally.add({"inputs": ["float32[4]"], "nodes": [["relu", [0]], ["abs", [1]]], "outputs": [2]})
    report = tally.report()
    assert not report.uniform
    assert report.pairs == {("relu", "abs"): 200}
    assert report.to_json()["num_pairs_seen"] == 1


def test_chi_square_tail_by_table():
    """The 0.95 and 0.999 quantiles of chi-square with 10 degrees of freedom are 18.307 and 29.588."""
    assert chi_square_tail(18.307, 10) == pytest.approx(0.05, abs=1e-4)
    assert chi_square_tail(29.588, 10) == pytest.approx(0.001, abs=1e-5)


def test_pairs_that_ranks_or_types_forbid_are_not_counted():
    pairs = possible_pairs(("relu", "argmax", "bmm", "conv2d", "transpose"))
    assert ("argmax", "relu") not in pairs
    assert ("argmax", "transpose") in pairs
    assert ("bmm", "conv2d") not in pairs
    assert ("relu", "conv2d") in pairs


def test_workers_do_not_change_the_bytes():
    made = [[jsonl.dumps(row) for row in rows(Config(3, seed=6), 70, workers)] for workers in (1, 2, 4)]
    assert made[0] == made[1] == made[2]


def test_duplicates_are_drawn_anew_with_the_same_operators():
    """Level 1 of one operator has few programs: without retries ids would repeat."""
    config = Config(1, seed=0, ops=("bmm",))
    first = [program(config, index).program_id for index in range(400)]
    made = list(rows(config, 400))
    assert len(set(first)) < 400
    assert len({row["id"] for row in made}) == 400


@pytest.mark.parametrize("kept", [0, 1, 17])
def test_resume_gives_the_bytes_of_an_unbroken_run(tmp_path: Path, kept: int):
    config, whole, broken = Config(2, seed=9), tmp_path / "whole.jsonl", tmp_path / "broken.jsonl"
    write(config, 40, whole)
    lines = whole.read_text().splitlines(keepends=True)
    broken.write_text("".join(lines[:kept]) + lines[kept][:25])
    assert write(config, 40, broken, resume=True) == kept
    assert broken.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (Config(2, seed=2), "seed 1 there, 2 here"),
        (Config(3, seed=1), "level 2 there, 3 here"),
        (Config(2, seed=1, profile="gpu"), "profile cpu there, gpu here"),
        (Config(2, seed=1, dtype="float16"), "dtype float32 there, float16 here"),
        (Config(2, seed=1, ops=("relu",)), "other operators"),
    ],
)
def test_resume_of_another_run_is_refused(tmp_path: Path, other: Config, message: str):
    out = tmp_path / "t.jsonl"
    write(Config(2, seed=1), 5, out)
    before = out.read_bytes()
    with pytest.raises(UserError, match=message):
        write(other, 10, out, resume=True)
    assert out.read_bytes() == before


def test_a_file_that_is_there_is_kept_beside(tmp_path: Path):
    out = tmp_path / "t.jsonl"
    out.write_text("precious\n")
    write(Config(1), 2, out)
    assert (tmp_path / "t.jsonl.bak").read_text() == "precious\n"
    assert [json.loads(line)["index"] for line in out.read_text().splitlines()] == [0, 1]


@pytest.mark.parametrize(
    ("nodes", "sick"),
    [
        pytest.param([["sub", [0, 0]]], 0, id="constant"),
        pytest.param([["abs", [0]], ["div", [0, 1]]], 1, id="division by nearly zero"),
        pytest.param([["abs", [0]], ["mul_scalar", [1], {"value": 200.0}], ["exp2", [2]]], 2, id="overflow"),
        pytest.param([["softmax", [0], {"dim": 1}], ["sum", [1], {"dim": 1}]], 1, id="nearly constant"),
        pytest.param([["sigmoid", [0]], ["clamp", [1], {"min": -2.0, "max": 0.0}]], 1, id="saturated"),
        pytest.param(
            [["exp", [0]], ["masked_fill", [0, 1], {"comparison": "<", "threshold": 0.0, "value": 2.0}]],
            1,
            id="a choice that is always the same",
        ),
        pytest.param([["relu", [0]], ["sigmoid", [0]], ["div", [1, 2]]], None, id="healthy"),
    ],
)
def test_health_names_the_first_sick_node(nodes: list, sick: int | None):
    whole = Program.from_json({"inputs": ["float32[64,4]"], "nodes": nodes, "outputs": [len(nodes)]})
    assert first_sick_node(whole, seed=1) == sick


@pytest.mark.parametrize(("dtype", "sick"), [("float32", None), ("float16", None), ("bfloat16", 0)])
def test_health_is_that_of_the_programs_own_type(dtype: str, sick: int | None):
    """Around 30 the neighbours in bfloat16 are 1/8 apart: of a normal number some forty values are left."""
    nodes = [["add_scalar", [0], {"value": 30.0}], ["sub_scalar", [1], {"value": 30.0}]]
    whole = Program.from_json({"inputs": [f"{dtype}[64,4]"], "nodes": nodes, "outputs": [2]})
    assert first_sick_node(whole, seed=1) == sick


@pytest.mark.parametrize(
    ("nodes", "sick"),
    [
        pytest.param([["sum", [0], {"dim": 1}], ["exp2", [1]]], 0, id="a sum leaves the range"),
        pytest.param([["max", [0], {"dim": 1}], ["clamp", [1], {"max": 2.0}]], 1, id="a maximum saturates"),
        pytest.param(
            [["log_softmax", [0], {"dim": 1}], ["hardtanh", [1], {"min_val": -3.0}]], 1, id="so does log n"
        ),
        pytest.param([["sigmoid", [0]], ["mean", [1], {"dim": 1}]], 1, id="a mean settles"),
        pytest.param([["logsumexp", [0], {"dim": 1}], ["abs", [1]]], 0, id="so does the log of a sum"),
        pytest.param([["sigmoid", [0]], ["cumprod", [1], {"dim": 1}]], 1, id="a product vanishes"),
        pytest.param([["norm", [0], {"ord": 1, "dim": 1}], ["abs", [1]]], 0, id="a norm that is a sum"),
        pytest.param([["norm", [0], {"ord": "inf", "dim": 1}], ["abs", [1]]], None, id="one that is not"),
        pytest.param(
            [
                ["mul_scalar", [0], {"value": 1.5}],
                ["triplet_margin_loss", [0, 0, 1], {"margin": 2.0, "eps": 0.1, "reduction": "none"}],
            ],
            1,
            id="a distance leaves a margin behind",
        ),
        pytest.param([["tanh", [0]], ["max", [1], {"dim": 0}]], None, id="what is not longer stays healthy"),
    ],
)
def test_a_small_twin_shows_what_the_large_one_does(nodes: list, sick: int | None):
    def sized(columns: int) -> Program:
        document = {"inputs": [f"float32[64,{columns}]"], "nodes": nodes, "outputs": [2]}
        return Program.from_json(document)

    assert first_sick_node(sized(8), seed=1) is None
    assert first_sick_node(sized(8), seed=1, large=sized(20000)) == sick


def test_unknowns_come_back_to_a_mark():
    unknowns = Unknowns(random.Random(0), PROFILES["cpu"])
    a, b = unknowns.tensor(1)[0], unknowns.tensor(1)[0]
    before = (a.guess, b.guess, a.low, b.high)
    mark = unknowns.mark()
    unknowns.same(a, b)
    unknowns.divided(a, 3)
    assert unknowns.find(a) is unknowns.find(b)
    unknowns.undo(mark)
    assert unknowns.find(a) is a
    assert (a.guess, b.guess, a.low, b.high) == before
    assert unknowns.mark() == mark


def test_a_contradiction_is_infeasible():
    unknowns = Unknowns(random.Random(0), PROFILES["cpu"])
    size = unknowns.tensor(1)[0]
    unknowns.prefer(size, 5, 7)
    with pytest.raises(Infeasible):
        unknowns.same(size, 9)


def test_shapes_are_no_corners():
    """A solver left alone returns 256×1; with hints most sizes are well inside their range."""
    sizes = [
        size
        for i in range(200)
        for spec in program(Config(1, 7, ops=("add", "mul")), i).inputs
        for size in spec.shape
    ]
    assert sum(size == 1 for size in sizes) < 0.3 * len(sizes)
    assert len(set(sizes)) > 30


@pytest.mark.parametrize(
    ("level", "profile", "dtype"),
    [(1, "cpu", "float32"), (5, "cpu", "float32"), (3, "cpu", "float16"), (2, "gpu", "float32")],
)
def test_a_resized_program_is_the_same_at_other_sizes(level: int, profile: str, dtype: str):
    config = Config(level, seed=5, profile=profile, dtype=dtype)
    found = 0
    for index in range(25):
        whole = program(config, index)
        others = [resized(config, whole, number) for number in (1, 2)]
        assert others == [resized(config, whole, number) for number in (1, 2)]
        for other in others:
            if other is None:
                continue
            found += 1
            assert other.structure_id == whole.structure_id
            assert other.nodes == whole.nodes
            assert [spec.shape for spec in other.inputs] != [spec.shape for spec in whole.inputs]
            ones = [[size == 1 for size in spec.shape] for spec in whole.inputs]
            assert [[size == 1 for size in spec.shape] for spec in other.inputs] == ones
            check_bounds(other, profile)
            if profile == "cpu":
                check_row(row_of(config, index, other))
    assert found >= 45


def test_what_is_broadcast_stays_so_at_other_sizes():
    """Ones are known beforehand: drawn again, they would seldom come to lie in the same places."""
    document = {"inputs": ["float32[32,1]", "float32[1,64]"], "nodes": [["add", [0, 1]]], "outputs": [2]}
    whole = Program.from_json(document)
    found = [resized(Config(1), whole, number) for number in range(10)]
    assert all(other and other.inputs[0].shape[1] == other.inputs[1].shape[0] == 1 for other in found)
    assert len({other.inputs for other in found if other}) > 5


def test_seeds_of_different_purposes_are_unrelated():
    assert derive_seed("a", 1) == derive_seed("a", 1)
    assert len({derive_seed("a", 1), derive_seed("a", 2), derive_seed("b", 1), derive_seed("a", "1")}) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"level": 0}, "level 0 is not between 1 and 64"),
        ({"level": 65}, "level 65"),
        ({"level": 1, "ops": ("fold",)}, "unknown operator 'fold'"),
        ({"level": 1, "profile": "tpu"}, "unknown profile 'tpu'; known: cpu, gpu"),
        ({"level": 1, "views": 2.0}, "share between 0 and 1"),
        ({"level": 1, "dtype": "float8"}, "unknown dtype 'float8'; known: float32, float16, bfloat16"),
        ({"level": 1, "ops": ("avg_pool3d",), "dtype": "float16"}, "avg_pool3d is not drawn in float16"),
    ],
)
def test_a_wrong_config_is_one_clear_line(arguments: dict, message: str):
    with pytest.raises(UserError, match=message):
        Config(**arguments)


def test_an_interrupt_is_still_python_s_after_a_solve():
    before = signal.getsignal(signal.SIGINT)
    caught: list[int] = []
    signal.signal(signal.SIGINT, lambda *_: caught.append(1))
    try:
        program(Config(2), 0)
        os.kill(os.getpid(), signal.SIGINT)
        assert caught == [1]
    finally:
        signal.signal(signal.SIGINT, before)
