"""Strategies: to add one is to add a file, and its name here."""

from tritonrl.teach.composer.strategies.attention import Attention
from tritonrl.teach.composer.strategies.direct import Direct
from tritonrl.teach.composer.strategies.flat import Flat
from tritonrl.teach.composer.strategies.looped_rows import LoopedRows
from tritonrl.teach.composer.strategies.packed_tiles import PackedTiles
from tritonrl.teach.composer.strategies.persistent_tiles import PersistentTiles
from tritonrl.teach.composer.strategies.phases import Phases
from tritonrl.teach.composer.strategies.planes import Planes
from tritonrl.teach.composer.strategies.row_blocks import RowBlocks
from tritonrl.teach.composer.strategies.split_products import SplitProducts
from tritonrl.teach.composer.strategies.split_rows import SplitRows
from tritonrl.teach.composer.strategies.strategy import Strategy
from tritonrl.teach.composer.strategies.striding import Striding
from tritonrl.teach.composer.strategies.tiles import Tiles
from tritonrl.teach.composer.strategies.wide_windows import WideWindows
from tritonrl.teach.composer.strategies.windows import Windows

STRATEGIES: list[Strategy] = [
    Flat(), Striding(), Planes(), RowBlocks(), LoopedRows(), SplitRows(), Tiles(), Phases(),
    PackedTiles(), PersistentTiles(), SplitProducts(), Direct(), Windows(), WideWindows(), Attention(),
]  # fmt: skip
