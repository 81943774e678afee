"""A figure: kernel regression by hand — points, a query, a kernel and its width, and three errors."""

from typing import Any

import traitlets

from attnbook.attention import KERNELS
from attnbook.data import kernel_regression_data

from ..kit import Figure, checked, listed, number, number_between, one_of, same_number, taking, yes_or_no

POINTS, ENDS = listed(number(), 2, 200), listed(number(), 2, 2)
NARROWEST, WIDEST = 0.01, 10.0


class KernelRegressionFigure(Figure):
    """Nadaraya–Watson regression: drag the points and the query, and see fit, weights and errors follow.

    Three mean squared errors are shown. *Training error*: at the training points, each with its own point among its
    keys. *Leave-one-out error*: the same without it. *Error to the truth*: at 100 queries, against
    `attnbook.data.true_curve`. Where no key is in reach, the curve has a gap; the errors count the output 0 there, as
    `nadaraya_watson` gives it.

    Args:
        x: 2 to 200 numbers, the keys; a list, an array or a tensor. By default the 50 points of
            `kernel_regression_data()`, rounded to four digits.
        y: as many numbers, the values.
        kernel: "gaussian", "boxcar", "triangular" or "epanechnikov".
        width: the kernel's width in the unit of x, 0.01 to 10.
        query: where the query is; by default 2.5, or the middle of your x.
        own_point: whether a training point is among its own keys. If not, the query moves to the training point
            nearest to `query` and gives that key no weight.
        truth: whether `true_curve` is the curve behind the points, to be drawn and compared with; by default only for
            the default points. It needs a domain that is nowhere negative.
        domain: the ends of the axis, which hold all x; by default 0 and 5, or those of your x, or where `truth` is True
            as far as both reach. It stays, whatever changes later.

    Raises:
        TypeError: a value of the wrong kind, or only one of x and y.
        ValueError: a number outside its limits, x and y of different lengths, all x alike, or an unknown kernel.

    Source:
        Nadaraya (1964), Watson (1964); leave-one-out: Stone (1974).
    """

    module = "kernel_regression"
    alt = """Kernel regression. Noisy points, the dashed true curve, and the curve fitted by averaging nearby points.
        The query is a handle below the curves; points are drawn larger the more weight it gives them, and bars below
        show these weights over the same axis, a bell around the query. At the side, three errors against the kernel's
        width: the training error keeps falling as the kernel gets narrower, while the leave-one-out error and the
        error against the truth are lowest in between."""

    x = taking(None, POINTS, "the keys")
    y = taking(None, POINTS, "the values")
    kernel = one_of("gaussian", list(KERNELS), "the kernel")
    width = number_between(1.0, NARROWEST, WIDEST, "the kernel's width in the unit of x")
    query = taking(None, number(), "where the query is")
    own_point = yes_or_no(True, "whether a training point is among its own keys")
    truth = yes_or_no(True, "whether true_curve is the curve behind the points")
    domain = traitlets.Any().tag(sync=True)

    def __init__(
        self,
        x: Any = None,
        y: Any = None,
        query: float | None = None,
        truth: bool | None = None,
        domain: Any = None,
        **kwargs: Any,
    ):
        if (x is None) != (y is None):
            raise TypeError("KernelRegressionFigure takes x and y together, or neither for the book's 50 points")
        ends = [0.0, 5.0]
        if x is None:
            data = kernel_regression_data()
            # Four digits are all a drawing needs, and the same ones on every processor.
            x, y = ([round(v, 4) for v in tensor.double().tolist()] for tensor in (data.x_train, data.y_train))
            truth = True if truth is None else truth
        else:
            x = checked(self, "x", x, POINTS, "the keys")
            y = checked(self, "y", y, POINTS, "the values")
            if min(x) == max(x):
                raise ValueError(f"KernelRegressionFigure.x needs two different numbers; all of them are {x[0]}")
            truth = False if truth is None else truth
            ends = [min(0.0, *x), max(5.0, *x)] if truth is True else [min(x), max(x)]
        domain = ends if domain is None else checked(self, "domain", domain, ENDS, "the ends of the axis")
        if not domain[0] <= min(x) <= max(x) <= domain[1]:
            raise ValueError(f"KernelRegressionFigure.domain must hold all x, {min(x):g} to {max(x):g}; got {domain}")
        if len(x) != len(y):
            raise ValueError(f"KernelRegressionFigure needs one y for each x; got {len(x)} x and {len(y)} y")
        query = (2.5 if domain == [0.0, 5.0] else sum(domain) / 2) if query is None else query
        self._limits = tuple(domain)
        super().__init__(x=x, y=y, query=query, truth=truth, domain=domain, **kwargs)

    @traitlets.validate("x", "y")
    def _check_points(self, proposal: dict[str, Any]) -> Any:
        points = same_number(self, proposal, "numbers")
        if proposal["trait"].name == "x":
            for number in points:
                self._check_place("x", number)
        return points

    @traitlets.validate("query")
    def _check_query(self, proposal: dict[str, Any]) -> Any:
        self._check_place("query", proposal["value"])
        return proposal["value"]

    @traitlets.validate("truth")
    def _check_truth(self, proposal: dict[str, Any]) -> Any:
        if proposal["value"] and self._limits[0] < 0:
            raise ValueError(
                "KernelRegressionFigure.truth must be False here: true_curve is not defined for the negative x"
            )
        return proposal["value"]

    @traitlets.validate("domain")
    def _check_domain(self, proposal: dict[str, Any]) -> Any:
        if list(proposal["value"]) != list(self._limits):
            raise ValueError("KernelRegressionFigure.domain is fixed; make a new figure for another one")
        return list(self._limits)

    def _check_place(self, name: str, number: float) -> None:
        low, high = self._limits
        if not low <= number <= high:
            raise ValueError(
                f"KernelRegressionFigure.{name} lies on the figure's axis, from {low:g} to {high:g}; got {number!r}"
            )
