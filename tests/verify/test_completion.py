"""A model's answer is taken apart: the plan, and the last closed Python block after it."""

import io
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tritonrl.errors import UserError
from tritonrl.verify.completion import (
    LARGEST_CANDIDATE_BYTES,
    Completion,
    looks_like_completion,
    read_candidate,
)

PLAN = "<think>\nOne program a row.\n</think>\n"
CODE = "import triton\n\nx = 1\n"


def block(code: str = CODE, name: str = "python") -> str:
    return f"```{name}\n{code}```\n"


def test_a_plan_and_a_block():
    completion = Completion.parse(PLAN + block())
    assert completion.plan == "One program a row."
    assert completion.code == CODE
    assert completion.text == PLAN + block()


@pytest.mark.parametrize("name", ["python", "py", "python  "])
def test_a_block_may_be_called_python_or_py(name: str):
    assert Completion.parse(block(name=name)).code == CODE


@pytest.mark.parametrize("name", ["", "cpp", "python3x", "text", "pytorch"])
def test_a_block_of_another_language_is_not_the_answer(name: str):
    assert Completion.parse(block(name=name)).code is None


def test_the_last_block_is_the_answer():
    text = block("first = 1\n") + "Better:\n" + block("second = 2\n") + "Done.\n"
    assert Completion.parse(text).code == "second = 2\n"


def test_a_sketch_inside_the_plan_is_not_the_answer():
    sketch = f"<think>\nPerhaps\n{block('sketch = 1' + chr(10))}</think>\n"
    assert Completion.parse(sketch).code is None
    assert Completion.parse(sketch + block()).code == CODE


@pytest.mark.parametrize(
    "text", ["", "no code at all", f"```python\n{CODE}", f"{PLAN}```python\n{CODE}``", "``` python"]
)
def test_without_a_closed_block_there_is_no_code(text: str):
    assert Completion.parse(text).code is None


@pytest.mark.parametrize("text", [block(), "<think>never ends\n" + block(), "</think>\n" + block()])
def test_without_a_whole_plan_there_is_no_plan_and_still_code(text: str):
    completion = Completion.parse(text)
    assert completion.plan is None
    assert completion.code == CODE


def test_what_is_cut_off_has_no_code():
    for text in ("<think>\nOne program a", f"{PLAN}```python\nimport tri", "<think>\nOne", PLAN):
        assert Completion.of_text(text).code is None


def test_an_empty_block_is_empty_code():
    assert Completion.parse(block("")).code == ""


def test_backticks_within_a_line_do_not_close_a_block():
    code = 'text = "```"\nmore = 1\n'
    assert Completion.parse(block(code)).code == code


def test_line_ends_of_windows_are_line_ends():
    completion = Completion.parse((PLAN + block()).replace("\n", "\r\n"))
    assert completion.plan == "One program a row."
    assert completion.code == CODE.replace("\n", "\r\n")


def test_a_longer_fence_may_hold_shorter_ones():
    code = f'"""Usage:\n{block("sketch = 1" + chr(10))}"""\nx = 1\n'
    assert Completion.parse(f"````python\n{code}````\n").code == code
    assert Completion.parse(f"```python\n{CODE}`````\n").code == CODE, (
        "it may be closed by more than it needs"
    )
    assert Completion.parse(f"````python\n{CODE}```\n").code is None


def test_a_fence_inside_a_block_of_its_own_length_ends_it():
    assert Completion.parse(f"```python\nfirst = 1\n```\nrest = 2\n{block()}").code == CODE
    assert Completion.parse("```python\nfirst = 1\n```cpp\n```\n").code == "first = 1\n```cpp\n"


def test_of_several_plans_the_first_is_the_plan_and_none_holds_the_answer():
    second = f"<think>\nor so\n{block('sketch = 1' + chr(10))}</think>\n"
    for text in (PLAN + second + block(), PLAN + block() + second):
        completion = Completion.parse(text)
        assert completion.plan == "One program a row."
        assert completion.code == CODE
    assert Completion.parse(PLAN + second).code is None
    assert Completion.parse(PLAN + "<think>and\n" + block()).code == CODE, "a second plan that never ends"
    nested = Completion.parse("<think>a <think>b</think> c</think>\n" + block())
    assert (nested.plan, nested.code) == ("a <think>b", CODE)


def test_code_may_speak_of_plans():
    code = 'text = "<think>"  # and </think>\n'
    assert Completion.parse(PLAN + block(code)).code == code


MARKS = {
    "backticks": "`" * 2**20,
    "fences": "```\n" * 2**18,
    "blocks": "```python\n" * 100_000,
    "long blocks": "````python\n```\n" * 50_000,
    "openings": "<think>" * 150_000,
    "plans": "<think></think>" * 70_000,
    "ends": "</think>" * 130_000,
    "no fences": ("`" * 1000 + "x`\n") * 1000,
    "a wide fence": "```" + " " * 2**20,
}


@pytest.mark.parametrize("text", MARKS.values(), ids=MARKS)
def test_a_megabyte_of_marks_takes_no_time(text: str):
    began = time.process_time()
    assert Completion.of_text(text).plan in (None, "")
    assert Completion.parse(text).code is None
    assert time.process_time() - began < 5.0, "seconds; in quadratic time it is minutes"


@given(st.text(alphabet="`<>/thinkpyo \n=x", max_size=200))
def test_no_text_breaks_the_parser(text: str):
    completion = Completion.parse(text)
    assert completion.text == text
    assert completion.code is None or completion.code in text
    assert completion.plan is None or completion.plan in text


def test_plain_code_is_code_without_a_plan():
    completion = Completion.of_code(CODE)
    assert (completion.text, completion.plan, completion.code) == (CODE, None, CODE)


def test_a_completion_is_frozen_and_knows_its_fields():
    completion = Completion.of_code(CODE)
    with pytest.raises(ValidationError):
        completion.code = "other"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        Completion(text="", plan=None, code=None, reward=1.0)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CODE, False),
        (PLAN + block(), True),
        ("Here it is:\n" + block(), True),
        ('"""Docstring with a fence\n```python\nx\n```\n<think>no</think>\n"""\n', False),
        ("x = (", False),
        ("<think>\nOne program a", True),
        (f"Here it is:\n```python\n{CODE}", True),
        ("", False),
    ],
    ids=[
        "code",
        "answer",
        "prose",
        "a docstring with all of it",
        "broken code",
        "a plan cut off",
        "a block cut off",
        "nothing",
    ],
)
def test_a_models_answer_is_told_from_a_python_file(text: str, expected: bool):
    assert looks_like_completion(text) == expected


def test_a_candidate_is_read_from_a_file_or_from_stdin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "kernel.py"
    path.write_text(CODE)
    assert read_candidate(str(path)) == Completion.of_code(CODE)
    answer = io.TextIOWrapper(io.BytesIO((PLAN + block()).encode()))
    monkeypatch.setattr(sys, "stdin", answer)
    assert read_candidate("-").plan == "One program a row."


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "cannot be read"),
        (b"\xff\xfe\xff", "not UTF-8"),
        (b"#" * (LARGEST_CANDIDATE_BYTES + 1), "at most"),
    ],
    ids=["missing", "no text", "too large"],
)
def test_a_candidate_that_cannot_be_read_is_a_user_error(content: bytes | None, reason: str, tmp_path: Path):
    path = tmp_path / "kernel.py"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError, match=reason):
        read_candidate(str(path))


@pytest.mark.parametrize(
    "text",
    [
        "(" * 500,
        "[" * 100_000,
        "-" * 200_000 + "1",
        "x" + "+x" * 100_000,
    ],
    ids=["parentheses", "brackets", "signs", "terms"],
)
def test_a_candidate_that_python_cannot_take_in_is_still_a_candidate(text: str, tmp_path: Path):
    path = tmp_path / "kernel.py"
    path.write_text(f'"""\n```\n"""\nx = {text}\n')
    assert read_candidate(str(path)).text.endswith(f"{text}\n")


def test_a_byte_order_mark_is_no_part_of_a_candidate(tmp_path):
    (tmp_path / "kernel.py").write_bytes(b"\xef\xbb\xbfx = 1\n")
    assert read_candidate(str(tmp_path / "kernel.py")).code == "x = 1\n"
