"""`torch.nn`: parameters, modules and layers."""

from .._missing import missing_from
from . import functional, init, parameter, utils  # noqa: F401
from .attention import MultiheadAttention, Transformer  # noqa: F401
from .modules import *  # noqa: F403
from .parameter import Parameter  # noqa: F401

__getattr__ = missing_from("torch.nn", globals())
