"""`Folder`: a model on disk, looked at before anything heavy is loaded."""

import json
from dataclasses import dataclass
from pathlib import Path

from tritonrl.errors import UserError
from tritonrl.policy.local import dialect

WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
TOKENIZERS = ("tokenizer.json", "tokenizer.model", "tokenizer_config.json", "vocab.*", "tekken.json")


@dataclass(frozen=True)
class Folder:
    """Has a config, weights and a tokenizer, by their names; whether they can be loaded is seen later."""

    path: Path
    architecture: str
    asks_program: bool = False
    """Whether it is asked in the dialect of models that know programs alone, and not with instructions."""

    @classmethod
    def at(cls, name: str) -> "Folder":
        """The folder of this path; a `UserError` says what it lacks."""
        path = Path(name)
        if not path.is_dir():
            raise UserError(f"{name}: no such folder; a local model is a folder with config.json")
        try:
            config = json.loads((path / "config.json").read_bytes())
        except OSError as error:
            raise UserError(f"{name}: no model: config.json cannot be read: {error.strerror}") from error
        except ValueError as error:
            raise UserError(f"{name}: no model: config.json is no JSON") from error
        if not isinstance(config, dict) or not isinstance(config.get("model_type"), str):
            raise UserError(f"{name}: no model: config.json names no model_type")
        for kind, patterns in (("weights", WEIGHTS), ("tokenizer", TOKENIZERS)):
            if not any(next(path.glob(pattern), None) for pattern in patterns):
                raise UserError(f"{name}: no {kind}: none of {', '.join(patterns)} is in the folder")
        named, own = config.get("architectures"), config.get("tritonrl")
        asks = own.get("asks") if isinstance(own, dict) else None
        if asks not in (None, dialect.CONFIG["asks"]):
            raise UserError(f"{name}: asks {asks!r}, in config.json; known: {dialect.CONFIG['asks']}")
        architecture = str(named[0]) if isinstance(named, list) and named else config["model_type"]
        return cls(path, architecture, asks_program=asks is not None)
