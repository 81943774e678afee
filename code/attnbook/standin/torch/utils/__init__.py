"""`torch.utils`: the two parts that look on at operations."""

from . import _python_dispatch, _pytree  # noqa: F401
