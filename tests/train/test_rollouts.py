"""What a run is told of its answers: figures, cheats, sources of tasks, verdicts that are shared."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from tests.train import choices
from tests.verify.test_verdict import verdict
from tritonrl import jsonl
from tritonrl.errors import UserError
from tritonrl.policy.local import Place
from tritonrl.policy.local.prompt import Prompt
from tritonrl.policy.local.writer import Written
from tritonrl.policy.nano import Card
from tritonrl.policy.nano.packing import pack
from tritonrl.tasks import Task
from tritonrl.train.recipe import HeldOut
from tritonrl.train.rewards import reward
from tritonrl.train.rl.cheats import keep_cheats
from tritonrl.train.rl.log import keep_rollouts
from tritonrl.train.rl.model import learner, scribe, take_over
from tritonrl.train.rl.recheck import last_rollouts, of_run, recheck, strictest
from tritonrl.train.rl.recipe import HeldOutCurve, Model, Tasks
from tritonrl.train.rl.records import Seconds, answers, look, quantiles
from tritonrl.train.rl.rollouts import Rolled, Rollout
from tritonrl.train.rl.tasks import Asked, Asker, Drawn, Own
from tritonrl.train.rl.verifier import Verifier
from tritonrl.train.sft.tokens import train_tokenizer
from tritonrl.verify import Finding, Judged, Settings, VerifierError, Zygotes

TASK = Task.functional("task", "def fused_operator(): ...\n")


def rollout(text: str = "x", is_cut_off: bool = False, **changes: Any) -> Rollout:
    judged = Judged(0, TASK, verdict(**changes))
    written = Written(text, [1] * 10, is_cut_off)
    return Rollout(Asked(TASK, Prompt([1])), written, text, 4, judged, reward(judged))


def wrong(rule: str = "correct", **changes: Any) -> Rollout:
    finding = Finding(layer="correct", rule=rule, message="no")
    return rollout(correct=False, findings=(finding,), **changes)


def lost() -> Rollout:
    judged = Judged(0, TASK, None, VerifierError("it died"))
    return Rollout(Asked(TASK, Prompt([1])), Written("x", [1] * 10), "x", 4, judged, reward(judged))


def test_figures_of_a_generation():
    right = [rollout(speedup=each) for each in (0.5, 1.0, 3.0)]
    cheat = wrong("A1", valid=False, is_cut_off=True)
    found = answers([*right, wrong(), rollout(speedup=None), cheat, lost(), wrong()], group_size=4)
    assert (found.num_rollouts, found.num_not_scored) == (8, 1)
    assert found.correct == found.reward_code == pytest.approx(4 / 7)
    assert found.valid == pytest.approx(6 / 7)
    assert found.reward_plan == pytest.approx((0.5 + 1.0 + 2.0) / 6)  # of those that are known
    assert found.speedup == {"p10": 0.5, "p50": 1.0, "p90": 3.0}
    assert found.findings == {"correct": 2, "A1": 1}
    assert found.mixed_groups == 1.0
    assert (found.plan_tokens, found.code_tokens) == (4, 6)
    assert found.cut_off == 1 / 8
    assert answers([rollout(), rollout()], 2).mixed_groups == 0
    assert answers([lost(), lost()], 2).correct is None


def test_figures_of_held_out_programs():
    rolled = Rolled([rollout(speedup=4.0), rollout(speedup=0.5), wrong(), lost(), wrong()], 1.0, 1.0)
    found = look(7, 2, rolled, is_timed=True)
    assert found is not None
    assert (found.num_tasks, found.correct, found.fast_1) == (4, 0.5, 0.25)
    assert found.geomean_speedup == pytest.approx(2 ** (1 / 4))  # failures count as 1
    untimed = look(7, 2, rolled, is_timed=False)
    assert untimed is not None
    assert untimed.fast_1 is untimed.geomean_speedup is None
    assert look(7, 2, Rolled([lost()], 1.0, 1.0), is_timed=True) is None


def test_quantiles_and_shares():
    assert quantiles([]) is None
    assert quantiles([float(each) for each in range(10)]) == {"p10": 1.0, "p50": 5.0, "p90": 9.0}
    seconds = Seconds(generation=2, verification=5, update=1, held_out=0, total=10)
    assert seconds.shares == {"generation": 0.2, "verification": 0.5, "update": 0.1, "held_out": 0.0}


def test_cheats_are_kept_once_for_the_red_team(tmp_path: Path):
    code = "<think>\nplan\n</think>\n```python\nimport torch\n```\n"
    cheats = [wrong("A1", text=code), wrong("A1", text=code), wrong("timeout"), rollout()]
    keep_cheats(tmp_path, 3, cheats)
    keep_cheats(tmp_path, 4, cheats)
    (place,) = (tmp_path / "cheats").iterdir()
    assert place.name.startswith("A1-")
    assert (place / "task.py").read_text() == TASK.source
    assert (place / "candidate.py").read_text() == "import torch\n"
    told = json.loads((place / "finding.json").read_bytes())
    assert told["generation"] == 3
    assert told["finding"]["rule"] == "A1"


def test_the_last_rollouts_are_found_again(tmp_path: Path):
    for generation in (1, 2, 3):
        keep_rollouts(tmp_path, generation, [rollout(text=f"{generation}/{each}") for each in range(4)])
    assert [row["answer"] for row in last_rollouts(tmp_path, 6)] == ["2/2", "2/3", "3/0", "3/1", "3/2", "3/3"]
    assert len(last_rollouts(tmp_path, 100)) == 12
    with pytest.raises(UserError, match="no run"):
        of_run(tmp_path, 5)
    with pytest.raises(UserError, match="no rollouts"):
        last_rollouts(tmp_path / "elsewhere", 5)


@pytest.fixture(scope="module")
def two() -> list[Task]:
    rows = choices.questions()
    return [Task.functional(each["id"], each["source"], 1, each["program"]) for each in rows]


def accepted(task: Task, code: str) -> Rollout:
    """Whatever it says, somebody accepted it."""
    answer = choices.answer("tiny", code)
    judged = Judged(0, task, verdict())
    return Rollout(Asked(task, Prompt([1])), Written(answer, [1]), answer, 1, judged, reward(judged))


def test_what_was_accepted_wrongly_is_found_by_the_recheck(tmp_path: Path, zygotes: Zygotes, two: list[Task]):
    kept = [accepted(two[0], code) for code in (choices.RIGHT[0], choices.WRONG[0], choices.RIGHT[0])]
    keep_rollouts(tmp_path, 1, kept)
    found = recheck(tmp_path, 200, Settings(total_seconds=2.0), zygotes=zygotes)
    assert (found["num_rollouts"], found["num_accepted"], found["num_distinct"]) == (3, 3, 2)
    assert found["num_passed_again"] == 1
    (failed,) = found["failed"]
    assert failed["finding"]["layer"] == "correct"
    assert choices.WRONG[0] in failed["answer"]
    assert json.loads((tmp_path / "recheck.json").read_bytes()) == found


def test_the_strictest_settings_allow_least():
    found = strictest(Settings(policy="hybrid", precision="tf32", skip_layers=("lint",), num_calls=30))
    assert (found.policy, found.precision, found.skip_layers, found.num_calls) == ("full", "ieee", (), 120)
    assert found.needs_plan


def test_the_same_code_is_judged_once_and_timed_by_its_own_plan(
    tmp_path: Path, zygotes: Zygotes, two: list[Task], monkeypatch: pytest.MonkeyPatch
):
    told = [
        choices.answer(plan, code)
        for code in (choices.RIGHT[0], choices.WRONG[0])
        for plan in ("tiny", "huge")
    ]
    settings = Settings(needs_plan=True, total_seconds=2.0)
    with Verifier(settings, tmp_path, zygotes=zygotes, times=choices.times) as verifier:
        submit, seen = verifier.submit, []
        monkeypatch.setattr(verifier, "submit", lambda *given: seen.append(given) or submit(*given))
        first = verifier.judge([two[0]] * 4, told)
        again = verifier.judge([two[0]] * 4, told)
    assert len(seen) == 2
    for found in (first, again):
        verdicts = [each.verdict for each in found]
        assert [each.accepted for each in verdicts if each] == [True, True, False, False]
        assert [each.speedup for each in verdicts if each] == [0.5, 1.9, None, None]


def test_programs_are_drawn_by_number_and_never_those_that_are_held_out(tmp_path: Path):
    held_out = HeldOut(levels=(1,), profiles=("cpu",), seeds=(0,), count=5)
    curve = HeldOutCurve(count=4, profile="cpu", seed=9)
    tasks = Tasks(profiles={"cpu": 1.0}, seed=3, held_out=held_out)
    made = Drawn(tasks, curve, (1, 2), tmp_path / "held_out.json")
    first = made.task(2, 5)
    assert first is not None
    assert first.level == 2
    assert Drawn(tasks, curve, (1, 2), tmp_path / "held_out.json").task(2, 5) == first
    assert [task.level for task in made.held_out(1)] == [1] * 4
    kept = json.loads((tmp_path / "held_out.json").read_bytes())
    assert len(kept) == 5
    (tmp_path / "held_out.json").write_text(json.dumps([first.id]))
    assert Drawn(tasks, curve, (1, 2), tmp_path / "held_out.json").task(2, 5) is None


def test_own_tasks_are_taught_and_some_are_held_out(tmp_path: Path, two: list[Task]):
    rows = [
        {"id": f"{level}-{number}", "level": level, "source": two[0].source.replace("16", str(number + 2))}
        for level in (1, 2)
        for number in range(8)
    ]
    path = tmp_path / "tasks.jsonl"
    path.write_text("".join(f"{jsonl.dumps(row)}\n" for row in rows))
    made = Own(str(path), 64, (1, 2))
    assert dict(made.counts) == {1: 6, 2: 6}
    taught = {made.task(1, number).id for number in range(6)}  # pyright: ignore[reportOptionalMemberAccess]
    held_out = {task.id for task in made.held_out(1)}
    assert len(held_out) == 2
    assert not taught & held_out
    assert len(Own(str(path), 1, (1,)).held_out(1)) == 1
    with pytest.raises(UserError, match="level 3 of the curriculum needs two tasks"):
        Own(str(path), 64, (3,))


def test_a_task_is_asked_as_the_model_reads_it(two: list[Task]):
    tokenizer = train_tokenizer([], 300)
    asked = Asker(tokenizer, asks_program=True, longest=4096, zygotes=None).ask(two[0])
    assert asked is not None
    assert tokenizer.decode(asked.prompt.tokens).startswith("<|task|>")
    assert asked.answer("text") == "text"
    plain = Asker(tokenizer, asks_program=False, longest=100_000, zygotes=None).ask(two[0])
    assert plain is not None
    assert "fused_operator" in tokenizer.decode(plain.prompt.tokens)
    assert Asker(tokenizer, asks_program=True, longest=10, zygotes=None).ask(two[0]) is None


def test_the_copy_that_writes_takes_over_all_weights():
    sizes: dict[str, Any] = {
        "vocab_size": 32, "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1,
        "num_attention_heads": 2, "tie_word_embeddings": True,
    }  # fmt: skip
    model = LlamaForCausalLM(LlamaConfig(**sizes))
    copy = scribe(model, Place("cpu", "bfloat16", 1))
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight))
    take_over(model, copy)
    for ours, theirs in zip(model.parameters(), copy.parameters(), strict=True):
        assert theirs.dtype == torch.bfloat16
        assert not theirs.requires_grad
        assert torch.equal(ours.to(torch.bfloat16), theirs)


def test_packed_weights_can_learn(tmp_path: Path):
    whole, _ = choices.make(tmp_path, steps=1)
    card = Card(
        name="tiny", operators=("relu",), levels=(1,), dtypes=("float32",), context_tokens=128,
        shortest_answer_tokens=1, p99_answer_tokens=10,
    )  # fmt: skip
    pack(whole, tmp_path / "packed", card)
    folder, _, packed = learner(Model(base=str(tmp_path / "packed")))
    plain = learner(Model(base=str(whole)))[2]
    assert folder.asks_program
    for ours, theirs in zip(packed.parameters(), plain.parameters(), strict=True):
        assert ours.requires_grad
        assert torch.allclose(ours, theirs, atol=2e-2)
    with pytest.raises(UserError, match="no such folder"):
        learner(Model(base="nowhere"))
