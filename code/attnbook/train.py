"""`python -m attnbook.train` is `attnbook train`: torchrun starts modules, not commands."""

import sys

from attnbook.command.train import main

if __name__ == "__main__":
    sys.exit(main())
