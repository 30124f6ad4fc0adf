"""Programs at rising levels: drawn, shown with their shapes, and run. `make demo` runs this.

python examples/demo.py [SEED]
"""

import sys

import torch
from rich.text import Text

from tritonrl import render
from tritonrl.program.run import draw_inputs, run
from tritonrl.synth import LEVELS, Config, program


def main() -> None:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    console = render.console()
    for level in LEVELS:
        made = program(Config(level, seed), index=0)
        console.rule(f"level {level} · {made.flops:,} FLOPs · {made.fused_bytes:,} bytes if fused")
        console.print(render.program_sheet(made))
        for value, result in zip(made.outputs, run(made, draw_inputs(made, seed)), strict=True):
            console.print(_described(f"tensor_{value}", result))
        console.print()


def _described(name: str, result: torch.Tensor) -> Text:
    values = result.double()
    facts = (
        f"mean {values.mean():9.3f}   std {values.std():9.3f}   in [{values.min():.3f}, {values.max():.3f}]"
    )
    return Text(f"  {name:10} {tuple(result.shape)!s:22} {facts}", style="green")


if __name__ == "__main__":
    main()
