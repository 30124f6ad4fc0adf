"""Launchers: the small library that Triton builds to call kernels of one signature on a GPU.

Older versions build one for each signature, with a C compiler that no sandboxed role may start. The judge has
it built beforehand, in a folder that roles can read: from the types of the arguments, which are checked here,
and nothing else of the candidate.
"""

import importlib
import json
import re
import threading
from typing import Any

from tritonrl.errors import TritonrlError

_TYPE = re.compile(
    r"\*?k?(void|[iu](1|8|16|32|64)|fp(16|32|64)|bf16|fp8\w*)|constexpr|nvTmaDesc|tensordesc<[\w\[\], <>.]*>"
)
_lock = threading.Lock()
_built: set[str] = set()


class OddSignature(TritonrlError):
    """A kernel's signature has something that is no type."""


def build_launcher(folder: str, signature: dict[str, str], metadata: dict[str, Any]) -> None:
    """Have the launcher for these arguments in the folder."""
    from triton import knobs

    driver: Any = importlib.import_module("triton.backends.nvidia.driver")
    for kind in signature.values():
        if not _TYPE.fullmatch(kind):
            raise OddSignature(f"{kind[:100]!r} is no type of an argument")
    if not hasattr(driver, "make_launcher"):
        return  # one launcher for all
    key = json.dumps([folder, [*signature.values()], metadata.get("tensordesc_meta")])
    with _lock, knobs.cache.scope():
        if key in _built:
            return
        knobs.cache.dir = folder
        driver.compile_module_from_src(
            src=driver.make_launcher({}, signature, metadata.get("tensordesc_meta")),
            name="__triton_launcher",
            library_dirs=driver.library_dirs(),
            include_dirs=driver.include_dirs,
            libraries=driver.libraries,
        )
        _built.add(key)
