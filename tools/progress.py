"""What `make test` says while it runs: every few seconds how far it is and in which files, instead of a dot per test.

A plugin for pytest (`-p tools.progress`). A failure is named at once and explained at the end, as ever. If tests were
skipped, the last line says which and why.
"""

import threading
import time
from collections import defaultdict

import pytest

EVERY = 5.0  # seconds


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session):
    """Begin, in the process that writes to the terminal; the workers of pytest-xdist do not."""
    plugins = session.config.pluginmanager
    if (reporter := plugins.get_plugin("terminalreporter")) is not None:
        reporter.showfspath = False
        # `-ra` would list each skipped test; the last line counts them
        reporter.reportchars = reporter.reportchars.replace("s", "")
        # workers leave this process idle; without them its output is captured while a test runs
        idle = plugins.has_plugin("dsession")
        plugins.register(Progress(session, reporter, idle))


class Progress:
    """Counts the tests that are done, and knows those that are running."""

    def __init__(self, session, reporter, by_itself):
        self.session, self.reporter = session, reporter
        self.running, self.done, self.failed = {}, 0, 0
        self.begin = self.told = time.monotonic()
        self.over = threading.Event()
        if by_itself:
            threading.Thread(target=self.tell_by_itself, daemon=True).start()

    def tell_by_itself(self):
        while not self.over.wait(EVERY / 10):
            self.tell()

    def tell(self):
        """A line, if the last one is some seconds old."""
        now = time.monotonic()
        if now - self.told < EVERY:
            return
        self.told = now
        minutes, seconds = divmod(int(now - self.begin), 60)
        files = dict.fromkeys(test.partition("::")[0] for test in list(self.running))
        what = "collecting the tests"
        if self.done or files:
            total = self.session.testscollected
            failed = f", {self.failed} failed" if self.failed else ""
            what = f"{self.done:,} of {total:,} done{failed}  {', '.join(files)}"
        self.reporter.write_line(f"{minutes:3}:{seconds:02}  {what}")

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self):
        category, _, word = yield
        return category, "", word  # counted, but no dot

    def pytest_runtest_logstart(self, nodeid):
        self.running[nodeid] = True
        self.tell()

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed += 1
            self.reporter.write_line(f"FAILED {report.nodeid}", red=True)

    def pytest_runtest_logfinish(self, nodeid):
        self.running.pop(nodeid, None)
        self.done += 1

    def pytest_sessionfinish(self):
        self.over.set()

    def pytest_unconfigure(self):
        """After pytest's own last line: what was not tested, and why."""
        skipped = defaultdict(set)
        for report in self.reporter.stats.get("skipped", []):
            reason = str(report.longrepr[-1]).removeprefix("Skipped: ")
            skipped[reason].add(report.nodeid)
        for reason, tests in sorted(skipped.items(), key=lambda item: len(item[1])):
            files = {test.partition("::")[0] for test in tests}
            folders = sorted({file.rpartition("/")[0] or "." for file in files})
            count = "1 test" if len(tests) == 1 else f"{len(tests)} tests"
            self.reporter.write_line(f"Not tested: {count} in {' and '.join(folders)}; {reason}")
