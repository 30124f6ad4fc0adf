"""The composer: a teacher that writes Triton kernels by rule."""

from tritonrl.teach.composer.compose import Composer, NotComposed, compose

__all__ = ["Composer", "NotComposed", "compose"]
