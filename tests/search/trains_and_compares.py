"""Run by tests as `python -S FILE SITE FOLDER NAME...`. For each module file and its drop-in: trains the
first, gives its state to the second, and compares what they compute. Only the packages of SITE are there."""

import importlib.util
import sys

site, folder, *names = sys.argv[1:]
sys.path.append(site)

import torch  # noqa: E402


def load(path: str):
    spec = importlib.util.spec_from_file_location("loaded", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def leaves(result):
    return list(result) if isinstance(result, tuple) else [result]


for name in names:
    torch.manual_seed(0)
    old, new = (load(f"{folder}/{name}{end}.py") for end in ("", ".triton"))
    arguments = old.get_init_inputs() if hasattr(old, "get_init_inputs") else []
    trained, stand_in = old.Net(*arguments), new.Net(*arguments)
    before = {key: value.clone() for key, value in trained.state_dict().items()}
    steps = torch.optim.SGD(trained.parameters(), lr=0.05)
    for _ in range(5):
        steps.zero_grad()
        sum(each.float().square().mean() for each in leaves(trained(*old.get_inputs()))).backward()
        steps.step()
    assert any(not torch.equal(before[key], value) for key, value in trained.state_dict().items()), name
    stand_in.load_state_dict(trained.state_dict(), strict=True)
    calls = []
    stand_in._forward_in_torch = lambda *_, calls=calls, **__: calls.append(1)
    inputs = old.get_inputs()
    with torch.no_grad():
        expected, found = trained(*inputs), stand_in(*inputs)
    assert not calls, f"{name}: the kernels were not asked"
    tolerance = 2e-3 if inputs[0].dtype == torch.float16 else 1e-5
    for one, other in zip(leaves(expected), leaves(found), strict=True):
        torch.testing.assert_close(other, one, atol=tolerance, rtol=tolerance)
    for key, value in trained.state_dict().items():
        torch.testing.assert_close(stand_in.state_dict()[key], value, atol=1e-5, rtol=1e-5)
    print(name)  # noqa: T201
assert not any(name.startswith("tritonrl") for name in sys.modules)
