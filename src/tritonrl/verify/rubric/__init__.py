"""The rubric: a language model reads a candidate and says which of TritonRL's five rules it breaks.

The optional `judge` layer. It reads text only, so it may be wrong in both directions, and no guarantee rests
on it; `tritonrl judge-check` measures how often it is. What it does not say clearly is not judged.
"""
