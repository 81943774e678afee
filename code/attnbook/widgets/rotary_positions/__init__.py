"""A figure: a query and a key turn with their positions, and their score knows only how far apart they are."""

from ..kit import Figure, number_between, one_of, point, taking

PLACES, MOST = (20, 100)  # places of the row of words that is shown; words that may stand in front of it
SPEEDS = [1.0, 0.5, 0.1]
POINT = point(1.5)


class RotaryPositionsFigure(Figure):
    """One pair of features of a query and of a key, turned by ω times their positions, and the score that comes of it.

    Args:
        query, key: [x, y], the pair of features before it is turned; coordinates between −1.5 and 1.5.
        query_place, key_place: places in the row of words, 0 to 20.
        front: how many words stand in front of the row, 0 to 100; a position is this number plus the place.
        omega: radians per position: 1, 0.5 or 0.1.

    Source:
        Su et al. (2021), eqs. 12–16.
    """

    module = "rotary_positions"
    alt = """A query and a key are turned by their positions. Above, a row of words with the blue query at position 5
        and the orange key at position 3. Left, both vectors in the plane: before turning, faint, both point to the
        right; turned, the query by 5 and the key by 3 radians, they are 2 radians apart, and the
        wedge between them is shaded. Right, the score against the
        distance from query to key, a cosine wave; the dot at distance −2 has the score −0.42. In the live figure
        words are put in front: both arrows turn on, and the dot stays where it is."""

    query = taking([1.0, 0.0], POINT, "the query's pair of features")
    key = taking([1.0, 0.0], POINT, "the key's pair of features")
    query_place = number_between(5, 0, PLACES, "where the query stands", whole=True)
    key_place = number_between(3, 0, PLACES, "where the key stands", whole=True)
    front = number_between(0, 0, MOST, "how many words stand in front", whole=True)
    omega = one_of(1.0, SPEEDS, "how many radians a position turns")
