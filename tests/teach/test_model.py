"""A model as the teacher, asked over a real socket and judged by the real verifier."""

import json
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.command import TRITONRL, Done, run
from tests.llm.server import Act, Server, completion, good, hang, sent, slow, status
from tritonrl.errors import UserError
from tritonrl.llm import Endpoint, Overloaded, Refused, Rejected, UnknownModel, Unreachable
from tritonrl.program import Program, emit
from tritonrl.teach.composer import compose
from tritonrl.teach.model.lesson import Lesson, teacher_named
from tritonrl.teach.model.manifest import ModelManifest
from tritonrl.teach.model.teach import teach
from tritonrl.teach.pairs import expand
from tritonrl.teach.shards import read_rows
from tritonrl.verify import Completion, Zygotes

KEY = "sk-not-to-be-seen-anywhere-1234567890"
RELU = Program.from_json({"inputs": ["float32[6,8]"], "nodes": [["relu", [0]]], "outputs": [1]})
BOTH = Program.from_json(
    {"inputs": ["float32[6,8]"], "nodes": [["relu", [0]], ["tanh", [1]]], "outputs": [2]}
)
RIGHT, RIGHT_BOTH = compose(RELU), compose(BOTH)
WRONG = RIGHT.replace("tl.store(tensor_1_ptr + at, ", "tl.store(tensor_1_ptr + at, 1.0 + ")
assert WRONG != RIGHT
SAME_CODE = (
    f"Here it is.\n{RIGHT.replace('import triton.language', '# again' + chr(10) + 'import triton.language')}"
)
GENERATOR = "```python\nimport torch\n\n\ndef get_inputs():\n    return [torch.randn(5, 7)]\n```\n"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def tasks(tmp_path: Path) -> str:
    """A file of two tasks."""
    path = tmp_path / "tasks.jsonl"
    rows = [
        {"id": name, "source": emit(each), "level": each.level, "program": each.to_json()}
        for name, each in (("relu", RELU), ("both", BOTH))
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(path)


def endpoint(server: Server, **changes: Any) -> Endpoint:
    """One question at a time: they come in the order of tasks and samples."""
    return Endpoint(model="tiny", base_url=server.url, retries=0, seconds=20.0, concurrency=1, **changes)


def by_question(**acts: Act | Callable[[str], Act]) -> Act:
    """An act for each purpose: `label`, `inputs` or `answer`."""

    def act(handler: Any) -> None:
        asked = handler.body["messages"][-1]["content"]
        purpose = "label" if "level: 1" in asked else "inputs" if "generators" in asked else "answer"
        acts[purpose](handler)

    return act


def rows_of(folder: Path) -> list[Any]:
    return [row for path in sorted(folder.glob("pairs-*")) for row in read_rows(path)]


def lines_of(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def test_what_is_accepted_is_kept_and_everything_is_counted(tasks: str, tmp_path: Path, zygotes: Zygotes):
    script = [
        good(RIGHT), good(WRONG), good(SAME_CODE), good("I would rather not."),
        good(RIGHT_BOTH[: len(RIGHT_BOTH) // 2], "length"), status(400), sent({"no": "choices"}),
        good(RIGHT_BOTH),
    ]  # fmt: skip
    out = tmp_path / "pairs"
    with Server(*script) as server:
        asked = endpoint(server, price_in=1.0, price_out=10.0)
        lesson = Lesson.of(asked, tasks=tasks, draws=4)
        manifest = teach(lesson, asked, out, zygotes=zygotes)
        assert len(server.seen) == 8
        assert manifest == ModelManifest.read(out)
        assert manifest.complete
        answers = manifest.answers
        assert (answers.asked, answers.answered, answers.truncated, answers.repeated) == (8, 6, 1, 1)
        assert answers.failed == {"Malformed": 1, "Rejected": 1}
        assert answers.rejected == {"correct": 1, "parse": 2}
        assert answers.no_verdict == {}
        counts = {
            name: (each.judged, each.accepted, each.rate)
            for name, each in {"all": manifest.rate, **manifest.operators}.items()
        }
        assert counts == {"all": (6, 3, 0.5), "relu": (6, 3, 0.5), "tanh": (2, 1, 0.5)}
        usage = manifest.usage["answer"]
        assert (usage.requests, usage.tokens_in, usage.tokens_out) == (8, 6 * 7, 6 * 3)
        assert usage.cost == pytest.approx((42 * 1.0 + 18 * 10.0) / 1e6)
        assert (manifest.labels, manifest.variants) == (None, None)
        assert [(row["task"], row["sample"], row["ops"]) for row in rows_of(out)] == [
            ("relu", 0, ["relu"]),
            ("both", 3, ["relu", "tanh"]),
        ]
        (pair,) = expand(rows_of(out)[0])
        assert (pair.source, pair.completion, pair.level) == (emit(RELU), RIGHT, 1)
        assert Completion.parse(pair.completion).plan
        assert manifest.lengths["completion"].max == max(len(RIGHT), len(RIGHT_BOTH))

        # Again: what failed and may pass is asked again, nothing else.
        again = teach(lesson, asked, out, zygotes=zygotes)
        assert len(server.seen) == 9
        assert again.answers.failed == {"Rejected": 1}
        assert (again.rate.judged, again.rate.accepted, again.answers.repeated) == (7, 4, 2)
        assert teach(lesson, asked, out, zygotes=zygotes) == again
        assert len(server.seen) == 9


def test_an_interrupted_run_asks_nothing_twice(tasks: str, tmp_path: Path, zygotes: Zygotes):
    out, order = tmp_path / "pairs", list[str]()

    def interrupt(what: str, done: int, total: int) -> None:
        order.append(what)
        assert total == 12
        if what == "verdicts" and done == 2:
            raise KeyboardInterrupt

    with Server(slow(0.6, good(RIGHT))) as server:
        asked = endpoint(server)
        lesson = Lesson.of(asked, tasks=tasks, draws=6, format="parquet", shard_size=1)
        with pytest.raises(KeyboardInterrupt):
            teach(lesson, asked, out, zygotes=zygotes, progress=interrupt)
        assert order.count("answers") < 12, "judging does not wait for all answers"
        kept = lines_of(out, "replies.jsonl")
        assert 2 <= len(kept) < 12
        broken = ModelManifest.read(out)
        assert not broken.complete
        assert broken.rate.accepted == 2
        with (out / "verdicts.jsonl").open("a") as torn:
            torn.write('{"task": "relu", "sam')
        server.script = [good(RIGHT_BOTH)]
        before = len(server.seen)
        whole = teach(lesson, asked, out, zygotes=zygotes)
        assert whole.complete
        assert len(server.seen) - before == 12 - len(kept)
    asked_for = Counter((each["task"], each["sample"]) for each in lines_of(out, "replies.jsonl"))
    assert set(asked_for.values()) == {1}
    assert len(asked_for) == 12
    assert all(path.suffix == ".parquet" for path in out.glob("pairs-*"))
    assert [row["task"] for row in rows_of(out)] == ["relu", "both"]
    assert [shard.pairs for shard in whole.shards] == [1, 1]


def test_a_run_under_other_settings_is_refused(tasks: str, tmp_path: Path, zygotes: Zygotes):
    out = tmp_path / "pairs"
    with Server(good("no")) as server:
        asked = endpoint(server)
        teach(Lesson.of(asked, tasks=tasks, draws=1), asked, out, zygotes=zygotes)
        before = {path: path.read_bytes() for path in out.iterdir()}
        with pytest.raises(UserError, match="draws 1 there, 2 here; label False there, True here"):
            teach(Lesson.of(asked, tasks=tasks, draws=2, label=True), asked, out, zygotes=zygotes)
        hotter = asked.model_copy(update={"temperature": 1.5})
        with pytest.raises(UserError, match=r"temperature None there, 1\.5 here"):
            teach(Lesson.of(hotter, tasks=tasks, draws=1), hotter, out, zygotes=zygotes)
        dearer = asked.model_copy(update={"price_in": 1.0, "price_out": 1.0, "concurrency": 3})
        manifest = teach(Lesson.of(dearer, tasks=tasks, draws=1), dearer, out, zygotes=zygotes)
        assert manifest.usage["answer"].cost == pytest.approx(20e-6), "prices are not what a run is"
    del before[out / "manifest.json"]
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize(("code", "kind"), [(401, Refused), (404, UnknownModel), (None, Unreachable)])
def test_an_endpoint_that_cannot_be_used_ends_the_run(
    tasks: str, tmp_path: Path, zygotes: Zygotes, code: int | None, kind: type[Exception]
):
    with Server(status(code or 500, f"bad {KEY}")) as server:
        asked = endpoint(server)
        if code is None:
            server.server_close()
        with pytest.raises(kind):
            teach(Lesson.of(asked, tasks=tasks), asked, tmp_path / "pairs", zygotes=zygotes)
        assert len(server.seen) <= 2
    manifest = ModelManifest.read(tmp_path / "pairs")
    assert not manifest.complete
    assert manifest.num_pairs == 0


def test_one_answer_that_is_late_costs_one(tasks: str, tmp_path: Path, zygotes: Zygotes):
    with Server(good("no"), slow(3.0, good("late")), good("no")) as server:
        asked = endpoint(server).model_copy(update={"seconds": 1.0})
        manifest = teach(Lesson.of(asked, tasks=tasks, draws=2), asked, tmp_path / "pairs", zygotes=zygotes)
    assert manifest.answers.failed == {"Unreachable": 1}
    assert manifest.answers.answered == 3


def test_an_endpoint_that_only_fails_is_not_asked_for_ever(tasks: str, tmp_path: Path, zygotes: Zygotes):
    for name, script, kind in [("a", [good("no"), status(503)], Overloaded), ("b", [status(400)], Rejected)]:
        with Server(*script) as server:
            asked = endpoint(server)
            with pytest.raises(kind):
                teach(Lesson.of(asked, tasks=tasks, draws=9), asked, tmp_path / name, zygotes=zygotes)
        assert len(server.seen) <= 12 < 18


def test_a_task_that_does_not_run_is_not_held_against_the_teacher(tmp_path: Path, zygotes: Zygotes):
    source = emit(RELU).replace("torch.randn(", "torch.rondn(")
    (tmp_path / "broken.py").write_text(source)
    with Server(good(RIGHT)) as server:
        asked = endpoint(server)
        lesson = Lesson.of(asked, tasks=str(tmp_path / "broken.py"), draws=1)
        manifest = teach(lesson, asked, tmp_path / "pairs", zygotes=zygotes)
    assert manifest.complete
    assert manifest.answers.no_verdict == {"task": 1}
    assert (manifest.rate.judged, manifest.rate.rate) == (0, None)


def test_labels_and_variants_are_asked_for_first(tasks: str, tmp_path: Path, zygotes: Zygotes):
    out, labels = tmp_path / "pairs", ["<think>\none\n</think>\nLevel: 1\n", "level: 1 or level: 2"]
    acts = by_question(
        label=lambda handler: good(labels.pop(0))(handler), inputs=good(GENERATOR * 2), answer=good(RIGHT)
    )
    with Server(acts) as server:
        asked = endpoint(server)
        lesson = Lesson.of(asked, tasks=tasks, draws=1, label=True, augment=2)
        manifest = teach(lesson, asked, out, zygotes=zygotes)
        assert len(server.seen) == 2 + 2 + 4
        assert teach(lesson, asked, out, zygotes=zygotes) == manifest
        assert len(server.seen) == 8
    assert manifest.complete
    assert manifest.labels == {"1": 1, "2": 0, "none": 1}
    assert manifest.variants is not None
    assert (manifest.variants.tasks, manifest.variants.written, manifest.variants.accepted) == (2, 4, 2)
    assert manifest.operators["tanh"].judged == 2, "a variant has the operators of its task"
    assert set(manifest.usage) == {"label", "inputs", "answer"}
    (row,) = rows_of(out)
    assert (row["task"], row["difficulty"], row["origin"]) == ("relu", 1, None)
    asked_for = [each["task"] for each in lines_of(out, "replies.jsonl") if each["purpose"] == "answer"]
    assert asked_for == ["relu", "relu@1", "both", "both@1"]


def test_programs_are_drawn_as_the_composer_has_them(tmp_path: Path, zygotes: Zygotes):
    with Server(good("no")) as server:
        asked = endpoint(server)
        lesson = Lesson.of(asked, levels=(2, 1, 2), count=2, draws=1)
        manifest = teach(lesson, asked, tmp_path / "pairs", zygotes=zygotes)
    tasks = lines_of(tmp_path / "pairs", "tasks.jsonl")
    assert [task["level"] for task in tasks] == [1, 1, 2, 2]
    judged = Counter(op for task in tasks for op in set(task["ops"]))
    assert {name: each.judged for name, each in manifest.operators.items()} == judged


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--shapes", "3"], "--shapes is for --teacher composer"),
        (["--expanded"], "--expanded is for --teacher composer"),
        (["--verify", "3"], "--verify is for --teacher composer"),
        (["--tasks", "x.py", "--level", "1"], "leave out the levels of programs"),
        (["--tasks", "nowhere.py"], "nowhere.py: cannot be read"),
        (["--augment", "6"], "Invalid value for '--augment'"),
        (["--endpoint", "warmth=1"], "unknown setting of an endpoint 'warmth'; known: base_url, concurrency"),
        (["--endpoint", "temperature"], "expected KEY=VALUE"),
        (["--endpoint", "temperature=hot"], "temperature"),
        (["--profile", "gpu", "--device", "cpu"], "on a GPU only"),
        (["--level", "0"], "level 0 is not between"),
        (["--format", "csv"], "unknown format 'csv'"),
    ],
)
def test_a_wrong_question_is_one_line(tmp_path: Path, arguments: list[str], message: str):
    done = run("distil", "--teacher", "openai:tiny", "--out", tmp_path / "p", *arguments)
    assert message in done.stderr
    assert (done.returncode, done.stderr.count("\n"), done.stdout) == (2, 1, "")
    assert not (tmp_path / "p").exists()


def test_the_composer_is_no_model(tmp_path: Path):
    for option in (["--tasks", "x.py"], ["--label"], ["--augment", "1"], ["--endpoint", "retries=1"]):
        done = run("distil", "--teacher", "composer", "--out", tmp_path / "p", *option)
        assert done.returncode == 2
        assert done.stderr == f"tritonrl: {option[0]} is for --teacher openai:NAME\n"


def test_a_key_that_is_not_there_is_told_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    done = run("distil", "--teacher", "openai:tiny", "--out", tmp_path / "p")
    assert done.returncode == 2
    assert "OPENAI_API_KEY is not set" in done.stderr
    assert not (tmp_path / "p").exists()


def test_a_setting_of_an_endpoint_is_read():
    asked = teacher_named("openai:tiny", ["temperature=0.6", "top_p=0.95", "concurrency=3"])
    assert (asked.temperature, asked.top_p, asked.concurrency, asked.seconds) == (0.6, 0.95, 3, 600.0)


def test_the_command_leaves_pairs_and_no_key(tasks: str, tmp_path: Path):
    out = tmp_path / "pairs"
    arguments = ["--teacher", "openai:tiny", "--tasks", f"{tasks}:relu", "--draws", "2", "--device", "cpu"]
    acts = by_question(label=good("level: 2"), answer=good(f"{RIGHT}{KEY}"))

    def taught(*more: str) -> Done:
        environment = {**os.environ, "OPENAI_BASE_URL": server.url}
        return run("distil", *arguments, "--out", out, *more, env=environment)

    with Server(acts) as server:
        done = taught("--label", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == json.loads((out / "manifest.json").read_text())
        again = taught("--label")
        assert "1 pairs in 1 shards, from openai:tiny" in again.stdout
        assert len(server.seen) == 3
        other = taught()
    assert (other.returncode, other.stdout) == (2, "")
    assert other.stderr.count("\n") == 1
    assert "label True there, False here" in other.stderr
    assert {path.name for path in out.iterdir()} == {
        "manifest.json", "tasks.jsonl", "replies.jsonl", "inputs.jsonl", "verdicts.jsonl",
        "pairs-00000.jsonl",
    }  # fmt: skip
    texts = [done.stdout, done.stderr, *(path.read_text() for path in out.iterdir())]
    assert not any(KEY in text for text in texts)
    assert any("<key>" in text for text in texts), "the server sent it, and it was taken out"


def test_an_interrupted_command_exits_with_130_and_keeps_what_came(tasks: str, tmp_path: Path):
    out = tmp_path / "pairs"
    arguments = [
        "--teacher",
        "openai:tiny",
        "--tasks",
        tasks,
        "--device",
        "cpu",
        "--endpoint",
        "concurrency=1",
    ]
    with Server(good("no"), good("no"), hang) as server:
        process = subprocess.Popen(
            [TRITONRL, "distil", *arguments, "--out", str(out)],
            env={**os.environ, "OPENAI_BASE_URL": server.url}, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        deadline = time.monotonic() + 60
        while len(server.seen) < 3 and time.monotonic() < deadline:
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in told
    assert len(lines_of(out, "replies.jsonl")) == 2
    assert not ModelManifest.read(out).complete


def test_a_refused_command_exits_with_2(tasks: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with Server(status(401, f"no such key {KEY}")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        arguments = ["--teacher", "openai:tiny", "--tasks", tasks, "--device", "cpu"]
        done = run("distil", *arguments, "--out", tmp_path / "p")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "status 401" in done.stderr
    assert KEY not in done.stderr


def test_nothing_accepted_is_exit_1(tasks: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with Server(completion_of("no code")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        arguments = ["--teacher", "openai:tiny", "--tasks", tasks, "--count", "1", "--draws", "1", "--json"]
        done = run("distil", *arguments, "--device", "cpu", "--out", tmp_path / "p")
    assert done.returncode == 1
    assert json.loads(done.stdout)["rate"]["accepted"] == 0


def completion_of(text: str) -> Act:
    """From a server that counts no tokens."""
    return sent(completion(text, usage=None))
