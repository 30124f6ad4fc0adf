"""The rows of the operator table, a file for each family."""

from tritonrl.program.ops import (
    arithmetic,
    attention,
    compare,
    conv,
    loss,
    matrix,
    norm,
    pointwise,
    pool,
    reduce,
    view,
)

ROWS = (
    *arithmetic.OPS,
    *reduce.OPS,
    *matrix.OPS,
    *pointwise.OPS,
    *norm.OPS,
    *pool.OPS,
    *conv.OPS,
    *compare.OPS,
    *loss.OPS,
    *attention.OPS,
    *view.OPS,
)

__all__ = ["ROWS"]
