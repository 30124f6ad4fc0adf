"""Classify images: cut them into patches, run a transformer block, read the class token."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, COLOURS, SIDE, PATCH, WIDTH, HEADS, CLASSES = 8, 3, 224, 16, 384, 6, 365


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.attention_norm, self.mlp_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.join = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        normal = self.attention_norm(tokens)
        query, key, value = (
            project(normal).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for project in (self.query, self.key, self.value)
        )
        heads = F.scaled_dot_product_attention(query, key, value)
        tokens = tokens + self.join(heads.transpose(1, 2).flatten(2))
        return tokens + self.down(F.gelu(self.up(self.mlp_norm(tokens))))


class Model(nn.Module):
    def __init__(self, colours: int, side: int, patch: int, width: int, heads: int, classes: int) -> None:
        super().__init__()
        self.patches = nn.Conv2d(colours, width, patch, stride=patch)
        self.token = nn.Parameter(torch.randn(1, 1, width))
        self.places = nn.Parameter(0.5 * torch.randn((side // patch) ** 2 + 1, width))
        self.block = Block(width, heads)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, classes)
        for part in self.modules():
            if isinstance(part, nn.LayerNorm):
                nn.init.uniform_(part.weight, 0.5, 1.5)
                nn.init.normal_(part.bias, std=0.2)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        patches = self.patches(images).flatten(2).transpose(1, 2)
        token = self.token.expand(images.shape[0], -1, -1)
        tokens = self.block(torch.cat((token, patches), dim=1) + self.places)
        return self.head(self.norm(tokens[:, 0]))


def get_inputs() -> list[torch.Tensor]:
    # Images differ in brightness: the class tokens of pure noise would all be the same.
    return [2 * torch.randn(BATCH, COLOURS, 1, 1) + torch.randn(BATCH, COLOURS, SIDE, SIDE)]


def get_init_inputs() -> list:
    return [COLOURS, SIDE, PATCH, WIDTH, HEADS, CLASSES]
