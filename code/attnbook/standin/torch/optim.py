"""`torch.optim`: gradient descent."""

from ._making import zeros_like
from ._missing import missing_from
from ._tape import no_grad


class Optimizer:
    """What optimisers share: the parameters, in groups, and their steps."""

    def __init__(self, params, **options):
        params = list(params)
        groups = params if params and isinstance(params[0], dict) else [{"params": params}]
        self.param_groups = [{**options, **group, "params": list(group["params"])} for group in groups]
        self.state = {}

    def zero_grad(self, set_to_none=True):
        """Forget the gradients."""
        for group in self.param_groups:
            for p in group["params"]:
                p.grad = None if set_to_none or p.grad is None else zeros_like(p.grad)

    def step(self, closure=None):
        """Change all parameters that have a gradient."""
        loss = None if closure is None else closure()
        with no_grad():
            for group in self.param_groups:
                for p in (p for p in group["params"] if p.grad is not None):
                    self._change(p, p.grad, group, self.state.setdefault(p, {}))
        return loss


class SGD(Optimizer):
    """Gradient descent, with momentum if asked for."""

    def __init__(self, params, lr=1e-3, momentum=0.0, weight_decay=0.0):
        super().__init__(params, lr=lr, momentum=momentum, weight_decay=weight_decay)

    def _change(self, p, g, group, state):
        g = g + group["weight_decay"] * p
        if group["momentum"]:
            g = state["velocity"] = state["velocity"] * group["momentum"] + g if "velocity" in state else g
        p.sub_(group["lr"] * g)


class Adam(Optimizer):
    """Steps scaled by running means of the gradient and of its square."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)

    def _change(self, p, g, group, state):
        g = g + group["weight_decay"] * p
        slow, fast = group["betas"]
        state["step"] = step = state.get("step", 0) + 1
        state["mean"] = slow * state.get("mean", 0.0) + (1 - slow) * g
        state["square"] = fast * state.get("square", 0.0) + (1 - fast) * g * g
        size = (state["square"] / (1 - fast**step)).sqrt() + group["eps"]
        p.sub_(group["lr"] / (1 - slow**step) * state["mean"] / size)


__getattr__ = missing_from("torch.optim", globals())
