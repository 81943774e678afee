"""What all tests share: the environment under which stored outputs compare, and that CI skips nothing.

It stands at the root because nbval collects `chapters/`, which is not below `tests/`.
"""

import gc
import os
import tempfile
from pathlib import Path

import pytest

from tools import COPIES
from tools.surroundings import execution_environment

collect_ignore_glob = [COPIES]

# removed when the process ends
_scratch = tempfile.TemporaryDirectory(prefix="attnbook-tests-")
os.environ.update(
    execution_environment(_scratch.name, os.environ.get("OMP_NUM_THREADS", "1"))
)
# a kernel chooses its inline backend only if nobody else has chosen
os.environ.pop("MPLBACKEND", None)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """All tests stay to the end: to look for garbage among them again and again took a sixth of collecting them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Give every notebook a progress file of its own: its kernel starts in the set-up of its first cell."""
    if item.path.suffix == ".ipynb":
        os.environ["ATTNBOOK_PROGRESS"] = str(
            Path(_scratch.name) / f"{item.path.stem}.json"
        )


def no_skip_in_ci(report):
    """In CI a skipped test, or file of tests, is a failed one: what it needs is missing from the machine."""
    in_ci = os.environ.get("CI", "").lower() not in ("", "0", "false")
    if in_ci and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"in CI nothing may be skipped: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    return no_skip_in_ci((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    return no_skip_in_ci((yield))
