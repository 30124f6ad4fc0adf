"""Search by fragments over made-up times: which parts are tried, which set is kept, and what is said."""

import itertools
import random

import pytest

from tests.search.made_up_times import TIMED, Table, Writes, ran, search_for, task_of
from tritonrl.errors import UserError
from tritonrl.program import Program
from tritonrl.program.fragment import fragment, fragments
from tritonrl.search import proof
from tritonrl.search.budget import Budget
from tritonrl.search.fragments.choose import waiting_ring
from tritonrl.search.fragments.splice import reads_of
from tritonrl.search.library import Library
from tritonrl.search.picture import picture
from tritonrl.search.strategies import Search
from tritonrl.verify import Settings

CHAIN = ("relu", "tanh", "sigmoid", "abs", "silu", "exp", "cos", "sin", "gelu", "elu")


@pytest.fixture(autouse=True)
def a_gpu(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tritonrl.search.strategies.strategy.device_name", lambda device: "a GPU")


def chain(ops=CHAIN, name: str = "whole"):
    return task_of([[op, [place]] for place, op in enumerate(ops)], [len(ops)], name)


def fuses(ops: tuple[str, ...]) -> tuple[float, float]:
    """Ten microseconds an operator, and eight a kernel."""
    return 10.0 * len(ops), 8.0


def kept(search: Search) -> list[tuple[int, ...]]:
    best = search.found.best
    assert best is not None
    return sorted(each.fragment.positions for each in search.found.sets[best.sample])


def test_ten_operators_become_two_kernels():
    search, hands = search_for(chain(), Writes()), Table(fuses)
    ran(hands, search)
    assert kept(search) == [(0, 1, 2, 3, 4), (5, 6, 7, 8, 9)]
    assert search.found.best
    assert search.found.best.speedup == pytest.approx(100 / 16)
    assert search.found.history[-1][1] == pytest.approx(100 / 16)


def test_what_one_kernel_can_do_becomes_one():
    search = search_for(chain(CHAIN[:8]), Writes())
    ran(Table(fuses), search)
    assert kept(search) == [tuple(range(8))]


def test_what_one_kernel_does_badly_is_left_in_parts():
    search = search_for(chain(CHAIN[:8]), Writes())
    ran(Table(lambda ops: (10.0 * len(ops), 8.0 if len(ops) < 8 else 60.0)), search)
    assert len(kept(search)) == 2


def test_one_fragment_is_drtritons():
    search, hands = search_for(chain(), Writes()), Table(fuses)
    ran(hands, search, strategy="one-fragment")
    (only,) = kept(search)
    assert len(only) == 5


def test_what_measures_badly_gives_way():
    """Whatever holds a gelu is slow in Triton: it stays with PyTorch, its neighbours do not."""
    search = search_for(chain(), Writes())
    ran(Table(lambda ops: (10.0 * len(ops), 500.0 if "gelu" in ops else 8.0)), search)
    covered = {position for each in kept(search) for position in each}
    assert covered == {0, 1, 2, 3, 4, 5, 6, 7}


def test_what_is_rejected_gives_way():
    search = search_for(chain(), Writes())
    ran(Table(lambda ops: None if {"relu", "elu"} & set(ops) else fuses(ops)), search)
    covered = {position for each in kept(search) for position in each}
    assert covered == set(range(1, 9))
    rejected = [each for each in search.found.pieces if each.kernel is None]
    assert rejected
    assert all(each.rejection == "broke correct" for each in rejected)


@pytest.mark.parametrize("seed", range(30))
def test_the_set_is_the_best_of_all_that_was_measured(seed: int):
    """By brute force over the fragments that were solved; so it is never slower than the best one alone."""
    rng = random.Random(seed)
    times: dict[tuple[str, ...], tuple[float, float]] = {}
    wiring = [[CHAIN[place], [rng.randint(max(0, place - 2), place)]] for place in range(8)]
    read = {place for _, (place,) in wiring}
    task = task_of(wiring, [place + 1 for place in range(8) if place + 1 not in read])
    search = search_for(task, Writes())

    def measured(ops: tuple[str, ...]) -> tuple[float, float]:
        return times.setdefault(ops, (10.0 * len(ops), rng.uniform(4.0, 14.0 * len(ops))))

    ran(Table(measured), search)
    program = Program.from_json(task.program or {})
    kernels = {each.program.program_id: each.kernel for each in search.found.pieces if each.kernel}
    all_of_it = fragment(program, range(len(program.nodes)))
    solved = [each for each in [*fragments(program), all_of_it] if each.program.program_id in kernels]
    savings = {each.positions: kernels[each.program.program_id].saving_us or 0.0 for each in solved}
    best = 0.0
    for count in range(1, 5):
        for sets in itertools.combinations(savings, count):
            apart = len({p for each in sets for p in each}) == sum(map(len, sets))
            if apart and waiting_ring(reads_of(program), [frozenset(each) for each in sets]) is None:
                best = max(best, sum(savings[each] for each in sets))
    first = search.found.sets[0]
    assert sum(savings[each.fragment.positions] for each in first) >= best - 1e-6
    assert best >= max(savings.values(), default=0.0) - 1e-6


def test_a_whole_that_breaks_its_promise_is_not_the_last_word():
    search, hands = search_for(chain(), Writes()), Table(fuses, whole_factor=1.5)
    ran(hands, search)
    assert len(search.found.sets) == 2, "all of them, and the best one alone"
    assert [len(each) for each in search.found.sets.values()] == [2, 1]
    fastest = max(search.found.candidates, key=lambda each: each.speedup)
    assert search.found.best is fastest


def test_where_nothing_helps_the_file_stays_and_why_is_said():
    search = search_for(chain(), Writes())
    ran(Table(lambda ops: (10.0 * len(ops), 12.0 * len(ops))), search)
    assert search.found.best is None
    assert search.found.accepted, "it was measured all the same"
    said = proof.outcome(search.found)
    assert "Nothing faster than PyTorch was found" in said
    assert "The file stays as it is: the best of" in said
    assert "µs where PyTorch takes" in said


def test_where_nothing_is_accepted_why_is_said():
    search = search_for(chain(), Writes())
    ran(Table(lambda ops: None), search)
    assert search.found.candidates == []
    assert "no kernel was accepted for any of" in proof.outcome(search.found)
    assert "broke correct" in proof.outcome(search.found)


def test_the_same_fragment_is_solved_once():
    """Twice in a program, and in another one that is searched beside it."""
    twice = task_of(
        [["relu", [0]], ["abs", [1]], ["cumsum", [2], {"dim": 1}], ["relu", [3]], ["abs", [4]]], [5], "twice"
    )
    pieces: dict = {}
    policy = Writes()
    first = search_for(twice, policy, pieces=pieces)
    second = search_for(chain(("relu", "abs"), "other"), policy, pieces=pieces)
    ran(Table(lambda ops: (10.0 * len(ops), 500.0 if "cumsum" in ops else 8.0)), first, second)
    assert len(policy.asked) == len(set(policy.asked))
    assert kept(first) == [(0, 1), (3, 4)]
    assert kept(second) == [(0, 1)]


def test_a_budget_of_candidates_is_kept_and_leaves_a_result():
    policy = Writes()
    search = search_for(chain(), policy, budget=Budget(candidates=3))
    ran(Table(fuses), search)
    assert len(policy.asked) == 3
    assert search.found.best


def test_a_budget_of_time_that_is_over_leaves_a_result():
    policy = Writes()
    search = search_for(chain(), policy, budget=Budget(seconds=1e9))
    hands = Table(fuses)
    judge = hands.submit

    def slow(*arguments, **more):
        search.budget.seconds = 0.0
        return judge(*arguments, **more)

    hands.submit = slow
    ran(hands, search)
    assert search.found.best
    assert len({name for name, _ in policy.asked}) <= 8, "one wave"


class Interrupted(Writes):
    def propose(self, task, samples, hear=None):
        if len(self.asked) >= 4:
            raise KeyboardInterrupt
        yield from super().propose(task, samples)


def test_an_interrupt_leaves_what_was_solved():
    search = search_for(chain(), Interrupted())
    ran(Table(fuses), search)
    assert search.found.interrupted
    assert search.found.best
    assert "interrupted" in proof.outcome(search.found)


def test_full_policy_wants_all_of_it():
    full = TIMED.model_copy(update={"policy": "full"})
    search = search_for(chain(), Writes(), settings=full)
    ran(Table(lambda ops: (10.0 * len(ops), 11.0 * len(ops))), search)
    assert search.found.accepted, "slower, but whole"
    covered = [p for each in search.found.sets[0] for p in each.fragment.positions]
    assert sorted(covered) == list(range(10))
    search = search_for(chain(), Writes(), settings=full)
    ran(Table(lambda ops: None if "gelu" in ops else fuses(ops)), search)
    assert search.found.candidates == []
    assert "has all of it in Triton" in (search.found.reason or "")


def test_without_a_gpu_the_guess_decides_and_one_accepted_kernel_is_enough():
    policy = Writes()
    search = search_for(chain(), policy, settings=Settings(policy="hybrid"))
    ran(Table(fuses), search)
    assert kept(search) == [(0, 1, 2, 3, 4), (5, 6, 7, 8, 9)]
    assert [sample for _, sample in policy.asked] == [0, 0]
    assert picture(search.found) is None


# The library


def test_a_later_search_asks_nobody_and_judges_again():
    library = Library()
    ran(Table(fuses), search_for(chain(), Writes(), library))
    policy, hands = Writes(), Table(fuses)
    search = search_for(chain(), policy, library)
    ran(hands, search)
    assert policy.asked == []
    assert kept(search) == [(0, 1, 2, 3, 4), (5, 6, 7, 8, 9)]
    again = [settings for name, settings in hands.judged if name.startswith("fragment-")]
    assert again
    assert all(not each.timing and each.num_calls == 6 for each in again)
    assert {each.kernel.source for each in search.found.pieces if each.kernel} == {"library"}


def test_a_kernel_that_does_not_stand_the_test_is_forgotten():
    library = Library()
    ran(Table(fuses), search_for(chain(), Writes(), library))
    before = library.entries()
    policy, bad = Writes(), before[0].code
    search = search_for(chain(), policy, library)
    ran(Table(fuses, rejects={bad}), search)
    assert bad not in [each.code for each in library.entries() if each.fragment == before[0].fragment]


def test_an_entry_of_other_versions_is_judged_as_anything_new():
    library = Library()
    ran(Table(fuses), search_for(chain(), Writes(), library))
    older = Library()
    for each in library.entries():
        older.put(each.model_copy(update={"versions": {"torch": "1.0"}}))
    policy, hands = Writes(), Table(fuses)
    ran(hands, search_for(chain(), policy, older))
    settings = [settings for name, settings in hands.judged if name.startswith("fragment-")]
    assert all(each.timing for each in settings)
    assert len(older.entries()) > len(library.entries()), "and kept for these versions, too"


# What is said and shown


def test_a_reader_sees_which_part_became_triton():
    search = search_for(chain(), Writes())
    ran(Table(fuses), search)
    facts = proof.document(search.found, model="names", search="fragments", out="x.py")
    here = [each for each in facts["fragments"] if each["kept_at"]]
    assert sorted(place for each in here for place in each["kept_at"]) == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    assert all((each["eager_us"], each["triton_us"]) == (50.0, 8.0) for each in here)
    page = proof.sheet(search.found, model="names", picture="x.png")
    assert "Fragments in Triton: 2; the rest is PyTorch's." in page
    assert "| relu · tanh · sigmoid · abs · silu | 3 | 3 | 50.0 | 8.0 | 1 | by names |" in page
    assert "![where the time went](x.png)" in page
    image = picture(search.found)
    assert image is not None
    assert image.startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("text", "seconds", "candidates"),
    [("90s", 90.0, None), ("2m", 120.0, None), ("1.5m", 90.0, None), ("64", None, 64), (None, None, None)],
)
def test_budgets_are_read(text: str | None, seconds: float | None, candidates: int | None):
    budget = Budget.parse(text)
    assert (budget.seconds, budget.candidates) == (seconds, candidates)
    assert not budget.is_spent


@pytest.mark.parametrize("text", ["", "0", "0s", "-3s", "1.5", "3x", "s"])
def test_a_budget_that_is_none_is_one_line(text: str):
    with pytest.raises(UserError, match="expected a time such as 90s or 2m"):
        Budget.parse(text)


def test_a_kernel_is_kept_as_soon_as_it_is_judged():
    """Whoever is killed while others are judged loses those alone."""
    library, seen = Library(), []
    search = search_for(chain(), Writes(), library)
    hands = Table(fuses)
    judge = hands.submit

    def look(*arguments, **more):
        seen.append(len(library.entries()))
        return judge(*arguments, **more)

    hands.submit = look
    ran(hands, search)
    assert seen[:5:2] == [0, 1, 2], "two samples a fragment, all of one wave"
