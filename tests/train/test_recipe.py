"""Recipes: what they say is checked before anything is trained."""

from pathlib import Path

import pytest

from tritonrl.errors import UserError
from tritonrl.train.recipe import Sft, load
from tritonrl.train.rl.recipe import Drpo, Hrd, Rl

RECIPES = sorted((Path(__file__).parents[2] / "recipes").glob("*.toml"))
SUPERVISED = [path for path in RECIPES if path.stem.endswith("-sft")]
REINFORCED = [path for path in RECIPES if path not in SUPERVISED]


@pytest.mark.parametrize("path", SUPERVISED, ids=lambda path: path.stem)
def test_the_recipes_of_the_house_can_be_read(path: Path):
    recipe = load(path, Sft)
    assert recipe.training.num_steps > recipe.training.warm_up_steps + recipe.training.decay_steps


@pytest.mark.parametrize("path", REINFORCED, ids=lambda path: path.stem)
def test_the_recipes_for_reinforcement_can_be_read(path: Path):
    recipe = load(path, Rl)
    assert recipe.out == Path("runs", path.stem)
    assert recipe.objective.name == path.stem.rpartition("-")[2]


def test_the_papers_figures_are_in_the_recipes():
    named = {path.stem: load(path, Rl) for path in REINFORCED}
    assert {"nano-hrd", "nano-drpo", "nano-grpo", "qwen3-8b-hrd", "qwen2.5-coder-7b-drpo"} <= set(named)
    for name in ("nano-hrd", "qwen3-8b-hrd"):
        assert named[name].objective == Hrd(name="hrd", alpha=0.1, clip=0.2, speed_cap=2.0)
    for name in ("nano-drpo", "qwen2.5-coder-7b-drpo"):
        assert named[name].objective == Drpo(name="drpo", tau=5.0, lam=0.1, beta=100.0, delta=0.001)
        assert named[name].training.group_size == 8
    assert named["qwen3-8b-hrd"].generation.max_prompt_tokens == 2048
    assert named["qwen3-8b-hrd"].generation.max_new_tokens == 16384
    assert named["nano-hrd"].training.groups * named["nano-hrd"].training.group_size == 256


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("objective.name=ppo", "objective"),
        ("objective.tau=3", "objective.hrd.tau"),
        ("training.micro_batch=7", "not divided"),
        ("training.updates=3", "not divided"),
        ("curriculum.levels=[2,1]", "levels must ascend"),
        ("tasks.profiles={tpu=1}", "tpu"),
        ("held_out.profile=tpu", "tpu"),
        ("training.group_size=1", "group_size"),
        ("speed=1", "speed"),
    ],
)
def test_a_wrong_value_for_reinforcement_is_named(change: str, said: str):
    path = next(each for each in REINFORCED if each.stem == "nano-hrd")
    with pytest.raises(UserError, match=said) as caught:
        load(path, Rl, [change])
    assert "\n" not in str(caught.value)


def test_drpo_wants_whole_groups():
    path = next(each for each in REINFORCED if each.stem == "nano-drpo")
    with pytest.raises(UserError, match="whole groups"):
        load(path, Rl, ["training.micro_batch=4"])


def test_values_can_be_changed(tiny: Path):
    recipe = load(tiny, Sft, ["training.num_steps=7", "out=elsewhere", "data.levels={2=1, 3=4}"])
    assert recipe.training.num_steps == 7
    assert recipe.out == Path("elsewhere")
    assert recipe.data.levels == {2: 1.0, 3: 4.0}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("training.num_steps=0", "training.num_steps"),
        ("training.steps=5", "unknown key 'training.steps'; known: num_steps"),
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
