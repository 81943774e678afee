"""The small modules of torch: a table of what they offer, by their names."""

import math
import sys

from . import nn
from ._elementwise import where
from ._making import as_tensor, default_generator, fork_rng
from ._missing import NotInThePage
from ._operations import FUNCTIONS, MODES
from ._tensor import Tensor, backward, enable_grad, grad, no_grad
from ._views import views


def entr(input):
    return where(input < 0, -math.inf, where(input == 0, 0.0, -input * where(input == 0, 1.0, input).log()))


def solve_triangular(A, B, *, upper, unitriangular=False):
    size, found = A.shape[-1], {}
    for i in reversed(range(size)) if upper else range(size):
        rest = B[..., i, :]
        for j, row in found.items():
            rest = rest - A[..., i, j, None] * row
        found[i] = rest if unitriangular else rest / A[..., i, i, None]
    return views.stack([found[i] for i in range(size)], -2)


class Function:
    """A function with its own way back: not here; the package's tiled attention is one, and can be imported."""

    @classmethod
    def apply(cls, *args):
        raise NotInThePage("autograd.Function")


def jacobian(func, inputs, create_graph=False):
    x = inputs.detach().clone().requires_grad_()
    with enable_grad():
        out = func(x)
    rows = [grad(y, x, retain_graph=True, allow_unused=True)[0] for y in out.reshape(-1).unbind()]
    rows = [x.new_zeros(x.shape) if row is None else row for row in rows]
    return views.stack(rows).reshape(*out.shape, *x.shape)


class SGD:
    def __init__(self, params, lr=1e-3):
        self.params, self.lr = list(params), lr

    def zero_grad(self, set_to_none=True):
        for p in self.params:
            p.grad = None

    @no_grad()
    def step(self):
        for p in self.params:
            if p.grad is not None:
                p.sub_(self.lr * p.grad)


TOLERANCE = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}


def assert_close(actual, expected, *, rtol=None, atol=None, equal_nan=False, check_dtype=True):
    actual, expected = as_tensor(actual), as_tensor(expected)
    for what in ("shape", "dtype") if check_dtype else ("shape",):
        one, other = getattr(actual, what), getattr(expected, what)
        if one != other:
            raise AssertionError(f"The values for attribute '{what}' do not match: {one} != {other}.")
    if rtol is None:
        rtol, atol = map(max, *(TOLERANCE.get(x.dtype.name, (0.0, 0.0)) for x in (actual, expected)))
    if not actual.allclose(expected.to(actual.dtype), rtol=rtol, atol=atol, equal_nan=equal_nan):
        far = (actual.double() - expected.double()).abs().max().item()
        raise AssertionError(f"Tensor-likes are not close! Greatest absolute difference: {far} (up to {atol} allowed)")


class TorchDispatchMode:
    """While it is active, operations go through its `__torch_dispatch__`."""

    def __enter__(self):
        MODES.append(self)
        return self

    def __exit__(self, *error):
        MODES.remove(self)


def tree_map(fn, tree):
    if isinstance(tree, dict):
        return {key: tree_map(fn, part) for key, part in tree.items()}
    if isinstance(tree, list | tuple) and type(tree).__name__ != "Size":
        return type(tree)([tree_map(fn, part) for part in tree])
    return fn(tree)


def tree_map_only(kind, fn, tree):
    return tree_map(lambda leaf: fn(leaf) if isinstance(leaf, kind) else leaf, tree)


def tree_leaves(tree):
    leaves = []
    tree_map(leaves.append, tree)
    return leaves


def pad_sequence(sequences, batch_first=False, padding_value=0.0):
    longest = max(len(x) for x in sequences)
    sides = [(0, 0) * (x.dim() - 1) + (0, longest - len(x)) for x in sequences]
    padded = [nn.functional.pad(x, pad, value=padding_value) for x, pad in zip(sequences, sides, strict=True)]
    return views.stack(padded, 0 if batch_first else 1)


INITIAL = {"uniform": "uniform", "normal": "normal", "constant": "fill", "zeros": "zero"}
CONTENTS = {
    "autograd": {"grad": grad, "backward": backward, "Function": Function, "no_grad": no_grad},
    "autograd.function": {"Function": Function, "once_differentiable": lambda function: function},
    "autograd.functional": {"jacobian": jacobian},
    "compiler": {"is_compiling": lambda: False},
    "cuda": {"is_available": lambda: False, "manual_seed_all": lambda seed: None},
    "jit": {"is_tracing": lambda: False},
    "linalg": {
        "matmul": FUNCTIONS["matmul"],
        "vector_norm": lambda x, ord=2, dim=None, keepdim=False, *, dtype=None: x.norm(ord, dim, keepdim, dtype),
        "norm": lambda A, ord=None, dim=None, keepdim=False, *, dtype=None: A.norm(ord, dim, keepdim, dtype),
        "solve_triangular": solve_triangular,
    },
    "nested": {},
    "nn.init": {
        "xavier_uniform_": nn.xavier_uniform_,
        "ones_": no_grad(lambda tensor: tensor.fill_(1.0)),
        **{f"{name}_": no_grad(getattr(Tensor, f"{of}_")) for name, of in INITIAL.items()},
    },
    "nn.parameter": {"Parameter": nn.Parameter},
    "nn.utils": {},
    "nn.utils.rnn": {"pad_sequence": pad_sequence},
    "optim": {"Optimizer": SGD, "SGD": SGD},
    "random": {"fork_rng": fork_rng, "manual_seed": default_generator.manual_seed},
    "special": {"entr": entr, "erf": FUNCTIONS["erf"], "expit": FUNCTIONS["sigmoid"], "softmax": FUNCTIONS["softmax"]},
    "testing": {"assert_close": assert_close},
    "utils": {},
    "utils._pytree": {"tree_map": tree_map, "tree_map_only": tree_map_only, "tree_leaves": tree_leaves},
    "utils._python_dispatch": {"TorchDispatchMode": TorchDispatchMode},
}
for _path, _names in CONTENTS.items():
    _owner, _, _name = f"{__package__}.{_path}".rpartition(".")
    _module = sys.modules[f"{_owner}.{_name}"] = type(sys)(f"{_owner}.{_name}", f"`torch.{_path}`.")
    vars(_module).update(_names)
    setattr(sys.modules[_owner], _name, _module)
