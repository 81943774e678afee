"""Products of vectors, matrices and batches of them. All of them end in `_multiplied`."""

import math
import operator

from . import _numbers as n
from ._layout import axis, broadcast, reshaped
from ._missing import words
from ._operations import FUNCTIONS, must_be_tensor, op
from ._tape import record, wants
from ._tensor import Tensor, new, spread


def _inner(a: list, b: list):
    return sum(map(operator.mul, a, b))


_dot = getattr(math, "sumprod", _inner)  # Python 3.12 has it


def _multiplied(a, b) -> Tensor:
    """(…, n, k) times (…, k, m), the leading axes broadcast."""
    rows, inner, columns = a.shape[-2], a.shape[-1], b.shape[-1]
    batch = broadcast(tuple(a.shape[:-2]), tuple(b.shape[:-2]))
    if b.shape[-2] != inner:
        count = math.prod(batch)
        raise RuntimeError(words("bmm-sizes", count, inner, count, b.shape[-2]))
    if a.dtype is n.bool_:
        raise RuntimeError("\"addmm_impl_cpu_\" not implemented for 'Bool'")
    left = spread(a, (*batch, rows, inner))
    right = spread(b, (*batch, inner, columns))
    values, zero = [], n.held([0], a.dtype)
    for i in range(math.prod(batch)):
        across = [left[j : j + inner] for j in range(i * rows * inner, (i + 1) * rows * inner, inner or 1)]
        table = right[i * columns * inner : (i + 1) * columns * inner]
        down = [table[j::columns] for j in range(columns)]
        values += [_dot(row, column) for row in across for column in down] if inner else zero * (rows * columns)
    out = new(n.held(values, a.dtype), (*batch, rows, columns), a.dtype)
    by_a, by_b = wants(a), wants(b)

    def back(g):
        return (
            _multiplied(g, b.transpose(-2, -1).conj()) if by_a else None,
            _multiplied(a.transpose(-2, -1).conj(), g) if by_b else None,
        )

    saved = [x for x, needed in ((b, by_a), (a, by_b)) if needed]
    return record(out, "BmmBackward0" if batch else "MmBackward0", (a, b), back, saved)


# --- matmul ---------------------------------------------------------------------------------------------------------


@op()
def matmul(input, other):
    a, b = input, other
    if not isinstance(b, Tensor):
        raise must_be_tensor("matmul", "other", 2, b)
    if not (a.dim() and b.dim()):
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a.dim()}D and {b.dim()}D")
    for check in (_check_dtypes, _check_sizes) if a.dim() == b.dim() == 1 else (_check_sizes, _check_dtypes):
        check(a, b)
    out = _multiplied(a.unsqueeze(0) if a.dim() == 1 else a, b.unsqueeze(1) if b.dim() == 1 else b)
    out = out.squeeze(-2) if a.dim() == 1 else out
    return out.squeeze(-1) if b.dim() == 1 else out


def _check_dtypes(a, b):
    if a.dtype is b.dtype:
        return
    if a.dim() == b.dim() == 1:
        raise RuntimeError(words("dot-dtypes", a.dtype.legacy, b.dtype.legacy))
    if max(a.dim(), b.dim()) <= 2 or _folds(a, b):
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {a.dtype.cpp} != {b.dtype.cpp}")
    raise RuntimeError(f"expected scalar type {a.dtype.legacy} but found {b.dtype.legacy}")


def _check_sizes(a, b):
    """The errors of PyTorch's kernels, which differ by how many axes there are."""
    inner, size = a.shape[-1], b.shape[-2] if b.dim() > 1 else b.shape[0]
    if inner == size or (max(a.dim(), b.dim()) > 2 and not _folds(a, b)):
        return
    if a.dim() == b.dim() == 1:
        raise RuntimeError(words("dot-sizes", inner, size, inner, size))
    count, width = math.prod(a.shape[:-1]), b.shape[-1]
    if b.dim() == 1:
        raise RuntimeError(f"size mismatch, got input ({count}), mat ({count}x{inner}), vec ({size})")
    if b.dim() > 2:  # a matrix or a vector times a batch: turned round
        count = math.prod(b.shape[:-2]) * width
        if a.dim() == 1:
            raise RuntimeError(f"size mismatch, got input ({count}), mat ({count}x{size}), vec ({inner})")
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({count}x{size} and {inner}x{a.shape[0]})")
    raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({count}x{inner} and {size}x{width})")


def _folds(a, b) -> bool:
    """Whether PyTorch multiplies one tall matrix instead of a batch; it shows in the words of its errors."""
    if max(a.dim(), b.dim()) < 3 or min(a.dim(), b.dim()) > 2:
        return False
    large, small = (a, b) if a.dim() >= b.dim() else (b.transpose(-2, -1), a)
    if wants(small):
        return True
    tall = (math.prod(large.shape[:-1]), large.shape[-1])
    return a.dim() != 2 and reshaped(tuple(large.shape), large._strides, tall) is not None


@op()
def bmm(input, mat2):
    for name, x in (("batch1", input), ("batch2", mat2)):
        if x.dim() != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    if input.shape[0] != mat2.shape[0] or input.shape[2] != mat2.shape[1]:
        raise RuntimeError(words("bmm-sizes", input.shape[0], input.shape[2], mat2.shape[0], mat2.shape[1]))
    return matmul(input, mat2)


@op()
def mm(input, mat2):
    for name, x in (("self", input), ("mat2", mat2)):
        if x.dim() != 2:
            raise RuntimeError(f"{name} must be a matrix")
    return matmul(input, mat2)


@op()
def mv(input, vec):
    return matmul(input, vec)


@op()
def dot(input, tensor):
    if not isinstance(tensor, Tensor):
        raise must_be_tensor("dot", "tensor", 2, tensor)
    if input.dim() != 1 or tensor.dim() != 1:
        raise RuntimeError(f"1D tensors expected, but got {input.dim()}D and {tensor.dim()}D tensors")
    return matmul(input, tensor)


@op()
def inner(input, other):
    return matmul(input, other.transpose(-2, -1) if other.dim() > 1 else other)


@op()
def outer(input, vec2):
    return input.unsqueeze(1) * vec2.unsqueeze(0)


@op()
def baddbmm(input, batch1, batch2, *, beta=1, alpha=1):
    return beta * input + alpha * bmm(batch1, batch2)


@op()
def trace(input):
    return input.diagonal().sum()


def tensordot(a, b, dims=2):
    """Sums over several axes at once."""
    if isinstance(dims, int):
        dims = list(range(a.dim() - dims, a.dim())), list(range(dims))
    over = [
        [axis(d, x.dim()) for d in (some if isinstance(some, tuple | list) else [some])]
        for x, some in zip((a, b), dims, strict=True)
    ]
    rest = [[d for d in range(x.dim()) if d not in gone] for x, gone in zip((a, b), over, strict=True)]
    count = math.prod(a.shape[d] for d in over[0])
    left = a.permute(*rest[0], *over[0]).reshape(-1, count)
    right = b.permute(*over[1], *rest[1]).reshape(count, -1)
    return matmul(left, right).reshape([x.shape[d] for x, kept in zip((a, b), rest, strict=True) for d in kept])


# --- einsum ---------------------------------------------------------------------------------------------------------


def einsum(equation, *operands):
    """Sums of products, by the letters of their axes."""
    if len(operands) == 1 and isinstance(operands[0], tuple | list):
        operands = tuple(operands[0])
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        more = "more" if len(operands) > len(terms) else "fewer"
        raise RuntimeError(f"einsum(): {more} operands were provided than specified in the equation")
    dots = max(_axes_of_dots(term, x, i) for i, (term, x) in enumerate(zip(terms, operands, strict=True)))
    named = [_letters(term, x, dots) for term, x in zip(terms, operands, strict=True)]
    _check_letters(named, operands)
    everywhere = [letter for letters in named for letter in letters]
    if arrow:
        out = _result_letters(right, dots, everywhere)
    else:
        out = _dots(dots) + sorted(c for c in set(everywhere) if c[0] != "." and everywhere.count(c) == 1)
    letters, x = _traced(named[0], operands[0])
    for i in range(1, len(operands)):
        needed = set(out).union(*named[i + 1 :])
        other, y = _traced(named[i], operands[i])
        letters, x = _joined(
            *_summed(letters, x, needed | set(other)), *_summed(other, y, needed | set(letters)), needed
        )
    letters, x = _summed(letters, x, set(out))
    return x.permute([letters.index(c) for c in out])


def _dots(count: int) -> list:
    return [f".{i}" for i in range(count)]


def _axes_of_dots(term: str, x, i: int) -> int:
    letters = term.replace("...", "")
    for c in letters:
        if not c.isalpha():
            raise RuntimeError(words("einsum-subscript", term.index(c)))
    extra = x.dim() - len(letters)
    if "..." in term and extra < 0:
        raise RuntimeError(words("einsum-too-many", len(letters), x.dim(), i))
    if "..." not in term and extra:
        raise RuntimeError(words("einsum-letters", len(letters), x.dim(), i))
    return extra


def _letters(term: str, x, dots: int) -> list:
    before, ellipsis, after = term.partition("...")
    own = x.dim() - len(before) - len(after)
    return [*before, *(_dots(dots)[dots - own :] if ellipsis else []), *after]


def _check_letters(named: list, operands: tuple):
    sizes = {}
    for i, (letters, x) in enumerate(zip(named, operands, strict=True)):
        for c, size in zip(letters, x.shape, strict=True):
            if sizes.get(c, 1) != 1 and size not in (1, sizes[c]):
                raise RuntimeError(words("einsum-size", c, size, i, sizes[c]))
            sizes[c] = size if size != 1 else sizes.get(c, 1)


def _result_letters(right: str, dots: int, everywhere: list) -> list:
    before, ellipsis, after = right.partition("...")
    for c in before + after:
        if c not in everywhere:
            raise RuntimeError(f"einsum(): output subscript {c} does not appear in the equation for any input operand")
        if (before + after).count(c) > 1:
            raise RuntimeError(f"einsum(): output subscript {c} appears more than once in the output")
    return [*before, *(_dots(dots) if ellipsis else []), *after]


def _traced(letters: list, x) -> tuple[list, Tensor]:
    """Where a letter stands twice in one operand, the diagonal."""
    while twice := [c for c in letters if letters.count(c) > 1]:
        first, second = (d for d, c in enumerate(letters) if c == twice[0])
        x = x.diagonal(0, first, second)
        letters = [c for c in letters if c != twice[0]] + twice[:1]
    return letters, x


def _summed(letters: list, x, needed: set) -> tuple[list, Tensor]:
    """Without the letters that nothing needs any more."""
    gone = [d for d, c in enumerate(letters) if c not in needed]
    return [c for c in letters if c in needed], x.sum(gone) if gone else x


def _joined(la: list, a, lb: list, b, needed: set) -> tuple[list, Tensor]:
    """Two operands as one: a product of batches of matrices."""
    for c in [c for c in la if c in lb]:  # an axis of size 1 repeats along the other's
        size = max(a.shape[la.index(c)], b.shape[lb.index(c)])
        a, b = (x.expand([size if k == c else -1 for k in of]) for x, of in ((a, la), (b, lb)))
    batch, over = ([c for c in la if c in lb and (c in needed) is kept] for kept in (True, False))
    rows, columns = [c for c in la if c not in lb], [c for c in lb if c not in la]
    sizes = dict(zip(la, a.shape, strict=True)) | dict(zip(lb, b.shape, strict=True))

    def size(letters):
        return math.prod(sizes[c] for c in letters)

    left = a.permute([la.index(c) for c in batch + rows + over]).reshape(size(batch), size(rows), size(over))
    right = b.permute([lb.index(c) for c in batch + over + columns]).reshape(size(batch), size(over), size(columns))
    out = batch + rows + columns
    return out, matmul(left, right).reshape([sizes[c] for c in out])


FUNCTIONS |= {"einsum": einsum, "tensordot": tensordot}
Tensor.__matmul__ = lambda self, other: matmul(self, other) if isinstance(other, Tensor) else NotImplemented
