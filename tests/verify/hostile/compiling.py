"""Attacks on the process that compiles: kernels that run Python while they are compiled, or take for ever.

Triton's compiler looks up names and calls functions as it walks a kernel, both branches of it. So what stands
in a branch that is never taken is not seen by the interpreter, and done by the compiler.
"""

from typing import Any

from .attack import Attack

_STORE = "tl.store(out_ptr + offsets, tl.maximum(a + b, 0.0), mask=mask)"
_REFUSED = ("compile", "A13")
_WAYS = {
    "in_plain_sight": "tl.core.builtins",
    "through_a_function": "tl.core.builtin.__globals__['builtins']",
    "by_getattr": "getattr(tl.core, 'builtins')",
    "by_a_choice": "(tl.core if True else tl).builtins",
    "by_an_index": "(tl.core, tl)[0].builtins",
    "by_an_operator": "(tl.core and tl.core).builtins",
    "in_a_constant": "tl.constexpr(tl.core).value.builtins",
    "in_a_list": "[each.builtins for each in (tl.core,)][0]",
    "in_the_scope_of_a_function": "tl.sum.get_capture_scope().get('core').builtins",
    "in_the_scope_of_a_method": "tl.core.JITCallable.get_capture_scope(tl.sum).get('core').builtins",
}
"""Ways from Triton's names to Python's."""
_SUBTLE = _WAYS["in_the_scope_of_a_function"]

_FORGED = """
import json, os, struct
ptx = '.version 8.0\\n.target sm_90\\n.address_size 64\\n.visible .entry k() { ret; }\\n'
text = json.dumps(dict(name='k', ptx=ptx, shared_bytes=0, dots=[])).encode()
os.write(3, struct.pack('!I', len(text)) + text)
"""
"""Says that a kernel was compiled, and to what."""
_ONLY_INTERPRETED = "unused = offsets.handle.data"


def _attack(name: str, kernel: str, *rules: str, **options: Any) -> Attack:
    return Attack(name, f"def {name}(outside):\n    pass", rules, kernel=kernel, **options)


def _python(way: str, text: str) -> str:
    """A kernel that runs this where it is compiled, and is honest where it is interpreted."""
    return f"if n < 0:\n    {way}.exec({text!r})\n{_STORE}"


ATTACKS = [
    *(_attack(f"finds_python_{name}", _python(way, "pass"), *_REFUSED) for name, way in _WAYS.items()),
    _attack("leaves_where_it_is_compiled", _python(_SUBTLE, "import os; os._exit(0)"), *_REFUSED),
    _attack("loops_where_it_is_compiled", _python(_SUBTLE, "while True: pass"), *_REFUSED, hangs=True),
    _attack("forges_what_was_compiled", f"{_python(_SUBTLE, _FORGED)}\n{_ONLY_INTERPRETED}", *_REFUSED),
    _attack(
        "unrolls_without_end",
        f"if n < 0:\n    for i in tl.static_range(1 << 30):\n        a += i\n{_STORE}",
        "timeout",
        hangs=True,
    ),
]
