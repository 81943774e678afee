"""Tensors that a module owns."""

from .._making import tensor
from .._tensor import Tensor


class Parameter(Tensor):
    """A tensor that is trained."""

    def __new__(cls, data=None, requires_grad=True):
        return Tensor._make_subclass(cls, (tensor([]) if data is None else data).detach(), requires_grad)
