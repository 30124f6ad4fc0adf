"""Packed weights, the card beside them, and the model of the package, tried with a tiny one."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from tests.command import Done, run
from tests.policy import tiny
from tests.policy.test_programs import MODULE, functional, module
from tests.search.test_optimize import DOUBLE
from tritonrl.errors import UserError
from tritonrl.policy.local import Folder, LocalPolicy, Place
from tritonrl.policy.nano import Card, NanoPolicy, packing, shipped
from tritonrl.policy.nano.export import export
from tritonrl.policy.nano.int8 import FEW, Int8Linear
from tritonrl.policy.nano.packing import pack, packed, unpack
from tritonrl.policy.nano.shipped import PLACE, SHARDS
from tritonrl.program import Program
from tritonrl.program.capture import capture_function
from tritonrl.tasks import Task
from tritonrl.teach.composer import compose
from tritonrl.teach.policies import default, policy
from tritonrl.verify import Zygotes

ROOT = Path(__file__).parents[2]
MIB = 2**20
CARD = Card(
    name="nano", operators=("relu", "add"), levels=(1, 2), dtypes=("float32",), context_tokens=1024,
    shortest_answer_tokens=100, p99_answer_tokens=700, made={"recipe": "by heart"},
)  # fmt: skip


@pytest.fixture(scope="module")
def program() -> Program:
    return capture_function(torch.relu, [torch.randn(5, 12)]).program


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, program: Program) -> Path:
    """A transformers folder of a model that knows one answer."""
    folder = tmp_path_factory.mktemp("whole")
    return tiny.make_program_model(folder, program, compose(program), max_position_embeddings=1024)


@pytest.fixture(scope="module")
def nano(tmp_path_factory: pytest.TempPathFactory, whole: Path) -> Path:
    pack(whole, out := tmp_path_factory.mktemp("packed") / "nano", CARD)
    return out


# Packing


@pytest.mark.parametrize("largest", [1e-6, 0.02, 30.0])
def test_a_weight_is_off_by_half_a_step_of_its_row(largest: float):
    matrix = torch.randn(64, 48) * largest * torch.logspace(-3, 0, 64)[:, None]
    matrix[5] = 0.0
    made = packed({"w": matrix, "v": torch.randn(7)})
    assert made["w"].dtype == torch.int8
    again = made["w"].float() * made["w.scale"][:, None]
    steps = matrix.abs().amax(1, keepdim=True) / 127
    assert torch.all((again - matrix).abs() <= 0.5001 * steps)
    assert torch.all(again[5] == 0)


def test_packing_what_was_packed_changes_nothing(nano: Path):
    once = unpack(nano)
    made = packed(once)
    for name, value in once.items():
        again = made[name].float() * made[f"{name}.scale"][:, None] if value.ndim == 2 else made[name]
        assert torch.allclose(again, value, rtol=1e-6, atol=0), name


def test_a_packed_folder_has_the_weights_once_and_a_quarter_of_the_bytes(whole: Path, nano: Path):
    own, kept = load_file(whole / "model.safetensors"), unpack(nano)
    assert set(kept) == set(own)
    assert "lm_head.weight" not in kept, "it is the embedding"
    for name, value in own.items():
        assert torch.equal(kept[name], value) == (value.ndim == 1), name
    assert {each.name for each in nano.iterdir()} == {
        "card.json", "config.json", "generation_config.json", "packed-01-of-01.safetensors", "tokenizer.json",
        "tokenizer_config.json",
    }  # fmt: skip
    # Of rows so short a scale is worth more than of rows of 512.
    sizes = [
        path.stat().st_size for path in (nano / "packed-01-of-01.safetensors", whole / "model.safetensors")
    ]
    assert sizes[0] < 0.32 * sizes[1]


def test_shards_are_below_their_limit(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(packing, "SHARD_BYTES", 40_000)
    pack(whole, tmp_path / "small", CARD)
    shards = sorted((tmp_path / "small").glob(SHARDS))
    assert len(shards) > 2
    assert shards[0].name == f"packed-01-of-{len(shards):02}.safetensors"
    assert all(each.stat().st_size < 40_000 + 5_000 for each in shards)
    monkeypatch.undo()
    pack(whole, tmp_path / "one", CARD)
    one, many = unpack(tmp_path / "one"), unpack(tmp_path / "small")
    assert one.keys() == many.keys()
    assert all(torch.equal(one[name], many[name]) for name in one)
    monkeypatch.setattr(packing, "SHARD_BYTES", 400)
    with pytest.raises(UserError, match="a shard has at most 400"):
        pack(whole, tmp_path / "tiny", CARD)
    assert not (tmp_path / "tiny").exists()


@pytest.mark.parametrize("num_rows", [1, FEW, FEW + 1])
def test_packed_matrices_multiply_as_float32_ones_do_but_for_rounding(num_rows: int):
    matrix, read = torch.randn(96, 512), torch.randn(num_rows, 1, 512)
    made = packed({"w": matrix})
    layer = Int8Linear(made["w"], made["w.scale"])
    exact = read @ (made["w"].float() * made["w.scale"][:, None]).T
    given = layer(read)
    assert given.shape == exact.shape
    assert given.dtype == torch.float32
    assert (given - exact).norm() < 0.01 * exact.norm()


def test_on_a_cpu_all_matrices_stay_packed(nano: Path, program: Program):
    who = NanoPolicy(nano)
    (given,) = who.propose(functional(program), [0])
    assert given.text
    layers = [each for each in who._writer._model.modules() if isinstance(each, torch.nn.Linear | Int8Linear)]
    assert {type(each) for each in layers} == {Int8Linear}
    assert len(layers) == 1 + 7 * who._writer._model.config.num_hidden_layers


# The policy


def test_it_answers_from_packed_weights_as_the_whole_model_does(nano: Path, whole: Path, program: Program):
    (given,) = NanoPolicy(nano).propose(functional(program), [0])
    assert given.text == compose(program)
    assert given.ops == ("relu",)
    (own,) = LocalPolicy(Folder.at(str(whole))).propose(functional(program), [0])
    assert given.text == own.text


def test_it_says_what_it_has_learned(nano: Path):
    assert NanoPolicy(nano).scope == (
        "nano has learned from programs of up to 2 operators, of 2 kinds (card.json names them), in float32; "
        "question and answer together have at most 1024 tokens"
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, None),
        ({"operators": ("add",)}, "it has never seen relu"),
        ({"levels": (0,)}, "1 operators are more than the 0 it has learned with"),
        ({"dtypes": ("float16",)}, "it has seen no float32"),
        ({"p99_answer_tokens": 1020}, "tokens are left for an answer, and some need 1020"),
    ],
)
def test_what_it_has_not_learned_is_noted_beforehand(
    nano: Path, tmp_path: Path, program: Program, changes: dict[str, Any], words: str | None
):
    note = NanoPolicy(carded(nano, tmp_path, **changes)).note(functional(program))
    assert note is None if words is None else note and note.startswith("nano is likely to fail here: ")
    assert words is None or words in (note or "")


def test_what_is_hopeless_is_an_error_and_no_note(
    nano: Path, tmp_path: Path, program: Program, zygotes: Zygotes
):
    lgamma = module(MODULE.replace("relu(x)", "lgamma(x)"))
    who = NanoPolicy(nano, zygotes=zygotes)
    assert who.note(lgamma) is None
    assert ["lgamma" in (each.error or "") for each in who.propose(lgamma, [0, 1])] == [True, True]
    narrow = NanoPolicy(carded(nano, tmp_path, shortest_answer_tokens=1020))
    assert narrow.note(functional(program)) is None
    (given,) = narrow.propose(functional(program), [0])
    assert "for an answer; the shortest that nano has learned from has 1020" in (given.error or "")


def carded(nano: Path, tmp_path: Path, **changes: Any) -> Path:
    made = shutil.copytree(nano, tmp_path / "changed")
    (made / "card.json").write_text(CARD.model_copy(update=changes).model_dump_json())
    return made


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda path: (path / "card.json").unlink(), "card.json: cannot be read"),
        (lambda path: (path / "card.json").write_text("{}"), "no card of a model: name: Field required"),
        (lambda path: (path / "config.json").unlink(), "config.json cannot be read"),
    ],
)
def test_a_packed_folder_that_lacks_something_is_the_users_error(
    nano: Path, tmp_path: Path, spoil: Any, reason: str
):
    spoil(bad := shutil.copytree(nano, tmp_path / "bad"))
    with pytest.raises(UserError, match=reason):
        policy(str(bad))


def test_a_shard_that_is_missing_is_the_users_error(
    whole: Path, tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(packing, "SHARD_BYTES", 40_000)
    pack(whole, bad := tmp_path / "bad", CARD)
    sorted(bad.glob(SHARDS))[1].unlink()
    with pytest.raises(UserError, match="13 weights are missing"):
        list(NanoPolicy(bad).propose(functional(program), [0]))


# The package


def test_without_weights_it_is_one_line_and_the_composer_stays_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(shipped, "PLACE", tmp_path)
    assert default() == "composer"
    with pytest.raises(
        UserError, match=r"this copy has no weights; `tritonrl train sft recipes/nano-sft.toml`"
    ):
        policy("nano")


def test_with_weights_it_is_the_default(nano: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shipped, "PLACE", nano)
    assert default() == "nano"
    assert isinstance(policy("nano")(0, None), NanoPolicy)  # type: ignore[arg-type]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """A command of a copy that has these weights."""

    def run_with(nano: Path, *arguments: object) -> Done:
        monkeypatch.setattr(shipped, "PLACE", nano)
        return run(*arguments)

    return run_with


def cli_process(nano: Path, *arguments: object) -> Done:
    """The same in a process, which says at the end what it imported of the composer."""
    script = (
        "import atexit, sys\nfrom pathlib import Path\nimport tritonrl.policy.nano.shipped as shipped\n"
        f"shipped.PLACE = Path({str(nano)!r})\nsys.argv = {['tritonrl', *map(str, arguments)]!r}\n"
        "@atexit.register\ndef end():\n"
        "    print(*(each for each in sys.modules if each.startswith('tritonrl.teach.composer')))\n"
        "from tritonrl.cli import main\nmain()\n"
    )
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=240)


@pytest.mark.parametrize("command", [["optimize", "double.py"], ["eval", "double.py"], ["export", "away"]])
def test_absent_weights_are_one_line_and_exit_2(cli: Callable[..., Done], tmp_path: Path, command: list[str]):
    (tmp_path / "double.py").write_text(DOUBLE)
    verb, rest = command[0], tmp_path / command[1]
    arguments = [verb, "nano", rest] if verb == "export" else [verb, rest, "--model", "nano"]
    done = cli(tmp_path / "none", *arguments)
    assert done.returncode == 2
    assert "this copy has no weights" in done.stderr
    assert done.stderr.count("\n") == 1
    assert [each.name for each in tmp_path.iterdir()] == ["double.py"]


def test_optimize_takes_nano_and_nothing_of_the_composer(nano: Path, tmp_path: Path):
    (tmp_path / "net.py").write_text(MODULE)
    done = cli_process(nano, "optimize", tmp_path / "net.py", "--samples", 1)
    assert done.returncode == 0, done.stderr
    assert "Candidate 0 is kept" in done.stdout
    assert "In this: nano has learned" in " ".join(done.stdout.split())
    assert "tritonrl.teach.composer" not in done.stdout
    assert "class Rectify(ModelNew)" in (tmp_path / "net.triton.py").read_text()


@pytest.mark.slow
def test_a_note_is_shown(cli: Callable[..., Done], nano: Path, tmp_path: Path):
    (tmp_path / "net.py").write_text(MODULE.replace("relu(x)", "tanh(x)"))
    done = cli(nano, "optimize", tmp_path / "net.py", "--samples", 1)
    assert done.returncode == 1, done.stderr
    note = "nano is likely to fail here: it has never seen tanh"
    assert f"Beforehand: {note}." in " ".join(done.stdout.split())
    assert note in (tmp_path / "net.triton.md").read_text()
    assert json.loads((tmp_path / "net.triton.json").read_text())["note"] == note


# Export


def test_an_exported_folder_writes_the_same_tokens(nano: Path, tmp_path: Path):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    files = export(nano, tmp_path / "out")
    assert {each.name for each in files} >= {"config.json", "model.safetensors", "tokenizer.json"}
    model: Any = AutoModelForCausalLM.from_pretrained(tmp_path / "out", dtype="auto")
    assert model.dtype == torch.bfloat16
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "out")
    who = NanoPolicy(nano, place=Place("cpu", "bfloat16", batch=1))
    task = Task.functional(
        "two", DOUBLE, program=capture_function(torch.neg, [torch.randn(3)]).program.to_json()
    )
    asked = torch.tensor([who._prompt(who._question(task)).tokens])
    written = model.generate(asked, attention_mask=torch.ones_like(asked), max_new_tokens=200, pad_token_id=0)
    (given,) = who.propose(task, [0])
    own = given.text or ""
    assert len(own) > 100
    text = str(tokenizer.decode(written[0, asked.shape[1] :])).removesuffix("<|end|>")
    assert own.startswith(text)
    (other,) = LocalPolicy(Folder.at(str(tmp_path / "out")), place=Place("cpu", "bfloat16", 1)).propose(
        task, [0]
    )
    assert other.text == own
    state, again = who._writer._model.state_dict(), model.state_dict()
    assert all(torch.equal(state[name], again[name]) for name in state)


def test_export_takes_an_empty_folder_and_refuses_another(
    cli: Callable[..., Done], nano: Path, tmp_path: Path
):
    (tmp_path / "empty").mkdir()
    done = cli_process(nano, "export", "nano", tmp_path / "empty", "--json")
    assert done.returncode == 0, done.stderr
    assert f"{tmp_path / 'empty' / 'config.json'}" in json.loads(done.stdout.splitlines()[0])["files"]
    again = cli(nano, "export", "nano", tmp_path / "empty")
    assert again.returncode == 2
    assert "there is something already" in again.stderr
    assert again.stderr.count("\n") == 1
    assert "known: nano" in cli(nano, "export", "mini", tmp_path / "other").stderr
    assert [each.name for each in tmp_path.iterdir()] == ["empty"]


def test_nothing_half_written_takes_the_name(nano: Path, tmp_path: Path):
    bad = shutil.copytree(nano, tmp_path / "bad")
    next(bad.glob(SHARDS)).write_bytes(b"x" * 99)
    with pytest.raises(UserError, match="cannot be loaded"):
        export(bad, tmp_path / "out")
    assert [each.name for each in tmp_path.iterdir()] == ["bad"]


# What lies in the repository


def test_the_repository_is_small():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    if listed.returncode:
        pytest.skip("not a clone")
    files = [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]
    assert sum(path.stat().st_size for path in files) < 40 * MIB
    assert all(path.stat().st_size < 15 * MIB for path in files)
    assert all(path.stat().st_size < 15 * MIB for path in PLACE.glob(SHARDS))
