"""Sets of inputs for timed calls: one a call, in memory of the judge's, with other values before each batch.
One more is for the calls that lead into a batch.

A set holds one of the task's own draws, a few elements of which are exchanged for those of another: no batch
ever gets values that an earlier one had. After they are written the L2 cache is overwritten, so that a call
finds its inputs in memory, as a caller's next data would be.
"""

import secrets
from collections.abc import Sequence
from functools import lru_cache

import torch

from tritonrl.verify.device_memory import DeviceArena
from tritonrl.verify.lending import Ask
from tritonrl.verify.memory import Place, contiguous_spec, extent_bytes, spec_of
from tritonrl.verify.oracle.exam import Draw
from tritonrl.verify.oracle.properties import observe
from tritonrl.verify.oracle.worker import Values

MOST_SETS = 256
"""Besides the one for calls that are not timed."""
MOST_BYTES = 2**28
"""Of all sets together, and of the outputs of their calls."""
LEAST_SETS = 2
NUM_EXCHANGED = 16
"""Elements of each input that are exchanged."""
L2_FILLS = 4
"""Times the size of the cache that is written to empty it."""
NUM_DRAWS = 4
NAME = "timed"


class Sets:
    """The inputs of as many calls as fit, made of a few of the task's own draws."""

    def __init__(self, draws: Sequence[Values], output_bytes: int, device: str) -> None:
        self.structure = draws[0].structure
        self._num_inputs = len(draws[0].tensors)
        specs = [spec_of(each) for each in draws[0].tensors]
        most = MOST_BYTES // max(1, output_bytes + sum(map(extent_bytes, specs)))
        self.count = max(LEAST_SETS, min(MOST_SETS, most - 1))
        # The last place makes room for the guard after the last set, as long as all others.
        self.arena = DeviceArena([*specs * (self.count + 1), contiguous_spec("uint8", [4096])], device)
        self._rows = self._as_rows()
        draws = draws[: self.count]
        for number, draw in enumerate(draws):
            for view, tensor in zip(self.tensors(number), draw.tensors, strict=True):
                view.copy_(tensor)
        self._bank = self._rows[: len(draws)].clone()
        self._rows[-1].copy_(self._bank[0])
        self._exchangeable = [place for place in range(self._num_inputs) if _may_be_exchanged(draws, place)]
        self._generator = torch.Generator(device).manual_seed(secrets.randbits(62))
        self._cold = _cold(device)

    def _as_rows(self) -> torch.Tensor:
        """The memory as one row of bytes a set: they are laid out alike, so that rows are equally long."""
        starts = [places[0]["offset"] if places else 0 for places in self.places(2)]
        first, length = starts[0], starts[1] - starts[0]
        flat = {"dtype": "uint8", "shape": [self.count + 1, length], "stride": [length, 1], "offset": first}
        return self.arena.tensor(flat)

    def places(self, count: int | None = None) -> list[list[Place]]:
        """Where the inputs of each call are; at the end, of those that are not timed."""
        wide = self._num_inputs
        return [self.arena.places[n * wide : (n + 1) * wide] for n in range(count or self.count + 1)]

    def tensors(self, number: int) -> list[torch.Tensor]:
        """The inputs of one call."""
        return [self.arena.tensor(place) for place in self.places()[number]]

    def hand_to(self, ask: Ask) -> str:
        """Have a process map the sets; gives the name under which it then knows them."""
        ask({"do": "map", "maps": [[NAME, self.arena.size_on_device]]}, [self.arena.descriptor])
        return NAME

    def refresh(self, count: int, picked: int | None = None) -> tuple[torch.Tensor, ...]:
        """Other values in the first sets, none of them in the cache; gives copies of those that are
        picked."""
        if not self._num_inputs:
            return ()
        chosen = self._random(len(self._bank), (count,))
        # As whole words: an index over bytes takes eight times as long.
        torch.index_select(_words(self._bank), 0, chosen, out=_words(self._rows)[:count])
        for place in self._exchangeable:
            self._exchange(self.arena.places[place], chosen)
        copies = () if picked is None else tuple(each.clone() for each in self.tensors(picked))
        self._cold.fill_(secrets.randbits(7))
        self.arena.settle()
        return copies

    def _exchange(self, place: Place, chosen: torch.Tensor) -> None:
        """Put elements of another draw than the chosen one into each of the first sets."""
        dtype = getattr(torch, place["dtype"])
        first = (place["offset"] - self.arena.places[0]["offset"]) // dtype.itemsize
        elements = extent_bytes(place) // dtype.itemsize
        count, num_draws = len(chosen), len(self._bank)
        where = first + self._random(elements, (count, NUM_EXCHANGED))
        others = ((chosen + 1 + self._random(num_draws - 1, (count,))) % num_draws)[:, None]
        self._rows[:count].view(dtype).scatter_(1, where, self._bank.view(dtype)[others, where])

    def _random(self, most: int, shape: tuple[int, ...]) -> torch.Tensor:
        device = self._generator.device
        return torch.randint(0, most, shape, generator=self._generator, device=device)

    def close(self) -> None:
        self.arena.close()


def timed_bytes(draw: Draw) -> int:
    """Of a device, about, while a candidate is timed on inputs like these: for the sets, for the draws that
    they are made of, and for what the calls of a batch return to each who is compared."""
    inputs = sum(each.nbytes for each in draw.inputs.tensors)
    a_set = inputs + draw.expected.output_bytes
    return 2 * max(MOST_BYTES, (LEAST_SETS + 1) * a_set) + NUM_DRAWS * inputs


@lru_cache(maxsize=16)
def _cold(device: str) -> torch.Tensor:
    """What is written to empty the cache; whoever writes may write over another's."""
    l2_bytes = torch.cuda.get_device_properties(device).L2_cache_size
    return torch.empty(L2_FILLS * l2_bytes, dtype=torch.uint8, device=device)


def _words(rows: torch.Tensor) -> torch.Tensor:
    return rows.view(torch.int64)


def _may_be_exchanged(draws: Sequence[Values], place: int) -> bool:
    """Whether elements of this input stand for themselves."""
    found = observe([draw.tensors[place] for draw in draws])
    return not (found.fixed or found.symmetric or found.whole or found.rows_sum_to_one)
