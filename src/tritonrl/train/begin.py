"""Begin a run: its recipe is written into its folder, and a folder of another recipe is refused."""

import json
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from tritonrl import files
from tritonrl.errors import UserError
from tritonrl.folders import first_line

RECIPE = "recipe.json"
MOST_NAMED = 5
Recipe = TypeVar("Recipe", bound=BaseModel)


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


def recipe_of(folder: Path, kind: type[Recipe], command: str) -> Recipe:
    """What a run was asked for."""
    path = folder / RECIPE
    if not path.exists():
        raise UserError(f"{folder}: no run; `tritonrl {command}` makes such a folder")
    try:
        return kind.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise UserError(
            f"{path}: no recipe of `tritonrl {command}` as it is now: {first_line(error)}"
        ) from error


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
