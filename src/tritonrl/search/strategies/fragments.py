"""Fragments: cut the program, find kernels for the parts that are worth it, and put the best set together.

What is tried follows from what it could save. Every fragment has a guess, on the hopeful side; the set that
is best by what is known, guesses included, says which fragments matter, and those are solved. Measured times
then take the place of guesses, and the best set is looked for again, until it has no guess left in it or the
budget is spent. The set is spliced and judged as a whole. If it is slower than the sum of its parts promised,
other sets are tried, the best fragment alone among them: what is kept is the fastest that was measured.
"""

from collections.abc import Callable, Container, Generator, Sequence

from tritonrl import form
from tritonrl.errors import UserError
from tritonrl.policy import Proposal
from tritonrl.policy.programs import Question
from tritonrl.program.fragment import LONGEST, Fragment, fragment
from tritonrl.program.fragment import fragments as fragments_of
from tritonrl.search.found import Candidate
from tritonrl.search.fragments.choose import Option, choose
from tritonrl.search.fragments.piece import Piece, Place
from tritonrl.search.fragments.splice import Spliced, SpliceError, reads_of, spliced
from tritonrl.search.fragments.worth import alone_us, saving_us
from tritonrl.search.strategies.strategy import Search, Wave

MOST_WAVES = 12
DISAGREES = 1.1
"""How much longer than its parts promise a whole may take before other sets are tried."""
AT_ONCE = 8
"""Operators of a program that is tried in one piece, too, where time is measured: one kernel may do all."""
UNPROMISING = 0.01
"""Of the whole's time, by guess: what could save less is not tried."""


def fragments(search: Search) -> Generator[Wave, None, None]:
    """As many fragments as are worth it become Triton."""
    yield from _search(search, None)


def one_fragment(search: Search) -> Generator[Wave, None, None]:
    """The best one alone, as DRTriton has it."""
    yield from _search(search, 1)


def _search(search: Search, most: int | None) -> Generator[Wave, None, None]:
    found = search.found
    try:
        question = search.question()
        if reason := question.obstacle:
            raise UserError(f"no fragment is taken out of a task that {reason}")
        cutting = Cutting(question, search, most)
    except UserError as error:
        found.reason = str(error)
        return
    for _ in range(MOST_WAVES):
        wanted = cutting.wanted()
        if not wanted or search.budget.is_spent:
            break
        yield from _solve(search, wanted)
    chosen = {each.piece: None for each in next(iter(cutting.sets()), ())}
    while found.settings.timing and not search.budget.is_spent:
        unfinished = [piece for piece in chosen if piece.is_open(search.samples)]
        if not unfinished:
            break
        yield from _solve(search, unfinished)
    yield from _wholes(cutting)


def _solve(search: Search, pieces: Sequence[Piece]) -> Generator[Wave, None, None]:
    """One step for each of these pieces."""
    wave: Wave = []
    for piece in pieces:
        more = piece.more(search.samples)
        wave += more[: search.budget.take(len(more))]
    search.found.pieces = list(dict.fromkeys((*search.found.pieces, *pieces)))
    yield wave
    for piece in pieces:
        piece.settle()


def _wholes(cutting: "Cutting") -> Generator[Wave, None, None]:
    """Sets, one after the other, until one does what it promises."""
    search, found = cutting.search, cutting.search.found
    for sample, chosen in enumerate(cutting.sets()):
        try:
            text = cutting.answer(chosen)
        except SpliceError as error:
            found.reason = str(error)
            continue
        whole = search.whole(sample, proposal=Proposal(sample, text, ops=cutting.question.ops))
        found.sets[sample] = chosen
        yield [whole]
        if whole.is_accepted and _keeps_promise(whole, chosen):
            break
    if found.best is None:
        found.reason = found.reason or cutting.why_nothing()


def _keeps_promise(whole: Candidate, chosen: Sequence[Place]) -> bool:
    """Whether it takes as long as its parts let expect; where nothing is measured, nothing is promised."""
    timing = whole.verdict and whole.verdict.timing
    eager = timing and timing.baselines.get("eager")
    if not timing or not eager:
        return True
    promised_us = eager.wall_us - sum(each.saving_us or 0.0 for each in chosen)
    return timing.wall_us <= DISAGREES * promised_us


class Cutting:
    """A program in its fragments, and what is known of them."""

    def __init__(self, question: Question, search: Search, most: int | None) -> None:
        self.question, self.search, self.most = question, search, most
        self.program = program = question.program
        self.reads = reads_of(program)
        cut = [(each, saving_us(program, each)) for each in self._cut()]
        self.places = [
            Place(each, search.piece(each.program), guess)
            for each, guess in sorted(cut, key=lambda each: -each[1])
        ]
        if not self.places:
            raise UserError("it has no operator that is in the table (docs/programs.md)")
        self.least_us = UNPROMISING * sum(alone_us(program, position) for position in self.reads)
        self.must_cover = set(self.reads) if search.found.settings.policy == "full" else set()

    def _cut(self) -> list[Fragment]:
        found, is_timed = fragments_of(self.program), self.search.found.settings.timing
        is_known = "opaque" not in self.question.ops and LONGEST < self.program.level <= AT_ONCE
        if self.most is None and is_timed and is_known:
            found.append(fragment(self.program, self.reads))
        return found

    def wanted(self) -> list[Piece]:
        """Pieces of the best set, by what is known now, that have no kernel yet; where many are judged at a
        time, those of the next best as well."""
        found: dict[Piece, None] = {}
        while len(found) < self.search.width:
            best = self._best(self._hope, found)
            new = [each.piece for each in best if each.piece.kernel is None]
            found |= dict.fromkeys(new)
            if not new or not self.search.found.settings.timing:
                break
        if not found and not any(each.piece.kernel for each in self.places):
            # Nothing is worth it by guess: the best guess of all is tried, and will be told of.
            found = dict.fromkeys([each.piece for each in self.places if self._may_come(each.piece)][:1])
        return list(found)

    def sets(self) -> list[tuple[Place, ...]]:
        """Sets of solved fragments to try as wholes: the best one, and then safer ones."""
        best = self._best(lambda each: each.saving_us)
        if self.must_cover:
            return [tuple(best)] if best else []
        by_worth = sorted(best, key=_worth)
        solved = sorted((each for each in self.places if each.piece.kernel), key=_worth)
        sets = [tuple(best), tuple(by_worth[:-1]), tuple(by_worth[:1]), tuple(solved[:1])]
        return list(dict.fromkeys(each for each in sets if each))

    def answer(self, chosen: Sequence[Place]) -> str:
        """The task's answer with these fragments."""
        kernels = {each: each.piece.kernel for each in chosen}
        parts = [Spliced(each.fragment, kernel.code) for each, kernel in kernels.items() if kernel]
        plan = [f"{self.program.level} operators; parts that become Triton: {len(parts)}."]
        plan += [f"{each.name}: {(kernel and kernel.plan) or 'no plan'}" for each, kernel in kernels.items()]
        return self.question.answer(form.answer("\n".join(plan), spliced(self.program, parts)))

    def why_nothing(self) -> str:
        """What the best of the fragments came to."""
        solved = sorted((each for each in self.places if each.piece.kernel), key=_worth)
        tried = [piece for piece in self.search.found.pieces if piece.candidates]
        if self.must_cover and tried:
            return f"no set of its fragments has all of it in Triton, and {len(tried)} were tried"
        if not solved:
            reasons = [piece.rejection for piece in tried if piece.rejection]
            return f"no kernel was accepted for any of {len(tried)} fragments" + (
                f"; the first reason: {reasons[0]}" if reasons else ""
            )
        return f"the best of {len(tried)} fragments, {solved[0].name}, {solved[0].outcome}"

    def _hope(self, each: Place) -> float | None:
        """What it saves as far as is known, or could; None where that is nothing."""
        if each.piece.kernel:
            return each.saving_us
        is_promising = each.guess_us > self.least_us or self.must_cover
        return each.guess_us if is_promising and self._may_come(each.piece) else None

    def _may_come(self, piece: Piece) -> bool:
        return piece.is_under_way or piece.is_open(self.search.samples)

    def _best(self, saving: Callable[[Place], float | None], without: Container[Piece] = ()) -> list[Place]:
        """The best set of those that save anything."""
        offered = [each for each in self.places if each.piece not in without]
        known = [(each, worth) for each in offered if (worth := saving(each)) is not None]
        if not self.must_cover:
            known = [(each, worth) for each, worth in known if worth > 0]
        options = [Option(frozenset(each.fragment.positions), worth) for each, worth in known]
        chosen = choose(self.reads, options, most=self.most, covered=self.must_cover)
        return [known[place][0] for place in chosen or ()]


def _worth(each: Place) -> float:
    """For sorting, the best first."""
    return -(each.saving_us or 0.0)
