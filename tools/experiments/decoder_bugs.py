"""How much do the chapter's three bugs of a decoder depend on the seed? Train with several, and store what happens.

    python -m tools.experiments.decoder_bugs

writes chapters/results/decoder_bugs.json; about two minutes on one core.
"""

import argparse
from pathlib import Path

import torch

from attnbook.files import write_atomically
from attnbook.studies.reversal import (
    backwards,
    digit_rows,
    fit_small,
    next_word_loss,
    pack_pairs,
    share_right,
    tell_peeking,
    unmasked_loss,
    write,
    write_anew,
)
from tools import ROOT
from tools.experiments.stored import made_by, row_by_row

DEFAULT = ROOT / "chapters" / "results" / "decoder_bugs.json"


def measure(seed: int) -> dict:
    """Train a model with the mask and one without, and try both on rows that neither has seen."""
    held_out = digit_rows(500, seed=-1, held_out=True)
    batch = pack_pairs(held_out, [row[::-1] for row in held_out])
    source, lens, target = batch
    good, _ = fit_small(next_word_loss, backwards, seed=seed)
    peeking, _ = fit_small(unmasked_loss, backwards, seed=seed)
    peeks = tell_peeking(peeking, batch)
    with torch.no_grad():
        row = {
            "loss": next_word_loss(good, batch).item(),
            "writes": share_right(write(good, source, lens), target),
            "loss_unmasked": unmasked_loss(good, batch).item(),
            "writes_unmasked": share_right(
                write_anew(good, source, lens, causal=False), target
            ),
            "peeking_loss": unmasked_loss(peeking, batch).item(),
            "peeking_writes": share_right(write(peeking, source, lens), target),
        }
    row |= {f"peeking_{name}": right for name, right in peeks.items()}
    return {"seed": seed} | {name: round(number, 4) for name, number in row.items()}


def main() -> None:
    """Run all trainings and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=DEFAULT)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    for seed in range(options.seeds):
        rows.append(measure(seed))
        print(rows[-1], flush=True)
    result = {
        **made_by(__spec__.name, options),
        "measured": "losses, and fractions of 500 held-out rows: of the model trained with the causal mask, with the "
        "mask and without; of the one trained without (`peeking`), and what it takes from its right-hand side, see "
        "`tell_peeking`",
        "rows": rows,
    }
    write_atomically(options.out, row_by_row(result, "rows"))


if __name__ == "__main__":
    main()
