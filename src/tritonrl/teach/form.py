"""The form of an answer, as a model is to write it."""

END_OF_PLAN = "</think>"


def answer(plan: str, code: str) -> str:
    """A plan and code as one text."""
    return f"<think>\n{plan}\n{END_OF_PLAN}\n```python\n{code}```\n"
