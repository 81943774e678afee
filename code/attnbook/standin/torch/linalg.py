"""`torch.linalg`: lengths, and systems of equations."""

from ._missing import missing_from
from ._products import matmul  # noqa: F401
from ._reductions import norm as _norm
from ._views import stack


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    """The lengths of vectors."""
    return _norm(x, ord, dim, keepdim, dtype)


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
    """The lengths of vectors or matrices."""
    return _norm(A, "fro" if ord is None else ord, dim, keepdim, dtype)


def vecdot(x, y, *, dim=-1):
    """Products of vectors."""
    return (x * y).sum(dim)


def solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    """The solution of A X = B for a triangular A."""
    if not left:
        return solve_triangular(A.mT, B.mT, upper=not upper, unitriangular=unitriangular).mT
    size, found = A.shape[-1], {}
    for i in reversed(range(size)) if upper else range(size):
        rest = B[..., i, :]
        for j, row in found.items():
            rest = rest - A[..., i, j, None] * row
        found[i] = rest if unitriangular else rest / A[..., i, i, None]
    return stack([found[i] for i in range(size)], -2)


def solve(A, B, *, left=True):
    """The solution of A X = B, by elimination."""
    column = B.dim() == 1
    rows, right = list(A.unbind(-2)), list((B[:, None] if column else B).unbind(-2))
    for i in range(len(rows)):
        best = max(range(i, len(rows)), key=lambda k: abs(float(rows[k][i])))  # noqa: B023
        rows[i], rows[best], right[i], right[best] = rows[best], rows[i], right[best], right[i]
        for k in range(i + 1, len(rows)):
            factor = rows[k][i] / rows[i][i]
            rows[k], right[k] = rows[k] - factor * rows[i], right[k] - factor * right[i]
    found = solve_triangular(stack(rows), stack(right), upper=True)
    return found[:, 0] if column else found


__getattr__ = missing_from("torch.linalg", globals())
