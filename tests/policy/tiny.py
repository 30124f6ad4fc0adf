"""A tiny language model in a folder: two layers, random weights, a tokenizer trained on the spot."""

from pathlib import Path
from typing import Any

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
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    bytes_ = Tokenizer(models.BPE())
    bytes_.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|end|>"],
        show_progress=False,
    )
    bytes_.train_from_iterator(CORPUS, trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bytes_, eos_token="<|end|>")
    tokenizer.chat_template = chat_template
    tokenizer.save_pretrained(folder)
    sizes: dict[str, Any] = {
        "vocab_size": len(tokenizer), "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 2048,
        "bos_token_id": None, "eos_token_id": tokenizer.eos_token_id,
    }  # fmt: skip
    torch.manual_seed(0)
    LlamaForCausalLM(LlamaConfig(**sizes | config)).save_pretrained(folder)
    return folder
