"""Ten programs over the families of operators and what the composer writes for each, as in docs/composer.md.

python examples/composer_samples.py
"""

import sys

from tritonrl.program import Program, emit
from tritonrl.teach.composer import compose
from tritonrl.verify import Completion

SAMPLES = {
    "A chain with broadcasting": (
        ["float32[256,1024]", "float32[1024]"],
        [["add", [0, 1]], ["gelu", [2], {"approximate": "none"}], ["mul", [3, 0]]],
    ),
    "Transposed on the way": (
        ["float32[64,512,256]"],
        [["sigmoid", [0]], ["transpose", [1], {"dim0": 1, "dim1": 2}]],
    ),
    "A softmax and what follows": (
        ["float32[8192,1000]", "float32[8192,1000]"],
        [["softmax", [0], {"dim": 1}], ["mul", [2, 1]]],
    ),
    "Rows beside each other": (["float32[64,512,3000]"], [["max", [0], {"dim": 1}]]),
    "A normalisation of long rows": (
        ["float32[4096,50000]"],
        [["layer_norm", [0], {"normalized_dims": 1}], ["relu", [1]]],
    ),
    "A loss over everything": (
        ["float32[4096,4096]", "float32[4096,4096]"],
        [["mse_loss", [0, 1], {"reduction": "mean"}]],
    ),
    "A linear layer with its activation": (
        ["float16[4096,1024]", "float16[4096,1024]", "float16[4096]"],
        [["linear", [0, 1, 2]], ["silu", [3]]],
    ),
    "A depthwise convolution": (
        ["float32[32,64,56,56]", "float32[64,1,3,3]"],
        [["conv2d", [0, 1], {"stride": [1, 1], "padding": [1, 1], "dilation": [1, 1], "groups": 64}]],
    ),
    "Pooling": (
        ["float32[32,64,112,112]"],
        [["max_pool2d", [0], {"kernel_size": [3, 3], "stride": [2, 2], "padding": [1, 1]}]],
    ),
    "Attention": (
        ["float16[8,16,1024,64]", "float16[8,16,1024,64]", "float16[8,16,1024,64]"],
        [["scaled_dot_product_attention", [0, 1, 2], {"is_causal": True}]],
    ),
}  # fmt: skip


def section(title: str, inputs: list[str], nodes: list) -> str:
    """A program, the plan and the code."""
    last = len(inputs) + len(nodes) - 1
    program = Program.from_json({"inputs": inputs, "nodes": nodes, "outputs": [last]})
    answer = Completion.parse(compose(program))
    assert answer.plan
    assert answer.code
    lines = [line.strip() for line in emit(program).splitlines() if line.startswith("    tensor_")]
    plan = "\n".join(f"> {line}" for line in answer.plan.strip().splitlines())
    return (
        f"\n### {title}\n\n`{', '.join(inputs)}` → `{'; '.join(lines)}`\n\n{plan}\n\n"
        f"```py\n{answer.code.strip()}\n```\n"
    )


def main() -> None:
    for title, (inputs, nodes) in SAMPLES.items():
        sys.stdout.write(section(title, inputs, nodes))


if __name__ == "__main__":
    main()
