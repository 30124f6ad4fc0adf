"""nano: the small language model that comes with the package, and the form in which it is kept.

Torch is imported when weights are read or written.
"""

from tritonrl.policy.nano.card import Card
from tritonrl.policy.nano.policy import NanoPolicy
from tritonrl.policy.nano.shipped import is_shipped, shipped_weights

__all__ = ["Card", "NanoPolicy", "is_shipped", "shipped_weights"]
