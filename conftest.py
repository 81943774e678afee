"""What all tests share: the environment under which stored outputs compare.

It stands at the root because nbval collects `chapters/`, which is not below `tests/`.
"""

import os
import tempfile
from pathlib import Path

import pytest
from chapter import execution_environment

# removed when the process ends
_scratch = tempfile.TemporaryDirectory(prefix="attnbook-tests-")
os.environ.update(execution_environment(_scratch.name))
# a kernel chooses its inline backend only if nobody else has chosen
os.environ.pop("MPLBACKEND", None)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Give every notebook a progress file of its own: its kernel starts in the set-up of its first cell."""
    if item.path.suffix == ".ipynb":
        os.environ["ATTNBOOK_PROGRESS"] = str(
            Path(_scratch.name) / f"{item.path.stem}.json"
        )
