"""A figure: one query, a few keys and their values in the plane — attention as a soft look-up."""

import numbers

import traitlets

from ..kit import Figure, number_between, one_of

SCORES = ["dot", "scaled_dot", "gaussian"]
REACH = 2.5  # how far from 0 a coordinate may go
FEWEST, MOST = 2, 8  # pairs of a key and a value


class QueryKeyValueFigure(Figure):
    """Query, keys and values as points that can be dragged: scores, their softmax, and the average of the values.

    Args:
        query: [x, y].
        key: 2 to 8 points [x, y], lists, an array or a tensor of shape (S, 2).
        value: as many points, the value of each key.
        score: "dot", "scaled_dot" or "gaussian" (width 1): how well a key answers the query.
        sharpness: 0 to 50, what the scores are multiplied by before the softmax, the inverse of a temperature. At 0 all
            weights are equal; at 50 nearly all weight goes to the key with the highest score.

    All coordinates lie between −2.5 and 2.5.

    Raises:
        TypeError: a value of the wrong kind.
        ValueError: a number outside its limits, another number of values than of keys, or an unknown score.

    Source:
        Vaswani et al. (2017), eq. 1, for one query (their 1/√d_k is the scaled dot product).
    """

    module = "query_key_value"
    alt = """A soft look-up. Left, a plane with a blue query and five orange keys, joined by lines that are thicker the
        more weight a key gets. Right, the plane of the five green values: the purple output lies inside their
        hull, nearest to the value whose key answers the query best. Below, each key's score and its softmax weight
        as bars. Where the figure is alive, every point can be dragged, and the sharpness leads from equal
        weights to a hard look-up."""

    query = traitlets.Any([0.9, 1.0]).tag(sync=True)
    key = traitlets.Any(
        [[1.7, 0.8], [-0.4, 1.6], [-1.7, 0.3], [-0.8, -1.5], [1.3, -1.2]]
    ).tag(sync=True)
    value = traitlets.Any(
        [[-1.5, 1.1], [1.9, 0.8], [0.3, 1.7], [1.2, -1.4], [-1.1, -1.3]]
    ).tag(sync=True)
    score = one_of("dot", SCORES, "how well a key answers the query")
    sharpness = number_between(1.0, 0.0, 50.0, "what the scores are multiplied by")

    def __init__(self, **kwargs):
        for name in ("query", "key", "value"):
            if name in kwargs:
                kwargs[name] = checked_points(name, kwargs[name])
        # Compared here, because either of the two may be the one that is left at its default.
        numbers_of = {
            n: len(kwargs.get(n, getattr(type(self), n).default_value))
            for n in ("key", "value")
        }
        if numbers_of["key"] != numbers_of["value"]:
            raise ValueError(
                f"QueryKeyValueFigure needs one value for each key; got {numbers_of['key']} keys and "
                f"{numbers_of['value']} values (five of each, where one of them is not given)"
            )
        super().__init__(**kwargs)

    @traitlets.validate("query", "key", "value")
    def _check(self, proposal):
        name = proposal["trait"].name
        points = checked_points(name, proposal["value"])
        if name != "query" and len(points) != len(getattr(self, name)):
            raise ValueError(
                f"QueryKeyValueFigure.{name} has {len(getattr(self, name))} points, got {len(points)}; "
                "make a new figure for another number of pairs"
            )
        return points


def checked_points(name, given):
    """Checks a point [x, y] (the query) or a list of points (keys, values).

    Args:
        name: "query", "key" or "value".
        given: nested lists or tuples, an array or a tensor.

    Returns:
        Nested lists of floats.

    Raises:
        TypeError: not (lists of) pairs of numbers.
        ValueError: a coordinate beyond ±2.5, or another number of points than 2 to 8.
    """
    points = given.tolist() if hasattr(given, "tolist") else given
    many = name != "query"
    what = f"a list of {FEWEST} to {MOST} points [x, y]" if many else "a point [x, y]"
    wanted = (
        f"QueryKeyValueFigure.{name} is {what}, coordinates from {-REACH} to {REACH}"
    )
    if not isinstance(points, (list, tuple)):
        raise TypeError(f"{wanted}; got {given!r}")
    for point in points if many else [points]:
        if not isinstance(point, (list, tuple)) or len(point) != 2:
            raise TypeError(f"{wanted}; got {point!r} for a point")
        for coordinate in point:
            if isinstance(coordinate, bool) or not isinstance(coordinate, numbers.Real):
                raise TypeError(f"{wanted}; got {coordinate!r} for a coordinate")
            if not -REACH <= coordinate <= REACH:
                raise ValueError(f"{wanted}; got the coordinate {coordinate!r}")
    if many and not FEWEST <= len(points) <= MOST:
        raise ValueError(f"{wanted}; got {len(points)} points")
    return (
        [[float(c) for c in point] for point in points]
        if many
        else [float(c) for c in points]
    )
