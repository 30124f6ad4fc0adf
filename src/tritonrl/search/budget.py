"""How long a search goes on: a time, a number of candidates, or until it has nothing left to try."""

import re
import time
from dataclasses import dataclass, field

from tritonrl.errors import UserError

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass
class Budget:
    """What is left. Spent, it lets what is under way come to its end, and nothing new begin."""

    seconds: float | None = None
    candidates: int | None = None
    began: float = field(default_factory=time.monotonic)
    stopped: bool = False

    @classmethod
    def parse(cls, text: str | None) -> "Budget":
        """`90s`, `2m`, or a number of candidates; None is no limit."""
        if text is None:
            return cls()
        found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text.strip())
        if not found or not float(found[1]) or (not found[2] and "." in found[1]):
            raise UserError(f"--budget {text}: expected a time such as 90s or 2m, or a number of candidates")
        if found[2]:
            return cls(seconds=float(found[1]) * UNITS[found[2]])
        return cls(candidates=int(found[1]))

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.began

    @property
    def seconds_left(self) -> float | None:
        return None if self.seconds is None else max(0.0, self.seconds - self.elapsed)

    @property
    def is_spent(self) -> bool:
        return self.stopped or self.seconds_left == 0.0 or self.candidates == 0

    def take(self, wanted: int) -> int:
        """As many of these candidates as there are left; they count as tried."""
        if self.is_spent:
            return 0
        given = wanted if self.candidates is None else min(wanted, self.candidates)
        if self.candidates is not None:
            self.candidates -= given
        return given

    def stop(self) -> None:
        self.stopped = True
