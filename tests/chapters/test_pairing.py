"""A notebook edited in JupyterLab takes its text twin with it."""

import shutil

import jupytext
from jupyter_server.services.contents.largefilemanager import LargeFileManager
from jupytext.sync_contentsmanager import build_sync_jupytext_contents_manager_class

from tools import ROOT

NAME = "04-masked-softmax"


def test_saving_in_jupyterlab_writes_the_twin(tmp_path):
    for name in ("jupytext.toml", f"chapters/{NAME}.ipynb", f"chapters/text/{NAME}.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    # what JupyterLab opens and saves files with
    manager = build_sync_jupytext_contents_manager_class(LargeFileManager)()
    manager.root_dir = str(tmp_path)
    model = manager.get(f"chapters/{NAME}.ipynb")
    cells = model["content"]["cells"]
    before = [cell["source"] for cell in cells]
    assert any(cell.get("outputs") for cell in cells)
    cells[1]["source"] += "\n\nA reader's own sentence."
    manager.save(model, f"chapters/{NAME}.ipynb")
    twin = jupytext.read(tmp_path / "chapters" / "text" / f"{NAME}.md")
    assert [cell.source for cell in twin.cells] == [
        before[0],
        before[1] + "\n\nA reader's own sentence.",
        *before[2:],
    ]
