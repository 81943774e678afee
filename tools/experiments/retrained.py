"""The runs that chapters 7 and 18 show where a notebook trains anew, one seed or two of some settings.

No design: these are examples of what a reader can start in a notebook, and no conclusion rests on them.

About three minutes on one core.
"""

from attnbook.studies import retrain_induction, retrain_look_up
from attnbook.training import watched
from attnbook.workbench.retraining import thinned

OPTIONS: dict = {}
RETRAIN = {"heads": retrain_look_up, "induction": retrain_induction}
CHOICES = {
    "heads": [
        {"heads": heads, "width": width, "jars": jars, "seed": 0}
        for jars, sizes in ((2, ((1, 32), (2, 16))), (4, ((1, 32), (4, 8), (1, 128), (4, 32))))
        for heads, width in sizes
    ],
    "induction": [
        {"layers": layers, "heads": heads, "seed": seed}
        for layers, heads, seed in ((2, 2, 0), (2, 2, 1), (1, 2, 0), (1, 8, 0), (2, 1, 0), (3, 2, 0))
    ],
}


def settings(options) -> list[dict]:
    """Every choice."""
    return [{"what": what} | choice for what, choices in CHOICES.items() for choice in choices]


def run(seed: int, what: str, **sizes) -> dict:
    """Train with these settings: the curve, and what the chapter says of the result."""
    choice, curve = sizes | {"seed": seed}, []

    def look(losses: list[float], part: float) -> None:
        curve[:] = losses

    with watched(look):
        said = RETRAIN[what](**choice)
    points = [[step, round(loss, 3)] for step, loss in thinned(curve)]
    return {"what": what, "choice": choice, "curve": points, "says": said}


def summary(results: list[dict], options) -> dict:
    """The runs of each figure."""
    return {
        what: [{key: value for key, value in row.items() if key != "what"} for row in results if row["what"] == what]
        for what in RETRAIN
    }
