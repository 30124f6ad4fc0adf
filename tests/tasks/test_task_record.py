"""The record: frozen, strict about its keys, and the same after a trip through JSON."""

import pytest
from pydantic import ValidationError

import tritonrl.tasks
from tritonrl.errors import UserError
from tritonrl.tasks import Task, TaskError

FIELDS = {
    "id": "level1/3_Add",
    "kind": "kernelbench",
    "source": "x = 1",
    "entry": "Model",
    "init_style": "args",
}


@pytest.mark.parametrize(
    ("kind", "name"),
    [("kernelbench", "ModelNew"), ("module", "ModelNew"), ("functional", "triton_fused_operator")],
)
def test_candidate_entry_follows_the_kind(kind, name):
    assert Task.model_validate({**FIELDS, "kind": kind}).candidate_entry == name


def test_json_round_trip():
    task = Task.model_validate(
        {**FIELDS, "level": 1, "problem": 3, "program": {"v": 1}, "ops": ("add", "exp")}
    )
    assert Task.model_validate_json(task.model_dump_json()) == task


def test_is_frozen():
    with pytest.raises(ValidationError, match="frozen"):
        Task.model_validate(FIELDS).id = "other"


@pytest.mark.parametrize(
    "change", [{"colour": "red"}, {"kind": "kernel"}, {"init_style": None}, {"entry": None}]
)
def test_refuses_unknown_keys_and_values(change):
    with pytest.raises(ValidationError, match=next(iter(change))):
        Task.model_validate({**FIELDS, **change})


def test_task_error_is_a_user_error_on_one_line():
    error = TaskError("a\nb.py:3", "wrong\n  thing")
    assert str(error) == "a b.py:3: wrong thing"
    assert isinstance(error, UserError)
    assert error.exit_code == 2


def test_all_is_complete():
    public = {name for name, value in vars(tritonrl.tasks).items() if not name.startswith("_")}
    submodules = {"load", "outline", "parse", "sources", "task"}
    assert set(tritonrl.tasks.__all__) == public - submodules
