"""Hostile candidates: what they try, what lies outside for them to reach, and what the judge must say."""

from .attack import ACCEPTED, Attack
from .trial import Trial, honest_code
from .world import World

__all__ = ["ACCEPTED", "Attack", "Trial", "World", "honest_code"]
