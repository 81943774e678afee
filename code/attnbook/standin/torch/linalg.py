"""`torch.linalg`: lengths, and systems of equations."""

from ._missing import missing_from
from ._products import matmul  # noqa: F401
from ._reductions import norm as _norm
from ._views import stack


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    return _norm(x, ord, dim, keepdim, dtype)


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
    return _norm(A, "fro" if ord is None else ord, dim, keepdim, dtype)


def solve_triangular(A, B, *, upper, unitriangular=False):
    size, found = A.shape[-1], {}
    for i in reversed(range(size)) if upper else range(size):
        rest = B[..., i, :]
        for j, row in found.items():
            rest = rest - A[..., i, j, None] * row
        found[i] = rest if unitriangular else rest / A[..., i, i, None]
    return stack([found[i] for i in range(size)], -2)


__getattr__ = missing_from("torch.linalg", globals())
