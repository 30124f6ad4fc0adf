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

ANSWERS: dict[str, Any] = {
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
    "the_log_is_a_number": {"log": 5},
    "the_log_is_empty": {"log": {}},
    "kernels_are_a_list": {"kernels": [1]},
    "kernels_are_numbers": {"kernels": {"add_relu_kernel@1": 5}},
    "kernels_are_empty": {"kernels": {"add_relu_kernel@1": {}}},
    "the_configurations_are_a_text": {"configs": "x"},
    "the_configurations_are_endless": {"configs": 10**30},
    "the_configurations_are_many": {"configs": 1_000_000},
    "the_error_is_a_text": {"error": "x"},
    "the_error_has_odd_fields": {"error": {"type": {}, "message": [1], "line": "x", "denied": 5}},
    "the_error_has_a_large_line": {"error": {"line": 10**4000}},
    "the_error_is_no_text": {"error": {"type": "\ud800", "message": "\udfff"}},
    "the_error_is_long": {"error": {"type": "x" * 1_000_000, "message": "x" * 1_000_000}},
}
"""Fields that take the place of those of an answer to a call."""

VIEW = ["tensor", 0, "float32", [7, 33], [33, 1], 0]

LOGS: dict[str, Any] = {
    "steps_are_a_number": {"steps": 5},
    "steps_are_numbers": {"steps": [5]},
    "steps_are_empty": {"steps": [{}]},
    "steps_are_endless": {"steps": [{"do": "op"}] * 10_000},
    "sizes_are_negative": {"sizes": [-1]},
    "sizes_are_endless": {"sizes": [2**62]},
    "sizes_are_missing": {"sizes": []},
    "inputs_lie_elsewhere": {"inputs": [["tensor", 99, "float32", [7, 33], [33, 1], 0]] * 2},
    "inputs_are_of_another_type": {"inputs": [[*VIEW[:2], "int32", *VIEW[3:]]] * 2},
    "inputs_lie_together": {"sizes": [4096] * 9, "inputs": [VIEW, [*VIEW[:5], 231]]},
    "inputs_are_too_few": {"inputs": [VIEW]},
    "inputs_are_no_tensors": {"inputs": [["value", 1], []]},
    "an_output_lies_before_its_memory": {"outputs": [[*VIEW[:5], -1000]]},
    "an_output_lies_beyond_its_memory": {"outputs": [[*VIEW[:5], 10**12]]},
    "an_output_shares_its_elements": {"outputs": [[*VIEW[:4], [0, 1], 0]]},
    "an_output_is_of_another_type": {"outputs": [[*VIEW[:2], "int32", *VIEW[3:]]]},
    "outputs_are_missing": {"outputs": []},
    "an_output_has_a_negative_stride": {"outputs": [[*VIEW[:4], [-33, 1], 0]]},
    "an_output_is_of_no_type": {"outputs": [[*VIEW[:2], "__class__", *VIEW[3:]]]},
    "a_constant_is_none": {"constants": [[0, 99]]},
    "a_constant_is_short": {"constants": [[0]]},
    "a_literal_is_no_number": {"literals": [[0, "xyz"]]},
    "a_literal_is_of_another_size": {"literals": [[0, "00"]]},
}
"""Fields that take the place of those of a log."""

LAUNCHES: dict[str, Any] = {
    "a_launch_has_a_number_for_a_name": {"kernel": 5},
    "a_launch_has_a_list_for_a_name": {"kernel": []},
    "a_launch_has_a_name_that_is_no_text": {"kernel": "\ud800"},
    "a_launch_has_a_long_name": {"kernel": "x" * 1_000_000},
    "a_launch_has_odd_arguments": {"arguments": 5, "options": [], "tuned": "x"},
    "a_launch_has_empty_arguments": {"arguments": {"n": [], "BLOCK": [[]]}},
    "a_launch_has_a_deep_argument": {"arguments": {"n": _nested(300)}},
    "a_launch_wants_any_module": {"options": {"x": ["module", "antigravity"]}},
    "a_launch_wants_any_function": {"options": {"x": ["attribute", "os", "_exit"]}},
    "a_launch_has_odd_options": {"options": {"num_warps": ["value", "x"]}},
    "a_launch_has_unknown_options": {"options": {"x": ["nothing"], "y": [[]]}},
}
"""Fields that take the place of those of every launch."""

KERNELS: dict[str, Any] = {
    "a_kernel_has_a_number_for_a_name": {"name": 5},
    "a_kernel_has_another_name": {"name": "__import__('os')._exit(0)"},
    "a_kernel_lies_at_an_odd_line": {"line": "x"},
    "a_kernel_lies_nowhere": {"line": 10**30},
    "a_scope_is_a_number": {"scope": 5},
    "a_scope_holds_an_empty_list": {"scope": {"tl": []}},
    "a_scope_holds_an_odd_attribute": {"scope": {"tl": ["attribute", "math", 5]}},
    "a_scope_holds_an_odd_module": {"scope": {"tl": ["module", 5]}},
    "a_scope_holds_an_odd_function": {"scope": {"tl": ["function"]}},
    "a_scope_holds_an_odd_type": {"scope": {"tl": ["dtype"]}},
    "a_scope_is_deep": {"scope": {"tl": _nested(400)}},
    "a_scope_writes_code": {"scope": {"tl": ["dtype", '"); open("x'], "n": ["attribute", "math", "x; y"]}},
    "a_scope_is_no_text": {"scope": {"tl": ["value", "\ud800"]}},
}
"""Fields that take the place of those of every kernel."""

ANEW = """remember = globals().setdefault('remember', dict(answer.get('kernels', {})))
        again = {key: {**each, 'scope': {}} for key, each in remember.items()}
        answer['kernels'] = {**again, **answer.get('kernels', {})}"""
"""A kernel under a key that was described before in another way."""

SPECIALISATIONS = """steps_of(answer)[:] = [
            {**each, "options": {"maxnreg": ["value", 24 + number]}}
            for each in steps_of(answer)
            for number in range(300)
        ]"""
"""Hundreds of kernels to compile, where one was launched."""

IDLE = (
    "an_output_has_odd_strides", "a_scope_holds_an_odd_attribute", "a_scope_holds_an_odd_module",
    "a_scope_writes_code",
)  # fmt: skip
"""Those that nobody heeds: the result is right, and so is the kernel that is compiled."""


def attacks() -> list[Attack]:
    """An attack for each: the harness's own answers, changed on their way out."""
    changes = {name: f"answer.update({fields})" for name, fields in _literals(ANSWERS)}
    places = (
        (LOGS, "[answer['log']] if 'log' in answer else []"),
        (LAUNCHES, "steps_of(answer)"),
        (KERNELS, "answer.get('kernels', {}).values()"),
    )
    for table, where in places:
        changes |= {
            name: f"[each.update({fields}) for each in ({where})]" for name, fields in _literals(table)
        }
    rules = dict.fromkeys(changes, tuple(rule for rule in ANY_RULE if rule != "A2"))
    rules |= dict.fromkeys(IDLE, (ACCEPTED,))
    changes["a_kernel_is_described_anew"], rules["a_kernel_is_described_anew"] = ANEW, ("D6",)
    changes["specialisations_are_endless"], rules["specialisations_are_endless"] = SPECIALISATIONS, ("D6",)
    return [
        Attack(name, _CHANGE.format(name=name, change=change), rules[name], at="import")
        for name, change in changes.items()
    ]


def _literals(table: dict[str, Any]) -> list[tuple[str, str]]:
    return [(name, f"json.loads({json.dumps(fields)!r})") for name, fields in table.items()]


_CHANGE = """def {name}(outside):
    import json

    def steps_of(answer):
        return answer.get("log", {{}}).get("steps", [])

    def change(answer):
        {change}
        return answer

    change_answers(change)"""
