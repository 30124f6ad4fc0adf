"""A transformer's encoder layer: sixteen operators, too many for one kernel."""

import torch
import torch.nn.functional as F
from torch import nn

SIZES = (16, 512, 768, 12) if torch.cuda.is_available() else (2, 10, 32, 4)
NUM_SEQUENCES, NUM_TOKENS, WIDTH, NUM_HEADS = SIZES


class EncoderLayer(nn.Module):
    def __init__(self, width: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.before_attention = nn.LayerNorm(width)
        self.inputs = nn.Linear(width, 3 * width)
        self.attended = nn.Linear(width, width)
        self.before_hidden = nn.LayerNorm(width)
        self.gate = nn.Linear(width, 2 * width)
        self.value = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)
        self.scale = nn.Parameter(torch.full((width,), 0.5))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        batch, length, width = tokens.shape
        normal = self.before_attention(tokens)
        heads = self.inputs(normal).view(batch, length, 3, self.num_heads, width // self.num_heads)
        query, key, value = heads.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(query, key, value)
        mixed = self.attended(mixed.transpose(1, 2).reshape(batch, length, width))
        tokens = tokens + self.scale * mixed
        normal = self.before_hidden(tokens)
        hidden = F.silu(self.gate(normal)) * torch.tanh(self.value(normal))
        return tokens + self.scale * self.down(hidden)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(NUM_SEQUENCES, NUM_TOKENS, WIDTH)]


def get_init_inputs() -> list:
    return [WIDTH, NUM_HEADS]
