"""Reinforcement learning with the verifier as the only judge."""
