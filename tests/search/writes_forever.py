"""Run by tests as `python FILE LIBRARY FIRST`: puts entries into a library until it is killed."""

import sys
from pathlib import Path

from tests.search.test_library import entry
from tritonrl.search.library import Library

library = Library(Path(sys.argv[1]))
number = int(sys.argv[2])
while True:
    library.put(entry(number))
    print(number, flush=True)  # noqa: T201
    number += 1
