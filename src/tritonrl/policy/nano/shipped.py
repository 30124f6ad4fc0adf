"""Where the weights lie that come with the package."""

from pathlib import Path

from tritonrl.errors import UserError

NAME = "nano"
PLACE = Path(__file__).with_name("weights")
SHARDS = "packed-*.safetensors"


def is_packed(path: Path) -> bool:
    """Whether a folder has weights in the form in which nano's are kept."""
    return next(path.glob(SHARDS), None) is not None


def is_shipped() -> bool:
    return is_packed(PLACE)


def shipped_weights() -> Path:
    """The folder of the weights; a `UserError` where this copy has none."""
    if not is_shipped():
        raise UserError(
            "nano: this copy has no weights; `tritonrl train sft recipes/nano-sft.toml` makes them "
            "(docs/nano.md)"
        )
    return PLACE
