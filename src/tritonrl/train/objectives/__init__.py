"""Objectives: pure functions on tensors, a file each, the formula in its docstring.

Rows are answers, those to one question beside each other, so many to a question (`size`). A reward that was
not scored is NaN.
"""
