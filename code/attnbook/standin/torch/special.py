"""`torch.special`: some functions under their other names."""

from math import inf

from ._elementwise import where
from ._missing import missing_from
from ._operations import FUNCTIONS

expit, erf, expm1, log1p = (FUNCTIONS[name] for name in ("sigmoid", "erf", "expm1", "log1p"))
softmax, log_softmax, logsumexp = (FUNCTIONS[name] for name in ("softmax", "log_softmax", "logsumexp"))


def entr(input):
    return where(input < 0, -inf, where(input == 0, 0.0, -input * where(input == 0, 1.0, input).log()))


__getattr__ = missing_from("torch.special", globals())
