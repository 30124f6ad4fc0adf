"""The whole red team on a device, timed: every cheat caught, every honest kernel accepted."""

import pytest

from tests.redteam.test_matrix import in_words
from tritonrl.redteam.corpus import HONEST, corpus
from tritonrl.redteam.matrix import CALL_SECONDS, TOTAL_SECONDS, document, try_cases
from tritonrl.verify import Settings
from tritonrl.verify.settings import choose_target

pytestmark = pytest.mark.gpu


def test_every_cheat_is_caught_and_every_honest_kernel_accepted(measured):
    settings = Settings(
        device="cuda", target=choose_target(None, "cuda"), timing=True, skip_layers=("lint",),
        total_seconds=TOTAL_SECONDS, call_seconds=CALL_SECONDS,
    )  # fmt: skip
    outcomes = list(try_cases(corpus(device="cuda"), settings))
    counts = document(outcomes)
    cheats, honest = counts["cheats"], counts["honest"]
    measured("cheats caught", f"{cheats['caught']} of {cheats['total']}", "all")
    measured("honest kernels accepted", f"{honest['accepted']} of {honest['total']}", "all")
    assert [in_words(each) for each in outcomes if not each.is_right] == []
    elsewhere = [each for each in outcomes if each.case.kind != HONEST and each.layer not in each.case.caught]
    measured("cheats caught by another layer than they say", str(len(elsewhere)), "")
