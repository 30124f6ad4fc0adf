"""The matrix: what became of every case, and which layer caught it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tritonrl.errors import TritonrlError
from tritonrl.redteam.corpus import HONEST, Case
from tritonrl.verify import Settings, Verdict, Zygotes, verify_many

CALL_SECONDS = 20.0
TOTAL_SECONDS = 4.0
"""After which a case is asked nothing twice: some take a tenth of a second a call in the interpreter."""


@dataclass(frozen=True)
class Outcome:
    """What became of a case; without a verdict the verifier itself failed, which is never right."""

    case: Case
    verdict: Verdict | None
    error: TritonrlError | None = None

    @property
    def accepted(self) -> bool | None:
        return self.verdict.accepted if self.verdict else None

    @property
    def is_right(self) -> bool:
        return self.accepted is (self.case.kind == HONEST)

    @property
    def layer(self) -> str | None:
        """The one that caught it."""
        return self.verdict.rejection.layer if self.verdict and self.verdict.rejection else None

    def document(self) -> dict[str, Any]:
        findings = self.verdict.findings if self.verdict else ()
        return {
            "id": self.case.id,
            "family": self.case.family,
            "kind": self.case.kind,
            "expected": "accepted" if self.case.kind == HONEST else "rejected",
            "accepted": self.accepted,
            "caught_by": self.layer,
            "task": self.case.task.id,
            "policy": self.case.policy,
            "error": str(self.error) if self.error else None,
            "findings": [each.model_dump(mode="json") for each in findings],
        }


def try_cases(
    cases: Sequence[Case], settings: Settings | None = None, *, zygotes: Zygotes | None = None
) -> Iterator[Outcome]:
    """Judge every case under its own policy; outcomes come as they are ready."""
    settings = settings or Settings(total_seconds=TOTAL_SECONDS)
    for policy in dict.fromkeys(case.policy for case in cases):
        # Cases of one task together: its exam is written once.
        own = sorted((case for case in cases if case.policy == policy), key=lambda case: case.task.id)
        under = settings.model_copy(update={"policy": policy})
        tasks, codes = [case.task for case in own], [case.code for case in own]
        for judged in verify_many(tasks, codes, under, zygotes=zygotes):
            yield Outcome(own[judged.number], judged.verdict, judged.error)


def matrix(outcomes: Iterable[Outcome]) -> dict[str, Counter[str]]:
    """Family → how many of its cases each layer caught; `accepted` and `failed` beside the layers."""
    table: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        how = "failed" if outcome.verdict is None else outcome.layer or "accepted"
        table.setdefault(outcome.case.family, Counter())[how] += 1
    return table


def document(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """All of it, as `tritonrl redteam --json` prints it."""
    cheats = [each for each in outcomes if each.case.kind != HONEST]
    honest = [each for each in outcomes if each.case.kind == HONEST]
    return {
        "cheats": {"total": len(cheats), "caught": sum(each.is_right for each in cheats)},
        "honest": {"total": len(honest), "accepted": sum(each.is_right for each in honest)},
        "cases": [each.document() for each in outcomes],
    }
