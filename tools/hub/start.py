"""The server of one student on a hub: puts the chapters into their home and becomes JupyterHub's single-user server.

It runs as the student. What is in `attention/` already is theirs and stays.
"""

import os
import shutil
import sys
from pathlib import Path

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"


def give(folder: Path) -> None:
    """Copy the notebooks and what they read to a folder into which nobody else may look, unless something has its name;
    in one step, so that none is half full.
    """
    if os.path.lexists(folder):  # a link that leads nowhere, too
        return
    copy = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(copy, ignore_errors=True)  # of a start that was cut short
    leave_out = shutil.ignore_patterns("*.md", "*.mine.ipynb", "api", "text", ".*")
    try:
        shutil.copytree(CHAPTERS, copy, ignore=leave_out)
        copy.chmod(0o700)
        copy.rename(folder)
    except OSError:
        shutil.rmtree(copy, ignore_errors=True)
        raise


if __name__ == "__main__":
    os.chdir(Path.home())
    try:
        give(Path("attention"))
    except OSError as error:  # the disk is full: a server is what one can clear it with
        print(f"The chapters could not be copied: {error}", file=sys.stderr)
    # -P: a file of the student's that has a module's name is not taken for the module
    server = [sys.executable, "-P", "-m", "jupyterhub.singleuser"]
    os.execv(server[0], [*server, *sys.argv[1:]])
