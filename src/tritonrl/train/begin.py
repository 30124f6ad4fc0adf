"""Begin a run: its recipe is written into its folder, and a folder of another recipe is refused."""

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from tritonrl import files
from tritonrl.errors import UserError

RECIPE = "recipe.json"
MOST_NAMED = 5


def begin(out: Path, recipe: BaseModel) -> None:
    """A `UserError` lists what differs from the recipe that is there."""
    path, wanted = out / RECIPE, recipe.model_dump(mode="json")
    if not path.exists():
        files.write_whole(path, json.dumps(wanted, indent=2).encode())
        return
    there = json.loads(path.read_bytes())
    if differing := differences(there, wanted):
        named = "; ".join(differing[:MOST_NAMED])
        more = f" and {len(differing) - MOST_NAMED} more" if len(differing) > MOST_NAMED else ""
        raise UserError(f"{out}: has a run of another recipe: {named}{more}; use another folder (out=…)")


def differences(there: Any, here: Any, name: str = "") -> list[str]:
    """By their dotted names."""
    if isinstance(there, dict) and isinstance(here, dict):
        keys = dict.fromkeys([*there, *here])
        return [
            each
            for key in keys
            for each in differences(there.get(key), here.get(key), f"{name}.{key}" if name else key)
        ]
    return [] if there == here else [f"{name} {json.dumps(there)} there, {json.dumps(here)} here"]
