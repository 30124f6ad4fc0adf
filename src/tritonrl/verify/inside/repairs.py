"""Where Triton's interpreter differs from a GPU on honest kernels, made good, and where it wastes time;
applied once, in the zygote.

- bfloat16 lies in the interpreter as raw 16-bit integers, and arithmetic, comparisons and `tl.dot` worked on
  those; a cast from float32 cut bits off instead of rounding. Here such operators compute in float32 and
  round to nearest even.
- A kernel defined inside a function could not read that function's variables. The compiler lets it.
- Maxima and minima of bfloat16, and their places, worked on the raw integers too.
- A sum of float16 or bfloat16 was computed more exactly than in its type, and a reduction by a function of
  the kernel's own went from one element to the next. A GPU rounds each of their steps, in a tree at best.
- A dot that accumulates in float16 rounded once. A GPU rounds each `DOT_STEP` products.
- `libdevice` (see there), names imported from `triton.language` one by one, and a constexpr annotated in
  another way than as `tl.constexpr` were not understood.
- A block and a scalar condition, `(cols < n) & (row < m)`, gave integers, which are no mask.
- A scan went from one element to the next, so that the rounding error of a sum grew with its length, and most
  scans took a call for each element; a GPU scans in a tree, whose error grows with the logarithm.
- Inline assembly and functions of libraries other than `libdevice` were a kernel's error. They are no error
  of its own: `GpuOnly` says so.
- A scalar could not be a loop bound under Triton 3.6 with numpy 2.4: `int()` of an array of one element is an
  error there. Nor is there a bfloat16 scalar.
"""

import dataclasses
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter
from triton.runtime.interpreter import (
    FunctionRewriter,
    InterpreterBuilder,
    TensorHandle,
    interpreter_semantic,
)

from tritonrl.verify.inside import libdevice, remembered
from tritonrl.verify.inside.gpu_only import refusing


def repair() -> None:
    builder: Any = InterpreterBuilder
    builder.create_dot = _in_steps(builder.create_dot)
    for name in ("binary_op", "unary_op", "create_dot", "create_fma"):
        setattr(builder, name, _in_float32(getattr(builder, name)))
    builder.cast_impl = _rounding(builder.cast_impl)  # pyright: ignore[reportAttributeAccessIssue]
    builder.create_fp_to_fp = _rounding(builder.create_fp_to_fp)  # pyright: ignore[reportAttributeAccessIssue]
    builder.get_bf16 = lambda self, value: self.create_fp_trunc(self.get_fp32(value), tl.bfloat16)  # pyright: ignore
    made = interpreter.interpreter_builder
    # Checks that nobody reads outside of debugging, and a third of an elementwise kernel's time.
    made.options = dataclasses.replace(made.options, sanitize_overflow=False)
    builder.create_inline_asm = refusing("tl.inline_asm_elementwise")
    builder.create_extern_elementwise = refusing("tl.extern_elementwise")
    builder.create_splat = _splat  # pyright: ignore[reportAttributeAccessIssue]
    sums: Any = interpreter.ReduceOps
    sums.min_max = _widely(sums.min_max)
    sums.generic_reduce = _by_halves(sums.generic_reduce)
    sums.sum = _in_its_type(sums.sum)
    scans: Any = interpreter.ScanOps
    scans.generic_scan = _in_a_tree(scans.generic_scan)
    scans.cumsum = scans.cumprod = lambda self, input: self.generic_scan((input,))
    libdevice.install()
    remembered.install()
    interpreter._patch_lang = _once(interpreter._patch_lang)
    executor = interpreter.GridExecutor
    executor.__init__ = _with_constexprs(executor.__init__)  # pyright: ignore[reportAttributeAccessIssue]
    patch = interpreter._patch_lang_tensor
    interpreter._patch_lang_tensor = lambda tensor, scope: _with_index(tensor, scope, patch)
    plain = FunctionRewriter._compile_and_exec
    FunctionRewriter._compile_and_exec = lambda self, tree: _with_closure(self, tree, plain)  # pyright: ignore


def _with_index(tensor: Any, scope: Any, patch: Callable[..., Any]) -> None:
    patch(tensor, scope)
    scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.squeeze()))


def _widely(min_max: Callable[..., Any]) -> Callable[..., Any]:
    """A maximum or its place with bfloat16 widened; what comes of it is narrowed again."""

    def repaired(self: Any, input: Any, *operators: Any, **named: Any) -> Any:
        if not _is_bfloat16(input.handle):
            return min_max(self, input, *operators, **named)
        handle = _widened(input.handle)
        result = min_max(self, self.to_tensor(handle.data, handle.dtype), *operators, **named)
        if not isinstance(result, tuple):
            return _rounded(result)
        return tuple(_rounded(each) for each in result)

    return repaired


def _in_its_type(wide: Callable[..., Any]) -> Callable[..., Any]:
    """A sum whose steps are rounded, where that shows."""

    def repaired(self: Any, input: Any) -> Any:
        if input.dtype.scalar not in (tl.float16, tl.bfloat16):
            return wide(self, input)
        return self.generic_reduce((input,))[0]

    return repaired


def _by_halves(one_by_one: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction by any function: each element with its neighbour, until one is left."""

    def repaired(self: Any, input: tuple[Any, ...]) -> Any:
        is_whole, axis = self.axis is None, self.axis or 0
        blocks = [np.asarray(each.handle.data) for each in input]
        held = [np.moveaxis(each.reshape(-1) if is_whole else each, axis, -1) for each in blocks]

        def given(start: int) -> list[Any]:
            halves = (np.ascontiguousarray(each[..., start::2]) for each in held)
            return [self.to_tensor(half, own.dtype) for half, own in zip(halves, input, strict=True)]

        try:
            while held[0].shape[-1] > 1:
                joined = _joined(self, *given(0), *given(1))
                held = [each.handle.data for each in joined]
        except Exception:  # a function of single numbers, with branches say
            return one_by_one(self, input)
        results = [each[..., 0] for each in held]
        if self.keep_dims:
            around = tuple(range(blocks[0].ndim)) if is_whole else axis
            results = [np.expand_dims(each, around) for each in results]
        pairs = zip(results, input, strict=True)
        return [self.to_tensor(made if made.shape else made.item(), own.dtype) for made, own in pairs]

    return repaired


def _joined(self: Any, *operands: Any) -> tuple[Any, ...]:
    """What a function of a reduction or scan makes of blocks; an error where it branches on one, of which the
    interpreter would take every one to be true."""

    def truth(tensor: Any) -> bool:
        return bool(tensor.handle.data.item())

    plain, tl.tensor.__bool__ = tl.tensor.__bool__, truth  # pyright: ignore[reportAttributeAccessIssue]
    try:
        joined = self.combine_fn.fn(*operands)
    finally:
        tl.tensor.__bool__ = plain  # pyright: ignore[reportAttributeAccessIssue]
    return joined if isinstance(joined, tuple) else (joined,)


DOT_STEP = 16
"""Products that a GPU adds up at a time, however it accumulates."""


def _in_steps(dot: Callable[..., Any]) -> Callable[..., Any]:
    """A dot that accumulates in float16 is rounded to it after each step."""

    def repaired(self: Any, a: Any, b: Any, acc: Any, *rest: Any) -> Any:
        if any(each.dtype.scalar != tl.float16 for each in (a, b, acc)):
            return dot(self, a, b, acc, *rest)
        wide = TensorHandle(acc.data.astype(np.float32), tl.float32)
        for k in range(0, a.data.shape[-1], DOT_STEP):
            left = TensorHandle(a.data[..., k : k + DOT_STEP], a.dtype)
            right = TensorHandle(b.data[..., k : k + DOT_STEP, :], b.dtype)
            sums = dot(self, left, right, wide, *rest).data.astype(np.float16)
            wide = TensorHandle(sums.astype(np.float32), tl.float32)
        return TensorHandle(wide.data.astype(np.float16), tl.float16)

    return repaired


def _in_a_tree(one_by_one: Callable[..., Any]) -> Callable[..., Any]:
    """A scan by any function: each element with the one before it, then with what is two before, then
    four."""

    def repaired(self: Any, input: tuple[Any, ...]) -> Any:
        held = [np.moveaxis(np.array(each.handle.data), self.axis, -1) for each in input]

        def given(arrays: list[Any]) -> list[Any]:
            pairs = zip(arrays, input, strict=True)
            return [self.to_tensor(np.ascontiguousarray(each), own.dtype) for each, own in pairs]

        try:
            step = 1
            while step < held[0].shape[-1]:
                before = [np.roll(each, step, axis=-1) for each in held]
                joined = _joined(self, *given(before), *given(held))
                for each, made in zip(held, joined, strict=True):
                    each[..., step:] = made.handle.data[..., step:]
                step *= 2
        except Exception:  # a function of single numbers, with branches say
            return one_by_one(self, input)
        return given([np.moveaxis(each, -1, self.axis) for each in held])

    return repaired


def _rounded(tensor: Any) -> Any:
    """A float32 result as bfloat16; a place as it is."""
    if tensor.dtype.scalar != tl.float32:
        return tensor
    kind = tl.block_type(tl.bfloat16, list(tensor.shape)) if tensor.type.is_block() else tl.bfloat16
    return tl.tensor(_narrowed(tensor.handle), kind)


def _once(patch: Callable[..., Any]) -> Callable[..., Any]:
    """The language is made to know the interpreter at the first launch and stays so: doing and undoing it for
    every function called was half of the time. Builtins that the kernel's file imported one by one know it,
    too; `tl` need not be there."""
    done: list[Any] = []

    def repaired(fn: Any) -> Any:
        if not done:
            done.append(patch(types.SimpleNamespace(__globals__={"tl": tl, "core": tl.core})))
        names = fn.__globals__
        if not str(names.get("__name__")).startswith("triton."):
            for name, value in list(names.items()):
                if inspect.isfunction(value) and tl.core.is_builtin(value) and not hasattr(value, "repaired"):
                    names[name] = _knowing_the_interpreter(value)
        return types.SimpleNamespace(restore=lambda: None)

    return repaired


def _knowing_the_interpreter(builtin: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(builtin)
    def called(*operands: Any, **options: Any) -> Any:
        return builtin(*operands, **options | {"_semantic": interpreter_semantic})

    called.repaired = True  # pyright: ignore[reportAttributeAccessIssue]
    return called


def _with_constexprs(init: Callable[..., Any]) -> Callable[..., Any]:
    def repaired(self: Any, fn: Any, arg_names: Any, *rest: Any) -> None:
        init(self, fn, arg_names, *rest)
        said = inspect.get_annotations(fn)
        self.constexprs = [name for name in arg_names if "constexpr" in str(said.get(name, ""))]

    return repaired


def _in_float32(method: Callable[..., Any]) -> Callable[..., Any]:
    """The operator with bfloat16 operands widened, and a floating-point result narrowed if all of them
    were."""

    def repaired(self: Any, *operands: Any) -> Any:
        handles = [each for each in operands if isinstance(each, TensorHandle)]
        narrow = [_is_bfloat16(each) for each in handles]
        if not any(narrow):
            return method(self, *operands)
        result = method(self, *(_widened(each) for each in operands))
        return _narrowed(result) if all(narrow) and result.data.dtype == np.float32 else result

    return repaired


def _rounding(cast: Callable[..., Any]) -> Callable[..., Any]:
    def repaired(self: Any, source: Any, to: Any, *rest: Any) -> Any:
        if _is_bfloat16(source) and to.scalar != tl.bfloat16:
            return cast(self, _widened(source), to, *rest) if to.scalar != tl.float32 else _widened(source)
        if to.scalar == tl.bfloat16 and not _is_bfloat16(source):
            return _narrowed(TensorHandle(source.data.astype(np.float32), tl.float32))
        return cast(self, source, to, *rest)

    return repaired


def _is_bfloat16(handle: Any) -> bool:
    return isinstance(handle, TensorHandle) and handle.dtype.scalar == tl.bfloat16


def _widened(value: Any) -> Any:
    if not _is_bfloat16(value) or value.data.dtype != np.uint16:
        return value
    return TensorHandle((value.data.astype(np.uint32) << 16).view(np.float32), tl.float32)


def _narrowed(value: Any) -> Any:
    bits = np.ascontiguousarray(value.data).view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    rounded = np.where(np.isnan(value.data), np.uint16(0x7FC0), rounded)
    return TensorHandle(rounded.reshape(value.data.shape), tl.bfloat16)


def _with_closure(rewriter: Any, tree: Any, plain: Callable[..., Any]) -> Any:
    outer = inspect.getclosurevars(rewriter.fn).nonlocals
    if not outer:
        return plain(rewriter, tree)
    namespace = {**vars(interpreter), **rewriter.fn.__globals__, **outer}
    made: dict[str, Any] = {**rewriter.kwargs}
    exec(compile(tree, filename=rewriter.filename, mode="exec"), namespace, made)
    return made[rewriter.fn.__name__]


def _splat(builder: Any, made: Any, scalar: TensorHandle) -> TensorHandle:
    """One value everywhere, as it lies in memory: a truth value stays one."""
    value = np.asarray(scalar.data).reshape(-1)[0]
    return TensorHandle(np.full(made.shape, value, dtype=scalar.data.dtype), scalar.dtype.scalar)
