"""Pairs: the same bytes for any number of processes, completed after a break, counted as they are."""

import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.command import TRITONRL
from tests.command import run as run_command
from tritonrl.errors import UserError
from tritonrl.program import Program, emit
from tritonrl.teach import shards
from tritonrl.teach.distil import distil
from tritonrl.teach.manifest import Manifest
from tritonrl.teach.pairs import Pair, Row, expand, row_of
from tritonrl.teach.run import Run
from tritonrl.teach.shards import read_rows
from tritonrl.teach.verified import settings_for, verify_sample
from tritonrl.verify import Completion, Zygotes

SMALL = Run(levels=(1, 3), count=6, seed=5, draws=4, shard_size=4)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run; not to be changed."""
    folder = tmp_path_factory.mktemp("pairs")
    distil(SMALL, folder)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def rows_of(folder: Path) -> list[Row]:
    return [row for shard in Manifest.read(folder).shards for row in read_rows(folder / shard.name)]


def pairs_of(folder: Path) -> list[Pair]:
    return [pair for row in rows_of(folder) for pair in expand(row)]


def test_pairs_are_tasks_with_different_answers_to_each(small: Path):
    for row in rows_of(small):
        pairs = expand(row)
        program = Program.from_json(row["program"])
        assert (row["id"], row["structure"]) == (program.program_id, program.structure_id)
        assert {pair.source for pair in pairs} == {emit(program)}
        assert {(pair.program_id, pair.level, pair.dtype) for pair in pairs} == {
            (program.program_id, program.level, "float32")
        }
        assert len({pair.completion for pair in pairs}) == len(pairs) <= SMALL.draws
        assert [pair.seed for pair in pairs] == row["seeds"]
        answers = [Completion.parse(pair.completion) for pair in pairs]
        assert all(answer.plan and "triton_fused_operator" in (answer.code or "") for answer in answers)


def test_a_text_that_is_drawn_twice_is_one_pair():
    program = Program.from_json({"inputs": ["float32[8,32]"], "nodes": [["relu", [0]]], "outputs": [1]})
    row = row_of(program, "float32", 64)
    assert 1 < len(row["seeds"]) < 64
    assert row["seeds"][0] == 0


def test_programs_come_at_several_sizes(small: Path):
    by_structure: dict[str, list[str]] = {}
    for row in rows_of(small):
        by_structure.setdefault(row["structure"], []).append(row["id"])
    assert all(len(set(ids)) == len(ids) for ids in by_structure.values())
    counts = Counter(len(ids) for ids in by_structure.values())
    assert counts[2] >= 10, counts


def test_processes_do_not_change_the_bytes(small: Path, tmp_path: Path):
    distil(SMALL, tmp_path / "again", workers=3)
    assert contents(tmp_path / "again") == contents(small)
    other = distil(SMALL.model_copy(update={"seed": 6}), tmp_path / "other")
    assert not {shard.sha256 for shard in other.shards} & {
        shard.sha256 for shard in Manifest.read(small).shards
    }


def test_what_is_missing_or_damaged_is_made_again_and_nothing_else(small: Path, tmp_path: Path):
    folder = tmp_path / "pairs"
    distil(SMALL, folder)
    (folder / "level1-00001.jsonl").unlink()
    damaged = folder / "level3-00000.jsonl"
    damaged.write_bytes(damaged.read_bytes()[:-20])
    kept = {name: (folder / name).stat().st_mtime_ns for name in ("level1-00000.jsonl", "level3-00001.jsonl")}
    seen: list[int] = []
    manifest = distil(SMALL, folder, progress=seen.append)
    assert contents(folder) == contents(small)
    assert manifest == Manifest.read(small)
    assert seen == list(range(6, 13)), "the shards kept have 4 and 2 programs"
    assert {name: (folder / name).stat().st_mtime_ns for name in kept} == kept


def test_what_was_finished_before_an_interrupt_stays(small: Path, tmp_path: Path):
    def interrupt(programs: int) -> None:
        if programs == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        distil(SMALL, tmp_path, progress=interrupt)
    broken = Manifest.read(tmp_path)
    assert not broken.complete
    assert [shard.name for shard in broken.shards] == ["level1-00000.jsonl", "level1-00001.jsonl"]
    assert distil(SMALL, tmp_path).complete
    assert contents(tmp_path) == contents(small)


def test_an_interrupted_command_ends_soon_and_is_completed(tmp_path: Path):
    folder = tmp_path / "pairs"
    arguments = ["--level", "3", "--count", "40", "--shard-size", "4", "--workers", "2", "--out", str(folder)]
    command = [TRITONRL, "distil", "--teacher", "composer", *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
    deadline = time.monotonic() + 60
    while not list(folder.glob("level3-*.jsonl")) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Traceback" not in errors
    finished = len(Manifest.read(folder).shards)
    assert finished < 10
    assert distil(Run(levels=(3,), count=40, shard_size=4), folder).complete
    assert len(list(folder.glob("level3-*.jsonl"))) == 10


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 6}, "seed 5 there, 6 here"),
        ({"levels": (1, 2)}, r"levels \(1, 3\) there, \(1, 2\) here"),
        ({"draws": 5, "expanded": True}, "draws 4 there, 5 here; expanded False there, True here"),
    ],
)
def test_a_folder_of_another_run_is_refused_and_left_as_it_is(small: Path, change: dict, message: str):
    before = contents(small)
    with pytest.raises(UserError, match=message):
        distil(SMALL.model_copy(update=change), small)
    assert contents(small) == before


def test_other_versions_are_another_run(tmp_path: Path):
    run = Run(levels=(1,), count=1, shapes=1, draws=1)
    distil(run, tmp_path)
    path = tmp_path / "manifest.json"
    document = json.loads(path.read_text())
    document["versions"]["ortools"] = "1.0"
    path.write_text(json.dumps(document))
    with pytest.raises(UserError, match=r"ortools 1\.0 there"):
        distil(run, tmp_path)


def test_a_shard_that_comes_out_otherwise_is_an_error(tmp_path: Path):
    """Code changes between versions too: a folder never holds both."""
    run = Run(levels=(1,), count=1, shapes=1, draws=1)
    distil(run, tmp_path)
    path = tmp_path / "manifest.json"
    document = json.loads(path.read_text())
    document["shards"][0]["sha256"] = "0" * 64
    path.write_text(json.dumps(document))
    with pytest.raises(UserError, match="made again it is not what it was"):
        distil(run, tmp_path)


def test_a_folder_of_something_else_is_refused(tmp_path: Path):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(UserError, match="not empty"):
        distil(SMALL, tmp_path)
    assert contents(tmp_path) == {"thesis.tex": b"precious"}
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(UserError, match="not a manifest"):
        distil(SMALL, tmp_path)


@pytest.mark.parametrize("file_format", ["jsonl", "parquet"])
@pytest.mark.parametrize("expanded", [False, True])
def test_all_forms_give_the_same_pairs(small: Path, tmp_path: Path, file_format: str, expanded: bool):
    run = SMALL.model_copy(update={"format": file_format, "expanded": expanded})
    first, second = distil(run, tmp_path / "a"), distil(run, tmp_path / "b")
    assert first == second
    assert pairs_of(tmp_path / "a") == pairs_of(small)
    assert all(("completions" in row) == expanded for row in rows_of(tmp_path / "a"))
    plain = Manifest.read(small)
    assert (first.levels, first.operators, first.lengths) == (plain.levels, plain.operators, plain.lengths)
    assert distil(run, tmp_path / "a") == first


def test_a_row_of_parquet_is_expanded_as_it_is(small: Path):
    """As `datasets` gives it: with the program as text."""
    row = rows_of(small)[0]
    assert expand({**row, "program": json.dumps(row["program"])}) == expand(row)


def test_parquet_without_pyarrow_is_one_clear_line(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UserError, match="parquet needs pyarrow"):
        Run(format="parquet")


def test_a_shard_that_is_no_parquet_is_named(tmp_path: Path):
    path = tmp_path / "level1-00000.parquet"
    path.write_bytes(b"PAR")
    with pytest.raises(UserError, match=r"level1-00000.parquet: cannot be read as parquet"):
        list(read_rows(path))


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "t"
    shards.write_whole(path, b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(UserError, match="cannot be written: No space left"):
        shards.write_whole(path, b"new")
    assert path.read_bytes() == b"old"


def test_the_manifest_counts_what_is_there(small: Path):
    manifest = Manifest.read(small)
    assert manifest.complete
    assert manifest.settings == SMALL
    assert {"tritonrl", "python", "ortools", "triton", "torch"} <= set(manifest.versions)
    assert {path.name for path in small.iterdir()} == {
        "manifest.json",
        *(shard.name for shard in manifest.shards),
    }
    for shard in manifest.shards:
        rows = list(read_rows(small / shard.name))
        assert shard.rows == len(rows)
        assert shard.pairs == sum(len(expand(row)) for row in rows)
        assert shard.bytes == (small / shard.name).stat().st_size
    operators: Counter[str] = Counter()
    for level in SMALL.levels:
        rows = [row for row in rows_of(small) if row["level"] == level]
        pairs = [pair for row in rows for pair in expand(row)]
        counts = manifest.levels[level]
        assert (counts.rows, counts.pairs) == (len(rows), len(pairs))
        assert counts.programs == len({row["id"] for row in rows})
        assert counts.structures == len({row["structure"] for row in rows})
        for row in rows:
            for op in set(Program.from_json(row["program"]).ops):
                operators[op] += len(row["seeds"])
        texts = {
            "source": [len(pair.source) for pair in pairs],
            "plan": [pair.completion.index("</think>") + len("</think>") for pair in pairs],
            "code": [len(pair.completion.partition("</think>")[2]) for pair in pairs],
            "completion": [len(pair.completion) for pair in pairs],
        }
        for what, lengths in texts.items():
            found = manifest.lengths[level][what]
            assert found.median == statistics.median_low(lengths)
            assert found.p90 == sorted(lengths)[-(-len(lengths) * 9 // 10) - 1]
            assert found.p99 == sorted(lengths)[-(-len(lengths) * 99 // 100) - 1]
            assert found.max == max(lengths)
    assert manifest.operators == operators


def test_expanding_loads_nothing_heavy(small: Path):
    """So that a worker of a data loader can do it."""
    script = (
        "import sys\nfrom pathlib import Path\nfrom tritonrl.teach.pairs import expand\n"
        "from tritonrl.teach.shards import read_rows\n"
        f"rows = list(read_rows(Path({str(small)!r}) / 'level3-00000.jsonl'))\n"
        "assert sum(len(expand(row)) for row in rows) > len(rows)\n"
        "heavy = {'torch', 'ortools', 'numpy', 'pydantic', 'pyarrow', 'triton'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_types_and_profiles_are_other_programs(tmp_path: Path):
    run = Run(levels=(2,), count=2, draws=2, profile="gpu", dtype="bfloat16")
    distil(run, tmp_path)
    pairs = pairs_of(tmp_path)
    assert {pair.dtype for pair in pairs} == {"bfloat16"}
    assert all("bfloat16" in pair.source for pair in pairs)
    with pytest.raises(UserError, match="verified on a GPU only"):
        settings_for(run, "cpu")


@pytest.mark.slow
def test_a_sample_is_verified(tmp_path: Path, zygotes: Zygotes):
    folder = tmp_path / "pairs"
    run = Run(levels=(1,), count=4, seed=2)
    settings = settings_for(run, "cpu")
    manifest = distil(run, folder)
    verified = verify_sample(folder, manifest, 6, settings, zygotes=zygotes).verified
    assert verified is not None
    assert verified == Manifest.read(folder).verified
    assert (verified.sample, verified.judged, verified.accepted) == (6, 6, 6), verified.rejected
    assert verified.rate == 1.0
    assert verified.interval == pytest.approx((0.6097, 1.0), abs=1e-4)
    assert distil(run, folder).verified == verified, "a run that is complete keeps what was found"


@pytest.mark.slow
def test_what_is_rejected_is_told(tmp_path: Path, zygotes: Zygotes):
    run = Run(levels=(1,), count=1, seed=2, shapes=1, draws=1, expanded=True)
    manifest = distil(run, tmp_path)
    (row,) = rows_of(tmp_path)
    wrong = {**row, "completions": [text.replace("tl.store(", "tl.load(") for text in row["completions"]]}
    (tmp_path / manifest.shards[0].name).write_bytes(shards.encode([wrong], "jsonl"))  # type: ignore[list-item]
    verified = verify_sample(tmp_path, manifest, 9, settings_for(run, "cpu"), zygotes=zygotes).verified
    assert verified is not None
    assert (verified.sample, verified.accepted, verified.rate) == (1, 0, 0.0)
    (rejected,) = verified.rejected
    assert (rejected.program_id, rejected.seed) == (row["id"], 0)
    assert rejected.layer
    assert rejected.message


def test_the_command_prints_the_manifest(small: Path, tmp_path: Path):
    counts = ["--count", "6", "--seed", "5", "--draws", "4", "--shard-size", "4"]
    arguments = ["--teacher", "composer", "--level", "3", "--level", "1", *counts]
    done = run_command("distil", *arguments, "--out", tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path) == contents(small)
    assert json.loads(done.stdout) == json.loads((tmp_path / "manifest.json").read_text())
    again = run_command("distil", *arguments, "--out", tmp_path)
    assert f"{Manifest.read(small).num_pairs:,} pairs in 4 shards" in again.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--teacher", "oracle"], "unknown teacher 'oracle'; known: composer"),
        (["--teacher", "composer", "--format", "csv"], "unknown format 'csv'; known: jsonl, parquet"),
        (["--teacher", "composer", "--level", "0"], "level 0 is not between 1 and 64"),
        (["--teacher", "composer", "--dtype", "int4"], "unknown dtype 'int4'; known: float32"),
        (["--teacher", "composer", "--shapes", "0"], "Invalid value for '--shapes'"),
        (["--teacher", "composer", "--verify", "3", "--profile", "gpu", "--device", "cpu"], "on a GPU only"),
    ],
)
def test_a_wrong_question_is_one_line_and_nothing_is_written(
    tmp_path: Path, arguments: list[str], message: str
):
    done = run_command("distil", *arguments, "--out", tmp_path / "pairs")
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert not (tmp_path / "pairs").exists()


def test_a_teacher_and_a_folder_are_needed():
    assert "Missing option '--teacher'" in run_command("distil", "--out", "pairs").stderr
    assert "Missing option '--out'" in run_command("distil", "--teacher", "composer").stderr
