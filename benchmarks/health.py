"""How often a program of `synth` misbehaves on fresh draws of its inputs: share of draws with a sick output.

python benchmarks/health.py [DRAWS] [SEED]
"""

import sys

import torch
from rich.console import Console
from rich.table import Table

from tritonrl.synth import Config, rows

RUNS = ((1, 2000), (2, 2000), (3, 2000), (5, 2000), (10, 200), (20, 200))


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    table = Table("level", "programs", "draws", "wrong shape", "non-finite", "constant")
    for level, count in RUNS:
        found = [0, 0, 0]
        for row in rows(Config(level, seed), count, workers=2):
            for _ in range(draws):
                found = [a + b for a, b in zip(found, sick(row), strict=True)]
        table.add_row(*map(str, (level, count, count * draws, *found)))
    Console().print(table)


def sick(row: dict) -> tuple[bool, bool, bool]:
    """Whether one draw gives a wrong shape, a non-finite value, a constant output."""
    names: dict = {}
    exec(row["source"], names)
    outputs = names["fused_operator"](*names["get_inputs"]())
    specs = [f"{str(out.dtype)[6:]}[{','.join(map(str, out.shape))}]" for out in outputs]
    return (
        specs != row["outputs"],
        not all(torch.isfinite(out.double()).all() for out in outputs),
        any((out == out.flatten()[0]).all() for out in outputs),
    )


if __name__ == "__main__":
    main()
