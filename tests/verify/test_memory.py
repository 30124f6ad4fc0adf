"""Shared memory: every tensor in its place, guards between them, a size that nobody changes."""

import fcntl
import itertools
import mmap
import os
from collections.abc import Callable, Iterator

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tritonrl.verify.memory import (
    GUARD_BYTES,
    Arena,
    Mapping,
    check_spec,
    contiguous_spec,
    extent_bytes,
    spec_of,
)

DTYPES = [
    torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16,
    torch.int8, torch.uint8, torch.bool, torch.complex64, torch.float8_e5m2,
]  # fmt: skip


@pytest.fixture
def arena_of() -> Iterator[Callable[..., Arena]]:
    made: list[Arena] = []

    def make(*tensors: torch.Tensor) -> Arena:
        made.append(Arena([spec_of(each) for each in tensors]))
        return made[-1]

    yield make
    for arena in made:
        arena.close()


def bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous().reshape(-1).view(torch.uint8)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_type_crosses_to_the_bit(dtype: torch.dtype, arena_of: Callable[..., Arena]):
    raw = torch.randint(0, 2 if dtype == torch.bool else 256, (24 * dtype.itemsize,), dtype=torch.uint8)
    tensor = raw.view(dtype).reshape(4, 6)
    arena = arena_of(tensor)
    arena.tensors()[0].copy_(tensor)
    other_side = Mapping(arena.descriptor).tensor(arena.places[0])
    assert other_side.dtype == dtype
    assert torch.equal(bits(other_side), bits(tensor))


STRIDED = {
    "transposed": torch.arange(12.0).reshape(3, 4).T,
    "every other column": torch.arange(24.0).reshape(4, 6)[:, ::2],
    "expanded": torch.arange(3.0).reshape(3, 1).expand(3, 5),
    "channels last": torch.arange(48.0).reshape(2, 3, 2, 4).contiguous(memory_format=torch.channels_last),
    "overlapping": torch.arange(6.0).as_strided((3, 4), (1, 1)),
    "a scalar": torch.tensor(3.0),
}


@pytest.mark.parametrize("name", STRIDED)
def test_strides_are_kept(name: str, arena_of: Callable[..., Arena]):
    tensor = STRIDED[name]
    arena = arena_of(tensor)
    place = arena.tensors()[0]
    assert (place.shape, place.stride()) == (tensor.shape, tensor.stride())
    # Element by element: a copy into places that share memory is not defined.
    for index in itertools.product(*map(range, tensor.shape)):
        place[index] = tensor[index]
    assert torch.equal(Mapping(arena.descriptor).tensor(arena.places[0]), tensor)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 0, 2)])
def test_a_tensor_without_elements_has_a_place_and_no_bytes(
    shape: tuple[int, ...], arena_of: Callable[..., Arena]
):
    empty, full = torch.empty(shape), torch.arange(3.0)
    arena = arena_of(empty, full)
    views = arena.tensors()
    assert views[0].shape == empty.shape
    assert extent_bytes(arena.places[0]) == 0
    views[1].copy_(full)
    arena.poison(arena.places[0])
    assert torch.equal(arena.tensors()[1], full)


def test_an_arena_without_tensors_is_all_guard(arena_of: Callable[..., Arena]):
    arena = arena_of()
    assert arena.tensors() == []
    arena.raise_guards(1)
    assert not arena.guards_broken()
    arena.bytes[arena.size - 1] ^= 1
    assert arena.guards_broken()


shapes = st.lists(st.integers(0, 5), max_size=4).map(tuple)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(shapes, st.sampled_from(DTYPES)), max_size=6))
def test_places_are_aligned_apart_and_guarded_on_both_sides(
    wanted: list[tuple[tuple[int, ...], torch.dtype]],
):
    arena = Arena([spec_of(torch.empty(shape, dtype=dtype)) for shape, dtype in wanted])
    try:
        end = 0
        for place in arena.places:
            assert place["offset"] % 256 == 0
            assert place["offset"] - end >= GUARD_BYTES
            end = place["offset"] + extent_bytes(place)
        assert arena.size - end >= GUARD_BYTES
    finally:
        arena.close()


def test_writing_into_a_tensor_leaves_the_guards_and_one_byte_beyond_does_not(arena_of: Callable[..., Arena]):
    arena = arena_of(torch.empty(5), torch.empty(7, dtype=torch.float16))
    arena.raise_guards(seed=3)
    for view in arena.tensors():
        view.fill_(1)
    for place in arena.places:
        arena.poison(place)
    assert not arena.guards_broken()
    for place in arena.places:
        for outside in (place["offset"] - 1, place["offset"] + extent_bytes(place)):
            arena.bytes[outside] ^= 0xFF
            assert arena.guards_broken()
            arena.bytes[outside] ^= 0xFF
            assert not arena.guards_broken()


def test_guards_look_like_data_and_differ_with_the_seed(arena_of: Callable[..., Arena]):
    arena = arena_of(torch.empty(4))

    def guard(seed: int) -> torch.Tensor:
        arena.raise_guards(seed)
        return torch.frombuffer(bytearray(arena.bytes[:GUARD_BYTES]), dtype=torch.float32)

    first, second = guard(1), guard(2)
    assert not torch.equal(first, second)
    assert 0.5 < float(first.std()) < 1.5


def test_poison_is_no_result_and_stays_in_its_place(arena_of: Callable[..., Arena]):
    arena = arena_of(torch.empty(3), torch.empty(3))
    first, second = arena.tensors()
    first.fill_(1)
    second.fill_(2)
    arena.poison(arena.places[0])
    assert bool((arena.tensors()[0].abs() > 1e6).all())
    assert torch.equal(arena.tensors()[1], torch.full((3,), 2.0))


def test_the_other_side_writes_bytes_that_this_side_sees(arena_of: Callable[..., Arena]):
    arena = arena_of(torch.empty(4))
    Mapping(arena.descriptor).tensor(arena.places[0]).copy_(torch.arange(4.0))
    assert torch.equal(arena.tensors()[0], torch.arange(4.0))


@pytest.mark.parametrize("size", [0, 10, 2**20])
def test_the_size_is_sealed(size: int, arena_of: Callable[..., Arena]):
    arena = arena_of(torch.empty(64))
    before = os.fstat(arena.descriptor).st_size
    with pytest.raises(PermissionError):
        os.ftruncate(arena.descriptor, size)
    with pytest.raises(PermissionError):
        os.ftruncate(os.open(f"/proc/self/fd/{arena.descriptor}", os.O_RDWR), size)
    assert os.fstat(arena.descriptor).st_size == before


def test_no_further_seal_can_be_added(arena_of: Callable[..., Arena]):
    arena = arena_of(torch.empty(64))
    with pytest.raises(PermissionError):
        fcntl.fcntl(arena.descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)


def test_memory_has_no_name_and_goes_with_its_descriptors(arena_of: Callable[..., Arena]):
    arena = arena_of(torch.empty(64))
    assert os.readlink(f"/proc/self/fd/{arena.descriptor}").startswith("/memfd:tensors")
    assert os.get_inheritable(arena.descriptor) is False
    assert isinstance(arena.bytes, mmap.mmap)


@pytest.mark.parametrize("tensor", [torch.empty(2, 3), torch.empty(3, 2).T, torch.empty(0), torch.tensor(1)])
def test_a_spec_of_a_tensor_is_one(tensor: torch.Tensor):
    assert check_spec(spec_of(tensor)) == spec_of(tensor)


@pytest.mark.parametrize(
    "spec",
    [
        None,
        [],
        "float32",
        {},
        {"dtype": "float32", "shape": [2]},
        {"dtype": "float32", "shape": [2], "stride": [1, 1]},
        {"dtype": "float32", "shape": [-1], "stride": [1]},
        {"dtype": "float32", "shape": [2], "stride": [-1]},
        {"dtype": "float32", "shape": [True], "stride": [1]},
        {"dtype": "float32", "shape": [2.0], "stride": [1]},
        {"dtype": "float32", "shape": "2", "stride": "1"},
        {"dtype": "nn", "shape": [2], "stride": [1]},
        {"dtype": "load", "shape": [2], "stride": [1]},
        {"dtype": 7, "shape": [2], "stride": [1]},
        {"dtype": "__name__", "shape": [2], "stride": [1]},
    ],
)
def test_anything_else_is_not_a_spec(spec: object):
    with pytest.raises(ValueError, match="not the spec of a tensor"):
        check_spec(spec)


@given(st.lists(st.integers(1, 6), max_size=4))
def test_a_contiguous_spec_has_the_strides_of_a_contiguous_tensor(shape: list[int]):
    assert contiguous_spec("float32", shape) == spec_of(torch.empty(shape))
