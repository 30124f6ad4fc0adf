"""Teach: pairs of a program and a kernel for it, which a model learns from."""
