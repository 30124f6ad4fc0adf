"""Profiles: how large the tensors of synthesised programs are, and how much work they may be."""

from dataclasses import dataclass

from tritonrl.errors import UnknownNameError


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
    least_total_elements: int
    """Of all values together: below it the time on the device is launch overhead."""
    most_flops: int
    """Of the whole program, for each operator of the level."""
    typical_log2: tuple[float, float]
    """A created tensor aims at 2^a to 2^b elements."""


PROFILES = {
    "cpu": Profile("cpu", 1 << 14, 32, 1 << 15, 0, 1 << 24, (6.0, 12.0)),
    # 2^23 elements of fp32 are 32 MiB: 7 µs at the 4.8 TB/s of an H200, above the 3 to 5 µs of a launch.
    "gpu": Profile("gpu", 1 << 26, 256, 1 << 27, 1 << 23, 1 << 36, (19.0, 24.0)),
}


def profile(name: str) -> Profile:
    if name not in PROFILES:
        raise UnknownNameError("profile", name, sorted(PROFILES))
    return PROFILES[name]
