"""When to send: evenly at the rate that is allowed, and again after a failure that may pass."""

import asyncio
import email.utils
import math
import random
import time

BASE_DELAY_SECONDS = 0.5
LONGEST_DELAY_SECONDS = 30.0
LONGEST_RETRY_AFTER_SECONDS = 60.0
"""A server that asks for more is asked again after this."""

PASSING_STATUSES = frozenset({408, 409, 429})


def may_pass(status: int) -> bool:
    return status in PASSING_STATUSES or status >= 500


def back_off(num_failures: int) -> float:
    """Seconds to wait after so many failures: doubling, with jitter, so that callers part ways."""
    return min(BASE_DELAY_SECONDS * 2 ** (num_failures - 1), LONGEST_DELAY_SECONDS) * random.uniform(0.5, 1)


def read_retry_after(value: str | None) -> float | None:
    """Seconds, from a number or a date; None where it is neither."""
    try:
        seconds = float(value or "")
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(value or "").timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return None if math.isnan(seconds) else min(max(seconds, 0.0), LONGEST_RETRY_AFTER_SECONDS)


class Pace:
    """Turns that are evenly apart. For use in one event loop."""

    def __init__(self, per_minute: float | None) -> None:
        self._apart = 60 / per_minute if per_minute else 0.0
        self._next = -math.inf

    async def turn(self) -> None:
        now = time.monotonic()
        turn = max(now, self._next)
        self._next = turn + self._apart
        await asyncio.sleep(turn - now)
