"""Eight heads for four jars, taken out one by one: how many are needed?

Question: how many heads can a layer lose before it answers less, when it has twice as many as there are looks?
Varies: how many heads are left, the least missed going first.
Equal: the trained model; nothing is trained again.
Control: the formula for a layer that fetches as many jars as it has heads and guesses the rest.
Seeds: 5; the chapter shows the range.
Turned round by: accuracy that falls with the first head, or does not fall below four.

About a minute on one core.
"""

from attnbook.studies import look_up_run, prune

OPTIONS = {"seeds": 5}


def run(seed: int) -> dict:
    """Train and prune one model: the accuracy with 8, 7, … 1 heads left."""
    _, model = look_up_run(8, 8, wanted=4, steps=800, seed=seed)
    left = [round(a, 4) for a in prune(model)]
    return {"seed": seed, "heads": 8, "width": 8, "steps": 800, "left": left}


def summary(results: list[dict], options) -> dict:
    """All runs."""
    return {"runs": results}
