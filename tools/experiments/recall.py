"""Associative recall: which memory finds the value that was written with a key?

Question: how many pairs can a memory of fixed size hold, and what do a decay and the delta rule add to it?
Varies: the kind of memory; the task (all keys differ, keys are written again, old pairs stop counting); the size d; the
    steps, for the two that tie.
Equal: data, batches, learning rate and steps; embeddings, projections and head of one shape. A gate or a step size that
    a kind has adds at most 130 parameters.
Control: softmax attention, which keeps every pair; guessing gives 1/32.
Seeds: 3; all 75 rows are stored, and the chapter shows their spread.
Turned round by: a linear memory that keeps up with the delta rule where keys are written again, or a gap that closes
    with three times the steps.

About four minutes of one core.
"""

import time
from collections.abc import Iterator

from attnbook.studies import MEMORIES, RECALL_TASKS, fit_memory, recall_accuracy

OPTIONS = {"seeds": 3, "steps": 300}
PAIRS = 8, 16, 32, 64, 128  # trained on up to 64
MEASURED = (
    "fraction of right answers on 200 fresh rows, for each number of pairs written; trained on 8, 16, "
    "32 and 64 pairs in turn. `longer` multiplies the steps; the memory of a layer that keeps no pairs is (d, d)"
)


def variants(options) -> Iterator[dict]:
    """What is trained, seeds aside; steps as a multiple of the usual ones."""
    usual = {"d": 16, "longer": 1}
    for task in RECALL_TASKS:
        for kind in MEMORIES:
            yield {"task": task, "kind": kind} | usual
    for task in ("store", "update"):
        for d in (8, 32):
            for kind in ("linear", "delta"):
                yield {"task": task, "kind": kind} | usual | {"d": d}
    for kind in ("linear", "delta"):  # is the tie a matter of time?
        yield {"task": "store", "kind": kind} | usual | {"longer": 3}


def run(seed: int, task: str, kind: str, d: int, longer: int, steps: int) -> dict:
    """Train one memory, and mark it on fresh rows."""
    began = time.process_time()
    model = fit_memory(kind, task, d, seed=seed, steps=longer * steps)
    right = {n: round(recall_accuracy(model, task, n), 4) for n in PAIRS}
    spent = round(time.process_time() - began, 1)
    row = {"task": task, "kind": kind, "d": d, "longer": longer, "seed": seed}
    return row | {"right": right, "cpu_seconds": spent}
