"""Three bugs of a decoder: how much does what they do depend on the seed?

Question: what happens to loss and to written rows when the causal mask is missing, in training or only in use?
Varies: whether the model was trained with the mask, and whether it is used with it.
Equal: model, rows, batches, steps and learning rate.
Control: the model that is trained and used with the mask.
Seeds: 5, all on the page.
Turned round by: a model without the mask that writes the rows of digits as well as the one with it.

About two minutes on one core.
"""

import torch

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

OPTIONS = {"seeds": 5}
MEASURED = (
    "losses, and fractions of 500 held-out rows: of the model trained with the causal mask, with the "
    "mask and without; of the one trained without (`peeking`), and what it takes from its right-hand side, see "
    "`tell_peeking`"
)


def run(seed: int) -> dict:
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
            "writes_unmasked": share_right(write_anew(good, source, lens, causal=False), target),
            "peeking_loss": unmasked_loss(peeking, batch).item(),
            "peeking_writes": share_right(write(peeking, source, lens), target),
        }
    row |= {f"peeking_{name}": right for name, right in peeks.items()}
    return {"seed": seed} | {name: round(number, 4) for name, number in row.items()}
