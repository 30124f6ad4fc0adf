"""`tritonrl eval --judge`: an opinion counts, and a missing one is asked for again by the next run."""

import json
import os
from pathlib import Path

from tests.command import Done, run
from tests.llm.opinions import judging
from tests.llm.server import Server, good
from tests.verify.test_verdict import RIGHT, TASK

KEY = "sk-not-to-be-seen-anywhere-1234567890"


def test_what_was_not_judged_is_not_scored_and_is_judged_by_the_next_run(tmp_path: Path):
    (tmp_path / "double.py").write_text(TASK.source)
    saved, out = tmp_path / "answers.jsonl", tmp_path / "run"
    saved.write_text(json.dumps({"task": "double", "code": RIGHT}) + "\n")
    command = ["eval", tmp_path / "double.py", "--completions", saved, "--out", out]
    command += ["--device", "cpu", "--json"]
    with Server(good("hm"), judging()) as server:
        environment = {**os.environ, "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url}

        def judged(judge: str) -> Done:
            return run(*command, "--judge", judge, env=environment)

        first, second, other = judged("openai:tiny"), judged("openai:tiny"), judged("openai:other")
    assert first.returncode == 1, first.stderr
    found = json.loads(first.stdout)
    assert (found["num_tasks"], found["metrics"]) == (0, {})
    assert "the judge gave no opinion" in found["unusable"]["double"]
    assert second.returncode == 0, second.stderr
    assert json.loads(second.stdout)["metrics"]["pass@1"]["value"] == 1.0
    assert len(server.seen) == 2
    assert other.returncode == 2
    assert "another run is there; settings" in other.stderr
    texts = [each.read_text() for each in out.rglob("*") if each.is_file()]
    assert not any(KEY in text for text in texts)
    assert any("openai:tiny" in text for text in texts)
