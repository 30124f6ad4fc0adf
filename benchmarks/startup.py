"""How long `tritonrl --help` and `tritonrl doctor` take, beside a bare interpreter and importing torch.

python benchmarks/startup.py
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "tritonrl --help": [str(Path(sys.executable).with_name("tritonrl")), "--help"],
    "tritonrl doctor": [str(Path(sys.executable).with_name("tritonrl")), "doctor"],
    "python -c 'import torch'": [sys.executable, "-c", "import torch"],
}
REPEATS = 7


def main() -> None:
    table = Table("command", "median", "ratio to a bare interpreter")
    seconds = {name: measure(command) for name, command in COMMANDS.items()}
    for name, taken in seconds.items():
        table.add_row(name, f"{taken * 1000:.0f} ms", f"{taken / seconds['python -c pass']:.1f}×")
    Console().print(table)


def measure(command: list[str]) -> float:
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


if __name__ == "__main__":
    main()
