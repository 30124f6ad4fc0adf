"""The model that a run begins with: `nano`, a folder of packed weights, or one that transformers saved."""

from pathlib import Path
from typing import Any

from transformers import PreTrainedTokenizerBase

from tritonrl.policy.local import Folder, Place
from tritonrl.policy.local.load import load
from tritonrl.policy.nano.shipped import NAME as NANO
from tritonrl.policy.nano.shipped import is_packed, shipped_weights


def load_base(base: str, dtype: str) -> tuple[Folder, PreTrainedTokenizerBase, Any]:
    """Its folder, its tokenizer and the model, in main memory."""
    path = shipped_weights() if base == NANO else Path(base)
    folder = Folder.at(str(path))
    weights = None
    if is_packed(path):
        from tritonrl.policy.nano.packing import unpack

        weights = lambda: unpack(path)  # noqa: E731
    return folder, *load(folder, Place("cpu", dtype, batch=1), weights)
