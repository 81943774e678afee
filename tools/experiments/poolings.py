"""Seven ways from a sentence to one vector, three tasks: what does each lose?

Question: can maximum, mean, first or last word, the ends of a GRU, or a learned query hold what a task asks for, and do
    they still when sixty small words come in between?
Varies: the pooling; the task (the most words, the loudest word, what is said after *but*).
Equal: the 2,000 training sentences, batches, steps, learning rate; word vectors of 16 and a linear classifier.
Control: guessing gives 1/4; "first" and "last" see one word. Mean and learned query are trained five times as long
    too: what has not finished learning should not be compared.
Seeds: 10; 3 for the longer runs. The chapter shows the worst and the best of them.
Turned round by: a ranking that changes with the longer training. It does, for the mean at "most"; the chapter says so.

About five minutes on one core.
"""

from collections.abc import Iterator

from attnbook.studies import POOLING_TASKS, POOLINGS, pooling_run

OPTIONS = {"seeds": 10}
USUAL, PATIENT = 200, 1000  # steps


def plans() -> Iterator[dict]:
    """What is trained, seeds aside."""
    for task in POOLING_TASKS:
        for kind in POOLINGS:
            yield {"task": task, "kind": kind, "steps": USUAL}
    for task in ("most", "loudest"):
        for kind in ("mean", "learned query"):
            yield {"task": task, "kind": kind, "steps": PATIENT}


def settings(options) -> Iterator[dict]:
    """Every plan with its seeds."""
    for plan in plans():
        few = min(3, options.seeds)
        for seed in range(options.seeds if plan["steps"] == USUAL else few):
            yield plan | {"seed": seed}


def run(seed: int, task: str, kind: str, steps: int) -> dict:
    """Train one classifier, and test it on sentences as in training and on longer ones."""
    short, long = (round(a, 3) for a in pooling_run(task, kind, seed, steps))
    found = {"task": task, "kind": kind, "as trained": short, "longer": long}
    return found | {"steps": steps, "seed": seed}


def summary(results: list[dict], options) -> dict:
    """The accuracies of each pooling and task, one for each seed."""
    runs: dict[str, list] = {"runs": [], "patient": []}
    for plan in plans():
        same = [found for found in results if plan.items() <= found.items()]
        row = {"task": plan["task"], "kind": plan["kind"]}
        row |= {t: [one[t] for one in same] for t in ("as trained", "longer")}
        if plan["steps"] == USUAL:
            runs["runs"].append(row)
        else:
            runs["patient"].append(row | {"steps": PATIENT})
    return {"seeds": list(range(options.seeds)), **runs}
