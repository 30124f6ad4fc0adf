"""Train language models to write Triton GPU kernels, and prove that what they wrote is real."""

__version__ = "0.1.0"
