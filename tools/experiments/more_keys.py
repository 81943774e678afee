"""T5's readers, trained on rows of 24, get a third of the answers wrong in rows of 192: because there are more keys?

Question: the distances of long rows have trained buckets; is it the number of keys, among which the same lead buys less
    weight, that makes these readers fail there?
Varies: the length of the row; what all scores are multiplied by: 1, ln 192 / ln 24 = 1.65, 2, 3.
Equal: how the readers are trained, as in `positions`; the rows on which they are marked.
Control: rows of 24, where larger scores must not harm if they only make the weights sharper; and the weight of Shaw's
    and DeBERTa's readers, clipped at 8 and with room for 24 distances, which still do well in rows of 192.
Seeds: 5.
Turned round by: a weight three to the left that is as large among 192 keys as among 24, readers that still fail there
    when their scores are larger, or a weight that falls as far in readers that do not fail.

About four minutes on one core.
"""

from attnbook.studies import (
    PositionReader,
    fit_reader,
    look_back_batch,
    reading_accuracy,
    where_it_looks,
    with_larger_scores,
)

OPTIONS = {"seeds": 5, "length": 24, "times": 8, "steps": 600, "factors": [1.0, 1.65, 2.0, 3.0]}
BACK = 3  # what `look_back_batch` asks for
OTHERS = [(kind, most) for kind in ("Shaw", "DeBERTa") for most in (8, 24)]  # where their distances are clipped
MEASURED = (
    "`weight`: each layer's mean weight three to the left, by the length of the row; "
    "`others`: the same of Shaw's and DeBERTa's, with where they are clipped; `right`: "
    "fraction of right answers on 200 fresh rows, of long rows in the second half, with all scores times each of "
    "the factors"
)


def run(seed: int, length: int, times: int, steps: int, factors: list[float]) -> dict:
    """Train a reader, see where it looks in short and long rows, and mark it with larger and larger scores."""
    reader, long = fit_reader("T5", look_back_batch, length, seed, steps), length * times
    starts = {length: BACK, long: long // 2}  # the first position that is asked

    def weight(model: PositionReader) -> dict:
        def of(row: int, layer: int) -> float:
            return round(where_it_looks(model, row, starts[row], layer=layer)[-BACK], 4)

        return {str(row): [of(row, layer) for layer in range(len(model.layers))] for row in starts}

    def marked(factor: float, row: int) -> float:
        sharper = with_larger_scores(reader, factor)
        return round(reading_accuracy(sharper, look_back_batch, row, starts[row]), 4)

    return {
        "seed": seed,
        "weight": weight(reader),
        "others": {
            f"{kind} {most}": weight(fit_reader(kind, look_back_batch, length, seed, steps, max_distance=most))
            for kind, most in OTHERS
        },
        "right": {str(row): [marked(factor, row) for factor in factors] for row in starts},
    }


def summary(results: list[dict], options) -> dict:
    """A row for each seed."""
    return {
        "length": options.length,
        "long": options.length * options.times,
        "steps": options.steps,
        "factors": options.factors,
        "measured": MEASURED,
        "rows": results,
    }
