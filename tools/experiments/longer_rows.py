"""Rotary readers trained on rows of 24 read rows of 192: with which angles, and after how much further training?

Question: which change of the rotary angles lets a reader look back three in rows eight times as long as its training's,
    at once, and after a few steps on such rows?
Varies: the frequencies: as trained; all divided by 8 (interpolation); the base raised until the slowest is divided by 8
    (NTK-aware); those with less than a turn in 24 places divided by 8, those with three turns kept (by parts). How many
    steps follow.
Equal: the trained readers to begin with; the rows of the further training, 4 of 192 symbols for each step, as many
    symbols as 32 of 24; its peak learning rate, that of the first training. In a trial with seed 0 it was the best of
    0.0005, 0.002 and 0.005 for each of the four, but for interpolation, which no rate helped.
Control: frequencies as trained, with the same further steps; and untrained readers with these steps only.
Seeds: 5.
Turned round by: frequencies as trained that read as well after the same steps, untrained readers that do, or
    interpolation that needs no more than the others once it has as many steps as the first training had.

About four minutes on one core.
"""

import copy
import functools

from attnbook.attention import LinearScaling, Llama3Scaling, RotaryPositions
from attnbook.reproducible import seed_everything
from attnbook.studies import (
    PositionReader,
    fit_reader,
    look_back_batch,
    reading_accuracy,
    train_reader,
    where_it_looks,
    with_rotary,
)

OPTIONS = {"seeds": 5, "length": 24, "times": 8, "steps": 600, "further": [5, 20, 60]}
SEED_BY_SEED = True
WAYS = "as trained", "interpolation", "NTK-aware", "by parts"
HEAD = 8  # features of a head
SEEN = 0.01  # weights below this are not stored
MEASURED = (
    "fraction of right answers on 200 fresh rows: at the trained length; in the second half of rows "
    "`times` as long, at once and after further steps on such rows. `weights`: the last layer's mean weight at "
    f"each distance (key − query) where it is at least {SEEN}, asked in the second half of the long rows, at once"
)


def angles(way: str, length: int, times: int) -> RotaryPositions:
    """The rotation of one way."""
    if way == "as trained":
        return RotaryPositions()
    if way == "interpolation":
        return RotaryPositions(scaling=LinearScaling(times))
    if way == "NTK-aware":
        return RotaryPositions(base=10000 * times ** (HEAD / (HEAD - 2)))
    return RotaryPositions(scaling=Llama3Scaling(times, low=1, high=3, trained_length=length))


@functools.cache
def trained(seed: int, length: int, steps: int) -> PositionReader:
    """The reader that all ways of a seed begin with; with 0 steps, one that has not been trained."""
    if not steps:
        seed_everything(seed)
        return PositionReader("rotary", 8, length).eval()
    return fit_reader("rotary", look_back_batch, length, seed, steps)


def variants(options) -> list[dict]:
    """Every way, and a reader that is not trained."""
    return [{"way": way} for way in (*WAYS, "untrained")]


def run(seed: int, way: str, length: int, times: int, steps: int, further: list[int]) -> dict:
    """Give a reader other angles, mark it, and mark copies of it that are trained a little further."""
    long = length * times
    if way == "untrained":
        reader = trained(seed, length, 0)
    else:
        reader = with_rotary(trained(seed, length, steps), angles(way, length, times))

    def marked(model: PositionReader) -> float:
        return round(reading_accuracy(model, look_back_batch, long, first=long // 2), 4)

    def after(more: int) -> float:
        further_reader = copy.deepcopy(reader)
        return marked(train_reader(further_reader, look_back_batch, long, 1000 + seed, more, rows=4))

    weights = where_it_looks(reader, long, first=long // 2)
    most = [steps] if way == "interpolation" else []
    return {
        "seed": seed,
        "way": way,
        "trained_length": round(reading_accuracy(reader, look_back_batch, length), 4),
        "at_once": marked(reader),
        "after": {str(more): after(more) for more in [*further, *most]},
        "weights": {str(d): round(w, 3) for d, w in weights.items() if w >= SEEN},
    }
