"""CSP-DAG: sample a DAG of operators, solve its shapes, keep it if it is healthy."""

from tritonrl.synth.generate import LEVELS, Config, program
from tritonrl.synth.many import row, rows, write
from tritonrl.synth.profile import PROFILES, Profile
from tritonrl.synth.resize import resized

__all__ = ["LEVELS", "PROFILES", "Config", "Profile", "program", "resized", "row", "rows", "write"]
