"""Induction models whose notes are exchanged: does layer 2 find its match by what layer 1 writes?

Question: if the note at the right position is erased and a false one planted elsewhere, does the answer follow it? And
    with the true and the false note both in place?
Varies: the model's seed; the period of the rows; with every row the symbols, the position that is asked, and where in
    the first round the false note is planted.
Equal: the models' size and training; 300 rows for each seed and period, the same rows for all seeds.
Control: the models untouched; the true note erased alone; at the planted place a note about a symbol that is nowhere in
    the row, with the true note in place and with it erased.
Seeds: 6, all stored; seed 0 is trained as the chapter's model is.
Turned round by: answers that stay right with the note erased, or that follow the unrelated note as well.

About three minutes on one core.
"""

import torch

from attnbook.studies import draw_cases, false_notes, fit_induction, measure_induction
from tools.experiments.stored import share

OPTIONS = {"seeds": 6, "steps": 750}
PERIODS, ROWS, DRAWN = (8, 10, 12, 15), 300, 7
MEASURED = (
    "for each change of the notes, the share of 300 rows whose answer is right, and of those whose "
    "answer is the symbol at the planted place; follows_before and follows_after: with both notes in place, by "
    "whether the false one stands before or after the true one"
)


def run(seed: int, steps: int) -> dict:
    """Train one model, and exchange its notes."""
    model, _ = fit_induction(seed, steps)
    row = {"seed": seed, "accuracy": round(measure_induction(model).accuracy, 4), "periods": []}
    for period in PERIODS:
        _, asks, planted, _ = draw_cases(ROWS, period, torch.Generator().manual_seed(DRAWN))
        by_note = false_notes(model, period, DRAWN, ROWS)
        follows, before = by_note["planted"][1], planted < asks - period + 1
        row["periods"].append(
            {
                "period": period,
                "right": {name: share(right) for name, (right, _) in by_note.items()},
                "follows": {name: share(told) for name, (_, told) in by_note.items()},
                "follows_before": share(follows[before]),
                "follows_after": share(follows[~before]),
            }
        )
    return row
