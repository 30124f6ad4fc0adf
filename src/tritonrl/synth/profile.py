"""Profiles: how large the tensors of synthesised programs are, and how much work they may be."""

from dataclasses import dataclass, replace

from tritonrl.errors import UnknownNameError

BYTES = 4
"""Of an element that the profiles below count: float32."""


@dataclass(frozen=True)
class Profile:
    """Bounds that every program of the profile keeps, and the sizes it aims at."""

    name: str
    most_elements: int
    """Of any one value."""
    least_elements: int
    """Of any value but parameters; fewer than this many numbers can agree by chance."""
    most_total_elements: int
    """Of all values together, for each operator of the level."""
    least_traffic: int
    """Elements of four bytes that are read and written: on average over the operators, and half of it by each
    that reads an input. Below it the time of a program is launch overhead."""
    most_flops: int
    """Of the whole program, for each operator of the level."""
    typical_log2: tuple[float, float]
    """A created tensor aims at 2^a to 2^b elements."""

    def of_items(self, item_bytes: int) -> "Profile":
        """The bounds for elements of another size: bounds on work stay, as many bytes must move."""
        return replace(self, least_traffic=self.least_traffic * BYTES // item_bytes)


PROFILES = {
    "cpu": Profile("cpu", 1 << 14, 32, 1 << 15, 0, 1 << 24, (6.0, 12.0)),
    # 2^24 elements of fp32 are 64 MiB: 14 µs at the 4.8 TB/s of an H200, twice the 6 µs of an eager launch.
    "gpu": Profile("gpu", 1 << 26, 64, 1 << 27, 1 << 22, 1 << 36, (22.5, 25.0)),
}


def profile(name: str) -> Profile:
    if name not in PROFILES:
        raise UnknownNameError("profile", name, sorted(PROFILES))
    return PROFILES[name]
