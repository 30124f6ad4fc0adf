"""Tokens a second on a CPU, one answer at a time as it is streamed: packed weights against float32.

python benchmarks/writing.py [--tokens 300] [--weights FOLDER]

Nano's weights, unless another packed folder is named. Both rows are measured in this one run, with one
thread.
"""

import argparse
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tritonrl.policy.local import CPU, Folder, Sampling
from tritonrl.policy.local.load import load
from tritonrl.policy.local.prompt import program_prompt
from tritonrl.policy.local.writer import Row, Writer
from tritonrl.policy.nano.int8 import use_int8
from tritonrl.policy.nano.packing import read_packed, unpack
from tritonrl.policy.nano.shipped import PLACE
from tritonrl.synth import Config, program

LEVEL = 5


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tokens", type=int, default=300)
    parser.add_argument("--weights", type=Path, default=PLACE)
    given = parser.parse_args()
    rates = {name: rate(given.weights, name == "int8", given.tokens) for name in ("float32", "int8")}
    table = Table("weights", "tokens a second", "ratio", box=None)
    for name, found in rates.items():
        table.add_row(name, f"{found:.0f}", f"{found / rates['float32']:.1f}×")
    Console().print(table)


def rate(path: Path, is_int8: bool, num_tokens: int) -> float:
    """Of the tokens after the first, which has to wait for the prompt."""
    tokenizer, model = load(Folder.at(str(path)), CPU, lambda: unpack(path))
    if is_int8:
        use_int8(model, read_packed(path))
    model.generation_config.eos_token_id = []
    writer = Writer(tokenizer, model, Sampling(max_new_tokens=num_tokens), CPU)
    row, times = Row(program_prompt(tokenizer, program(Config(LEVEL, 2, "gpu"), 0)), 1), []
    for _ in range(2):
        times.clear()
        (made,) = writer.write([row], lambda row, piece: times.append(time.perf_counter()))
    return (len(made.tokens) - 1) / (times[-1] - times[0])


if __name__ == "__main__":
    main()
