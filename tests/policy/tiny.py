"""A tiny language model in a folder: two layers, random weights, a tokenizer trained on the spot.

One that knows programs alone learns one answer by heart.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tritonrl.policy.local import dialect
from tritonrl.program import Program

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

CHAT = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
CORPUS = [
    "import torch\nimport triton\nimport triton.language as tl\n",
    "You write Triton GPU kernels that replace PyTorch code. Answer in two parts.\n",
    "def fused_operator(tensor_0):\n    return [torch.softmax(tensor_0, dim=-1)]\n",
]


def make(folder: Path, chat_template: str | None = CHAT, **config: Any) -> Path:
    """Writes the model; `config` changes its sizes."""
    tokenizer = tokenizer_of(CORPUS, ["<|end|>"])
    tokenizer.chat_template = chat_template
    return _write(folder, tokenizer, **config)


def make_program_model(folder: Path, program: Program, answer: str, steps: int = 150, **config: Any) -> Path:
    """Writes a model that knows programs alone, and this answer to this one."""
    import torch
    from transformers import AutoModelForCausalLM

    question = dialect.question(program)
    tokenizer = tokenizer_of([question, answer], dialect.MARKS)
    _write(folder, tokenizer, hidden_size=64, tritonrl=dialect.CONFIG, tie_word_embeddings=True, **config)
    model: Any = AutoModelForCausalLM.from_pretrained(folder)
    asked = tokenizer(question)["input_ids"]
    tokens = torch.tensor([asked + tokenizer(f"{answer}{dialect.END}")["input_ids"]])
    labels = tokens.clone()
    labels[:, : len(asked)] = -100
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for _ in range(steps):
        loss = model(input_ids=tokens, labels=labels).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.save_pretrained(folder)
    return folder


def tokenizer_of(corpus: Sequence[str], special_tokens: Sequence[str]) -> "PreTrainedTokenizerFast":
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    bytes_ = Tokenizer(models.BPE())
    bytes_.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=list(special_tokens),
        show_progress=False,
    )
    bytes_.train_from_iterator(corpus, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=bytes_, eos_token="<|end|>")


def _write(folder: Path, tokenizer: "PreTrainedTokenizerFast", **config: Any) -> Path:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer.save_pretrained(folder)
    sizes: dict[str, Any] = {
        "vocab_size": len(tokenizer), "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 2048,
        "bos_token_id": None, "eos_token_id": tokenizer.eos_token_id,
    }  # fmt: skip
    torch.manual_seed(0)
    LlamaForCausalLM(LlamaConfig(**sizes | config)).save_pretrained(folder)
    return folder
