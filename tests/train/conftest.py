from pathlib import Path

import pytest

from tritonrl.train.recipe import Sft, load

TINY = """
out = "{out}"
[model]
vocab_size = 1024
hidden_size = 64
intermediate_size = 128
num_hidden_layers = 2
num_attention_heads = 2
context = 1024
[data]
levels = {{ 1 = 1 }}
profiles = {{ cpu = 1 }}
num_for_tokenizer = 30
[data.held_out]
levels = [1]
seeds = [0]
profiles = ["cpu"]
count = 3
[training]
num_steps = 6
batch_tokens = 2048
learning_rate = 3e-3
warm_up_steps = 2
save_every = 3
log_every = 1
num_workers = 0
bf16 = false
compile = false
"""


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A recipe of seconds."""
    path = tmp_path / "tiny.toml"
    path.write_text(TINY.format(out=tmp_path / "run"))
    return path


@pytest.fixture
def recipe(tiny: Path) -> Sft:
    return load(tiny, Sft)
