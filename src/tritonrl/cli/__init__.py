"""The command line: one thin command per verb, a file each; `entry.py` lists them and is where every way out
becomes an exit code."""

from tritonrl.cli.entry import main

__all__ = ["main"]
