"""What all tests share: the environment under which stored outputs compare.

It stands at the root because nbval collects `chapters/`, which is not below `tests/`.
"""

import os
import tempfile
from pathlib import Path

import pytest
from chapter import execution_environment

_scratch = tempfile.TemporaryDirectory(prefix="attnbook-tests-")  # removed when the process ends
os.environ.update(execution_environment(_scratch.name))
os.environ.pop("MPLBACKEND", None)  # a kernel chooses its inline backend only if nobody else has chosen


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Give every notebook a progress file of its own: its kernel starts in the set-up of its first cell."""
    if item.path.suffix == ".ipynb":
        os.environ["ATTNBOOK_PROGRESS"] = str(Path(_scratch.name) / f"{item.path.stem}.json")
