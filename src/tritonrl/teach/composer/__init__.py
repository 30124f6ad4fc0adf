"""The composer: a teacher that writes Triton kernels by rule."""

from tritonrl.teach.composer.compose import NotComposed, compose

__all__ = ["NotComposed", "compose"]
