"""Recipes: what they say is checked before anything is trained."""

from pathlib import Path

import pytest

from tritonrl.errors import UserError
from tritonrl.train.recipe import Sft, load

RECIPES = sorted((Path(__file__).parents[2] / "recipes").glob("*-sft.toml"))


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_the_recipes_of_the_house_can_be_read(path: Path):
    recipe = load(path, Sft)
    assert recipe.training.num_steps > recipe.training.warm_up_steps + recipe.training.decay_steps


def test_values_can_be_changed(tiny: Path):
    recipe = load(tiny, Sft, ["training.num_steps=7", "out=elsewhere", "data.levels={2=1, 3=4}"])
    assert recipe.training.num_steps == 7
    assert recipe.out == Path("elsewhere")
    assert recipe.data.levels == {2: 1.0, 3: 4.0}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("training.num_steps=0", "training.num_steps"),
        ("training.steps=5", "training.steps"),
        ("data.profiles={tpu=1}", "tpu"),
        ("data.levels={}", "levels needs shares"),
        ("data.dtypes={float32=-1}", "dtypes needs shares"),
        ("training", "key=value"),
        ("out.name=x", "'out' is a value"),
    ],
)
def test_a_wrong_value_is_named(tiny: Path, change: str, said: str):
    with pytest.raises(UserError, match=said) as caught:
        load(tiny, Sft, [change])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("text", "said"), [("a = ", "not valid TOML"), (None, "cannot be read")])
def test_what_is_no_recipe_is_one_line(tmp_path: Path, text: str | None, said: str):
    path = tmp_path / "recipe.toml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UserError, match=said):
        load(path, Sft)
