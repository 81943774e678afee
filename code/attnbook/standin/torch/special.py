"""`torch.special`: some functions under their other names."""

import math

from ._elementwise import OF_ONE, where, xlogy  # noqa: F401
from ._missing import missing_from
from ._reductions import log_softmax, logsumexp, softmax  # noqa: F401

expit, erf, exp2, expm1, log1p = (OF_ONE[name] for name in ("sigmoid", "erf", "exp2", "expm1", "log1p"))


def entr(input):
    return where(input < 0, -math.inf, -xlogy(input, input))


__getattr__ = missing_from("torch.special", globals())
