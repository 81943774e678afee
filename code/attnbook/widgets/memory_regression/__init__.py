"""A figure: memories as regressions — pairs are written, and each memory's answers to all keys are a curve."""

from ..kit import Figure, listed, number_between, point, taking, yes_or_no

REACH = 3  # thirty degrees to the unit: keys from −90° to 90°; values from −3 to 3
PAIRS = [[-2.2, 0.8], [-1.0, 1.6], [0.2, 0.4], [1.2, 1.5], [2.3, -0.8]]


class MemoryRegressionFigure(Figure):
    """Pairs of a key on the unit circle and a value, and what three memories answer to keys at all angles.

    Softmax attention keeps the pairs; linear attention and the delta rule keep a matrix of two numbers, so that their
    curves are waves of the angle.

    Args:
        pairs: 2 to 8 points [x, y]: the key's angle in units of 30°, the value, both between −3 and 3; written from
            first to last.
        written: how many of them have been written so far; all, if there are fewer.
        sharpness: 0 to 50, what the softmax's scores are multiplied by.
        beta: 0 to 2, the step size of the delta rule.
        decay: 0.5 to 1, what the two matrices are multiplied by before each pair.
        least_squares: whether the best wave is drawn, too.

    Source:
        The layers' formulas as in `attnbook.attention.recurrent_memory`.
    """

    module = "memory_regression"
    alt = """Memories as regressions. Five pairs are points in a plane, the angle of the key across and the value
        upwards. Softmax attention's curve passes near all five points in soft steps. Linear attention and the delta
        rule can draw nothing but a wave, half a period of a cosine: the delta rule's passes through the last point
        written, linear attention's lies far above most of the others. A thin line is the delta rule's wave one pair
        earlier, and arrows lead from it to the new one at each key: the last write has moved all five answers. Where
        the figure is alive, points can be dragged, pairs written one by one, and step size, decay and sharpness
        changed."""

    pairs = taking(PAIRS, listed(point(REACH), 2, 8), "angle of the key and value")
    written = number_between(5, 0, 8, "how many pairs are written", whole=True)
    sharpness = number_between(20.0, 0.0, 50.0, "what the softmax's scores are multiplied by")
    beta = number_between(1.0, 0.0, 2.0, "the step size of the delta rule")
    decay = number_between(1.0, 0.5, 1.0, "what is left of the memory at each step")
    least_squares = yes_or_no(False, "whether the best wave is drawn")
