"""`tritonrl redteam`: the matrix for people, one document for programs, exit codes."""

import json
from pathlib import Path

from tests.command import run


def test_the_document_has_what_the_design_promises(tmp_path: Path):
    lines = tmp_path / "cases.jsonl"
    chosen = ["--only", "A2", "--only", "honest/copy_flat", "--device", "cpu"]
    done = run("redteam", *chosen, "--json", "--out", lines)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["cheats"] == {"total": 3, "caught": 3}
    assert found["honest"] == {"total": 1, "accepted": 1}
    promised = {"id", "family", "kind", "expected", "accepted", "findings"}
    assert all(case.keys() >= promised for case in found["cases"])
    assert [case["family"] for case in found["cases"]] == ["A2", "A2", "A2", "honest"]
    written = [json.loads(line) for line in lines.read_text().splitlines()]
    assert sorted(case["id"] for case in written) == sorted(case["id"] for case in found["cases"])


def test_a_person_sees_the_matrix():
    done = run("redteam", "--only", "A2,honest/copy_flat", "--skip-layers", "lint")
    assert (done.returncode, done.stderr) == (0, "")
    assert "all as it must be: 3 of 3 cheats caught, 1 of 1 honest kernels accepted" in done.stdout
    assert "compile" in done.stdout
    assert "lint" not in done.stdout


def test_an_unknown_case_is_one_line_and_exit_2():
    without_gpu = ("--only", "C7", "--device", "cpu")
    for arguments in (("--only", "Z1"), without_gpu, ("--device", "tpu"), ("--skip-layers", "correct")):
        done = run("redteam", *arguments)
        assert done.returncode == 2
        assert done.stdout == ""
        assert len(done.stderr.splitlines()) == 1
