"""A tiny model on a real device: written in batches, with a static cache and compiled, as a large one is."""

from dataclasses import replace

import pytest

from tests.policy import tiny
from tests.search.test_optimize import DOUBLE
from tritonrl.policy.local import CPU, GPU, Folder, LocalPolicy, Place, Sampling
from tritonrl.tasks import Task

# Torch's compiler warns of what it would do otherwise.
pytestmark = [pytest.mark.gpu, pytest.mark.filterwarnings("ignore")]

TASK = Task.functional("double", DOUBLE)
EXACT = replace(GPU, dtype="float32")
"""In bfloat16 the first tokens of random weights are as good as tied."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder.at(str(tiny.make(tmp_path_factory.mktemp("tiny"))))


def written(folder: Folder, place: Place, samples: list[int]) -> list[str | None]:
    who = LocalPolicy(folder, 0, Sampling(max_new_tokens=24), place)
    return [each.text for each in who.propose(TASK, samples)]


def test_the_greedy_answer_of_a_batch_is_the_one_alone(folder: Folder):
    alone = written(folder, EXACT, [0])
    assert written(folder, EXACT, [3, 0, 1, 2])[1:2] == alone
    assert written(folder, replace(EXACT, static=False), [0]) == alone, "without a static cache"
    assert written(folder, CPU, [0]) == alone


def test_batches_are_bounded_and_all_samples_answered(folder: Folder):
    texts = written(folder, replace(EXACT, batch=2), [0, 1, 2])
    assert all(texts)
    assert len(set(texts)) == 3


def test_answers_come_in_bfloat16_and_are_heard(folder: Folder):
    heard: dict[int, str] = {}
    who = LocalPolicy(folder, 0, Sampling(max_new_tokens=24))
    given = list(
        who.propose(TASK, [0, 1], lambda sample, piece: heard.update({sample: heard.get(sample, "") + piece}))
    )
    assert heard == {each.sample: each.text for each in given}
