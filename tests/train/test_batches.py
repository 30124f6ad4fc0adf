"""Batches: whole examples, each seen once, and the same batch for the same number."""

from itertools import pairwise
from pathlib import Path

import pytest
import torch
from transformers import PreTrainedTokenizerFast

from tritonrl.errors import UserError
from tritonrl.policy.local.dialect import ANSWER, END, TASK, question
from tritonrl.teach.distil import distil
from tritonrl.teach.run import Run
from tritonrl.train.recipe import Data, HeldOut
from tritonrl.train.sft.batches import Batches, collate
from tritonrl.train.sft.lessons import Lessons, held_out_ids, many
from tritonrl.train.sft.tokens import IGNORED, examples, train_tokenizer

DATA = Data(
    levels={1: 1.0, 2: 1.0}, profiles={"cpu": 1.0}, dtypes={"float32": 1.0, "bfloat16": 1.0}, networks=0.3
)
LENGTH, SIZE = 768, 8192


@pytest.fixture(scope="module")
def drawn() -> Lessons:
    return Lessons(DATA, frozenset())


@pytest.fixture(scope="module")
def tokenizer(drawn: Lessons) -> PreTrainedTokenizerFast:
    found = [drawn.lesson(number) for number in range(-30, 0)]
    texts = [text for each in found if each for text in (question(each.program), *each.answers)]
    return train_tokenizer(texts, 1500)


def test_an_example_is_read_back_as_it_was(drawn: Lessons, tokenizer: PreTrainedTokenizerFast):
    lesson = drawn.lesson(7)
    assert lesson is not None
    made = list(examples(tokenizer, lesson))
    assert len(made) == len(lesson.answers) == len(set(lesson.answers))
    for example, answer in zip(made, lesson.answers, strict=True):
        assert tokenizer.decode(example.tokens) == f"{question(lesson.program)}{answer}{END}"
        learned = [token for token in example.labels if token != IGNORED]
        assert tokenizer.decode(learned) == f"{answer}{END}"
        assert example.tokens[-len(learned) :] == learned


def test_numbers_and_lines_are_borders_of_tokens(tokenizer: PreTrainedTokenizerFast):
    pieces = [tokenizer.decode([token]) for token in range(len(tokenizer))]
    with_digits = [each for each in pieces if any(digit.isdigit() for digit in each)]
    assert not [each for each in with_digits if not each.isdigit() or len(each) > 2]
    tokens = tokenizer("at < 1048576 - 32")["input_ids"]
    numbers = [text for token in tokens if (text := tokenizer.decode([token])).isdigit()]
    assert "".join(numbers) == "104857632"
    assert numbers[-1] == "32", "counted from the end"
    assert not [each for each in pieces if "\n" in each[:-1]]
    for mark in (TASK, ANSWER, END):
        assert len(tokenizer(mark)["input_ids"]) == 1


def test_a_batch_follows_from_its_number(drawn: Lessons, tokenizer: PreTrainedTokenizerFast):
    one, other = (Batches(drawn, tokenizer, SIZE, LENGTH) for _ in range(2))
    late = Batches(drawn, tokenizer, SIZE, LENGTH, first=5)
    six = one.batch(6)
    for same in (
        other.batch(6),
        late.batch(1),
        {name: each[1] for name, each in one({"batch": [7, 6]}).items()},
    ):
        assert same.keys() == six.keys()
        assert all(torch.equal(same[name], six[name]) for name in six)
    assert not torch.equal(one.batch(7)["input_ids"], six["input_ids"])


def test_a_batch_is_whole_examples_end_to_end_and_nearly_full(
    drawn: Lessons, tokenizer: PreTrainedTokenizerFast
):
    batch = collate([Batches(drawn, tokenizer, SIZE, LENGTH).batch(0)], LENGTH)
    borders = batch["cu_seq_lens_q"].tolist()
    assert (borders[0], borders[-1]) == (0, SIZE)
    learned = 0
    for start, end in pairwise(sorted(set(borders))):
        tokens, labels = (batch[name][0, start:end].tolist() for name in ("input_ids", "labels"))
        assert batch["position_ids"][0, start:end].tolist() == list(range(end - start))
        assert end - start <= LENGTH
        text = tokenizer.decode(tokens)
        if set(labels) == {IGNORED}:
            assert text == END * (end - start)
            continue
        assert text.startswith(TASK)
        assert text.endswith(END)
        assert text.count(TASK) == text.count(ANSWER) == text.count(END) == 1
        learned += end - start
    assert learned > 0.9 * SIZE
    assert batch["max_length_q"] == LENGTH


def test_batches_have_one_shape(drawn: Lessons, tokenizer: PreTrainedTokenizerFast):
    batches = Batches(drawn, tokenizer, SIZE, LENGTH)
    shapes = {tuple(each.shape for each in batches.batch(number).values()) for number in range(4)}
    assert len(shapes) == 1


@pytest.mark.parametrize("num_processes", [1, 3])
def test_many_lessons_are_those_of_their_numbers_whoever_makes_them(drawn: Lessons, num_processes: int):
    found = [drawn.lesson(number) for number in range(-7, 0)]
    assert list(many(DATA, frozenset(), range(-7, 0), num_processes)) == found
    known = frozenset([found[2].program.program_id]) if found[2] else frozenset()
    without = [each for each in found if each and each.program.program_id not in known]
    assert list(many(DATA, known, range(-7, 0), num_processes)) == without
    assert len(without) < len(found)


def test_what_is_held_out_is_never_taught():
    held_out = held_out_ids(HeldOut(levels=(1,), profiles=("cpu",), seeds=(0,), count=20))
    assert len(held_out) == 20
    free = Lessons(DATA, frozenset())
    taught = {lesson.program.program_id for n in range(10) if (lesson := free.lesson(n)) is not None}
    assert len(taught) > 5
    assert [Lessons(DATA, frozenset(taught)).lesson(n) for n in range(10)] == [None] * 10


def test_programs_come_from_a_folder_as_well(tmp_path: Path):
    distil(Run(levels=(1, 2), count=4, draws=1, shapes=1), tmp_path / "pairs")
    data = Data(folders={str(tmp_path / "pairs"): 1.0}, levels={2: 1.0})
    stored = Lessons(data, frozenset())
    found = [stored.lesson(number) for number in range(12)]
    assert {lesson.program.level for lesson in found if lesson} == {2}
    assert found[3] == Lessons(data, frozenset()).lesson(3)
    with pytest.raises(UserError, match="no programs of these levels"):
        Lessons(Data(folders={str(tmp_path): 1.0}), frozenset())


def test_a_context_that_is_too_short_is_said(drawn: Lessons, tokenizer: PreTrainedTokenizerFast):
    with pytest.raises(UserError, match=r"model\.context is too short"):
        Batches(drawn, tokenizer, 64, 16).batch(0)
