"""The corpus: every wrong kernel is rejected, every honest one accepted, each for the reason that it has."""

import pytest

from tests.verify.corpus import Case, cases
from tritonrl.verify import Settings, Verdict, Zygotes, verify_many

WHERE = {"compile": {"compile"}, "E8": {"compile", "correct"}, "A2": {"lint", "compile"}}
"""Layers that may catch a rule; any other rule is caught by `correct`."""


def judged(found: list[Case], zygotes: Zygotes) -> dict[str, Verdict]:
    verdicts = {}
    tasks, codes = [case.task for case in found], [case.code for case in found]
    # Some take a tenth of a second a call in the interpreter: after four seconds nothing is asked twice.
    for each in verify_many(tasks, codes, Settings(total_seconds=4.0), zygotes=zygotes):
        assert each.verdict, each.error
        verdicts[found[each.number].name] = each.verdict
    return verdicts


def test_the_corpus_covers_what_it_says():
    honest, wrong = cases("honest"), cases("wrong")
    assert len(honest) >= 60
    assert len(wrong) >= 60
    assert {case.task.id for case in honest} >= {case.task.id for case in wrong}
    rules = {case.rule for case in wrong}
    assert rules >= {"A2", "B4", "B5", "B6", "B8", "C1", "C2", "C3", "C4", "C5", "C10"}
    assert rules >= {"E1", "E3", "E4", "E5", "E7", "E8", "compile", "correct"}


@pytest.mark.slow
def test_every_honest_kernel_is_accepted(zygotes: Zygotes):
    found = cases("honest")
    verdicts = judged(found, zygotes)
    assert {name: v.findings for name, v in verdicts.items() if not v.accepted} == {}
    assert all(verdict.num_draws >= 10 for verdict in verdicts.values())
    assert sum(verdict.num_calls >= 30 for verdict in verdicts.values()) >= 0.7 * len(verdicts)
    assert not [name for name, v in verdicts.items() if any(f.severity == "warning" for f in v.findings)]


@pytest.mark.slow
def test_every_wrong_kernel_is_rejected_where_it_should_be(zygotes: Zygotes):
    found = cases("wrong")
    verdicts = judged(found, zygotes)
    assert [name for name, verdict in verdicts.items() if verdict.accepted] == []
    layers = {case.name: (case.rule, verdicts[case.name].rejection) for case in found}
    astray = {n: (rule, f) for n, (rule, f) in layers.items() if f.layer not in WHERE.get(rule, {"correct"})}
    assert astray == {}
