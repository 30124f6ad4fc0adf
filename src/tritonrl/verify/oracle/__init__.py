"""The oracle: what a candidate is given, what it must return, and how far it may be off."""
