"""`torch.nn.utils`."""

from ..._missing import missing_from
from . import rnn  # noqa: F401

__getattr__ = missing_from("torch.nn.utils", globals())
