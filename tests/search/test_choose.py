"""The best set of fragments: it is the best, by brute force; those that wait for each other are no set."""

import itertools
import random

import pytest

from tritonrl.search.fragments.choose import Option, choose, waiting_ring

Reads = dict[int, set[int]]


def instance(rng: random.Random) -> tuple[Reads, list[Option]]:
    """A small graph, and fragments of it; some cost time, and not all are connected or convex."""
    size = rng.randint(3, 9)
    reads: Reads = {p: {q for q in range(p) if rng.random() < 0.35} for p in range(size)}
    options = [
        Option(frozenset(rng.sample(range(size), rng.randint(1, min(4, size)))), round(rng.gauss(3, 4), 3))
        for _ in range(rng.randint(1, 9))
    ]
    return reads, [each for each in options if waiting_ring(reads, [each.positions]) is None]


def can_run(reads: Reads, chosen: list[frozenset[int]]) -> bool:
    """Written otherwise than in the code: take off what waits for nothing, until nothing is left."""
    units = [set(each) for each in chosen]
    units += [{p} for p in reads if not any(p in each for each in chosen)]
    done: set[int] = set()
    while units:
        ready = [each for each in units if set().union(*(reads[p] for p in each)) <= done | each]
        if not ready:
            return False
        done |= set().union(*ready)
        units = [each for each in units if each not in ready]
    return True


def brute_force(reads: Reads, options: list[Option], most: int | None, covered: set[int]) -> float | None:
    best = None
    for count in range(len(options) + 1 if most is None else min(most, len(options)) + 1):
        for taken in itertools.combinations(options, count):
            sets = [each.positions for each in taken]
            is_disjoint = sum(map(len, sets)) == len(frozenset().union(*sets))
            if is_disjoint and covered <= frozenset().union(*sets) and can_run(reads, sets):
                worth = sum(each.saving for each in taken)
                best = worth if best is None else max(best, worth)
    return best


@pytest.mark.parametrize("seed", range(200))
def test_the_optimum_is_the_optimum(seed: int):
    rng = random.Random(seed)
    reads, options = instance(rng)
    most = rng.choice([None, None, 1, 2])
    covered = (
        {p for each in options for p in each.positions if rng.random() < 0.2} if seed % 4 == 0 else set()
    )
    expected = brute_force(reads, options, most, covered)
    chosen = choose(reads, options, most=most, covered=covered)
    if expected is None:
        assert chosen is None
        return
    assert chosen is not None
    assert sum(options[place].saving for place in chosen) == pytest.approx(expected, abs=1e-6)
    assert can_run(reads, [options[place].positions for place in chosen])


def test_fragments_that_wait_for_each_other_are_no_set():
    """0 → 3 and 1 → 2, with {0, 2} and {1, 3}: each needs the other first."""
    reads = {0: set(), 1: set(), 2: {1}, 3: {0}}
    both = [Option(frozenset({0, 2}), 5.0), Option(frozenset({1, 3}), 4.0)]
    assert waiting_ring(reads, [each.positions for each in both]) == {0, 1}
    assert choose(reads, both) == (0,)
    assert choose(reads, both, covered=[0, 1]) is None


def test_a_set_is_never_worse_than_its_best_fragment():
    for seed in range(60):
        reads, options = instance(random.Random(1000 + seed))
        chosen = choose(reads, options)
        assert chosen is not None
        alone = max((each.saving for each in options), default=0.0)
        assert sum(options[place].saving for place in chosen) >= max(alone, 0.0) - 1e-6


def test_nothing_to_choose_from():
    assert choose({0: set()}, []) == ()
    assert choose({0: set()}, [], covered=[0]) is None
    assert choose({0: set()}, [Option(frozenset({0}), -1.0)]) == ()
    assert choose({0: set()}, [Option(frozenset({0}), -1.0)], covered=[0]) == (0,)
