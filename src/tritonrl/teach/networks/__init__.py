"""Networks: programs as modules are captured to, which chance seldom draws.

A few layers of a transformer, a convolutional network or a perceptron, at sizes that such have, with their
weights as inputs; and of those a few operators that follow each other.
"""

import random
from collections.abc import Mapping, Sequence

from tritonrl.program import Program
from tritonrl.program.fragment import fragment
from tritonrl.teach.networks.anywhere import ANYWHERE, LAST
from tritonrl.teach.networks.images import ON_IMAGES, images
from tritonrl.teach.networks.network import LARGE, SMALL, Layer, Network, Sizes
from tritonrl.teach.networks.rows import ON_LAST_DIM, class_loss, rows
from tritonrl.teach.networks.sequences import ON_SEQUENCES, sequences, signals

__all__ = ["LARGE", "MOST_ELEMENTS", "SMALL", "Sizes", "network"]

MOST_ELEMENTS = 1 << 25
WHOLE = 0.5
"""Share of programs that are a module's own, with its arguments first; of the others a part is taken."""
LAYERS: Mapping[int, Sequence[Layer]] = {
    2: (*ANYWHERE, *ON_LAST_DIM, class_loss, *LAST),
    3: (*ANYWHERE, *ON_LAST_DIM, *ON_SEQUENCES, *LAST),
    4: (*ANYWHERE, *ON_IMAGES, *LAST),
}
"""By the rank of what they read."""
BEGINNINGS: Sequence[Layer] = (rows, sequences, images, signals)


def network(
    rng: random.Random, num_operators: int, dtype: str = "float32", sizes: Sizes | None = None
) -> Program:
    """So many operators that follow each other in some network; fewer where that has no more."""
    sizes = sizes or rng.choice((LARGE, LARGE, LARGE, SMALL))
    while True:
        is_whole = rng.random() < WHOLE
        grown = _grown(Network(rng, dtype, sizes), num_operators if is_whole else 2 * num_operators)
        made = grown.program()
        if grown.num_operators and max(spec.num_elements for spec in made.values) <= MOST_ELEMENTS:
            is_made = is_whole and grown.num_operators <= num_operators
            return made if is_made else _part(rng, made, num_operators)


def _grown(made: Network, num_operators: int) -> Network:
    """Layer after layer, until there are so many operators, or nothing is left to reduce."""
    rng = made.rng
    rng.choice(BEGINNINGS)(made)
    while made.num_operators < num_operators and len(shape := made.shape()) in LAYERS and min(shape[1:]) > 1:
        rng.choice(LAYERS[len(shape)])(made)
    return made


def _part(rng: random.Random, whole: Program, num_operators: int) -> Program:
    """Neighbouring nodes, views with them."""
    counted = [position for position, node in enumerate(whole.nodes) if not node.row.is_view]
    first = rng.randrange(max(1, len(counted) - num_operators + 1))
    chosen = counted[first : first + num_operators]
    return fragment(whole, range(chosen[0], chosen[-1] + 1)).program
