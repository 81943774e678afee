"""Run tests against changed copies of the package, each in a process forked after the slow imports.

    python tests/mutation.py JOBS.json    (test_mutants.py writes the jobs and reads the answers)

The package is copied once; for every job one file of the copy gets a changed text, a forked child runs pytest with
the copy in front of `sys.path`, and the file is put back. Prints one line of JSON for each job.
"""

import gc
import json
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WRONG_PACKAGE = 99  # exit status of a child whose tests did not run on the copy


class NoPropertyTests:
    """Leaves property tests out without hypothesis's plugin, which would first read the constants of all modules."""

    @staticmethod
    def pytest_collection_modifyitems(items):
        from hypothesis import is_hypothesis_test

        items[:] = [item for item in items if not is_hypothesis_test(item.obj)]


def run_tests(package_root: str, arguments: list[str], log: Path) -> int:
    """Fork, and run pytest on the package below `package_root`; the exit status is pytest's."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = WRONG_PACKAGE
    try:
        handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(handle, 1)
        os.dup2(handle, 2)
        sys.path.insert(0, package_root)
        import pytest

        status = int(pytest.main(arguments, plugins=[NoPropertyTests]))
        sys.stdout.flush()
        if not sys.modules["attnbook"].__file__.startswith(package_root):
            status = WRONG_PACKAGE
    finally:
        os._exit(status)


def main(jobs_file: str) -> None:
    """Run all jobs of a file: {"package_root": …, "jobs": [{"file", "text", "tests"}, …]}."""
    # Imported and used once before forking, so that no child pays for it; attnbook itself must not be.
    import anywidget  # noqa: F401
    import lightning_fabric  # noqa: F401
    import pytest  # noqa: F401
    import sacrebleu  # noqa: F401
    import torch
    from hypothesis import strategies  # noqa: F401
    from transformers.models.llama import modeling_llama  # noqa: F401

    torch.set_num_threads(1)
    torch.autograd.gradcheck(lambda x: (x @ x.T).softmax(-1), torch.eye(2, dtype=torch.float64).requires_grad_())
    assert "attnbook" not in sys.modules
    gc.freeze()  # a child need not look for garbage in all of PyTorch

    plan = json.loads(Path(jobs_file).read_text("utf-8"))
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "log"
        for number, job in enumerate(plan["jobs"]):
            # the first child runs all tests on the package as it is: what it compiles, the others need not; what a
            # changed text was compiled to is of no use to the next child
            sys.dont_write_bytecode = number > 0
            path = Path(plan["package_root"], "attnbook", job["file"])
            before = path.read_text("utf-8")
            path.write_text(job["text"], "utf-8")
            try:
                # no conftest: it is this script that sets the environment, and only unit tests are run
                status = run_tests(plan["package_root"], [*plan["arguments"], *job["tests"]], log)
            finally:
                path.write_text(before, "utf-8")
            print(json.dumps({"status": status, "log": log.read_text("utf-8", errors="replace")[-3000:]}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
