"""Counts what was asked and answered, from any thread."""

import threading

from tritonrl.llm.records import Endpoint, Reply, Usage


class Tally:
    def __init__(self, endpoint: Endpoint) -> None:
        self._prices = (endpoint.price_in, endpoint.price_out)
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()

    def add(self, **counts: int) -> None:
        with self._lock:
            for name, count in counts.items():
                self._counts[name] = self._counts.get(name, 0) + count

    def add_reply(self, reply: Reply) -> None:
        uncounted = reply.tokens_in is None or reply.tokens_out is None
        self.add(tokens_in=reply.tokens_in or 0, tokens_out=reply.tokens_out or 0, uncounted=int(uncounted))

    @property
    def usage(self) -> Usage:
        with self._lock:
            usage = Usage(**self._counts)
        price_in, price_out = self._prices
        if price_in is None or price_out is None or usage.uncounted:
            return usage
        cost = (usage.tokens_in * price_in + usage.tokens_out * price_out) / 1e6
        return usage.model_copy(update={"cost": cost})
