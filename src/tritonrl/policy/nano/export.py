"""Export: packed weights as an ordinary folder in bfloat16, for transformers, TRL and vLLM."""

import json
import shutil
from pathlib import Path

from tritonrl.files import whole_folder
from tritonrl.policy.local import Folder, Place
from tritonrl.policy.local.load import load, quiet
from tritonrl.policy.nano.card import FILE
from tritonrl.policy.nano.packing import unpack

BFLOAT16 = Place("cpu", "bfloat16", batch=1)


def export(path: Path, out: Path) -> list[Path]:
    """Write the folder, whole or not at all; gives its files."""
    with whole_folder(out) as half:
        _, model = load(Folder.at(str(path)), BFLOAT16, lambda: unpack(path))
        # Where nothing is said, answers would end after 20 tokens.
        model.generation_config.max_length = model.config.max_position_embeddings
        with quiet():
            model.save_pretrained(half)
        for name in ("tokenizer.json", FILE):
            shutil.copyfile(path / name, half / name)
        # A class that older versions of transformers know, too, on which other engines still stand.
        told = json.loads((path / "tokenizer_config.json").read_bytes())
        told["tokenizer_class"] = "PreTrainedTokenizerFast"
        (half / "tokenizer_config.json").write_text(json.dumps(told, indent=2), encoding="utf-8")
    return sorted(out.iterdir())
