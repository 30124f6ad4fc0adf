"""The doctor: what it finds is true here, what is absent has a reason and a fix, and nothing crashes it."""

import ctypes
import errno
import importlib.metadata
import io
import os
import signal
import subprocess
import sys

import pytest
from pydantic import ValidationError
from rich.console import Console

from tritonrl import doctor
from tritonrl.doctor import Doctor, Extra, Feature, Gpu
from tritonrl.verify.sandbox import kernel

FEATURES = ["user_namespace", "network_namespace", "pid_namespace", "seccomp", "landlock", "bwrap"]


@pytest.fixture(scope="module")
def found():
    return doctor.examine()


def text(record, width=80):
    console = Console(width=width, file=io.StringIO())
    with console.capture() as captured:
        console.print(doctor.render(record))
    return captured.get()


def test_versions(found):
    assert found.versions["python"] == ".".join(map(str, sys.version_info[:3]))
    assert found.versions["torch"] == importlib.metadata.version("torch")
    assert {"tritonrl", "triton", "ortools", "pydantic"} <= found.versions.keys()


def test_machine(found):
    assert found.root == (os.geteuid() == 0)
    assert 1 <= found.cores <= (os.cpu_count() or 1)
    assert found.memory_bytes > 2**28


def test_every_feature_is_named_and_what_is_absent_has_reason_and_fix(found):
    assert list(found.sandbox) == FEATURES
    for feature in found.sandbox.values():
        assert (feature.reason is None) == (feature.fix is None) == feature.present


def test_gpu_or_a_reason(found):
    assert (found.gpu is None) == bool(found.gpu_reason)


def test_json_round_trip(found):
    assert Doctor.model_validate_json(found.model_dump_json()) == found


def test_records_are_frozen_and_strict(found):
    with pytest.raises(ValidationError, match="frozen"):
        found.root = True
    with pytest.raises(ValidationError, match="colour"):
        Feature.model_validate({"present": True, "colour": "red"})


@pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's")
def test_probing_leaves_this_process_as_it_was():
    def namespaces():
        return {
            name: os.readlink(f"/proc/self/ns/{name}") for name in ("user", "net", "pid", "pid_for_children")
        }

    before = namespaces()
    doctor._sandbox()
    assert namespaces() == before


def test_answers_in_a_fresh_process_without_a_warning():
    code = "from tritonrl.doctor import examine; print(examine().model_dump_json())"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert list(Doctor.model_validate_json(done.stdout).sandbox) == FEATURES
    assert done.stderr == ""


def test_importing_it_loads_no_torch():
    code = "import sys, tritonrl.doctor; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


class RefusingLibc:
    """A kernel that refuses everything with one errno, as an old one or a strict container does."""

    def __init__(self, code):
        self.code = code

    def refuse(self, *arguments):
        ctypes.set_errno(self.code)
        return -1

    unshare = prctl = syscall = refuse


def test_refusals_are_told(monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(kernel, "_libc", RefusingLibc(errno.EPERM))
    monkeypatch.setenv("PATH", "")
    sandbox = doctor._sandbox()
    assert not any(feature.present for feature in sandbox.values())
    assert {sandbox[name].reason for name in FEATURES[:-1]} == {"refused: Operation not permitted"}
    assert sandbox["bwrap"].reason == "not on PATH"


def test_a_child_that_is_killed_counts_as_refused():
    assert doctor._in_child(lambda: os.kill(os.getpid(), signal.SIGKILL) or 0) == errno.EPERM
    assert doctor._in_child(lambda: 0) == 0
    assert doctor._in_child(lambda: int(os.stat("/no/such/file").st_size)) == errno.ENOENT


def test_other_systems_simply_lack_the_features(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(doctor, "_gpu", lambda: "no GPU")
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("forked"))
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    record = doctor.examine()
    assert {record.sandbox[name].reason for name in FEATURES[:-1]} == {"only Linux has it"}
    assert record.cores == os.cpu_count()


@pytest.mark.parametrize("installed", [True, False])
def test_bwrap(monkeypatch, tmp_path, installed):
    monkeypatch.setenv("PATH", str(tmp_path))
    if installed:
        (tmp_path / "bwrap").touch(mode=0o755)
    feature = doctor._sandbox()["bwrap"]
    assert (feature.present, feature.detail) == (installed, str(tmp_path / "bwrap") if installed else None)


def test_extras_come_from_the_metadata(monkeypatch):
    lines = [
        "torch>=2.11",
        'triton>=3.6; sys_platform == "linux"',
        "absent-core>=1",
        "pytest>=9; extra == 'some'",
        'no-such-package[all]>=2; python_version > "3" and extra == "some"',
        "pytest; extra == 'whole'",
    ]
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: lines)
    monkeypatch.setattr(doctor, "_gpu", lambda: "no GPU")
    record = doctor.examine()
    assert list(record.versions) == ["python", "tritonrl", "torch", "triton", "absent-core"]
    assert record.versions["absent-core"] is None
    assert record.extras == {
        "some": Extra(present=False, missing=("no-such-package",), install="pip install 'tritonrl[some]'"),
        "whole": Extra(present=True, missing=(), install="pip install 'tritonrl[whole]'"),
    }


def test_extras_of_this_project(found):
    assert {"train", "cluster", "serve", "dev"} <= found.extras.keys()


def test_without_metadata_it_still_answers(monkeypatch):
    def requires(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "requires", requires)
    monkeypatch.setattr(doctor, "_gpu", lambda: "no GPU")
    record = doctor.examine()
    assert (list(record.versions), record.extras) == (["python", "tritonrl"], {})
    assert "Extras" not in text(record)


def test_without_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert doctor._gpu() == "torch is not installed"


def test_render_says_what_is_there_and_how_to_get_the_rest():
    record = Doctor(
        versions={"python": "3.12.1", "triton": None},
        gpu=Gpu(name="Card", memory_bytes=80 * 2**30, compute_capability="9.0", driver="580.1", count=2),
        gpu_reason=None,
        sandbox={
            "landlock": Feature(present=True, detail="ABI 5"),
            "seccomp": Feature(present=False, reason="refused: x", fix="newer kernel"),
        },
        root=False,
        cores=4,
        memory_bytes=16 * 2**30,
        extras={"train": Extra(present=False, missing=("trl",), install="pip install 'tritonrl[train]'")},
    )
    lines = [" ".join(line.split()) for line in text(record).splitlines()]
    for expected in (
        "✓ python 3.12.1",
        "✗ triton not installed",
        "→ pip install triton",
        "✓ host 4 cores, 16 GiB, not root",
        "✓ gpu 2 of Card, 80 GiB, compute 9.0, driver 580.1",
        "✓ landlock ABI 5",
        "✗ seccomp refused: x",
        "→ newer kernel",
        "✗ train no trl",
        "→ pip install 'tritonrl[train]'",
    ):
        assert expected in lines


def test_render_without_a_gpu_gives_the_reason(found):
    record = found.model_copy(update={"gpu": None, "gpu_reason": "no [bold] card"})
    assert "no [bold] card" in text(record)
    assert max(map(len, text(record, width=40).splitlines())) <= 40
