"""Eight ways to tell an encoder where its symbols are: which answers, and which still does at twice the length?

Question: which way of telling positions solves a task of fixed distance (look back) and one of place (mirror), and does
    it hold beyond the trained length?
Varies: the kind of position; the task; the room for distances and the steps; the mask; for sinusoids and learned
    vectors how many different rows there are, and how large learned vectors start out.
Equal: two layers of width 32, batches, learning rate, steps and data. Learned and relative positions have parameters
    that the others lack.
Control: "none", an encoder that is told nothing; guessing gives 1/8.
Seeds: 3; all are stored.
Turned round by: a kind that fails only because its distances are clipped or its training is short (the longer runs),
    or "none" answering without a causal mask.

About 20 minutes on one core.
"""

from collections.abc import Iterator

from attnbook.studies import KINDS, fit_reader, look_back_batch, reading_accuracy, reversal_batch

OPTIONS = {"seeds": 3, "steps": 600, "length": 24}
TASKS = {"look back": look_back_batch, "mirror": reversal_batch}
LOUD = 0.5**0.5  # as large as the sinusoids
PLAN = {"causal": False, "max_distance": 8, "learned_std": LOUD, "rows": None, "longer": 1}


def plans() -> Iterator[dict]:
    """What is trained, seeds aside: the arguments of `fit_reader`, steps as a multiple of the usual ones."""
    for longer in (1, 4):  # room for all distances, and time
        # half of T5's buckets hold one distance each
        for kind, most in (("DeBERTa", 24), ("Shaw", 24), ("T5", 48)):
            room = {"max_distance": most, "longer": longer}
            yield PLAN | {"task": "mirror", "kind": kind} | room
    yield PLAN | {"task": "mirror", "kind": "rotary", "longer": 4}
    for kind in ("sinusoidal", "learned"):
        yield PLAN | {"task": "look back", "kind": kind, "longer": 4}
    for task in TASKS:
        for kind in KINDS:
            yield PLAN | {"task": task, "kind": kind}
    for kind in ("none", "ALiBi"):  # the mirror asks for the future
        yield PLAN | {"task": "look back", "kind": kind, "causal": True}
    for rows in (32, 128, 512):  # little data
        for kind, std in (("sinusoidal", LOUD), ("learned", LOUD), ("learned", 0.02)):
            little = {"rows": rows, "learned_std": std}
            yield PLAN | {"task": "look back", "kind": kind} | little


def settings(options) -> Iterator[dict]:
    """Every plan with every seed."""
    sizes = {"length": options.length, "steps": options.steps}
    for plan in plans():
        for seed in range(options.seeds):
            yield plan | {"seed": seed} | sizes


def run(seed: int, task: str, kind: str, length: int, steps: int, **plan) -> dict:
    """Train one reader, and mark it on fresh rows."""
    how = dict(plan)
    steps *= how.pop("longer")
    reader = fit_reader(kind, TASKS[task], length, seed, steps, **how)
    beyond = reading_accuracy(reader, TASKS[task], 2 * length, first=length)
    trained = reading_accuracy(reader, TASKS[task], length)
    right = {"trained_length": round(trained, 4), "beyond": round(beyond, 4)}
    return plan | {"task": task, "kind": kind, "seed": seed} | right


def summary(results: list[dict], options) -> dict:
    """All rows."""
    return {
        "length": options.length,
        "steps": options.steps,
        "seeds": list(range(options.seeds)),
        "measured": "fraction of right answers on 200 fresh rows: at the trained length, and at twice the length in "
        "the second half only. `longer` multiplies the steps; `rows` is how many different rows were trained on, "
        "null if none came twice",
        "rows": results,
    }
