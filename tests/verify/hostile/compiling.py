"""Attacks on the process that compiles: kernels that run Python while they are compiled, or take for ever.

A kernel is text to the compiler. `tl.core.builtins` is a way from Triton's names to Python's.
"""

from .attack import Attack

_STORE = "tl.store(out_ptr + offsets, tl.maximum(a + b, 0.0), mask=mask)"
_INTERPRETED = "__import__('os').environ.get('TRITON_INTERPRET') == '1'"
_FORGED = (
    "import json, os, struct;"
    "ptx = '.version 8.0\\n.target sm_90\\n.address_size 64\\n.visible .entry k() { ret; }\\n';"
    "text = json.dumps(dict(name='k', ptx=ptx, shared_bytes=0, dots=[])).encode();"
    "os.write(3, struct.pack('!I', len(text)) + text)"
)


def _python(text: str) -> str:
    """A kernel that does this where it is compiled, and is honest where it is interpreted."""
    code = f"None if {_INTERPRETED} else exec({text!r})"
    return f"tl.core.builtins.eval({code!r})\n{_STORE}"


NOTHING = "def {name}(outside):\n    pass"


def _attack(name: str, kernel: str, *rules: str, **options: object) -> Attack:
    return Attack(name, NOTHING.format(name=name), rules, kernel=kernel, **options)  # type: ignore[arg-type]


_REFUSED = ("compile", "A13")

_WAYS = {
    "through_a_function": "tl.core.builtin.__globals__['builtins']",
    "by_getattr": "getattr(tl.core, 'builtins')",
    "by_a_choice": "(tl.core if True else tl).builtins",
    "by_an_index": "(tl.core, tl)[0].builtins",
    "by_an_operator": "(tl.core and tl.core).builtins",
    "in_a_constant": "tl.constexpr(tl.core).value.builtins",
    "in_a_list": "[each.builtins for each in (tl.core,)][0]",
}
"""Ways from Triton's names to Python's."""

ATTACKS = [
    _attack("runs_python_where_it_is_compiled", _python("pass"), *_REFUSED),
    _attack("reads_a_file_where_it_is_compiled", _python("open('/etc/passwd').read()"), *_REFUSED),
    _attack("forks_where_it_is_compiled", _python("import os; os.fork()"), *_REFUSED),
    _attack("leaves_where_it_is_compiled", _python("import os; os._exit(0)"), *_REFUSED),
    _attack("loops_where_it_is_compiled", _python("while True: pass"), *_REFUSED, hangs=True),
    _attack("forges_what_was_compiled", f"{_python(_FORGED)}\nunused = offsets.handle.data", *_REFUSED),
    *(
        _attack(f"finds_python_{name}", f"{way}.print('found')\n{_STORE}", *_REFUSED)
        for name, way in _WAYS.items()
    ),
    _attack(
        "unrolls_without_end",
        f"if n < 0:\n    for i in tl.static_range(1 << 30):\n        a += i\n{_STORE}",
        "timeout",
        hangs=True,
    ),
]
