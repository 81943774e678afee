"""Does every address outside the book still answer? Sphinx's own link checker asks; needs the network.

    python -m tools.links            lists those that do not, and leaves with exit status 1 if there are any

A redirection that is permanent is listed too, and is no failure. With no answer from anywhere the exit status is 2.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tools import ROOT

FINE = {"working", "redirected", "local", "unchecked", "ignored"}


def ask(folder: Path) -> list[dict]:
    """What Sphinx found of each address: its page, line, status and more; it works in an empty folder."""
    command = "-m", "tools.book", "--builder", "linkcheck", "--path-output", str(folder)
    log = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True
    )
    try:
        lines = next(folder.rglob("output.json")).read_text("utf-8")
    except StopIteration:
        raise RuntimeError(f"the pages cannot be read:\n{log.stderr[-3000:]}") from None
    return [json.loads(line) for line in lines.splitlines()]


def report(found: list[dict]) -> int:
    """Print what does not answer and what has moved; returns the exit status."""
    outside = [link for link in found if link["uri"].startswith("http")]
    for link in sorted(outside, key=lambda link: (link["status"], link["filename"])):
        moved = link["status"] == "redirected" and link["code"] in (301, 308)
        if moved or link["status"] not in FINE:
            place = f"{link['filename']}:{link['lineno']}"
            print(f"{link['status']:11}{place}  {link['uri']}  {link['info'].strip()}")
    counts = Counter(link["status"] for link in outside)
    bad = sum(number for status, number in counts.items() if status not in FINE)
    print(f"{len(outside)} addresses, {bad} of them without an answer")
    if bad and not counts["working"] + counts["redirected"]:
        print("expected at least one answer: is there a network?", file=sys.stderr)
        return 2
    return int(bad > 0)


def main() -> int:
    """Ask, and report; returns the exit status."""
    argparse.ArgumentParser(
        prog="python -m tools.links",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    ).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return report(ask(Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
