"""The way back: an emitted task file is run and captured again."""

from tritonrl.program.capture import Capture, capture_function


def recapture(source: str) -> Capture:
    names: dict = {}
    exec(source, names)
    return capture_function(names["fused_operator"], names["get_inputs"]())
