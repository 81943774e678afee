"""A tensor: a storage, a shape, strides; and what can be said of it without computing. Operations come later."""

import math

from . import _numbers as n
from . import _tape
from ._layout import axis, broadcast, in_a_row, laid_out, places, rows, stretched
from ._missing import absent, require


class Storage:
    """A list of Python numbers that tensors share; `version` counts how often it was written into."""

    __slots__ = ("values", "version")

    def __init__(self, values: list):
        self.values, self.version = values, 0

    def data_ptr(self):
        """Something that two storages do not share."""
        return id(self)


class Tensor:
    """As PyTorch's `Tensor`. The operations of other files become its methods (`_operations.op`)."""

    _wants = False  # whether a leaf's gradient is asked for
    _node = None  # the operation that made it, if it is on the tape
    _gatherer = None  # the end of the tape, for a leaf
    _base, _seen, _writes = None, 0, 0  # of views: see `_tape`
    _many = ""  # of several views that were made together: which one
    grad = None
    device, layout = n.CPU, "torch.strided"
    is_quantized = is_nested = is_sparse = is_cuda = False

    def __new__(cls, *data, **_):
        return cls._of(*data) if cls is Tensor else object.__new__(cls)

    @staticmethod
    def _make_wrapper_subclass(cls, size, *, strides=None, dtype=None, device=None, requires_grad=False):
        x = object.__new__(cls)
        x._lie(None, tuple(size), strides or rows(tuple(size)), 0, dtype)
        x.device = n.device(device)
        return x

    @staticmethod
    def _make_subclass(cls, data, requires_grad=False):
        x = object.__new__(cls)
        x._set(data)
        x._wants = requires_grad
        return x

    def _lie(self, store, shape: tuple, strides: tuple, offset: int, dtype):
        """Take a place in a storage."""
        self._store, self._shape, self._strides, self._offset, self.dtype = store, shape, strides, offset, dtype

    def _set(self, x):
        """Take the place of another tensor."""
        self._lie(x._store, x._shape, x._strides, x._offset, x.dtype)
        self.device = x.device

    # what it is

    shape = property(lambda self: n.Size(self._shape))
    ndim = property(lambda self: len(self._shape))
    is_meta = property(lambda self: self.device.type == "meta")
    is_leaf = property(lambda self: self.grad_fn is None)
    _version = property(lambda self: self._store.version)

    @property
    def requires_grad(self):
        return self._wants or _tape.edge(self) is not None or (self._base is not None and self._base.requires_grad)

    @requires_grad.setter
    def requires_grad(self, wish):
        self.requires_grad_(wish)

    def requires_grad_(self, requires_grad=True):
        require(not requires_grad or self.dtype.kind >= 2, "grad-dtype")
        require(requires_grad or self._node is None, "not-a-leaf")
        self._wants = bool(requires_grad)
        return self

    @property
    def grad_fn(self):
        node = _tape.edge(self)
        return node if node is not self._gatherer else None

    def backward(self, gradient=None, retain_graph=None, create_graph=False):
        _tape.backward(self, gradient, retain_graph, create_graph)

    def size(self, dim=None):
        return self.shape if dim is None else self._shape[axis(dim, len(self._shape))]

    def stride(self, dim=None):
        return self._strides if dim is None else self._strides[axis(dim, len(self._shape))]

    # as Python sees it

    def __bool__(self):
        require(self.numel() == 1, "truth", "more than one value" if self.numel() else "no values")
        return bool(self.item())

    def _number(self, kind):
        require(self.numel() == 1, "one-element")
        return kind(self.item())

    def __index__(self):
        require(self.numel() == 1 and self.dtype.kind <= 1, "index-element")
        return int(self.item())

    def __len__(self):
        require(self._shape, "len")
        return self._shape[0]

    def __iter__(self):
        require(self._shape, "iter")
        return iter(self.unbind(0))

    def __deepcopy__(self, memo):
        require(self.is_leaf, "deepcopy")
        copied = Tensor._make_subclass(type(self), self.detach().clone(), self._wants)
        return memo.setdefault(id(self), copied)

    def __format__(self, spec):
        return repr(self) if self._shape else format(self.item(), spec)

    def __getattr__(self, name):
        raise absent("Tensor.", name, self, f"'{type(self).__name__}' object")

    # for the operations: numbers at some places, in logical order

    def _picked(self, at: list, shape: tuple, name="IndexBackward0", *like):
        """The numbers at these places, some perhaps more than once."""
        out = alike(list(map(flat(self).__getitem__, at)), shape, self.dtype, *like)
        return _tape.record(out, name, (self,), lambda g: (g._placed(at, self._shape),))

    def _placed(self, at: list, shape: tuple):
        """The way back of `_picked`: each number added into its place among zeros."""
        total = [0.0] * math.prod(shape)
        for p, v in zip(at, flat(self), strict=True):
            total[p] += v
        return new(n.held(total, self.dtype), shape, self.dtype)

    def _without(self, at: list):
        """A copy with zeros at these places."""
        out = new(list(flat(self)), self._shape, self.dtype)
        for p in at:
            out._store.values[p] = 0.0
        return out


Tensor.__module__ = "torch"
FACTS = {
    "dim ndimension": lambda self: len(self._shape),
    "numel nelement": lambda self: math.prod(self._shape),
    "is_contiguous": lambda self, memory_format=None: in_a_row(self._shape, self._strides),
    "is_floating_point": lambda self: self.dtype.kind == 2,
    "is_complex": lambda self: self.dtype.kind == 3,
    "element_size": lambda self: self.dtype.itemsize,
    "untyped_storage": lambda self: self._store,
    "data_ptr": lambda self: id(self._store) + self._offset * self.dtype.itemsize,
    "__float__": lambda self: self._number(float),
    "__int__": lambda self: self._number(int),
    "__contains__": lambda self, x: bool((self == x).any()),
}
for _names, _fact in FACTS.items():
    for _name in _names.split():
        setattr(Tensor, _name, _fact)


def new(values: list, shape: tuple, dtype) -> Tensor:
    """A tensor of numbers that lie in a row; the list is taken over, and holds what the dtype can hold."""
    x = object.__new__(Tensor)
    x._store, x._shape, x._strides, x._offset, x.dtype = Storage(values), shape, rows(shape), 0, dtype
    return x


def alike(values: list, shape: tuple, dtype, *operands) -> Tensor:
    """A tensor of numbers (in logical order) that lies in memory as the operands do."""
    out = new(values, shape, dtype)
    for x in operands if len(shape) > 1 else ():
        if isinstance(x, Tensor) and not in_a_row(x._shape, x._strides):
            given = tuple(stretched(x._shape, x._strides, shape) for x in operands if isinstance(x, Tensor))
            out._strides = laid_out(shape, given)
            if out._strides != rows(shape):
                out._store.values = list(values)
                for p, v in zip(places(shape, out._strides), values, strict=True):
                    out._store.values[p] = v
            break
    return out


def flat(x) -> list:
    """The numbers in logical order. Not to be changed: it may be the storage itself."""
    values, shape = x._store.values, x._shape
    if in_a_row(shape, x._strides):
        count = math.prod(shape)
        return values if count == len(values) else values[x._offset : x._offset + count]
    return list(map(values.__getitem__, places(shape, x._strides, x._offset)))


def spread(x, shape: tuple) -> list:
    """The numbers in logical order, broadcast to a shape."""
    if x._shape == shape:
        return flat(x)
    values = x._store.values
    if math.prod(x._shape) == 1:
        return [values[x._offset]] * math.prod(shape)
    return list(map(values.__getitem__, places(shape, stretched(x._shape, x._strides, shape), x._offset)))


def meeting(*xs) -> tuple:
    """The shape in which tensors (and Python numbers) meet."""
    shape = ()
    for x in xs:
        if isinstance(x, Tensor) and x._shape != shape:
            shape = broadcast(shape, x._shape)
    return shape


def view_of(x, shape, strides, offset: int, name: str, back) -> Tensor:
    """The same numbers under another shape; `back` takes the gradient of the view to that of `x`."""
    view = object.__new__(Tensor)
    view._lie(x._store, tuple(shape), tuple(strides), offset, x.dtype)
    if x.device is not n.CPU:
        view.device = x.device
    view._base = base = x if x._base is None else x._base
    view._seen = base._writes
    return _tape.record(view, name, (x,), lambda g: (back(g),))
