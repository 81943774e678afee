"""Eight ways to tell an encoder where its symbols are: which answers, and which still does in longer rows?

Question: which way of telling positions solves a task of fixed distance (look back) and one of place (mirror), and does
    it hold beyond the trained length?
Varies: the kind of position; where training begins to count, at 0 or in each batch anywhere up to 168, so that added
    vectors are trained for all positions of long rows; the task; whether distances are clipped at 8 or have room for
    all of the trained row, so that the distances of longer rows are untrained, as a learned table's later rows are;
    the steps; the mask.
Equal: two layers of width 32, batches, learning rate and data. Learned and relative positions have parameters
    that the others lack.
Control: "none", an encoder that is told nothing; guessing gives 1/8. Longer rows at two lengths: twice and eight times.
Seeds: 5 where the length is the question (look back by sinusoids and by distances, 600 steps), 3 elsewhere; all are
    stored. The rows were joined from several runs with these settings. Rows begun anywhere, and ALiBi's answers in rows
    eight times as long, were added when the others were known; the former were tried with seed 0 before.
Turned round by: added positions that hold in longer rows once training begins them anywhere, a kind that fails only
    because its distances are clipped or its training is short (the longer runs), one that holds only because far
    distances are clipped to trained ones (the runs with room), one that holds at twice the length and not at eight
    times, or "none" answering without a causal mask.

About half an hour on one core.
"""

from collections.abc import Iterator

from attnbook.studies import KINDS, fit_reader, look_back_batch, reading_accuracy, reversal_batch

OPTIONS = {"seeds": 5, "fewer": 3, "steps": 600, "length": 24}
TASKS = {"look back": look_back_batch, "mirror": reversal_batch}
PLAN = {"causal": False, "max_distance": 8, "longer": 1, "starts": 0}
ROOM = {"DeBERTa": 24, "Shaw": 24, "T5": 48}  # half of T5's buckets hold one distance each
FAR = 8  # times the trained length
ANYWHERE = 168  # the last of the first positions: those of rows FAR times as long are all trained then
MIDDLE = 72  # a first position whose rows are begun as often as any
TOLD = "sinusoidal", "Shaw", "T5", "DeBERTa", "rotary", "ALiBi"  # of these, longer rows are asked
MEASURED = (
    "fraction of right answers on 200 fresh rows: at the trained length; in rows twice as long, in the "
    "second half only (beyond); in rows eight times as long, in the second half only (far; not for all kinds); at "
    f"the trained length in rows whose positions begin at {MIDDLE} (middle; if training has `starts`). `longer` "
    "multiplies the steps"
)


def variants(options) -> Iterator[dict]:
    """What is trained, seeds aside: the arguments of `fit_reader`, steps as a multiple of the usual ones."""
    for task in TASKS:
        for kind in KINDS:
            yield PLAN | {"task": task, "kind": kind}
    for kind in ("none", "ALiBi"):  # the mirror asks for the future
        yield PLAN | {"task": "look back", "kind": kind, "causal": True}
    for kind, most in ROOM.items():  # room for all distances, and for the mirror time
        yield PLAN | {"task": "look back", "kind": kind, "max_distance": most}
        yield PLAN | {"task": "mirror", "kind": kind, "max_distance": most}
        yield PLAN | {"task": "mirror", "kind": kind, "max_distance": most, "longer": 4}
    for kind in ("DeBERTa", "Shaw", "rotary"):  # time alone
        yield PLAN | {"task": "mirror", "kind": kind, "longer": 4}
    for kind in TOLD:
        yield PLAN | {"task": "look back", "kind": kind, "longer": 4}
    for kind in ("sinusoidal", "learned"):
        for longer in (1, 4):
            yield PLAN | {"task": "look back", "kind": kind, "starts": ANYWHERE, "longer": longer}
    for kind in ("none", "ALiBi"):
        yield PLAN | {"task": "look back", "kind": kind, "causal": True, "longer": 4}


def lengths_matter(task: str, kind: str, starts: int, **others) -> bool:
    """Whether a plan asks what becomes of a reader in longer rows."""
    return (kind in TOLD or starts > 0) and task == "look back"


def seeds_of(plan: dict, seeds: int, fewer: int) -> int:
    """How many seeds a plan gets: fewer where the length of the rows is not the question."""
    return seeds if lengths_matter(**plan) and plan["longer"] == 1 and plan["kind"] != "ALiBi" else fewer


def settings(options) -> Iterator[dict]:
    """Every plan with every seed."""
    sizes = {"length": options.length, "steps": options.steps}
    for plan in variants(options):
        for seed in range(seeds_of(plan, options.seeds, options.fewer)):
            yield plan | {"seed": seed} | sizes


def run(seed: int, task: str, kind: str, length: int, steps: int, **plan) -> dict:
    """Train one reader, and mark it on fresh rows."""
    how = dict(plan)
    steps *= how.pop("longer")
    reader = fit_reader(kind, TASKS[task], length, seed, steps, **how)
    beyond = reading_accuracy(reader, TASKS[task], 2 * length, first=length)
    trained = reading_accuracy(reader, TASKS[task], length)
    right = {"trained_length": round(trained, 4), "beyond": round(beyond, 4), "far": None, "middle": None}
    if lengths_matter(task, kind, **plan):
        far = reading_accuracy(reader, TASKS[task], FAR * length, first=FAR * length // 2)
        right["far"] = round(far, 4)
    if plan["starts"]:
        right["middle"] = round(reading_accuracy(reader, TASKS[task], length, start=MIDDLE), 4)
    return plan | {"task": task, "kind": kind, "seed": seed} | right
