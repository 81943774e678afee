"""`torch.autograd.Function`: an operation with its own way back."""

from .._tape import edge, no_grad, record
from .._tensor import Tensor


class _Context:
    """What the way there hands to the way back."""

    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors

    def mark_non_differentiable(self, *tensors):
        self.fixed = tensors


class Function:
    """Subclasses have `forward(ctx, …)` and `backward(ctx, gradient)`, for one result that is differentiated."""

    @classmethod
    def apply(cls, *args):
        ctx = _Context()
        ctx.needs_input_grad = tuple(isinstance(x, Tensor) and edge(x) is not None for x in args)
        with no_grad():
            out = cls.forward(ctx, *args)
        first = out[0] if isinstance(out, tuple) else out

        def back(g):
            more = [None] * (len(out) - 1) if isinstance(out, tuple) else []
            found = cls.backward(ctx, g, *more)
            found = found if isinstance(found, tuple) else (found,)
            return [part for part, x in zip(found, args, strict=True) if isinstance(x, Tensor)]

        record(first, f"{cls.__name__}Backward", tuple(x for x in args if isinstance(x, Tensor)), back)
        return out


def once_differentiable(function):
    """Nothing is differentiated twice here."""
    return function
