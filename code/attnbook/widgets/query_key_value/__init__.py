"""A figure: one query, a few keys and their values in the plane — attention as a soft look-up."""

from typing import Any

import traitlets

from ..kit import Figure, listed, number_between, one_of, point, same_number, taking, yes_or_no

SCORES = ["dot", "scaled_dot", "gaussian"]
REACH = 2.5  # how far from 0 a coordinate may go
POINT = point(REACH)
POINTS = listed(POINT, 2, 8)
KEYS = [[1.7, 0.8], [-0.4, 1.6], [-1.7, 0.3], [-0.8, -1.5], [1.3, -1.2]]
VALUES = [[1.5, 1.3], [1.7, -1.1], [-1.1, 1.8], [-1.8, -0.9], [-0.7, -1.8]]


class QueryKeyValueFigure(Figure):
    """Query, keys and values as points that can be dragged: scores, their softmax, and the average of the values.

    The points of the example are invented: five words, found by what they are (thing or animal, small or big), which
    answer where they are met (indoors or outdoors) and how loud they are.

    Args:
        query: [x, y].
        key: 2 to 8 points [x, y], lists, an array or a tensor of shape (S, 2).
        value: one point for each key, its value.
        score: "dot", "scaled_dot" or "gaussian" (width 1): how well a key answers the query.
        named: whether pairs and axes have the names of the example, which has five pairs; without names they are
            k₁ → v₁ and so on. True unless keys or values are given.
        sharpness: 0 to 50, what the scores are multiplied by before the softmax, the inverse of a temperature. At 0 all
            weights are equal; at 50 nearly all weight goes to the key with the highest score.

    All coordinates lie between −2.5 and 2.5.

    Raises:
        TypeError: a value of the wrong kind.
        ValueError: a number outside its limits, more or fewer values than keys, names for other than five pairs, or an
            unknown score.

    Source:
        Vaswani et al. (2017), eq. 1, for one query (their 1/√d_k is the scaled dot product).
    """

    module = "query_key_value"
    alt = """A soft look-up among five words: horse, tree, piano, candle, mouse. Left, a plane from thing to animal and
        from small to big with the words' orange keys and a blue query, “a big animal?”; the line from the query to a
        key is thicker where the key gets more weight. Right, a plane from indoors to outdoors and from quiet to loud
        with the words' green values: the pink output is inside their hull, nearest to the value of the word whose
        key fits the query best. Below, each word's score and its softmax weight as bars. In the live figure every
        point can be dragged, and the sharpness leads from equal weights to a hard look-up."""

    query = taking([0.9, 1.0], POINT, "what is asked for")
    key = taking(KEYS, POINTS, "where the keys lie")
    value = taking(VALUES, POINTS, "where the values lie, one per key")
    score = one_of("dot", SCORES, "how well a key answers the query")
    named = yes_or_no(True, "whether the points have the names of the example")
    sharpness = number_between(1.0, 0.0, 50.0, "what the scores are multiplied by")

    def __init__(self, **kwargs: Any):
        kwargs.setdefault("named", not {"key", "value"} & set(kwargs))
        super().__init__(**kwargs)

    @traitlets.validate("named")
    def _check_names(self, proposal: dict[str, Any]) -> Any:
        if proposal["value"] and len(self.key) != len(KEYS):
            raise ValueError(
                f"QueryKeyValueFigure has names for {len(KEYS)} pairs, got {len(self.key)}; leave out named=True"
            )
        return proposal["value"]

    @traitlets.validate("key", "value")
    def _check_number(self, proposal: dict[str, Any]) -> Any:
        if len(self.key) != len(self.value):
            raise ValueError(
                f"QueryKeyValueFigure needs one value for each key; got {len(self.key)} keys and {len(self.value)} "
                "values (five of each where you give none)"
            )
        return same_number(self, proposal, "points")
