"""Strategies, the likely fastest first where several fit."""

from tritonrl.teach.composer.strategies.attention import Attention
from tritonrl.teach.composer.strategies.flat import Flat
from tritonrl.teach.composer.strategies.looped_rows import LoopedRows
from tritonrl.teach.composer.strategies.row_blocks import RowBlocks
from tritonrl.teach.composer.strategies.split_rows import SplitRows
from tritonrl.teach.composer.strategies.strategy import Strategy
from tritonrl.teach.composer.strategies.tiles import Tiles
from tritonrl.teach.composer.strategies.windows import Windows

STRATEGIES: list[Strategy] = [Flat(), SplitRows(), RowBlocks(), LoopedRows(), Tiles(), Windows(), Attention()]
