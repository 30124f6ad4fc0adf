"""Large pages: where they may lie, and that what is in them stays what it was."""

import subprocess
import sys

import pytest

from tritonrl.verify.large_pages import SIZE_BYTES, _pages

COLLAPSING = """
import os, random
from tritonrl.verify.large_pages import collapse
before = random.Random(1).randbytes(16 << 20)
held = bytearray(before)
print(collapse(), held == before)
child = os.fork()
if child == 0:
    held[5 << 20] ^= 1
    os._exit(0)
os.waitpid(child, 0)
print(held == before)
"""


def test_what_is_in_them_stays_what_it_was():
    done = subprocess.run([sys.executable, "-c", COLLAPSING], capture_output=True, text=True, check=True)
    number, *same = done.stdout.split()
    assert same == ["True", "True"]
    if number == "0":
        pytest.skip("this kernel has no large pages to give")
    assert int(number) >= 14, "of 32 MiB in two areas at least seven each"


def test_they_lie_whole_within_memory_of_ones_own():
    page = f"{SIZE_BYTES:x}"
    areas = [
        f"{SIZE_BYTES - 4096:x}-{3 * SIZE_BYTES + 4096:x} rw-p 0 0 0",
        f"{4 * SIZE_BYTES:x}-{5 * SIZE_BYTES:x} rw-p 0 0 0 [heap]",
        f"{6 * SIZE_BYTES + 4096:x}-{7 * SIZE_BYTES + 4096:x} rw-p 0 0 0",
        f"{8 * SIZE_BYTES:x}-{9 * SIZE_BYTES:x} r--p 0 0 0",
        f"{8 * SIZE_BYTES:x}-{9 * SIZE_BYTES:x} rw-s 0 0 0",
        f"{8 * SIZE_BYTES:x}-{9 * SIZE_BYTES:x} rw-p {page} 0 7 /usr/lib/libtorch.so",
    ]
    found = _pages([line.split() for line in areas])
    assert found == [SIZE_BYTES, 2 * SIZE_BYTES, 4 * SIZE_BYTES]
