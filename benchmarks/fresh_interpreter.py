"""What a plain evaluator does in a process of its own: the other side of `benchmarks/verifier.py`.

python benchmarks/fresh_interpreter.py interpret|compile|gpu TASK.py CANDIDATE.py

`interpret` calls task and candidate 30 times on fresh inputs of the task and compares with `allclose`;
`compile` calls the candidate once and compiles what it launches to a cubin. They are two processes because
one that has interpreted cannot compile. `gpu` is both in one: as many calls on a GPU, of functional tasks,
whose inputs are drawn there.
"""

import importlib.util
import os
import sys
from types import ModuleType
from typing import Any

NUM_CALLS = 30
CLOSE = {"interpret": 1e-4, "gpu": 1e-2}
"""Tolerance, absolute and relative. On a GPU programs are of any operators, and long sums are off by more
than the tighter one allows: there it is KernelBench's, as it was published."""


def main() -> None:
    how, task_file, candidate_file = sys.argv[1:]
    if how == "interpret":
        os.environ["TRITON_INTERPRET"] = "1"
    import torch

    torch.backends.cudnn.allow_tf32 = False  # candidates are IEEE, and PyTorch's convolutions are not
    if how == "compile":
        compile_only()
    task, candidate = load(task_file, "task"), load(candidate_file, "candidate")
    reference, entry = (
        make(task, "fused_operator", "Model"),
        make(candidate, "triton_fused_operator", "ModelNew", task),
    )
    for _ in range(1 if how == "compile" else NUM_CALLS):
        with torch.device("cuda" if how == "gpu" else "cpu"):
            inputs = task.get_inputs()
        with torch.no_grad():
            pairs = zip(listed(reference(*inputs)), listed(entry(*inputs)), strict=True)
        assert how == "compile" or all(torch.allclose(a, b, CLOSE[how], CLOSE[how]) for a, b in pairs)


def compile_only() -> None:
    """Every launch becomes a compilation for sm_90, as it would be on the first call on a GPU."""
    from triton.backends.compiler import GPUTarget
    from triton.runtime.driver import driver
    from triton.runtime.jit import JITFunction

    class Named:
        def get_current_target(self) -> GPUTarget:
            return GPUTarget("cuda", 90, 32)

        def get_current_device(self) -> int:
            return 0

        def get_current_stream(self, device: int) -> int:
            return 0

    driver.set_active(Named())
    run = JITFunction.run
    JITFunction.run = lambda self, *args, warmup, **kwargs: run(self, *args, warmup=True, **kwargs)


def load(file: str, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make(module: ModuleType, function: str, module_class: str, task: ModuleType | None = None) -> Any:
    import torch

    if hasattr(module, function):
        return getattr(module, function)
    torch.manual_seed(0)
    return getattr(module, module_class)(*(task or module).get_init_inputs())


def listed(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (list, tuple)) else [result]


if __name__ == "__main__":
    main()
