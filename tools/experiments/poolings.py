"""Four ways from a sentence to one vector, three tasks: what does each lose?

Question: can maximum, mean, a learned query or the ends of a GRU hold what a task asks for, and do they still when
    sixty small words come in between?
Varies: the pooling; the task (the most words, the loudest word, what is said after *but*).
Equal: the number of training sentences (2,000), steps, batches, learning rate; word vectors of 16 and a linear
    classifier. A seed has the same sentences for all poolings.
Control: guessing gives 1/4. Mean and learned query at "loudest" are also stopped after a fifth of the steps, as a
    reminder: what has not finished learning should not be compared.
Seeds: 5, each with sentences of its own. The chapter shows the worst and the best of them.
Turned round by: ranges that overlap where the text says that one pooling is better than another.

About ten minutes on one core.
"""

from collections.abc import Iterator

from attnbook.studies import POOLING_TASKS, POOLINGS, pooling_run

OPTIONS = {"seeds": 5}
STEPS, EARLY = 1000, 200


def variants(options) -> Iterator[dict]:
    """What is trained, seeds aside."""
    for task in POOLING_TASKS:
        for kind in POOLINGS:
            yield {"task": task, "kind": kind, "steps": STEPS}
    for kind in ("mean", "learned query"):
        yield {"task": "loudest", "kind": kind, "steps": EARLY}


def run(seed: int, task: str, kind: str, steps: int) -> dict:
    """Train one classifier, and test it on sentences as in training and on longer ones."""
    short, long = (round(a, 3) for a in pooling_run(task, kind, seed, steps))
    row = {"task": task, "kind": kind, "as trained": short, "longer": long}
    return row | {"steps": steps, "seed": seed}


def summary(results: list[dict], options) -> dict:
    """The accuracies of each pooling and task, one for each seed."""
    runs = []
    for plan in variants(options):
        same = [row for row in results if plan.items() <= row.items()]
        runs.append(plan | {t: [row[t] for row in same] for t in ("as trained", "longer")})
    return {"seeds": list(range(options.seeds)), "runs": runs}
