"""Where tasks come from, one file a source. A source is a `Source`; `tritonrl.tasks.load` has the table."""

from tritonrl.tasks.sources.source import Source

__all__ = ["Source"]
