"""The form of an answer, as a model is to write it."""

END_OF_PLAN = "</think>"


def answer(plan: str | None, code: str) -> str:
    """A plan, if there is one, and code as one text."""
    thoughts = "" if plan is None else f"<think>\n{plan}\n{END_OF_PLAN}\n"
    return f"{thoughts}```python\n{code}```\n"
