"""`tritonrl judge-check`: a scripted judge is counted exactly, nothing that was answered is lost, no key is
told."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import command
from tests.command import TRITONRL
from tests.llm.opinions import judging, opinion, telling_the_key
from tests.llm.server import Act, Handler, Server, good, slow, status
from tritonrl.intervals import wilson
from tritonrl.llm import Client, Endpoint, Unreachable, Usage, patience
from tritonrl.redteam.corpus import corpus
from tritonrl.redteam.error_rates import IN_THE_TEXT, document
from tritonrl.redteam.opinions import Row, ask_cases

KEY = "sk-not-to-be-seen-anywhere-1234567890"
ONLY = ("A1", "C1", "wrong", "honest/copy_flat", "honest/copy_strided")


def environment(server: Server | str) -> dict[str, str]:
    url = server if isinstance(server, str) else server.url
    return {**os.environ, "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": url}


def started(server: Server, *arguments: object) -> subprocess.Popen[str]:
    line, pipe = [TRITONRL, "judge-check", *map(str, arguments)], subprocess.PIPE
    return subprocess.Popen(line, env=environment(server), stdout=pipe, stderr=pipe, text=True)


def run(server: Server | str, *arguments: object) -> tuple[int, str, str]:
    done = command.run("judge-check", *arguments, env=environment(server))
    assert KEY not in done.stdout + done.stderr
    return done.returncode, done.stdout, done.stderr


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def by_reading(decide: Callable[[str], Act]) -> Act:
    """A judge that answers by what it is shown."""

    def act(handler: Handler) -> None:
        decide(handler.body["messages"][1]["content"])(handler)

    return act


def naive(asked: str) -> Act:
    """Looks for library calls by name, trips over strides, and says nothing of matrices."""
    candidate = asked.partition(">>> candidate")[2]
    if "stride" in candidate:
        return judging(4, reason="strides")
    if "@ " in candidate or "torch.mm" in candidate:
        return good("hard to say")
    return judging(1) if "F." in candidate else judging()


def test_a_scripted_judge_is_counted_exactly(tmp_path: Path):
    cases = corpus(ONLY, device="cuda")
    out = tmp_path / "answers.jsonl"
    with Server(by_reading(naive)) as server:
        only = [part for each in ONLY for part in ("--only", each)]
        code, printed, err = run(
            server, "openai:tiny", *only, "--json", "--out", out, "--price-in", 1, "--price-out", 2
        )
    assert (code, err) == (0, "")
    found = json.loads(printed)
    assert len(server.seen) == len(cases) == found["answers"]
    assert found["cases"] == sorted(
        rows_of(out), key=lambda row: [each.id for each in cases].index(row["id"])
    )
    # By hand, from the rows: an error is a cheat or mistake that passes, or an honest kernel that does not.
    rows = found["cases"]
    cheats = [row for row in rows if row["family"] in ("A1", "C1")]
    passed = [row for row in cheats if row["passes"] is True]
    judged = [row for row in cheats if row["passes"] is not None]
    assert found["cheats"]["answers"] == len(cheats)
    assert found["cheats"]["errors"] == len(passed)
    assert found["cheats"]["share"] == pytest.approx(len(passed) / len(judged))
    assert (found["cheats"]["low"], found["cheats"]["high"]) == pytest.approx(
        wilson(len(passed), len(judged))
    )
    assert found["cheats_in_the_text"] == found["families"]["A1"]
    assert found["families"]["C1"]["errors"] == sum(row["family"] == "C1" for row in passed)
    assert found["honest"] == {
        "answers": 2, "not_judged": 0, "errors": 1, "share": 0.5,
        "low": pytest.approx(wilson(1, 2)[0]), "high": pytest.approx(wilson(1, 2)[1]),
    }  # fmt: skip
    assert found["rules"]["rubric-4"]["honest"] == 1
    assert found["rules"]["rubric-1"]["cheats"] == sum("rubric-1" in row["broken"] for row in cheats)
    assert sum(found["not_judged"].values()) == sum(row["passes"] is None for row in rows)
    assert found["usage"]["tokens_in"] == 7 * len(cases)
    assert found["usage"]["cost"] == pytest.approx((7 + 2 * 3) * len(cases) / 1e6)
    assert 0 < len(passed) < len(judged) < len(cheats), "the script does a bit of everything"


def test_a_person_sees_the_rates():
    with Server(judging()) as server:
        code, printed, err = run(server, "openai:tiny", "--only", "A1,honest/copy_flat")
    assert (code, err) == (0, "")
    lines = [line.split() for line in printed.splitlines()]
    assert ["A1", "8", "8", "0", "100.0%"] in [line[:5] for line in lines]
    assert ["honest", "kernels", "that", "it", "rejects", "0", "1", "0", "0.0%"] in [
        line[:9] for line in lines
    ]
    assert "tokens read" in printed


def test_nothing_of_a_case_tells_what_it_is():
    with Server(judging()) as server:
        code, _, err = run(server, "openai:tiny", "--only", "A", "--only", "honest", "--json")
    assert (code, err) == (0, "")
    cases = corpus(("A", "honest"), device="cuda")
    assert len(server.seen) == len(cases)
    asked = "\n".join(each["messages"][1]["content"] for each in server.seen)
    assert "caught:" not in asked
    assert not any(case.story in asked for case in cases)


def test_samples_of_a_case_count_as_one_trial():
    def row(sample: int, passes: bool | None, name: str = "A1/x") -> Row:
        common = {"model": "m", "url": "u", "asked": "q", "family": "A1", "group": "cheats"}
        return Row(id=name, sample=sample, passes=passes, why=None if passes is not None else "?", **common)  # type: ignore[arg-type]

    rows = [row(0, True), row(1, False), row(0, False, "A1/y"), row(1, None, "A1/y")]
    found = document(rows, Usage())
    assert found["cheats"] == {
        "answers": 4, "not_judged": 1, "errors": 1, "share": 0.25,
        "low": wilson(0.5, 2)[0], "high": wilson(0.5, 2)[1],
    }  # fmt: skip
    assert found["honest"] == {
        "answers": 0, "not_judged": 0, "errors": 0, "share": None, "low": None, "high": None,
    }  # fmt: skip


def test_families_of_the_rubric_are_families_of_the_corpus():
    assert set(IN_THE_TEXT) <= {case.family for case in corpus(device="cuda")}


def test_a_judge_that_answers_nothing_is_exit_1():
    with Server(good("no idea")) as server:
        code, printed, err = run(server, "openai:tiny", "--only", "A2", "--json")
    assert (code, err) == (1, "")
    found = json.loads(printed)
    assert found["cheats"]["share"] is None
    assert list(found["not_judged"].values()) == [3]


@pytest.mark.parametrize(
    ("arguments", "act", "message"),
    [
        (["tiny"], judging(), "unknown provider 'tiny'; known: openai"),
        (["openai:tiny", "--only", "Z9"], judging(), "unknown case or family 'Z9'"),
        (["openai:tiny", "--samples", "0"], judging(), "Invalid value for '--samples'"),
        (["openai:tiny", "--out", "/no/such/folder/x.jsonl"], judging(), "cannot be written"),
        (["openai:tiny", "--only", "A2"], status(401, f"bad key {KEY}"), "status 401"),
        (["openai:tiny", "--only", "A2"], status(404), "status 404"),
        (["openai:tiny", "--only", "A2"], None, "the connection failed"),
    ],
)
def test_a_wrong_question_is_one_line_and_exit_2(arguments: list[str], act: Act | None, message: str):
    if act is None:
        code, printed, err = run("http://127.0.0.1:9/v1", *arguments)
    else:
        with Server(act) as server:
            code, printed, err = run(server, *arguments)
    assert (code, printed) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_without_a_key_nothing_is_sent():
    without = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI")}
    done = command.run("judge-check", "openai:tiny", env=without)
    assert (done.returncode, done.stdout) == (2, "")
    assert "OPENAI_API_KEY is not set" in done.stderr


def test_an_interrupt_leaves_what_was_answered_and_the_next_run_goes_on(tmp_path: Path):
    out, num_cases = tmp_path / "answers.jsonl", len(corpus(("A", "B"), device="cuda"))
    with Server(*[judging()] * 5, slow(60, judging())) as server:
        with started(server, "openai:tiny", "--only", "A,B", "--out", out) as process:
            deadline = time.monotonic() + 60
            while len(rows_of(out)) < 5 if out.exists() else True:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=30)
        assert process.returncode == 130
        assert "Traceback" not in err
        assert len(rows_of(out)) == 5
        with out.open("a") as file:
            file.write('{"model":"ti')  # as a machine that stops leaves it
        server.script, server.seen = [good("?"), judging(1)], []
        code, printed, _ = run(server, "openai:tiny", "--only", "A,B", "--out", out, "--json")
        assert code == 0
        assert len(server.seen) == num_cases - 5
        found = json.loads(printed)
        assert found["cheats"]["errors"] == 5
        assert sum(found["not_judged"].values()) == 1
        server.script, server.seen = [judging(1)], []
        code, printed, _ = run(server, "openai:tiny", "--only", "A,B", "--out", out, "--json")
        assert len(server.seen) == 1, "only what was not judged is asked again"
        assert json.loads(printed)["not_judged"] == {}
        server.script = [status(401)]
        code, _, err = run(server, "openai:tiny", "--only", "A,B,C1", "--out", out)
        assert (code, len(rows_of(out))) == (2, num_cases + 1)
        code, _, err = run(server, "openai:other", "--only", "A2", "--out", out)
        assert code == 2
        assert "the answers of tiny at" in err
    out.write_text('{"id": "A1"}\n')
    code, _, err = run("http://127.0.0.1:9/v1", "openai:tiny", "--only", "A2", "--out", out)
    assert code == 2
    assert ":1: not a line of judge-check" in err


def test_the_key_is_in_no_file(tmp_path: Path):
    out = tmp_path / "answers.jsonl"
    with Server(telling_the_key(1), telling_the_key(), good(KEY), status(400, KEY)) as server:
        code, printed, _ = run(server, "openai:tiny", "--only", "A1", "--out", out, "--json")
    assert code == 0
    assert "<key>" in printed
    assert KEY not in out.read_text() + printed


def test_once_it_has_answered_a_failure_costs_one_answer(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr(patience, "BASE_DELAY_SECONDS", 0.001)
    cases = corpus(("A2",))
    asked: list[int] = []
    with Server(judging(), status(404), judging(2)) as server:
        end = Endpoint(model="tiny", base_url=server.url, retries=0, seconds=5, concurrency=1)
        with Client(end) as client:
            rows = ask_cases(client, cases, progress=asked.append)
        assert [row.passes for row in rows] == [True, None, False]
        assert asked == [0, 1, 2, 3]
        gone = Endpoint(model="tiny", base_url="http://127.0.0.1:9/v1", retries=0)
        with Client(gone) as client, pytest.raises(Unreachable):
            ask_cases(client, cases)


def test_a_question_in_other_words_is_asked_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (case,) = corpus(("honest/copy_flat",))
    with Server(good(opinion())) as server, Client(Endpoint(model="tiny", base_url=server.url)) as client:
        for policy, num_asked in (("full", 2), ("full", 2), ("hybrid", 4)):
            changed = [type(case)(**{**vars(case), "policy": policy})]
            rows = ask_cases(client, changed, 2, tmp_path / "answers.jsonl")
            assert [row.sample for row in rows] == [0, 1]
            assert len(server.seen) == num_asked
