"""How the book is made and measured: each module is run from the repository's root, as `python -m tools.…`."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
