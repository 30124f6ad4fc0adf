"""A model in a folder, loaded and run by transformers: tiny, and of random weights."""

import json
import shutil
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.command import run, run_process
from tests.policy import tiny
from tests.search.test_optimize import DOUBLE
from tritonrl.errors import UserError
from tritonrl.policy import Proposal, propose_each
from tritonrl.policy.local import Folder, LocalPolicy, Place, Sampling
from tritonrl.policy.local.draw import Draw
from tritonrl.policy.local.prompt import prompt
from tritonrl.policy.local.text import Text
from tritonrl.policy.local.writer import Writer
from tritonrl.policy.prompts import messages
from tritonrl.tasks import Task
from tritonrl.teach.policies import policy

EXAMPLE = Path(__file__).parents[2] / "examples" / "row_softmax.py"
TASK = Task.functional("double", DOUBLE)
SHORT = Sampling(max_new_tokens=24)
BATCHED = Place("cpu", "float32", batch=3, static=True)
"""As on a GPU, but for what is compiled."""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.make(tmp_path_factory.mktemp("tiny"))


def local(path: Path, seed: int = 0, sampling: Sampling = SHORT, **options: Any) -> LocalPolicy:
    return LocalPolicy(Folder.at(str(path)), seed, sampling, **options)


def texts(proposals: Any) -> list[str | None]:
    return [each.text for each in proposals]


def tokens_of(path: Path) -> list[int]:
    from transformers import AutoTokenizer

    return prompt(AutoTokenizer.from_pretrained(path), TASK).tokens


def own_greedy(path: Path, num_new: int) -> list[int]:
    """What transformers writes by itself."""
    from transformers import AutoModelForCausalLM

    asked = torch.tensor([tokens_of(path)])
    own: Any = AutoModelForCausalLM.from_pretrained(path)
    written = own.generate(
        asked, attention_mask=torch.ones_like(asked), do_sample=False, max_new_tokens=num_new, pad_token_id=0
    )
    return written[0, asked.shape[1] :].tolist()


def decoded(path: Path, tokens: list[int]) -> str:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(path).decode(tokens)


def test_every_sample_is_answered_and_the_first_is_greedy(model: Path):
    given = list(local(model).propose(TASK, range(3)))
    assert [each.sample for each in given] == [0, 1, 2]
    assert all(each.text and each.error is None and each.seconds > 0 for each in given)
    greedy = own_greedy(model, SHORT.max_new_tokens)
    assert len(greedy) == SHORT.max_new_tokens, "it is cut off, and an answer all the same"
    assert given[0].text == decoded(model, greedy)


def test_draws_differ_and_come_again(model: Path):
    who, other = local(model), Task.functional("other", DOUBLE)
    greedy, first, second, third = texts(who.propose(TASK, range(4)))
    assert len({greedy, first, second, third}) == 4
    assert texts(who.propose(TASK, [3, 1])) == [third, first], "whatever was asked for before"
    assert texts(local(model).propose(TASK, [1])) == [first]
    assert texts(local(model, seed=1).propose(TASK, [1])) != [first]
    assert texts(who.propose(other, [0])) == [greedy]
    assert texts(who.propose(other, [1])) != [first]


@pytest.mark.parametrize("place", [None, BATCHED], ids=["one by one", "in batches"])
def test_the_pieces_that_are_heard_are_the_text(model: Path, place: Place | None):
    heard: defaultdict[int, list[str]] = defaultdict(list)
    who = local(model, place=place)
    given = list(who.propose(TASK, [0, 1, 5], lambda sample, piece: heard[sample].append(piece)))
    for each in given:
        assert "".join(heard[each.sample]) == each.text
        assert len(heard[each.sample]) > 3
    assert texts(who.propose(TASK, [0, 1, 5])) == texts(given), "unheard"


def test_a_batch_writes_what_each_of_its_rows_would_alone(model: Path):
    alone = texts(local(model).propose(TASK, range(5)))
    assert texts(local(model, place=BATCHED).propose(TASK, range(5))) == alone


def test_tasks_that_are_answered_together_get_what_they_would_alone(model: Path):
    longer = Task.functional("longer", TASK.source.replace("dim=-1", "dim=1") + "\n# a longer text\n" * 5)
    asked = [(TASK, [0, 1, 2]), (longer, [0, 3]), (TASK, [])]
    alone = {(task.id, each.sample): each.text for task, n in asked for each in local(model).propose(task, n)}
    together = list(propose_each(local(model, place=BATCHED), asked))
    assert {(task.id, each.sample): each.text for task, each in together} == alone
    assert len(together) == 5


def test_batches_shrink_until_they_fit(model: Path, monkeypatch: pytest.MonkeyPatch):
    sizes: list[int] = []
    generate = Writer._generate

    def small(self: Writer, rows: Any, *rest: Any) -> list[str]:
        sizes.append(len(rows))
        if len(rows) > most:
            raise torch.OutOfMemoryError("no")
        return generate(self, rows, *rest)

    monkeypatch.setattr(Writer, "_generate", small)
    most = 1
    assert texts(local(model, place=BATCHED).propose(TASK, range(3))) == texts(
        local(model).propose(TASK, range(3))
    )
    assert sizes[:4] == [3, 1, 1, 1]
    most = 0
    with pytest.raises(UserError, match="too little memory"):
        list(local(model, place=BATCHED).propose(TASK, range(3)))


def test_an_answer_ends_with_an_end_token(tmp_path: Path):
    long = own_greedy(tiny.make(tmp_path / "long"), 24)
    end = next(token for place, token in enumerate(long) if place > 4 and token not in long[:place])
    ended = tiny.make(tmp_path / "ended", eos_token_id=[0, end])
    for place in (None, BATCHED):
        (text,) = texts(local(ended, place=place).propose(TASK, [0]))
        assert text == decoded(ended, long[: long.index(end)])
    pieces: list[str] = []
    given = list(
        local(ended, place=BATCHED).propose(TASK, [0, 1], lambda n, piece: n or pieces.append(piece))
    )
    assert "".join(pieces) == given[0].text == text, "beside one that is longer"


def test_an_answer_ends_where_the_context_does(model: Path, tmp_path: Path):
    room = len(tokens_of(model))
    given = texts(local(tiny.make(tmp_path / "more", max_position_embeddings=room + 5)).propose(TASK, [0]))
    assert given == [decoded(model, own_greedy(model, 5))]
    full = list(local(tiny.make(tmp_path / "full", max_position_embeddings=room)).propose(TASK, [0, 1]))
    reason = f"the prompt has {room} tokens, and the model's context is {room}"
    assert full == [Proposal(0, error=reason), Proposal(1, error=reason)]


def test_an_interrupt_ends_it_at_once(model: Path):
    heard: list[str] = []

    def hear(sample: int, piece: str) -> None:
        heard.append(piece)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(local(model).propose(TASK, [0], hear))
    assert len(heard) == 1


def test_nothing_is_loaded_where_nothing_is_asked(model: Path):
    broken = local(model)
    broken._folder = Folder(Path("nowhere"), "")
    assert list(broken.propose(TASK, [])) == []


def test_a_chat_template_is_followed(model: Path, tmp_path: Path):
    system, user = (each.content for each in messages(TASK))
    assert decoded(model, tokens_of(model)) == f"<|system|>{system}<|end|><|user|>{user}<|end|><|assistant|>"
    plain = tiny.make(tmp_path / "plain", chat_template=None)
    assert decoded(plain, tokens_of(plain)) == f"{system.strip()}\n\n{user.strip()}\n\n"
    only_user = "{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}" + tiny.CHAT
    users = tiny.make(tmp_path / "users", chat_template=only_user)
    assert decoded(users, tokens_of(users)).startswith(f"<|user|>{system.strip()}\n\n{user.strip()}")
    never = tiny.make(tmp_path / "never", chat_template="{{ raise_exception('not today') }}")
    with pytest.raises(UserError, match="chat template fails: not today"):
        list(local(never).propose(TASK, [0]))


def test_a_plan_that_the_template_begins_belongs_to_the_answer(tmp_path: Path):
    begun = tiny.make(tmp_path, chat_template=tiny.CHAT + "<think>{{ '\n' }}")
    heard: list[str] = []
    (given,) = local(begun).propose(TASK, [0], lambda _, piece: heard.append(piece))
    assert given.text == "<think>\n" + decoded(begun, own_greedy(begun, 24))
    assert "".join(heard) == given.text
    assert texts(local(begun).propose(TASK, [0])) == [given.text]


def chosen(probabilities: list[float], seeds: Sequence[int | None], sampling: Sampling) -> list[int]:
    scores: Any = torch.tensor([probabilities]).log().repeat(len(seeds), 1)
    asked: Any = torch.zeros(len(seeds), 1)
    return Draw(seeds, sampling)(asked, scores).argmax(-1).tolist()


def test_tokens_are_drawn_as_often_as_they_are_likely():
    counts = Counter(chosen([0.5, 0.2, 0.0, 0.3], range(4000), Sampling()))
    assert set(counts) == {0, 1, 3}
    for token, share in ((0, 0.5), (1, 0.2), (3, 0.3)):
        assert abs(counts[token] / 4000 - share) < 0.04


def test_only_the_likely_ones_are_drawn_and_rows_without_a_seed_are_greedy():
    seeds = [number if number % 2 else None for number in range(200)]
    found = chosen([0.5, 0.2, 0.0, 0.3], seeds, Sampling(top_p=0.7))
    assert set(found[::2]) == {0}
    assert set(found[1::2]) == {0, 3}
    assert set(chosen([0.5, 0.2, 0.0, 0.3], seeds, Sampling(temperature=0.01))) == {0}


@pytest.fixture(scope="module")
def tokenizer(model: Path) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(model)


@given(tokens=st.lists(st.integers(1, 361), max_size=30), ended=st.booleans())
def test_pieces_join_to_what_all_tokens_say(tokenizer: Any, tokens: list[int], ended: bool):
    text = Text(tokenizer, {0})
    pieces = [text.add([token]) for token in (*tokens, *[0, 7] * ended)] + [text.add([], last=True)]
    assert "".join(pieces) == text.said == tokenizer.decode(tokens)


def test_a_character_is_told_when_it_is_whole(tokenizer: Any):
    text = Text(tokenizer, {0})
    pieces = [text.add([token]) for token in tokenizer("aß→b")["input_ids"]]
    assert [each for each in pieces if each] == ["a", "ß", "→", "b"]


def add_tokens(path: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(path)
    tokenizer.add_tokens(["<a>", "<b>", "<c>"])
    tokenizer.save_pretrained(path)


def change(path: Path, **entries: Any) -> None:
    config = json.loads((path / "config.json").read_text())
    if "auto_map" in entries:
        entries["model_type"] = "own"
        (path / "own.py").write_text("raise SystemExit('run')")
    (path / "config.json").write_text(json.dumps(config | entries))


BAD = {
    "no folder": (shutil.rmtree, "no such folder"),
    "no config.json": (lambda path: (path / "config.json").unlink(), "config.json cannot be read"),
    "a broken config": (lambda path: (path / "config.json").write_text("{"), "config.json is no JSON"),
    "another config": (lambda path: (path / "config.json").write_text("[]"), "names no model_type"),
    "no weights": (lambda path: (path / "model.safetensors").unlink(), "no weights"),
    "no tokenizer": (lambda path: [each.unlink() for each in path.glob("tokenizer*")], "no tokenizer"),
}  # fmt: skip
UNLOADABLE = {
    "broken weights": (lambda path: (path / "model.safetensors").write_bytes(b"x" * 99), "cannot be loaded"),
    "an unknown kind": (lambda path: change(path, model_type="lama"), "model type `lama`"),
    "too few weights": (lambda path: change(path, num_hidden_layers=3), "9 weights are missing"),
    "other weights": (lambda path: change(path, hidden_size=64), "21 weights do not fit"),
    "another tokenizer": (add_tokens, "365 tokens, the model knows 362"),
    "half a tokenizer": (lambda path: (path / "tokenizer.json").unlink(), "cannot be loaded"),
    "code of its own": (lambda path: change(path, auto_map={"AutoConfig": "own.Own"}), "custom code"),
}  # fmt: skip


@pytest.mark.parametrize(("spoil", "reason"), BAD.values(), ids=BAD)
def test_what_is_no_model_is_seen_before_anything_is_loaded(
    model: Path, tmp_path: Path, spoil: Any, reason: str
):
    bad = shutil.copytree(model, tmp_path / "bad")
    spoil(bad)
    with pytest.raises(UserError, match=reason):
        policy(str(bad))


@pytest.mark.parametrize(("spoil", "reason"), UNLOADABLE.values(), ids=UNLOADABLE)
def test_what_cannot_be_loaded_is_the_users_error(
    model: Path, tmp_path: Path, spoil: Any, reason: str, capfd: pytest.CaptureFixture[str]
):
    bad = shutil.copytree(model, tmp_path / "bad")
    spoil(bad)
    with pytest.raises(UserError, match=reason):
        list(local(bad).propose(TASK, [0]))
    assert capfd.readouterr() == ("", "")


def test_a_folder_is_a_model_and_a_word_is_not(model: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(model.parent)
    for name in (model.name, f"./{model.name}", str(model)):
        who = policy(name)(0, None)  # type: ignore[arg-type]
        assert "LlamaForCausalLM" in who.scope
    with pytest.raises(UserError, match="known: composer, nano, openai:NAME, PATH"):
        policy("oracle")


def test_a_bad_folder_is_one_line(model: Path, tmp_path: Path):
    (tmp_path / "double.py").write_text(DOUBLE)
    bad = shutil.copytree(model, tmp_path / "bad")
    change(bad, hidden_size=64)
    for runs, command, path, reason in (
        (run_process, "optimize", bad, "do not fit"),  # as transformers has more to say when it is imported
        (run, "eval", tmp_path / "none", "no such folder"),
    ):
        done = runs(command, tmp_path / "double.py", "--model", path)
        assert done.returncode == 2
        assert reason in done.stderr
        assert done.stderr.count("\n") == 1
    assert {each.name for each in tmp_path.iterdir()} == {"double.py", "bad"}


@pytest.mark.slow
def test_optimize_asks_a_local_model_and_says_that_nothing_was_accepted(model: Path, tmp_path: Path):
    shutil.copy(EXAMPLE, tmp_path)
    done = run("optimize", tmp_path / EXAMPLE.name, "--model", model, "--samples", 2)
    assert done.returncode == 1, done.stderr
    assert "Nothing was accepted, of 2 candidates." in done.stdout
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "row_softmax.py", "row_softmax.triton.json", "row_softmax.triton.md",
    ]  # fmt: skip
