"""The memory of another process, and whether certain bytes are in it.

A table of the first 8 bytes of all that is looked for tells where it is worth to compare the rest.
"""

import os
import re
import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import torch

WINDOW_BYTES = 32
_CHUNK_BYTES = 2**26
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def read_memory(pid: int) -> Iterator[bytes]:
    """Everything that the process has in memory and could read, in pieces that overlap by a window.

    Mapped files that it has not written to are passed over: they are what they are on disk.
    """
    memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
    try:
        for start, end in _mappings(pid):
            for begin in range(start, end, _CHUNK_BYTES):
                yield os.pread(memory, min(_CHUNK_BYTES + WINDOW_BYTES, end - begin), begin)
    finally:
        os.close(memory)


def _mappings(pid: int) -> Iterator[tuple[int, int]]:
    with open(f"/proc/{pid}/smaps") as file:
        text = file.read()
    for each in re.finditer(
        r"^(\w+)-(\w+) (\S{4}) \w+ \S+ (\d+) *(.*)\n(?s:.*?)^Anonymous: +(\d+) kB", text, re.M
    ):
        start, end, rights, inode, name, own_kb = each.groups()
        unwritten = inode != "0" and rights.endswith("p") and own_kb == "0"
        if rights.startswith("r") and not unwritten and not name.startswith(("[vvar", "[vsyscall")):
            yield int(start, 16), int(end, 16)


def telling_windows(tensor: torch.Tensor, given: Sequence[torch.Tensor]) -> set[bytes]:
    """All runs of 32 bytes of a tensor but those with a zero, a one or a value that was given: no secret."""
    flat = tensor.detach().contiguous().reshape(-1)
    plain = [
        torch.tensor([0.0, 1.0, -1.0]),
        *(each.reshape(-1) for each in given if each.is_floating_point()),
    ]
    telling = ~torch.isin(flat, torch.cat([each.to(flat.dtype) for each in plain]))
    count = WINDOW_BYTES // flat.element_size()
    if len(flat) < count:
        return set()
    whole = telling.unfold(0, count, 1).all(1)
    return {window.tobytes() for window in flat.unfold(0, count, 1)[whole].numpy()}


def num_found(memory: Sequence[bytes], needles: Iterable[bytes], step: int = 4) -> int:
    """How many places of the memory, at multiples of `step`, hold one of the needles, of 8 bytes at least."""
    by_start: dict[bytes, set[bytes]] = defaultdict(set)
    for needle in needles:
        by_start[needle[:8]].add(needle)
    starts = np.frombuffer(b"".join(by_start), np.uint64)
    bits = 8 + len(starts).bit_length()  # a table small enough for the cache, and empty enough
    table = np.zeros(2**bits, bool)
    table[_hashed(starts, bits)] = True
    found = 0
    for piece in memory:
        for offset in range(0, 8, step):
            words = np.frombuffer(piece, np.uint64, max(0, len(piece) - offset) // 8, offset)
            places = np.flatnonzero(table[_hashed(words, bits)])
            places = places[np.isin(words[places], starts)] * 8 + offset
            for place in places.tolist():
                found += any(piece.startswith(each, place) for each in by_start[piece[place : place + 8]])
    return found


def forms_found(memory: Sequence[bytes], numbers: set[int]) -> set[str]:
    """The forms in which any of these numbers of 60 bits and more is in the memory."""
    low = 2**30 - 1  # Python keeps an integer in digits of 30 bits, each in four bytes
    forms = {
        "little endian": ([struct.pack("<Q", each) for each in numbers], 4),
        "Python": ([struct.pack("<III", each & low, each >> 30 & low, each >> 60) for each in numbers], 4),
        "decimal": ([str(each).encode() for each in numbers], 1),
    }
    return {form for form, (needles, step) in forms.items() if num_found(memory, needles, step)}


def _hashed(words: np.ndarray, bits: int) -> np.ndarray:
    return (words * _FACTOR) >> np.uint64(64 - bits)
