"""`torch.autograd`: gradients without `.backward()`."""

import contextlib

from .. import _making, _tape
from .._missing import missing_from
from .._tape import backward, enable_grad, grad, no_grad, set_grad_enabled  # noqa: F401
from .._tensor import Tensor
from . import function  # noqa: F401
from .function import Function  # noqa: F401


class functional:
    """`torch.autograd.functional`."""

    @staticmethod
    def jacobian(func, inputs, create_graph=False, vectorize=False, strict=False):
        """The derivatives of each number of a result by each number of the inputs."""
        single = isinstance(inputs, Tensor)
        leaves = [x.detach().clone().requires_grad_() for x in ([inputs] if single else inputs)]
        with _tape.enable_grad():
            out = func(*leaves)
        parts = [[] for _ in leaves]
        for i in range(out.numel()):
            seed = _making.zeros(out.numel(), dtype=out.dtype)
            seed[i] = 1
            found = grad(out, leaves, seed.reshape(out.shape), retain_graph=True, allow_unused=True)
            for rows, x, g in zip(parts, leaves, found, strict=True):
                rows += (_making.zeros_like(x) if g is None else g).flatten().tolist()
        done = [
            _making.tensor(rows, dtype=x.dtype).reshape(*out.shape, *x.shape)
            for rows, x in zip(parts, leaves, strict=True)
        ]
        return done[0] if single else tuple(done)


@contextlib.contextmanager
def detect_anomaly(check_nan=True):
    """Changes nothing here."""
    yield


def set_detect_anomaly(mode, check_nan=True):
    """Changes nothing here."""


__getattr__ = missing_from("torch.autograd", globals())
