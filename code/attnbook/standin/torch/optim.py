"""`torch.optim`: gradient descent."""

from ._missing import missing_from
from ._tape import no_grad


class Optimizer:
    """What optimisers share."""

    def __init__(self, params, lr=1e-3):
        self.param_groups = [{"params": list(params), "lr": lr}]

    def zero_grad(self, set_to_none=True):
        """Forget the gradients."""
        for group in self.param_groups:
            for p in group["params"]:
                p.grad = None


class SGD(Optimizer):
    """Gradient descent."""

    @no_grad()
    def step(self):
        """Change all parameters that have a gradient."""
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.sub_(group["lr"] * p.grad)


__getattr__ = missing_from("torch.optim", globals())
