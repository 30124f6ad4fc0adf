"""Large pages: what a fork costs is the table of pages that it copies, and freeing it when it ends.

A process that has imported torch and triton has sixty thousand pages of its own: 25 ms a fork, and a verdict
takes a dozen. In pages of 2 MiB it is 6 ms. A child that writes to one gets a small page of it for itself.
"""

import contextlib

from tritonrl.verify.sandbox.kernel import MADV_COLLAPSE, madvise

SIZE_BYTES = 2 << 20


def collapse() -> int:
    """Put this process's own memory into large pages, as far as there are any; gives how many it has then.
    Takes most of a second. Linux before 6.1 has none for that."""
    with open("/proc/self/maps", encoding="utf-8") as file:
        areas = [line.split() for line in file]
    return sum(map(_collapses, _pages(areas)))


def _pages(areas: list[list[str]]) -> list[int]:
    """Where large pages may lie: in memory of no file that can be written to."""
    found: list[int] = []
    for place, rights, _, _, _, *name in areas:
        if rights == "rw-p" and name in ([], ["[heap]"]):
            start, end = (int(each, 16) for each in place.split("-"))
            found += range(-(-start // SIZE_BYTES) * SIZE_BYTES, end - SIZE_BYTES + 1, SIZE_BYTES)
    return found


def _collapses(page: int) -> bool:
    with contextlib.suppress(OSError):
        madvise(page, SIZE_BYTES, MADV_COLLAPSE)
        return True
    return False
