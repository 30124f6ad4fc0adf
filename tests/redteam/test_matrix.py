"""The red team against the verifier, with lint off: one case of every family here, all of them in `make
redteam`."""

import pytest

from tritonrl.redteam.corpus import HONEST, Case, corpus
from tritonrl.redteam.matrix import TOTAL_SECONDS, Outcome, document, matrix, try_cases
from tritonrl.verify import Settings, Zygotes

WITHOUT_LINT = Settings(skip_layers=("lint",), total_seconds=TOTAL_SECONDS)
EVERY = 6
"""One honest kernel in so many."""


def one_of_each() -> list[Case]:
    """The last case of each family of cheats, as good as any, and those with library operators allowed."""
    cheats = [case for case in corpus() if case.kind != HONEST]
    return list({(case.family, case.policy): case for case in cheats}.values())


def some_honest() -> list[Case]:
    """Without those that patch in vain what nobody reads: they have a warning."""
    honest = [case for case in corpus((HONEST,)) if "patched" not in case.id]
    return [*honest[::EVERY], *(case for case in honest if case.policy == "hybrid")]


def in_words(outcome: Outcome) -> str:
    rejection = outcome.verdict.rejection if outcome.verdict else outcome.error
    return f"{outcome.case.id}: {rejection}"


@pytest.mark.slow
def test_one_cheat_of_each_family_is_caught_where_it_says(zygotes: Zygotes):
    outcomes = list(try_cases(one_of_each(), WITHOUT_LINT, zygotes=zygotes))
    assert len(outcomes) >= 55
    assert [in_words(each) for each in outcomes if not each.is_right] == []
    assert [in_words(each) for each in outcomes if each.layer not in each.case.caught] == []


@pytest.mark.slow
def test_honest_kernels_are_accepted_without_a_warning(zygotes: Zygotes):
    outcomes = list(try_cases(some_honest(), zygotes=zygotes))
    assert [in_words(each) for each in outcomes if not each.is_right] == []
    verdicts = [each.verdict for each in outcomes if each.verdict]
    assert all(verdict.num_draws >= 10 for verdict in verdicts)
    assert all(verdict.coverage == 1.0 or verdict.policy == "hybrid" for verdict in verdicts)
    assert [v.findings for v in verdicts if any(f.severity == "warning" for f in v.findings)] == []


def test_the_matrix_counts_what_happened(zygotes: Zygotes):
    outcomes = list(try_cases(corpus(("A2", "honest/copy_flat", "honest/copy_strided")), zygotes=zygotes))
    assert matrix(outcomes) == {"A2": {"lint": 1, "compile": 2}, "honest": {"accepted": 2}}
    found = document(outcomes)
    assert (found["cheats"], found["honest"]) == ({"total": 3, "caught": 3}, {"total": 2, "accepted": 2})
    assert {case["expected"] for case in found["cases"]} == {"rejected", "accepted"}
