"""`torch.autograd.Function`: an operation with its own way back."""

from .._tape import no_grad, record
from .._tensor import Tensor


class _Context:
    """What the way there hands to the way back."""

    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors


class Function:
    """Subclasses have `forward(ctx, …)` and `backward(ctx, gradient)`, for one result."""

    @classmethod
    def apply(cls, *args):
        ctx = _Context()
        with no_grad():
            out = cls.forward(ctx, *args)

        def back(g):
            found = cls.backward(ctx, g)
            found = found if isinstance(found, tuple) else (found,)
            return [part for part, x in zip(found, args, strict=True) if isinstance(x, Tensor)]

        return record(out, f"{cls.__name__}Backward", tuple(x for x in args if isinstance(x, Tensor)), back)


def once_differentiable(function):
    """Nothing is differentiated twice here."""
    return function
