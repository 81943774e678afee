"""`python -m attnbook` is the command `attnbook`."""

import sys

from attnbook.command import main

if __name__ == "__main__":
    sys.exit(main())
