"""The curriculum: levels in order, rehearsal, what is solved sometimes, and a state that comes back."""

from collections import Counter
from pathlib import Path

import pytest

from tritonrl.errors import UserError
from tritonrl.train.curriculum import Curriculum, Promotion

LEVELS = (1, 2, 3, 5)


def ask(level: int, number: int) -> str:
    return f"{level}/{number}"


def made(**changes: float) -> Curriculum:
    return Curriculum(LEVELS, **{"promote_at": 0.5, "rehearsal": 0.25, "revisit": 0.5, **changes})  # pyright: ignore


def test_it_begins_with_new_questions_of_the_first_level():
    chosen = made().draw(0, 6, ask)
    assert [(each.level, each.number, each.asked) for each in chosen] == [(1, n, f"1/{n}") for n in range(6)]


def test_the_next_level_begins_above_the_mark():
    curriculum = made()
    assert not curriculum.look(5, {1: 0.5, 2: 0.9})
    assert not curriculum.look(10, {2: 0.9})
    assert curriculum.level == 1
    assert curriculum.look(15, {1: 0.51})
    assert curriculum.level == 2
    assert curriculum.state.promotions == [Promotion(generation=15, level=1, passed=0.51)]
    for generation in (20, 25, 30):
        curriculum.look(generation, dict.fromkeys(LEVELS, 1.0))
    assert curriculum.level == 5
    assert len(curriculum.state.promotions) == 3  # the last level is never left


def test_earlier_levels_are_rehearsed_and_later_ones_never_asked():
    curriculum = made()
    curriculum.look(0, {1: 1.0})
    curriculum.look(1, {2: 1.0})
    levels = Counter(each.level for generation in range(40) for each in curriculum.draw(generation, 16, ask))
    assert set(levels) == {1, 2, 3}
    assert 0.2 < (levels[1] + levels[2]) / levels.total() < 0.3
    assert {each.level for each in made(rehearsal=0).draw(0, 50, ask)} == {1}


def test_what_is_solved_sometimes_is_asked_again_most():
    curriculum = made(revisit=0.9)
    curriculum.draw(0, 3, ask)
    for number, right in enumerate((0, 4, 8)):
        curriculum.tell(1, number, right, 8)
    visits = Counter()
    for generation in range(1, 200):
        visits.update(each.number for each in curriculum.draw(generation, 1, ask))
    # p(1 - p) with half an answer of either kind: 1/4 against 17/324 for all wrong and all right
    assert visits[1] > 3 * visits[0] > 0
    assert visits[1] > 3 * visits[2] > 0
    assert sum(visits[number] for number in range(3)) > 150


def test_old_counts_fade():
    curriculum = made()
    curriculum.tell(1, 7, 0, 8)
    curriculum.tell(1, 7, 8, 8)
    assert curriculum.state.solved == {1: {7: (8.0, 12.0)}}
    curriculum.tell(1, 8, 0, 0)  # nothing was scored, so nothing is known
    assert 8 not in curriculum._seen(1, set())


def test_what_cannot_be_asked_is_passed_over():
    chosen = made().draw(0, 3, lambda level, number: ask(level, number) if number % 2 else None)
    assert [each.number for each in chosen] == [1, 3, 5]
    with pytest.raises(UserError, match="none of 1000 questions can be asked"):
        made().draw(0, 1, lambda level, number: None)


def test_a_level_that_ends_is_asked_again():
    curriculum = Curriculum((1,), revisit=0.0, counts={1: 2})
    assert [each.number for each in curriculum.draw(0, 2, ask)] == [0, 1]
    for number in range(2):
        curriculum.tell(1, number, 1, 2)
    again = [each.number for each in curriculum.draw(1, 4, ask)]
    assert sorted(again[:2]) == [0, 1]
    assert set(again) == {0, 1}
    unknown = Curriculum((1,), counts={1: 2})
    assert {each.number for generation in range(9) for each in unknown.draw(generation, 2, ask)} == {0, 1}


def test_the_state_comes_back_and_draws_follow_from_it(tmp_path: Path):
    one, other = made(), made()
    for generation in range(4):
        for each in one.draw(generation, 8, ask):
            one.tell(each.level, each.number, generation, 8)
        one.look(generation, {1: 0.6})
    one.save(tmp_path / "curriculum.json")
    other.restore(tmp_path / "curriculum.json")
    assert other.state == one.state
    assert other.draw(4, 16, ask) == one.draw(4, 16, ask)
    assert other.draw(5, 16, ask) != one.draw(6, 16, ask)
