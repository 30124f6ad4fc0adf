"""Pack a model: every matrix as int8 with one scale a row, everything else in float32, in small shards.

A row's largest value becomes ±127, so a weight is off by at most half a step, 1/254 of its row's largest.
Scales are float32: as float16 they would save 0.3 % of the bytes, and the error of weights of 1e-6 would grow
by a quarter.
"""

import json
import math
import shutil
from collections.abc import Iterator
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file

from tritonrl.errors import UserError
from tritonrl.files import whole_folder
from tritonrl.policy.nano.card import FILE, Card
from tritonrl.policy.nano.shipped import SHARDS

SHARD_BYTES = 14 * 2**20
"""Most bytes of the tensors of a shard; with its header a file is then below 15 MiB."""
STEPS = 127
SCALE = ".scale"
COPIED = ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json")

Tensors = dict[str, torch.Tensor]


def pack(folder: Path, out: Path, card: Card) -> None:
    """Write a transformers model, kept in safetensors, as a folder of packed weights."""
    if missing := [name for name in COPIED if not (folder / name).is_file()]:
        raise UserError(f"{folder}: no {missing[0]}")
    config = json.loads((folder / "config.json").read_bytes())
    tensors = dict(_read(folder, "*.safetensors"))
    if config.get("tie_word_embeddings"):
        tensors.pop("lm_head.weight", None)
    shards = list(_shards(packed(tensors)))
    with whole_folder(out) as half:
        for name in COPIED:
            shutil.copyfile(folder / name, half / name)
        (half / FILE).write_text(f"{card.model_dump_json(indent=2)}\n", encoding="utf-8")
        for number, shard in enumerate(shards, start=1):
            name = SHARDS.replace("*", f"{number:02}-of-{len(shards):02}")
            save_file(shard, half / name)


def unpack(folder: Path) -> Tensors:
    """The weights of a packed folder, in float32."""
    return unpacked(read_packed(folder))


def unpacked(tensors: Tensors) -> Tensors:
    """Packed weights in float32."""
    return {
        name: value.float() * tensors[f"{name}{SCALE}"][:, None] if value.dtype == torch.int8 else value
        for name, value in tensors.items()
        if not name.endswith(SCALE)
    }


def read_packed(folder: Path) -> Tensors:
    """The weights of a packed folder as they are."""
    return dict(_read(folder, SHARDS))


def packed(tensors: Tensors) -> Tensors:
    """Each matrix and its scales beside each other."""
    made: Tensors = {}
    for name, value in tensors.items():
        value = value.float()
        if value.ndim == 2:
            largest = value.abs().amax(1)
            scales = torch.where(largest > 0, largest / STEPS, 1.0)
            made[name] = (value / scales[:, None]).round().clamp(-STEPS, STEPS).to(torch.int8)
            made[f"{name}{SCALE}"] = scales
        else:
            made[name] = value
    return made


def _read(folder: Path, pattern: str) -> Iterator[tuple[str, torch.Tensor]]:
    for path in sorted(folder.glob(pattern)):
        with safe_open(path, framework="pt") as file:
            for name in file.keys():  # noqa: SIM118
                yield name, file.get_tensor(name)


def _shards(tensors: Tensors) -> Iterator[Tensors]:
    shard: Tensors = {}
    num_bytes = 0
    for name, value in tensors.items():
        size = math.prod(value.shape) * value.element_size()
        if size > SHARD_BYTES:
            raise UserError(f"{name}: {size:,} bytes; a shard has at most {SHARD_BYTES:,}")
        if num_bytes + size > SHARD_BYTES:
            yield shard
            shard, num_bytes = {}, 0
        shard[name] = value.contiguous()
        num_bytes += size
    yield shard
