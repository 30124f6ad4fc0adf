"""Where Triton's interpreter differs from a GPU on honest kernels, made good, and where it wastes time;
applied once, in the zygote.

- bfloat16 lies in the interpreter as raw 16-bit integers, and arithmetic, comparisons and `tl.dot` worked on
  those; a cast from float32 cut bits off instead of rounding. Here such operators compute in float32 and
  round to nearest even.
- A kernel defined inside a function could not read that function's variables. The compiler lets it.
- Sums, scans and arguments of the maximum of bfloat16 worked on the raw integers too.
- `libdevice` (see there), names imported from `triton.language` one by one, and a constexpr annotated in
  another way than as `tl.constexpr` were not understood.
- A block and a scalar condition, `(cols < n) & (row < m)`, gave integers, which are no mask.
- A scan went from one element to the next, so that the rounding error of a sum grew with its length, and most
  scans took a call for each element; a GPU scans in a tree, whose error grows with the logarithm.
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


def repair() -> None:
    builder = InterpreterBuilder
    for name in ("binary_op", "unary_op", "create_dot", "create_fma"):
        setattr(builder, name, _in_float32(getattr(builder, name)))
    builder.cast_impl = _rounding(builder.cast_impl)  # pyright: ignore[reportAttributeAccessIssue]
    builder.create_fp_to_fp = _rounding(builder.create_fp_to_fp)  # pyright: ignore[reportAttributeAccessIssue]
    builder.get_bf16 = lambda self, value: self.create_fp_trunc(self.get_fp32(value), tl.bfloat16)  # pyright: ignore
    made = interpreter.interpreter_builder
    # Checks that nobody reads outside of debugging, and a third of an elementwise kernel's time.
    made.options = dataclasses.replace(made.options, sanitize_overflow=False)
    builder.create_splat = _splat  # pyright: ignore[reportAttributeAccessIssue]
    for operators in (interpreter.ReduceOps, interpreter.ScanOps):
        operators.apply_impl = _widely(operators.apply_impl)  # pyright: ignore[reportAttributeAccessIssue]
    scans = interpreter.ScanOps
    scans.generic_scan = _in_a_tree(scans.generic_scan)  # pyright: ignore[reportAttributeAccessIssue]
    scans.cumsum = lambda self, input: self.generic_scan((input,))  # pyright: ignore
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


def _widely(apply: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction or scan with bfloat16 widened; what comes of it is narrowed again."""

    def repaired(self: Any, input: tuple[Any, ...]) -> Any:
        if not any(_is_bfloat16(each.handle) for each in input):
            return apply(self, input)
        widened = [_widened(each.handle) for each in input]
        wide = [self.to_tensor(handle.data, handle.dtype) for handle in widened]
        result = apply(self, tuple(wide))
        results = result if isinstance(result, (list, tuple)) else [result]
        return [_rounded(each) if each.dtype == tl.float32 else each for each in results]

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
                joined = self.combine_fn.fn(*given(before), *given(held))
                for each, made in zip(held, joined if isinstance(joined, tuple) else (joined,), strict=True):
                    each[..., step:] = made.handle.data[..., step:]
                step *= 2
        except Exception:  # a function of single numbers, with branches say
            return one_by_one(self, input)
        return given([np.moveaxis(each, -1, self.axis) for each in held])

    return repaired


def _rounded(tensor: Any) -> Any:
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
