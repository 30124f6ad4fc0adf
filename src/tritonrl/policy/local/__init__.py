"""A language model from a folder, run by transformers on this machine.

Torch and transformers are imported when the first answer is wanted.
"""

from tritonrl.policy.local.folder import Folder
from tritonrl.policy.local.policy import LocalPolicy
from tritonrl.policy.local.settings import CPU, GPU, Place, Sampling

__all__ = ["CPU", "GPU", "Folder", "LocalPolicy", "Place", "Sampling"]
