"""Several heads or one, at equal parameters: do heads help, and when?

Question: is the gain of several heads due to there being several, or to there being more of everything?
Varies: the number of heads; how many jars are asked for; further, the budget (heads × width), the output map, a hidden
    layer behind, shared keys and values, and four times the steps.
Equal: within a budget the number of parameters (heads × width), the shelves, batches, learning rate and steps.
Control: an order of one jar, for which one look is enough.
Seeds: 5; the chapter shows the worst and the best.
Turned round by: more heads that help with one jar, too, or one head of full width that does as well with four.

About twelve minutes on one core.
"""

from collections.abc import Iterator

from attnbook.studies import look_up_run

OPTIONS = {"seeds": 5}
HEADS = (1, 2, 4, 8, 16, 32)


def variants(options) -> Iterator[dict]:
    """Every condition: how many heads of which width, how many look-ups, how many steps, what reads the output."""
    for budget in (32, 128):  # heads × width: 4 · 32 · 32 and 4 · 32 · 128 parameters
        for wanted in (1, 2, 4):
            for h in HEADS:
                size = {"heads": h, "width": budget // h}
                yield size | {"wanted": wanted, "steps": 500}
    for wanted in (1, 4):
        single = {"heads": 1, "width": 32, "wanted": wanted, "steps": 500}
        yield single | {"output_map": False}
    four = {"heads": 4, "width": 8, "wanted": 4, "steps": 2000}
    for groups in (1, 2, 4):
        yield four | {"kv_heads": groups}
    for h in HEADS[:4]:
        yield four | {"heads": h, "width": 32 // h, "hidden": 128}
    yield four | {"width": 32}
    for h in (1, 8, 16):
        yield four | {"heads": h, "width": 32 // h}


def run(seed: int, **plan) -> dict:
    """Train one layer."""
    accuracy = round(look_up_run(**plan, seed=seed)[0], 4)
    return plan | {"seed": seed, "accuracy": accuracy}


def summary(results: list[dict], options) -> dict:
    """The accuracies of each condition, one for each seed."""
    seeds = range(options.seeds)
    numbers = iter(result["accuracy"] for result in results)
    runs = [plan | {"accuracy": [next(numbers) for _ in seeds]} for plan in variants(options)]
    return {"seeds": list(seeds), "runs": runs}
