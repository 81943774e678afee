"""The server of one student on a hub: puts the chapters into their home and becomes JupyterHub's single-user server.

It runs as the student. What is in `attention/` already is theirs and stays.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"


def give(folder: Path) -> None:
    """Copy the notebooks and what they read to a folder, unless there is one; in one step, so that none is half full.

    Args:
        folder: where they go.
    """
    if folder.exists():
        return
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        copy = Path(scratch) / folder.name
        leave_out = shutil.ignore_patterns("*.md", "text", ".*")
        shutil.copytree(CHAPTERS, copy, ignore=leave_out)
        copy.rename(folder)


if __name__ == "__main__":
    os.chdir(Path.home())
    give(Path("attention"))
    server = [sys.executable, "-m", "jupyterhub.singleuser"]
    os.execv(server[0], [*server, *sys.argv[1:]])
