"""The memory of another process, and whether certain bytes are in it.

Runs of 32 bytes are looked for at every multiple of four: a table tells of their first 8 bytes where it is
worth to compare the rest.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import torch

WINDOW_BYTES = 32
_CHUNK_BYTES = 2**26
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_TABLE_BITS = 24


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


def telling_windows(tensor: torch.Tensor, given: Sequence[torch.Tensor]) -> np.ndarray:
    """All runs of 32 bytes of a tensor but those with a zero, a one or a value that was given: no secret."""
    flat = tensor.detach().contiguous().reshape(-1)
    plain = [
        torch.tensor([0.0, 1.0, -1.0]),
        *(each.reshape(-1) for each in given if each.is_floating_point()),
    ]
    telling = ~torch.isin(flat, torch.cat([each.to(flat.dtype) for each in plain]))
    count = WINDOW_BYTES // flat.element_size()
    if len(flat) < count:
        return np.empty((0, WINDOW_BYTES), np.uint8)
    whole = telling.unfold(0, count, 1).all(1)
    return flat.unfold(0, count, 1)[whole].contiguous().numpy().view(np.uint8).reshape(-1, WINDOW_BYTES)


def num_found(memory: Iterable[bytes], windows: np.ndarray) -> int:
    """How many places of the memory hold one of the windows."""
    wanted = {window.tobytes() for window in windows}
    starts = np.unique(windows[:, :8].copy().view(np.uint64))
    table = np.zeros(2**_TABLE_BITS, bool)
    table[_hashed(starts)] = True
    found = 0
    for piece in memory:
        for offset in (0, 4):
            words = np.frombuffer(piece, np.uint64, (len(piece) - offset) // 8, offset)
            places = np.flatnonzero(table[_hashed(words)])
            places = places[np.isin(words[places], starts)] * 8 + offset
            found += sum(piece[place : place + WINDOW_BYTES] in wanted for place in places.tolist())
    return found


def forms_found(memory: Iterable[bytes], numbers: set[int]) -> set[str]:
    """The forms in which any of these large numbers is in the memory."""
    low, digit = 2**30 - 1, 30  # Python keeps an integer in digits of 30 bits, each in four bytes
    forms = {
        "little endian": np.array(list(numbers), np.uint64),
        "Python": np.array([each & low | (each >> digit & low) << 32 for each in numbers], np.uint64),
    }
    table = np.zeros(2**_TABLE_BITS, bool)
    table[_hashed(np.concatenate(list(forms.values())))] = True
    texts = {str(number).encode() for number in numbers}
    found = set()
    for piece in memory:
        for offset in (0, 4):
            words = np.frombuffer(piece, np.uint64, (len(piece) - offset) // 8, offset)
            worth = words[table[_hashed(words)]]
            found |= {form for form, wanted in forms.items() if np.isin(worth, wanted).any()}
        if not texts.isdisjoint(re.findall(rb"[0-9]{10,19}", piece)):
            found.add("decimal")
    return found


def _hashed(words: np.ndarray) -> np.ndarray:
    return ((words * _FACTOR) >> np.uint64(64 - _TABLE_BITS)).astype(np.int64)
