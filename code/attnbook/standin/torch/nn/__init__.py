"""`torch.nn`: parameters, modules and layers."""

from . import functional  # noqa: F401
from .attention import MultiheadAttention, Transformer  # noqa: F401
from .modules import *  # noqa: F403
