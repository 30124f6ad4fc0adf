"""What earlier calls have left, as later logs tell it: made of nothing that was asked, or not at all."""

from typing import Any

import torch

from tritonrl.verify.inside.earlier import Earlier


def tensor(memory: int) -> list[Any]:
    return ["tensor", memory, "float32", [4], [1], 0]


def launch(**memories: int) -> dict[str, Any]:
    return {"do": "launch", "arguments": {name: tensor(memory) for name, memory in memories.items()}}


def copied(source: int, place: int) -> dict[str, Any]:
    return {"do": "op", "args": [tensor(place), tensor(source)], "outputs": [tensor(place)]}


class Call:
    """A call with memories of 16 bytes, the first of which is its input."""

    def __init__(self, *steps: dict[str, Any], num_memories: int, **fields: Any) -> None:
        empty = {"inputs": [tensor(0)], "state": [], "constants": [], "literals": [], "foreign": []}
        self.log = {**empty, "sizes": [16] * num_memories, "steps": list(steps), **fields}
        self.storages = [torch.empty(4).untyped_storage() for _ in range(num_memories)]

    @property
    def keys(self) -> list[int]:
        return [each._cdata for each in self.storages]

    def end(self, earlier: Earlier) -> None:
        numbers = {key: memory for memory, key in enumerate(self.keys)}
        earlier.keep(self.log, numbers, dict(zip(self.keys, self.storages, strict=True)))


def present() -> dict[str, Any]:
    return {"sizes": [16], "constants": [], "literals": [], "steps": []}


def test_a_table_is_filled_again_by_the_launch_that_filled_it_and_not_by_those_that_read_it():
    earlier = Earlier()
    call = Call(launch(cos=1, sin=2), launch(x=0, table=1, out=3), num_memories=4)
    call.end(earlier)
    _, cos, sin, out = call.keys
    assert earlier.find(out) is None
    log = present()
    numbers = []
    for key in (cos, sin):
        made = earlier.find(key)
        assert made is not None
        numbers.append(earlier.recall(made, log))
    assert sorted(numbers) == [1, 2]
    assert earlier.prologue() == [launch(cos=numbers[0], sin=numbers[1])]
    assert earlier.prologue() == []
    assert log["sizes"] == [16, 16, 16]


def test_a_literal_is_written_out_again():
    earlier = Earlier()
    call = Call(launch(x=0, slopes=1, out=2), num_memories=3, literals=[[1, "00ff"]])
    call.end(earlier)
    made, log = earlier.find(call.keys[1]), present()
    assert made is not None
    assert earlier.recall(made, log) == 1
    assert log["literals"] == [[1, "00ff"]]
    assert earlier.prologue() == []


def test_what_an_input_was_written_to_stays_foreign():
    earlier = Earlier()
    steps = launch(table=1), copied(0, 1), launch(table=1, sums=2), launch(x=0, fresh=3)
    call = Call(*steps, num_memories=5, foreign=[4])
    call.end(earlier)
    assert [earlier.find(key) for key in call.keys] == [None] * 5


def test_what_is_gone_is_forgotten():
    earlier = Earlier()
    call = Call(launch(table=1), num_memories=2)
    call.end(earlier)
    key = call.keys[1]
    assert earlier.find(key) is not None
    call.storages = []
    Call(num_memories=1).end(earlier)
    assert earlier.find(key) is None
