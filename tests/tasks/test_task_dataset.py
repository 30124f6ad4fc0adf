"""Data sets in both column forms, from every kind of local path, and what the hub's absence says."""

import sys
import time

import datasets
import pytest

from tritonrl.errors import UserError
from tritonrl.tasks import load_task, load_tasks
from tritonrl.tasks.sources import hub

datasets.disable_progress_bars()

BENCH = """import torch.nn as nn
class Model(nn.Module):
    def forward(self, x): return x + {}
def get_inputs(): return []
def get_init_inputs(): return []
"""
BOOK = """import torch.nn as nn
class Inner(nn.Module):
    pass
class Outer(nn.Module):
    def __init__(self, dim): super().__init__()
def get_inputs(): return []
def get_init_inputs(): return {}
"""


def bench(level, *problems):
    return datasets.Dataset.from_list(
        [{"code": BENCH.format(p), "level": level, "name": f"{p}_Add", "problem_id": p} for p in problems]
    )


def book(*entries, **extra):
    rows = [
        {
            "python_code": BOOK.format("[[3], {}]"),
            "entry_point": entry,
            "uuid": 40 + i,
            "repo_name": "a/b",
            **extra,
        }
        for i, entry in enumerate(entries)
    ]
    return datasets.Dataset.from_list(rows)


def message(spec):
    with pytest.raises(UserError) as caught:
        list(load_tasks(spec))
    return str(caught.value)


def ids(spec):
    return [task.id for task in load_tasks(spec)]


@pytest.fixture
def parquet_folder(tmp_path):
    for level, problems in ((1, (1, 2)), (2, (7,))):
        bench(level, *problems).to_parquet(tmp_path / "data" / f"level_{level}-00000-of-00001.parquet")
    return tmp_path


def test_kernelbench_rows_of_all_splits(parquet_folder):
    tasks = list(load_tasks(f"hf:{parquet_folder}"))
    assert [task.id for task in tasks] == ["level1/1_Add", "level1/2_Add", "level2/7_Add"]
    last = tasks[-1]
    assert (last.level, last.problem, last.path, last.source) == (2, 7, None, BENCH.format(7))
    assert (last.kind, last.entry, last.init_style) == ("kernelbench", "Model", "args")


def test_one_split(parquet_folder):
    assert ids(f"hf:{parquet_folder}:level_2") == ["level2/7_Add"]
    assert load_task(f"hf:{parquet_folder}:level_2").problem == 7
    assert message(f"hf:{parquet_folder}:test") == (
        f"hf:{parquet_folder}: unknown split 'test'; known: level_1, level_2"
    )


def test_saved_with_splits(tmp_path):
    datasets.DatasetDict({"level_1": bench(1, 3), "level_2": bench(2, 4)}).save_to_disk(tmp_path / "d")
    assert ids(f"hf:{tmp_path}/d") == ["level1/3_Add", "level2/4_Add"]
    assert ids(f"hf:{tmp_path}/d:level_1") == ["level1/3_Add"]


def test_saved_without_splits(tmp_path):
    bench(1, 3).save_to_disk(tmp_path / "d")
    assert ids(f"hf:{tmp_path}/d:train") == ["level1/3_Add"]


@pytest.mark.parametrize("suffix", ["parquet", "json", "jsonl"])
def test_one_data_file(tmp_path, suffix):
    path = tmp_path / f"rows.{suffix}"
    (bench(1, 3).to_parquet if suffix == "parquet" else bench(1, 3).to_json)(path)
    assert ids(f"hf:{path}") == ["level1/3_Add"]


def test_a_colon_may_belong_to_the_path(tmp_path):
    bench(1, 3).save_to_disk(tmp_path / "a:b")
    assert ids(f"hf:{tmp_path}/a:b") == ["level1/3_Add"]


def test_home_is_understood(tmp_path, monkeypatch):
    bench(1, 3).save_to_disk(tmp_path / "d")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert ids("hf:~/d") == ["level1/3_Add"]


def test_name_without_its_number(tmp_path):
    bench(1, 3).map(lambda row: {**row, "name": "Add.py"}).save_to_disk(tmp_path / "d")
    assert ids(f"hf:{tmp_path}/d") == ["level1/3_Add"]


def test_kernelbook_rows(tmp_path):
    book("Outer", "Inner", triton_code="x").save_to_disk(tmp_path / "d")
    first, second = load_tasks(f"hf:{tmp_path}/d")
    assert (first.id, first.kind, first.entry, first.init_style) == ("40", "module", "Outer", "args_kwargs")
    assert (second.id, second.entry, second.level) == ("41", "Inner", None)


def test_kernelbook_init_inputs_that_are_no_literal(tmp_path):
    code = BOOK.format("make()")
    book("Outer", python_code=code).save_to_disk(tmp_path / "d")
    assert load_task(f"hf:{tmp_path}/d").init_style == "args_kwargs"


def test_bad_code_names_data_set_split_and_row(tmp_path):
    rows = datasets.concatenate_datasets([bench(1, 3), bench(1, 4).map(lambda row: {**row, "code": "x\n)"})])
    rows.save_to_disk(tmp_path / "d")
    assert message(f"hf:{tmp_path}/d") == (
        f"hf:{tmp_path}/d split train row 2: line 2 of its code: not valid Python: unmatched ')'"
    )
    book("Outer", "Missing").save_to_disk(tmp_path / "e")
    assert message(f"hf:{tmp_path}/e") == (
        f"hf:{tmp_path}/e split train row 2: line 1 of its code: no entry 'Missing'; it has: Inner, Outer"
    )


def test_unknown_columns_list_both_forms(tmp_path):
    datasets.Dataset.from_list([{"text": "x", "label": 1}]).save_to_disk(tmp_path / "d")
    assert message(f"hf:{tmp_path}/d") == (
        f"hf:{tmp_path}/d split train row 1: unknown columns text, label; expected at least "
        "code, level, name, problem_id (KernelBench) or python_code, entry_point, uuid (KernelBook)"
    )


@pytest.mark.parametrize(
    ("value", "what"), [(None, "expected int, found nothing"), ("one", "expected int, found str")]
)
def test_columns_of_another_type(tmp_path, value, what):
    row = {"code": BENCH, "level": value, "name": "Add", "problem_id": 1}
    datasets.Dataset.from_list([row]).save_to_disk(tmp_path / "d")
    assert message(f"hf:{tmp_path}/d") == f"hf:{tmp_path}/d split train row 1: column 'level': {what}"


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("a.parquet", b"no parquet", "cannot be loaded: "),
        ("a.json", b"{no json", "cannot be loaded: "),
        ("a.jsonl", b"", "is empty"),
        ("a.txt", b"x", "not a data file; expected one of: .parquet, .json, .jsonl"),
        ("d/a.bin", b"x", "cannot be loaded: "),
    ],
)
def test_files_that_are_no_data_set(tmp_path, name, content, what):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    spec = f"hf:{path if path.parent == tmp_path else path.parent}"
    text = message(spec)
    assert text.startswith(f"{spec}: {what}")
    assert "\n" not in text


def test_data_set_without_rows(tmp_path):
    empty = bench(1, 3).select([])
    empty.to_parquet(tmp_path / "a.parquet")
    assert message(f"hf:{tmp_path}/a.parquet") == f"hf:{tmp_path}/a.parquet: has no rows"
    # The library itself trips over an empty folder of its own.
    empty.save_to_disk(tmp_path / "d")
    assert message(f"hf:{tmp_path}/d").startswith(f"hf:{tmp_path}/d: cannot be loaded: IndexError: ")


@pytest.mark.parametrize("name", ["./none", "/none", "a/b/c", "none.parquet", "~/none"])
def test_missing_paths_do_not_ask_the_hub(name, monkeypatch):
    monkeypatch.setattr(hub, "_open_hub", lambda name: pytest.fail("asked the hub"))
    assert message(f"hf:{name}").endswith(": no such file or folder")


def test_names_that_cannot_be():
    assert message("hf:") == "hf:: names no data set; expected hf:NAME_OR_PATH or hf:NAME_OR_PATH:SPLIT"
    assert message("hf:a b") == "hf:a b: no such file or folder, and not a hub name, owner/name"


def test_without_the_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    assert message("hf:owner/name") == "data sets need the datasets library: pip install 'tritonrl[train]'"


@pytest.fixture
def no_network(monkeypatch, tmp_path):
    """The hub's address is a port where nobody listens, its cache an empty folder."""
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("huggingface_hub.hf_api.constants.ENDPOINT", "http://127.0.0.1:9")
    return tmp_path / "hub"


@pytest.mark.usefixtures("no_network")
def test_without_a_network_it_says_so_at_once():
    start_s = time.monotonic()
    assert message("hf:owner/name:train") == (
        "hf:owner/name: the hub cannot be reached and its cache here has no copy; give a local path instead"
    )
    # The library alone takes 23 s.
    assert time.monotonic() - start_s < hub.HUB_TIMEOUT_S + 1


def test_without_a_network_the_cache_serves(no_network):
    repository = no_network / "datasets--owner--name"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text("0" * 40)
    bench(1, 3).to_parquet(repository / "snapshots" / ("0" * 40) / "data" / "level_1-00000-of-00001.parquet")
    assert ids("hf:owner/name:level_1") == ["level1/3_Add"]


def test_data_set_that_the_hub_does_not_have(monkeypatch):
    import httpx2
    from huggingface_hub import HfApi
    from huggingface_hub.errors import RepositoryNotFoundError

    def answer(self, name, timeout):
        request = httpx2.Request("GET", "https://hub")
        raise RepositoryNotFoundError("404", response=httpx2.Response(404, request=request))

    monkeypatch.setattr(HfApi, "dataset_info", answer)
    assert message("hf:owner/name") == (
        "hf:owner/name: no such file or folder, and no data set on the hub that is open to you"
    )


def test_reachable_hub(monkeypatch):
    from huggingface_hub import HfApi

    monkeypatch.setattr(HfApi, "dataset_info", lambda self, name, timeout: None)
    loaded = datasets.DatasetDict({"level_1": bench(1, 3)})
    monkeypatch.setattr(datasets, "load_dataset", lambda name: loaded if name == "owner/name" else None)
    assert ids("hf:owner/name") == ["level1/3_Add"]
