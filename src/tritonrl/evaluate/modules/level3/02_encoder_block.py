"""Run tokens through a transformer block: attention and an MLP, each after a norm."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, TOKENS, WIDTH, HEADS = 10, 257, 512, 8


class Model(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.attention_norm, self.mlp_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.pack, self.join = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        for norm in (self.attention_norm, self.mlp_norm):
            nn.init.uniform_(norm.weight, 0.5, 1.5)
            nn.init.normal_(norm.bias, std=0.2)

    def attend(self, tokens: torch.Tensor) -> torch.Tensor:
        batch, count, width = tokens.shape
        packed = self.pack(tokens).reshape(batch, count, 3, self.heads, width // self.heads)
        query, key, value = packed.permute(2, 0, 3, 1, 4).unbind(0)
        heads = F.scaled_dot_product_attention(query, key, value)
        return self.join(heads.transpose(1, 2).reshape(batch, count, width))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        tokens = tokens + self.attend(self.attention_norm(tokens))
        return tokens + self.down(F.gelu(self.up(self.mlp_norm(tokens))))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, TOKENS, WIDTH)]


def get_init_inputs() -> list:
    return [WIDTH, HEADS]
