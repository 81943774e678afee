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


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Each of several processes begins to read the tests elsewhere: what one has compiled, the others need not."""
    report = no_skip_in_ci((yield))
    if collector.path.name == "tests":
        worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
        workers = os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")
        start = len(report.result) * int(worker) // int(workers)
        report.result = report.result[start:] + report.result[:start]
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """All processes number the same tests alike."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: item.path.parts)


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
