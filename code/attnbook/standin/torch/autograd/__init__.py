"""`torch.autograd`: gradients without `.backward()`."""

from .._missing import missing_from
from .._tape import backward, enable_grad, grad, no_grad  # noqa: F401
from .._tensor import Tensor
from .._views import stack
from . import function  # noqa: F401
from .function import Function  # noqa: F401


class functional:
    """`torch.autograd.functional`."""

    @staticmethod
    def jacobian(func, inputs, create_graph=False):
        """The derivatives of each number of a result by each number of the inputs."""
        single = isinstance(inputs, Tensor)
        leaves = [x.detach().clone().requires_grad_() for x in ([inputs] if single else inputs)]
        with enable_grad():
            out = func(*leaves)
        numbers = out.reshape(-1).unbind()
        found = [grad(y, leaves, retain_graph=True, allow_unused=True) for y in numbers]
        done = []
        for i, x in enumerate(leaves):
            rows = [x.new_zeros(x.shape) if of[i] is None else of[i] for of in found]
            done.append(stack(rows).reshape(*out.shape, *x.shape))
        return done[0] if single else tuple(done)


__getattr__ = missing_from("torch.autograd", globals())
