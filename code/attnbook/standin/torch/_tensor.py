"""A tensor: a storage, a shape, strides; and what can be said of it without computing. Operations come later."""

import math

from . import _numbers as n
from . import _tape
from ._layout import axis, broadcast, in_a_row, laid_out, places, rows, stretched
from ._missing import absent, words
from ._numbers import Size


class Storage:
    """A list of Python numbers that tensors share; `version` counts how often it was written into."""

    __slots__ = ("values", "version", "__weakref__")

    def __init__(self, values: list):
        self.values, self.version = values, 0

    def data_ptr(self):
        """Something that two storages do not share."""
        return id(self)

    def size(self):
        """How many numbers it holds."""
        return len(self.values)

    nbytes = size


class Tensor:
    """As PyTorch's `Tensor`. The operations of other files become its methods (`_operations.op`)."""

    _wants = False  # whether a leaf's gradient is asked for
    _node = None  # the operation that made it, if it is on the tape
    _gatherer = None  # the end of the tape, for a leaf
    _base, _seen, _writes = None, 0, 0  # of views: see `_tape`
    _many = ""  # of several views that were made together: which one
    grad = None
    device = n.CPU
    layout = n.strided
    is_quantized = is_nested = is_sparse = is_cuda = is_mps = is_xpu = False
    is_cpu = True
    names = None

    def __new__(cls, *data, **_):
        if cls is not Tensor:
            return object.__new__(cls)
        return cls._of(*data)

    @staticmethod
    def _make_wrapper_subclass(cls, size, *, strides=None, dtype=None, device=None, requires_grad=False):
        x = object.__new__(cls)
        x._lie(None, size, rows(tuple(size)) if strides is None else strides, 0, dtype)
        x.device = n.device(device)
        return x

    @staticmethod
    def _make_subclass(cls, data, requires_grad=False):
        x = object.__new__(cls)
        x._lie(data._store, data.shape, data._strides, data._offset, data.dtype)
        x._wants = requires_grad
        return x

    def _lie(self, store, shape, strides, offset, dtype):
        """Take a place in a storage."""
        self._store, self.shape, self._strides, self._offset = store, Size(shape), tuple(strides), offset
        self.dtype = dtype

    # --- what it is ---

    @property
    def is_meta(self):
        return self.device.type == "meta"

    @property
    def requires_grad(self):
        return self._wants or _tape.edge(self) is not None or (self._base is not None and self._base.requires_grad)

    @requires_grad.setter
    def requires_grad(self, wish):
        self.requires_grad_(wish)

    def requires_grad_(self, requires_grad=True):
        if requires_grad and self.dtype.kind < 2:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if not requires_grad and self._node is not None:
            raise RuntimeError(words("not-a-leaf"))
        self._wants = bool(requires_grad)
        return self

    @property
    def grad_fn(self):
        node = _tape.edge(self)
        return node if node is not self._gatherer else None

    @property
    def is_leaf(self):
        return self.grad_fn is None

    def retain_grad(self):
        node = _tape.edge(self)
        if node is not None and node.leaf is None:
            node.watchers.append(lambda g: setattr(self, "grad", g))

    def register_hook(self, hook):
        _tape.edge(self).watchers.append(hook)

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        _tape.backward(self, gradient, retain_graph, create_graph)

    @property
    def _version(self):
        return self._store.version

    ndim = property(lambda self: len(self.shape))
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.dtype.itemsize * math.prod(self.shape))

    def dim(self):
        return len(self.shape)

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[axis(dim, len(self.shape))]

    def numel(self):
        return math.prod(self.shape)

    def stride(self, dim=None):
        return self._strides if dim is None else self._strides[axis(dim, len(self.shape))]

    def storage_offset(self):
        return self._offset

    def untyped_storage(self):
        return self._store

    def data_ptr(self):
        return id(self._store) + self._offset * self.dtype.itemsize

    def element_size(self):
        return self.dtype.itemsize

    def is_floating_point(self):
        return self.dtype.kind == 2

    def is_complex(self):
        return self.dtype.kind == 3

    def is_signed(self):
        return self.dtype.is_signed

    def is_contiguous(self, memory_format=None):
        return in_a_row(tuple(self.shape), self._strides)

    ndimension, nelement, storage = dim, numel, untyped_storage

    # --- as Python sees it ---

    def __bool__(self):
        if self.numel() != 1:
            many = "more than one value" if self.numel() else "no values"
            raise RuntimeError(f"Boolean value of Tensor with {many} is ambiguous")
        return bool(self.item())

    def _number(self, kind):
        if self.numel() != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return kind(self.item())

    def __float__(self):
        return self._number(float)

    def __int__(self):
        return self._number(int)

    def __complex__(self):
        return self._number(complex)

    def __index__(self):
        if self.numel() != 1 or self.dtype.kind > 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def __iter__(self):
        if not self.shape:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __contains__(self, x):
        return bool((self == x).any())

    __hash__ = object.__hash__

    def __deepcopy__(self, memo):
        if not self.is_leaf:
            raise RuntimeError(words("deepcopy"))
        copied = Tensor._make_subclass(type(self), self.detach().clone(), self._wants)
        return memo.setdefault(id(self), copied)

    def __format__(self, spec):
        return repr(self) if self.shape else format(self.item(), spec)

    def __getattr__(self, name):
        raise absent("Tensor.", name, self, f"'{type(self).__name__}' object")


# --- for the operations ---------------------------------------------------------------------------------------------


def new(values: list, shape, dtype) -> Tensor:
    """A tensor of numbers that lie in a row; the list is taken over, and holds what the dtype can hold."""
    x = object.__new__(Tensor)
    x._store = Storage(values)
    x.shape = shape if type(shape) is Size else Size(shape)
    x._strides, x._offset, x.dtype = rows(tuple(shape)), 0, dtype
    return x


def alike(values: list, shape, dtype, *operands) -> Tensor:
    """A tensor of numbers (in logical order) that lies in memory as the operands do."""
    out = new(values, shape, dtype)
    tensors = [x for x in operands if isinstance(x, Tensor)]
    if len(out.shape) > 1 and not all(x.is_contiguous() for x in tensors):
        shape = tuple(out.shape)
        given = tuple(stretched(tuple(x.shape), x._strides, shape) for x in tensors)
        out._strides = laid_out(shape, given)
        if out._strides != rows(shape):
            out._store.values = list(values)
            for p, v in zip(places(shape, out._strides), values, strict=True):
                out._store.values[p] = v
    return out


def flat(x) -> list:
    """The numbers in logical order. Not to be changed: it may be the storage itself."""
    values, shape = x._store.values, tuple(x.shape)
    if in_a_row(shape, x._strides):
        count = math.prod(shape)
        return values if count == len(values) else values[x._offset : x._offset + count]
    return list(map(values.__getitem__, places(shape, x._strides, x._offset)))


def spread(x, shape: tuple) -> list:
    """The numbers in logical order, broadcast to a shape."""
    if x.shape == shape:
        return flat(x)
    if math.prod(x.shape) == 1:
        return [x._store.values[x._offset]] * math.prod(shape)
    at = places(shape, stretched(tuple(x.shape), x._strides, shape), x._offset)
    return list(map(x._store.values.__getitem__, at))


def meeting(*xs) -> tuple:
    """The shape in which tensors (and Python numbers) meet."""
    shape = ()
    for x in xs:
        if isinstance(x, Tensor) and x.shape != shape:
            shape = broadcast(shape, tuple(x.shape))
    return tuple(shape)


def view_of(x, shape, strides, offset: int, name: str, back) -> Tensor:
    """The same numbers under another shape; `back` takes the gradient of the view to that of `x`."""
    view = object.__new__(Tensor)
    view._lie(x._store, shape, strides, offset, x.dtype)
    if x.device is not n.CPU:
        view.device = x.device
    view._base = base = x if x._base is None else x._base
    view._seen = base._writes
    return _tape.record(view, name, (x,), lambda g: (back(g),))


def put_at(values: list, at: list, count: int) -> list:
    """Add each number into its place among zeros."""
    total = [0.0] * count
    for p, v in zip(at, values, strict=True):
        total[p] += v
    return total


def picked(x, at: list, shape, name: str, *like) -> Tensor:
    """The numbers at some places (in logical order) of `x`, some perhaps more than once."""
    out = alike(list(map(flat(x).__getitem__, at)), shape, x.dtype, *like)
    return _tape.record(out, name, (x,), lambda g: (placed(g, at, x.shape),))


def placed(g, at: list, shape) -> Tensor:
    """The way back of `picked`."""
    return new(n.held(put_at(flat(g), at, math.prod(shape)), g.dtype), shape, g.dtype)


Tensor._placed = placed
Tensor._picked = lambda self, at, shape: picked(self, at, shape, "IndexBackward0")
Tensor.__module__ = "torch"
