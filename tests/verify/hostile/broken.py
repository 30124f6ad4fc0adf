"""Answers that are JSON, and nothing that the harness would say. The judge reads them, and must not trip."""

import json
from typing import Any

from .attack import ACCEPTED, ANY_RULE, Attack


def _nested(depth: int) -> Any:
    value: Any = ["value", 1]
    for _ in range(depth):
        value = ["tuple", [value]]
    return value


OUTPUT = {
    "dtype": "float32", "shape": [7, 33], "stride": [33, 1], "type": "Tensor",
    "layout": "torch.strided", "device": "cpu", "aliases": None,
}  # fmt: skip
LAUNCH = {"kernel": "add_relu_kernel@LINE", "arguments": {}, "options": {}, "tuned": False}
BROKEN: dict[str, Any] = {
    "outputs_are_a_number": {"outputs": 5},
    "outputs_are_nothing": {"outputs": None},
    "outputs_are_numbers": {"outputs": [5, 6]},
    "outputs_are_endless": {"outputs": [OUTPUT] * 10_000},
    "an_output_has_odd_fields": {"outputs": [{"shape": {"a": 1}, "stride": [None], "aliases": {}}]},
    "an_output_has_odd_strides": {"outputs": [{**OUTPUT, "stride": ["x", None]}]},
    "an_output_has_a_long_type": {"outputs": [{**OUTPUT, "type": "x" * 1_000_000}]},
    "an_output_has_a_long_dtype": {"outputs": [{**OUTPUT, "dtype": "x" * 1_000_000}]},
    "an_output_has_a_dtype_that_is_no_text": {"outputs": [{**OUTPUT, "dtype": "\ud800"}]},
    "an_output_lies_in_an_odd_input": {"outputs": [{**OUTPUT, "aliases": {"x": [1]}}]},
    "the_structure_is_a_number": {"structure": 5},
    "the_structure_holds_numbers": {"structure": ["list", [5, 6]]},
    "the_structure_holds_objects": {"structure": ["list", [{"a": 1}]]},
    "the_structure_is_no_text": {"structure": ["\ud800", []]},
    "the_structure_is_long": {"structure": ["x" * 1_000_000, []]},
    "the_structure_is_deep": {"structure": _nested(300)},
    "launches_are_a_number": {"launches": 5},
    "launches_are_numbers": {"launches": [5]},
    "launches_are_endless": {"launches": [{**LAUNCH, "options": {"x": ["value", n]}} for n in range(300)]},
    "a_launch_is_empty": {"launches": [{}]},
    "a_launch_has_no_name": {"launches": [{**LAUNCH, "kernel": 5}]},
    "a_launch_has_a_list_for_a_name": {"launches": [{**LAUNCH, "kernel": []}]},
    "a_launch_is_no_text": {"launches": [{**LAUNCH, "kernel": "\ud800"}]},
    "a_launch_has_odd_arguments": {"launches": [{**LAUNCH, "arguments": 5, "options": [], "tuned": "x"}]},
    "a_launch_has_empty_arguments": {"launches": [{**LAUNCH, "arguments": {"n": [], "BLOCK": [[]]}}]},
    "a_launch_wants_any_module": {"launches": [{**LAUNCH, "options": {"x": ["module", "antigravity"]}}]},
    "a_launch_wants_any_function": {"launches": [{**LAUNCH, "options": {"x": ["attribute", "os", "_exit"]}}]},
    "kernels_are_a_list": {"kernels": [1]},
    "a_kernel_is_a_number": {"kernels": {"add_relu_kernel@LINE": 5}},
    "a_kernel_is_empty": {"kernels": {"add_relu_kernel@LINE": {}}},
    "the_configurations_are_a_text": {"configs": "x"},
    "the_configurations_are_endless": {"configs": 10**30},
    "the_error_is_a_text": {"error": "x"},
    "the_error_has_odd_fields": {"error": {"type": {}, "message": [1], "line": "x", "denied": 5}},
    "the_error_has_a_large_line": {"error": {"line": 10**4000}},
    "the_error_is_no_text": {"error": {"type": "\ud800", "message": "\udfff"}},
    "the_error_is_long": {"error": {"type": "x" * 1_000_000, "message": "x" * 1_000_000}},
}
"""Fields that take the place of those in an answer to a call."""
_SCOPES: dict[str, Any] = {
    "a_scope_is_a_number": 5,
    "a_scope_holds_an_empty_list": {"tl": []},
    "a_scope_holds_an_odd_attribute": {"tl": ["attribute", "torch", 5]},
    "a_scope_holds_an_odd_module": {"tl": ["module", 5]},
    "a_scope_holds_an_odd_function": {"tl": ["function"]},
    "a_scope_holds_an_odd_type": {"tl": ["dtype"]},
    "a_scope_is_deep": {"tl": _nested(400)},
    "a_scope_writes_code": {"tl": ["dtype", '"); open("x'], "BLOCK": ["attribute", "torch", "x; import os"]},
}
BROKEN |= {
    name: {"kernels": {"add_relu_kernel@LINE": {"name": "add_relu_kernel", "line": "LINE", "scope": scope}}}
    for name, scope in _SCOPES.items()
}


IDLE = ("an_output_has_odd_strides", "a_scope_holds_an_odd_module", "a_scope_writes_code")
"""Those that nobody heeds: the result is right, and so is the kernel that is compiled."""


def attacks() -> list[Attack]:
    """An attack for each: the harness's own answer, with these fields in it."""
    rules = tuple(rule for rule in ANY_RULE if rule != "A2")
    return [
        Attack(
            name,
            _CHANGE.format(name=name, fields=json.dumps(fields)),
            (ACCEPTED,) if name in IDLE else rules,
            at="import",
        )
        for name, fields in BROKEN.items()
    ]


_CHANGE = """def {name}(outside):
    import json

    line = str(add_relu_kernel.fn.__code__.co_firstlineno)
    fields = json.loads({fields!r}.replace('"LINE"', line).replace("LINE", line))
    change_answers(lambda answer: {{**answer, **fields}})"""
