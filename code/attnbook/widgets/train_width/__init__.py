"""A figure: gradient descent on the width of a kernel; the start and the step size decide where it ends."""

from ..kit import Figure, number_between, one_of

RATES = [0.5, 0.05, 0.01, 0.005]
STEPS = 100


class TrainWidthFigure(Figure):
    """Gradient descent on the inverse width w of a Nadaraya–Watson regression, step by step.

    Beside the leave-one-out loss as a function of w stands the curve that the present w gives. The points are those of
    `kernel_regression_data()`, rounded to four digits; the steps are those of `attnbook.attention.fit_width`.

    Args:
        w0: where w starts, 0.1 to 6.
        lr: step size on the summed loss: 0.5, 0.05, 0.01 or 0.005.
        step: how many steps have been made, 0 to 100.
    """

    module = "train_width"
    alt = """Gradient descent on the inverse width w of a kernel. Left, the leave-one-out loss over w: a peak at 0, a
        valley on either side near 5, and a long plateau to the right. A ball stands where w is now, with the tangent
        there; an arrow below shows the next step, and dots the steps so far. Right, the training points, the true
        curve, the curve at the start, dotted, and the curve that the present w gives. From 0.5 the first step with
        step size 0.5 leads over the valley to 21."""

    w0 = number_between(0.5, 0.1, 6, "where w starts")
    lr = one_of(0.5, RATES, "the step size")
    step = number_between(0, 0, STEPS, "how many steps have been made", whole=True)
