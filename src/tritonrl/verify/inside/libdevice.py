"""NVIDIA's library of functions for Triton's interpreter, which has only stubs of it: in numpy.

The fast ones are as far off as NVIDIA says that they may be (CUDA's guide on intrinsics, PTX's on
`sin.approx`, `lg2.approx` and `ex2.approx`), by another part of that for each argument.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as cuda_libdevice
from triton.runtime.interpreter import TensorHandle, interpreter_semantic


def _off(x: Any) -> Any:
    """A number between -1 and 1 for each, which says nothing of its neighbour's."""
    bits = np.asarray(x, dtype=np.float32).view(np.uint32).astype(np.uint64)
    return ((bits * np.uint64(2654435761)) % np.uint64(2**32)).astype(np.float64) / 2**31 - 1


def _fast_sin(x: Any, exact: Callable[..., Any] = np.sin) -> Any:
    """Off by 2^-21.4 near zero and by 2^-14.7 at 100 pi, which is 2^-23 of the argument."""
    return exact(x.astype(np.float64)) + np.maximum(2.0**-21.4, np.abs(x) * 2.0**-23) * _off(x)


def _fast_log2(x: Any) -> Any:
    """Off by 2^-22, or as a share of it."""
    exact = np.log2(x.astype(np.float64))
    off = np.maximum(1.0, np.abs(exact)) * 2.0**-22 * _off(x)
    return np.where(np.isfinite(exact), exact + off, exact)


def _fast_exp2(x: Any) -> Any:
    """Off by 2^-22 of it, beside what the argument was off."""
    x = np.asarray(x, dtype=np.float32)
    return np.exp2(x.astype(np.float64)) * (1 + 2.0**-22 * _off(x))


_LOG2_E, _LOG2_10 = (np.float32(math.log2(base)) for base in (math.e, 10))

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": np.abs, "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh,
    "atan": np.arctan, "atan2": np.arctan2, "atanh": np.arctanh, "cbrt": np.cbrt, "ceil": np.ceil,
    "copysign": np.copysign, "cos": np.cos, "cosh": np.cosh, "div_rn": np.divide,
    "erf": np.vectorize(math.erf), "erfc": np.vectorize(math.erfc), "exp": np.exp,
    "exp10": lambda x: np.power(10.0, x), "exp2": np.exp2, "expm1": np.expm1,
    "fast_cosf": lambda x: _fast_sin(x, np.cos), "fast_dividef": np.divide,
    "fast_exp10f": lambda x: _fast_exp2(x * _LOG2_10), "fast_expf": lambda x: _fast_exp2(x * _LOG2_E),
    "fast_log10f": lambda x: _fast_log2(x) * math.log10(2), "fast_log2f": _fast_log2,
    "fast_logf": lambda x: _fast_log2(x) * math.log(2),
    "fast_powf": lambda x, y: _fast_exp2(_fast_log2(x) * y), "fast_sinf": _fast_sin,
    "fast_tanf": lambda x: _fast_sin(x) / _fast_sin(x, np.cos),
    "fdim": lambda x, y: np.maximum(x - y, 0), "floor": np.floor,
    "fma": lambda x, y, z: x.astype(np.float64) * y + z, "fmod": np.fmod, "hypot": np.hypot,
    "isinf": np.isinf, "isnan": np.isnan, "lgamma": np.vectorize(math.lgamma), "log": np.log,
    "log10": np.log10, "log1p": np.log1p, "log2": np.log2, "pow": np.power,
    "rcbrt": lambda x: 1 / np.cbrt(x), "rint": np.rint,
    "round": lambda x: np.sign(x) * np.floor(np.abs(x) + 0.5), "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin, "sinh": np.sinh, "sqrt": np.sqrt, "sqrt_rn": np.sqrt, "tan": np.tan, "tanh": np.tanh,
    "tgamma": np.vectorize(math.gamma), "trunc": np.trunc,
}  # fmt: skip


def install() -> None:
    """Put them in the place of the stubs, under both names of the library."""
    for library in (libdevice, cuda_libdevice):
        for name, function in FUNCTIONS.items():
            if original := getattr(library, name, None):
                setattr(library, name, _elementwise(function, original))


def _elementwise(function: Callable[..., Any], original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)  # its module and name are how the compiler finds it
    def called(*operands: Any, _semantic: Any = None) -> Any:
        tensors: list[Any] = [interpreter_semantic.to_tensor(each) for each in operands]
        first = next(each for each in operands if isinstance(each, tl.tensor))
        with np.errstate(all="ignore"):
            data = np.asarray(function(*(each.handle.data for each in tensors)))
        kind = tl.int1 if data.dtype == np.bool_ else first.dtype
        data = data if kind == tl.int1 else data.astype(first.handle.data.dtype)
        is_block = any(each.type.is_block() for each in tensors)
        return tl.tensor(
            TensorHandle(data, kind), tl.block_type(kind, list(data.shape)) if is_block else kind
        )

    return called
