"""Programs at rising levels, drawn, shown and run; then an honest and a wrong kernel, judged. `make demo`
runs this.

python examples/demo.py [SEED]
"""

import sys
from pathlib import Path

import torch
from rich.text import Text

from tritonrl import render
from tritonrl.program.run import draw_inputs, run
from tritonrl.synth import LEVELS, Config, program
from tritonrl.tasks import load_task
from tritonrl.verify import verify_many


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
    console.rule("verdicts on two kernels for examples/row_softmax.py")
    here = Path(__file__).parent
    task = load_task(here / "row_softmax.py")
    codes = [(here / f"row_softmax_{name}.py").read_text() for name in ("kernel", "overflows")]
    for judged in verify_many([task] * len(codes), codes):
        assert judged.verdict, judged.error
        console.print(render.verdict_sheet(judged.verdict, codes[judged.number]), Text())


def _described(name: str, result: torch.Tensor) -> Text:
    values = result.double()
    facts = (
        f"mean {values.mean():9.3f}   std {values.std():9.3f}   in [{values.min():.3f}, {values.max():.3f}]"
    )
    return Text(f"  {name:10} {tuple(result.shape)!s:22} {facts}", style="green")


if __name__ == "__main__":
    main()
