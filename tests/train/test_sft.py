"""Supervised runs, by TRL, of a model of seconds."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from tests.command import run as run_command
from tritonrl.errors import UserError
from tritonrl.policy.nano import Card
from tritonrl.train.begin import RECIPE, begin
from tritonrl.train.log import Logged, read
from tritonrl.train.recipe import Sft, load
from tritonrl.train.sft.card import pack_run
from tritonrl.train.sft.in_time import InTime
from tritonrl.train.sft.run import last_checkpoint, summary, train

COMMAND = [sys.executable, "-c", "from tritonrl.cli import main; main()", "train", "sft"]


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "model.safetensors")


def test_loss_goes_down_and_the_model_can_be_loaded(recipe: Sft):
    heard: list[Logged] = []
    folder = train(recipe, heard.append)
    assert heard[-1].step == 6
    assert heard[-1].loss < heard[0].loss - 0.1
    assert read(recipe.out) == heard
    assert (recipe.out / "loss.png").stat().st_size > 1000
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    assert model.config.tritonrl == {"asks": "program"}
    assert len(tokenizer) == model.config.vocab_size <= 1024
    assert train(recipe) == folder  # which has nothing left to do


class Broken(Exception):
    pass


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
def test_a_run_that_goes_on_equals_an_unbroken_one(tiny: Path, tmp_path: Path, optimizer: str):
    whole, parts = (
        load(tiny, Sft, [f"out={tmp_path / name}", f"training.optimizer={optimizer}"])
        for name in ("whole", "parts")
    )

    def breaks(logged: Logged) -> None:
        if logged.step == 5:  # the last checkpoint is that of step 3
            raise Broken

    with pytest.raises(Broken):
        train(parts, breaks)
    assert str(last_checkpoint(parts.out)).endswith("checkpoint-3")
    (parts.out / "checkpoint-5").mkdir()  # one that was broken off, too
    once, again = weights(train(whole)), weights(train(parts))
    assert once.keys() == again.keys()
    assert all(torch.equal(once[name], again[name]) for name in once)
    assert [each.loss for each in read(whole.out)] == [each.loss for each in read(parts.out)]


def test_a_run_ends_in_time_with_its_fall_and_goes_on_with_it(tiny: Path, tmp_path: Path):
    changes = ["training.num_steps=1000", "training.decay_steps=4", "training.max_seconds=1e-3"]
    whole, parts = (load(tiny, Sft, [*changes, f"out={tmp_path / name}"]) for name in ("whole", "parts"))

    def breaks(logged: Logged) -> None:
        if logged.step == 5:  # the fall began after step 2, and the last checkpoint is that of step 3
            raise Broken

    with pytest.raises(Broken):
        train(parts, breaks)
    once, again = weights(train(whole)), weights(train(parts))
    assert all(torch.equal(once[name], again[name]) for name in once)
    logged = read(whole.out)
    assert [each.num_steps for each in logged] == [1000, 6, 6, 6, 6, 6]
    assert [each.learning_rate for each in logged] == [each.learning_rate for each in read(parts.out)]
    rates = [each.learning_rate / whole.training.learning_rate for each in logged]
    # Two steps of warm-up, and four of the fall by 1 - sqrt.
    assert rates == pytest.approx([0.0, 0.5, 1.0, 0.5, 1 - 0.5**0.5, 1 - 0.75**0.5])
    assert summary(whole)["num_steps"] == 6


def test_a_run_can_start_from_the_weights_of_another(tiny: Path, tmp_path: Path):
    first = train(load(tiny, Sft, [f"out={tmp_path / 'first'}"]))
    changes = [f"out={tmp_path / 'second'}", f"model.base={first}", "data.first_block=6"]
    heard: list[Logged] = []
    train(load(tiny, Sft, changes), heard.append)
    assert heard[0].loss < read(tmp_path / "first")[0].loss - 0.1


def test_a_finished_run_is_packed_with_a_card(tiny: Path, tmp_path: Path):
    recipe = load(tiny, Sft, ["training.num_steps=1", "training.save_every=1"])
    with pytest.raises(UserError, match="no run; `tritonrl train sft` makes such a folder"):
        pack_run(recipe.out, tmp_path / "packed")
    begin(recipe.out, recipe)
    with pytest.raises(UserError, match="not finished"):
        pack_run(recipe.out, tmp_path / "packed")
    train(recipe)
    with pytest.raises(UserError, match="there is something already"):
        pack_run(recipe.out, tmp_path)
    card = pack_run(recipe.out, tmp_path / "packed", sample=30)
    assert Card.at(tmp_path / "packed") == card
    assert card.levels == (1,)
    assert card.dtypes == ("float32",)
    assert 10 < len(card.operators) <= 30
    assert 50 < card.shortest_answer_tokens < card.p99_answer_tokens < card.context_tokens == 1024
    assert card.made["num_steps"] == 1
    assert card.made["recipe"]["training"]["batch_tokens"] == 2048
    again = load(
        tiny, Sft, [f"out={tmp_path / 'again'}", f"model.base={tmp_path / 'packed'}", "training.num_steps=1"]
    )
    train(again)
    assert pack_run(again.out, tmp_path / "twice", sample=30).made["base"] == card.made
    (again.out / RECIPE).write_text('{"learning": "much"}')
    with pytest.raises(UserError, match=r"recipe\.json: no recipe of `tritonrl train sft` as it is now: "):
        pack_run(again.out, tmp_path / "thrice")


def test_the_last_step_is_logged_however_seldom_others_are(tiny: Path, tmp_path: Path):
    recipe = load(tiny, Sft, [f"out={tmp_path / 'seldom'}", "training.num_steps=2", "training.log_every=100"])
    train(recipe)
    assert summary(recipe)["num_steps"] == 2
    assert summary(recipe)["loss"] > 0


def test_a_folder_of_another_recipe_is_refused(tiny: Path, recipe: Sft):
    train(recipe)
    with pytest.raises(UserError, match=r"another recipe: training.learning_rate 0.003 there, 0.0001 here"):
        train(load(tiny, Sft, ["training.learning_rate=1e-4"]))


def test_an_interrupt_leaves_a_checkpoint_and_the_command_goes_on(tiny: Path, tmp_path: Path):
    command = [*COMMAND, str(tiny), "training.num_steps=40", "training.save_every=1000", "--json"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        log, until = tmp_path / "run" / "log.jsonl", time.monotonic() + 120
        while not (log.exists() and log.read_text().count("\n") >= 2) and time.monotonic() < until:
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGINT)
        said = process.communicate(timeout=120)[1].decode()
    assert process.returncode == 130, said
    stopped = last_checkpoint(tmp_path / "run")
    assert stopped is not None
    done = subprocess.run(command, capture_output=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads(done.stdout)
    assert found["num_steps"] == 40
    assert Path(found["model"], "config.json").exists()
    steps = [row["step"] for row in map(json.loads, log.read_text().splitlines())]
    assert steps == list(range(1, 41))


@pytest.mark.parametrize("words", [["nothing.toml"], ["TINY", "training.num_steps=many"], ["TINY", "words"]])
def test_a_wrong_recipe_is_one_line(tiny: Path, words: list[str]):
    words = [str(tiny) if word == "TINY" else word for word in words]
    done = run_command("train", "sft", *words)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1


def test_one_long_step_does_not_begin_the_fall_before_its_time(tmp_path: Path):
    class Book:
        folder, seconds = tmp_path, 0.0

    book, state, control = Book(), SimpleNamespace(max_steps=1000, global_step=0), SimpleNamespace()
    rate = SimpleNamespace(lr_lambdas=[partial(int, num_stable_steps=980)])
    in_time: Any = InTime(cast(Any, book), max_seconds=200, decay_steps=20)
    for step in range(1, 201):
        state.global_step = step
        book.seconds += 31.0 if step == 60 else 1.0
        in_time.on_step_end(None, state, control, rate)
        if state.max_steps < 1000:
            break
    assert step == 150, "20 steps of a second each are left"
    assert state.max_steps == 170
    assert rate.lr_lambdas[0].keywords == {"num_stable_steps": 150}
    assert control.should_log
