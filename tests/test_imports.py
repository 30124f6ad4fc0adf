"""The small public surface: what a room exports exists, and is all that it promises."""

import importlib

import pytest


@pytest.mark.parametrize(
    "room",
    [
        "tritonrl.llm",
        "tritonrl.policy",
        "tritonrl.policy.local",
        "tritonrl.policy.nano",
        "tritonrl.program",
        "tritonrl.synth",
        "tritonrl.tasks",
        "tritonrl.verify",
    ],
)
def test_exports_are_there_and_sorted(room: str):
    module = importlib.import_module(room)
    assert module.__all__ == sorted(
        module.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name)
    )
    assert all(hasattr(module, name) for name in module.__all__)
