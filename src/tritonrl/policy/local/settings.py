"""How a local model draws, and where it runs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sampling:
    temperature: float = 1.0
    top_p: float = 1.0
    max_new_tokens: int = 4096
    """An answer ends here, or where the model's context does, whether it is whole or not."""


@dataclass(frozen=True)
class Place:
    device: str
    dtype: str
    batch: int
    """Most answers at a time; less where memory does not suffice."""
    static: bool = False
    """Whether the cache has its full size from the start: transformers then compiles the model on a GPU, and
    writes some fifteen times faster."""


CPU = Place("cpu", "float32", batch=1)
GPU = Place("cuda", "bfloat16", batch=256, static=True)
