"""How the book is made and measured: each module is run from the repository's root, as `python -m tools.…`."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPIES = "*.mine.ipynb"  # of notebooks that somebody had edited: tools/edited.py


def stored_notebooks(root: Path = ROOT) -> list[Path]:
    """The stored notebooks of the book, by name; copies that were kept for a reader are not among them."""
    found = sorted((root / "chapters").glob("*.ipynb"))
    return [path for path in found if not path.match(COPIES)]
