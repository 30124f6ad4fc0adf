"""A folder of KernelBench-style files with odd things in them, and what must become of each."""

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n\n\n"
MODEL = "class Model(nn.Module):\n"
INPUTS = "\n\ndef get_inputs():\n    return [torch.randn(6, 20)]\n"
NO_INIT = "\n\ndef get_init_inputs():\n    return []\n"


def _forward(*lines: str, arguments: str = "x", inputs: str = INPUTS, init: str = NO_INIT) -> str:
    body = "".join(f"        {line}\n" for line in lines)
    return f"{HEAD}{MODEL}    def forward(self, {arguments}):\n{body}{inputs}{init}"


def _module(built: str, *lines: str, inputs: str = INPUTS, parameters: str = "self") -> str:
    made = "".join(f"        {line}\n" for line in ("super().__init__()", *built.split("; ")))
    body = "".join(f"        {line}\n" for line in lines)
    methods = f"    def __init__({parameters}):\n{made}\n    def forward(self, x):\n{body}"
    return f"{HEAD}{MODEL}{methods}{inputs}{NO_INIT}"


SCORED, NO_ANSWER, UNUSABLE = "scored", "no answer", "unusable"

FILES: dict[str, tuple[str, str, str]] = {
    "01_no_init_inputs": (SCORED, "", _forward("return torch.relu(x) + 1.0", init="")),
    "02_keyword_init_inputs": (
        SCORED, "",
        _module("self.scale = scale", "return torch.tanh(x) * self.scale", parameters="self, *, scale=2.0")
        .replace("return []\n", "return [[], {'scale': 3.0}]\n"),
    ),
    "03_several_outputs": (SCORED, "", _forward("return torch.exp(x), x.sum(dim=1)")),
    "04_integer_inputs": (
        SCORED, "",
        _forward(
            "return F.cross_entropy(x, target)", arguments="x, target",
            inputs="\n\ndef get_inputs():\n    return [torch.randn(6, 20), torch.randint(0, 20, (6,))]\n",
        ),
    ),
    "05_in_place_inside": (SCORED, "", _forward("y = x * 2.0", "y.add_(1.0)", "return y.relu_()")),
    "06_in_place_on_an_input": (
        NO_ANSWER, "changes its inputs in place", _forward("x.mul_(2.0)", "return x + 1.0")
    ),
    "07_buffer": (
        SCORED, "",
        _module("self.register_buffer('shift', torch.linspace(0, 1, 20))", "return x + self.shift"),
    ),
    "08_train_mode_batch_norm": (
        SCORED, "", _module("self.norm = nn.BatchNorm1d(20)", "return self.norm(x)")
    ),
    "09_dropout": (UNUSABLE, "random", _module("self.drop = nn.Dropout(0.5)", "return self.drop(x) + 1.0")),
    "10_huge": (
        UNUSABLE, "task",
        _forward("return x + 1.0", inputs="\n\ndef get_inputs():\n    return [torch.randn(2**20, 2**20)]\n"),
    ),
    "11_syntax_error": (UNUSABLE, "syntax", f"{HEAD}class Model(nn.Module:\n    pass\n{INPUTS}"),
    "12_slow_import": (
        SCORED, "", "import time\n\ntime.sleep(2)\n" + _forward("return torch.sigmoid(x)")
    ),
    "13_missing_library": (
        UNUSABLE, "no_such_library", "import no_such_library\n" + _forward("return x * 3.0")
    ),
    "14_no_model": (UNUSABLE, "Model", f"{HEAD}def helper(x):\n    return x\n{INPUTS}"),
    "15_returns_a_dict": (SCORED, "", _forward("return {'sum': x.sum(dim=0), 'most': x.amax(dim=1)}")),
    "16_nested_inputs": (
        SCORED, "",
        _forward(
            "return pair[0] * pair[1]", arguments="pair",
            inputs="\n\ndef get_inputs():\n    return [[torch.randn(6, 20), torch.randn(20)]]\n",
        ),
    ),
    "17_half_precision": (
        SCORED, "",
        _forward(
            "return F.silu(x)",
            inputs="\n\ndef get_inputs():\n    return [torch.randn(6, 20, dtype=torch.float16)]\n",
        ),
    ),
    "18_raises": (UNUSABLE, "no such thing", _forward("raise ValueError('no such thing')")),
    "19_tensor_attribute": (
        NO_ANSWER, "no parameters and no buffers",
        _module("self.scale = torch.full((20,), 2.0)", "return x * self.scale"),
    ),
    "20_unknown_operator": (
        NO_ANSWER, "which is in no table", _forward("return torch.fft.rfft(x).abs()")
    ),
}  # fmt: skip
"""Name → what becomes of it, a word of the reason, its text."""
