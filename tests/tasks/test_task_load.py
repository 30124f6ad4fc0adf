"""Files, folders and JSONL rows: ids, order, one interface, and the message for every bad spec."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritonrl.errors import UserError
from tritonrl.tasks import TaskError, load_task, load_tasks
from tritonrl.tasks.load import SOURCES

FUNCTIONAL = "def get_inputs(): return []\n\ndef fused_operator(tensor_0): return [tensor_0]\n"
MODEL = """import torch.nn as nn

class Model(nn.Module):
    def __init__(self, scale): super().__init__()

def get_inputs(): return []

def get_init_inputs(): return [2]
"""


def message(spec):
    with pytest.raises(UserError) as caught:
        list(load_tasks(spec))
    return str(caught.value)


def write(path, text=MODEL):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def write_rows(path, *rows):
    return write(path, "".join(json.dumps(row) + "\n" for row in rows))


def row(name, **fields):
    return {"id": name, "level": 2, "ops": ["add", "exp"], "source": FUNCTIONAL, "seed": 7, **fields}


def test_kernelbench_file(tmp_path):
    path = write(tmp_path / "level1" / "19_Scale.py")
    task = load_task(path)
    assert (task.id, task.level, task.problem) == ("level1/19_Scale", 1, 19)
    assert (task.kind, task.entry, task.init_style) == ("kernelbench", "Model", "args")
    assert (task.source, task.path) == (MODEL, str(path))


def test_id_of_a_file_does_not_depend_on_the_working_directory(tmp_path, monkeypatch):
    write(tmp_path / "level1" / "19_Scale.py")
    monkeypatch.chdir(tmp_path / "level1")
    assert load_task("19_Scale.py").id == "level1/19_Scale"


def test_file_outside_a_level(tmp_path):
    task = load_task(write(tmp_path / "mine" / "net.py", FUNCTIONAL))
    assert (task.id, task.kind, task.level, task.problem) == ("net", "functional", None, None)


def test_named_class(tmp_path):
    path = write(tmp_path / "net.py", MODEL + "\nclass Other(nn.Module):\n    pass\n")
    task = load_task(f"{path}:Other")
    assert (task.id, task.kind, task.entry) == ("net:Other", "module", "Other")
    assert message(f"{path}:Third") == f"{path}:1: no entry 'Third'; it has: Model, Other"


def test_a_colon_may_belong_to_the_file_name(tmp_path):
    assert load_task(write(tmp_path / "a.py:b.py")).id == "a.py:b"
    assert load_task(write_rows(tmp_path / "a.jsonl:b.jsonl", row("x"))).id == "x"


def test_loading_does_not_execute(tmp_path):
    trace = tmp_path / "trace"
    effect = f"open({str(trace)!r}, 'w').close()\n"
    source = effect + FUNCTIONAL.replace("tensor_0):", f"tensor_0, x={effect.strip()}):")
    load_task(write(tmp_path / "t.py", source))
    load_task(write_rows(tmp_path / "t.jsonl", row("a", source=source)))
    assert not trace.exists()
    exec(compile(source, "t.py", "exec"), {})
    assert trace.exists()


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("x = 1\ny = (\n", 2, "not valid Python: '(' was never closed"),
        ("x = 1\n", 1, "no entry points; expected class Model with get_inputs() and get_init_inputs(), "),
        ("a = 0\nb = '\0'\n", 2, "contains a null byte; expected Python text"),
        (MODEL.replace("def get_init", "def other"), 3, "class Model needs constructor arguments (scale); "),
    ],
)
def test_errors_name_file_and_line(tmp_path, text, line, what):
    path = write(tmp_path / "t.py", text)
    assert message(path).startswith(f"{path}:{line}: {what}")


def test_unreadable_files(tmp_path):
    path = tmp_path / "t.py"
    assert message(path) == f"{path}: cannot be read: No such file or directory"
    path.write_bytes(b"x = 1\n\xff\n")
    assert message(path) == f"{path}:2: not UTF-8 text; save the file as UTF-8"
    path.write_bytes("é".encode() * (1 << 20))
    assert message(path) == f"{path}: larger than 1 MiB; expected one task"
    path.write_bytes(b"#" * ((1 << 20) - 1) + "é".encode())
    assert message(path) == f"{path}: larger than 1 MiB; expected one task"


def test_newlines_are_normalised_and_the_byte_order_mark_dropped(tmp_path):
    path = tmp_path / "t.py"
    path.write_bytes(b"\xef\xbb\xbf" + FUNCTIONAL.replace("\n", "\r\n").encode())
    assert load_task(path).source == FUNCTIONAL


def test_a_path_through_a_file(tmp_path):
    path = write(tmp_path / "t.py")
    assert message(path / "u.py") == f"{path}/u.py: cannot be read: Not a directory"


def test_a_pipe_is_not_waited_for(tmp_path):
    path = tmp_path / "t.py"
    os.mkfifo(path)
    assert message(path) == f"{path}: is not a regular file; expected a Python file"


def test_a_folder_below_a_python_name_is_read_as_a_folder(tmp_path):
    folder = write(tmp_path / "x.py" / "a.py").parent
    assert [task.id for task in load_tasks(folder)] == ["a"]
    assert message(f"{folder}:Net") == f"{folder}: is a directory; expected a Python file"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_file_without_permission(tmp_path):
    path = write(tmp_path / "t.py")
    path.chmod(0)
    assert message(path) == f"{path}: cannot be read: Permission denied"


def test_folder_order_and_ids(tmp_path):
    names = [
        "level2/1_B",
        "level10/2_A",
        "level1/19_A",
        "level1/2_B",
        "level1/100_C",
        "free/net10",
        "free/net9",
    ]
    for name in names:
        write(tmp_path / f"{name}.py")
    for skipped in ("__init__.py", ".hidden.py", ".git/a.py", "level1/__pycache__/a.py", "level1/readme.md"):
        write(tmp_path / skipped, "not a task")
    tasks = list(load_tasks(tmp_path))
    assert [task.id for task in tasks] == [
        *("level1/2_B", "level1/19_A", "level1/100_C", "level2/1_B", "level10/2_A", "free/net9", "free/net10")
    ]
    assert [(task.level, task.problem) for task in tasks[:2]] == [(1, 2), (1, 19)]


def test_ids_are_the_same_from_the_folder_of_a_level(tmp_path):
    write(tmp_path / "level3" / "1_A.py")
    whole, level = load_task(tmp_path), load_task(tmp_path / "level3")
    assert whole.id == level.id == "level3/1_A"


def test_folder_without_tasks(tmp_path):
    write(tmp_path / "notes.txt", "x")
    assert message(tmp_path) == f"{tmp_path}: has no Python files; expected a folder of task files"


def test_folder_with_a_file_that_is_no_task(tmp_path):
    write(tmp_path / "a.py")
    bad = write(tmp_path / "b.py", "x = 1\n")
    tasks = load_tasks(tmp_path)
    assert next(tasks).id == "a"
    with pytest.raises(TaskError, match="no entry points") as caught:
        next(tasks)
    assert str(caught.value).startswith(f"{bad}:1: ")


def test_jsonl_rows(tmp_path):
    path = write_rows(
        tmp_path / "t.jsonl",
        row("a", program={"n": 1}),
        row("b", ops=None, level=None, profile="cpu", index=1),
    )
    first, second = load_tasks(path)
    assert (first.id, first.kind, first.level, first.ops) == ("a", "functional", 2, ("add", "exp"))
    assert (first.program, first.path, first.source) == ({"n": 1}, str(path), FUNCTIONAL)
    assert (second.id, second.level, second.ops, second.program) == ("b", None, None, None)


def test_jsonl_row_by_id_or_line(tmp_path):
    path = write(
        tmp_path / "t.jsonl", f"{json.dumps(row('x:1'))}\n\n{json.dumps(row('1'))}\n{json.dumps(row('c'))}\n"
    )
    assert load_task(f"{path}:x:1").id == "x:1"
    assert load_task(f"{path}:4").id == "c"
    assert load_task(f"{path}:1").id == "1"
    assert message(f"{path}:2") == f"{path}: no row with id '2', and no such line"
    assert message(f"{path}:d") == f"{path}: no row with id 'd', and no such line"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{", "not valid JSON"),
        ("[]", "expected a JSON object, found list"),
        ("{}", "field 'id': Field required; expected at least id and source"),
        (
            '{"id": 3, "source": ""}',
            "field 'id': Input should be a valid string; expected at least id and source",
        ),
        ('{"id": "a", "source": "", "ops": [1]}', "field 'ops.0': Input should be a valid string"),
        ('{"id": "a", "source": "x"}', "line 1 of its code: no entry points; expected class Model"),
        ('{"id": "a", "source": "x\\n)"}', "line 2 of its code: not valid Python: unmatched ')'"),
        ('{"id": "a", "source": "\\ud800"}', "line 1 of its code: not valid Python: contains characters"),
    ],
)
def test_bad_rows_name_file_and_line(tmp_path, text, what):
    path = write(tmp_path / "t.jsonl", f"{json.dumps(row('a'))}\n{text}\n")
    assert message(path).startswith(f"{path}:2: {what}")


def test_jsonl_without_rows(tmp_path):
    path = write(tmp_path / "t.jsonl", "\n")
    assert message(path) == f"{path}: has no rows; expected one task a line"
    assert (
        message(tmp_path / "none.jsonl")
        == f"{tmp_path}/none.jsonl: cannot be read: No such file or directory"
    )


def test_load_task_wants_exactly_one(tmp_path):
    path = write_rows(tmp_path / "t.jsonl", row("a"), row("b"))
    with pytest.raises(TaskError) as caught:
        load_task(path)
    assert str(caught.value) == f"{path}: names several tasks; name one, as FILE.jsonl:ID"


@pytest.mark.parametrize("spec", ["", "model", "a.txt", "no/such/folder/", "x\0.py", "\udce9\ud800.py"])
def test_unknown_spec_lists_the_forms(spec):
    text = message(spec)
    assert "no such file or folder; expected one of: " in text
    assert all(source.form in text for source in SOURCES)


def test_file_of_another_kind(tmp_path):
    path = write(tmp_path / "a.txt", "x")
    assert message(path).startswith(f"'{path}': not a task; expected one of: ")


@given(st.text())
def test_arbitrary_spec_gives_an_error_of_ours(spec):
    # A spec of the prefix `hf:` would ask the network, and the file names here exist nowhere.
    assert "\n" not in message(f"/nowhere/{spec}.py")
    assert "\n" not in message(f"/nowhere/{spec}")


@given(st.text())
def test_arbitrary_file_content_gives_an_error_of_ours(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("any")
    for name in ("t.py", "t.jsonl"):
        (folder / name).write_text(text, encoding="utf-8")
        assert "\n" not in message(folder / name)
