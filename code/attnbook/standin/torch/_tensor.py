"""A tensor: a storage, a shape, strides; and its gradients. Operations come later.

`record` writes one operation on the tape; its `back` takes the gradient of the result to those of the inputs. A
tensor's `_base` is the tensor that it is a view of. `_writes` counts how often the history of a base was changed by
writing into it or one of its views; a view whose `_seen` lags behind gets a new one, through its base, when asked.
"""

import contextlib
import itertools
import math

from . import _numbers as n
from ._missing import NotInThePage, absent, require
from ._numbers import axis, broadcast, in_a_row, listed, places, rows, stretched


class Storage:
    """A list of Python numbers that tensors share; `version` counts the writes, `inferred`: inference mode made it."""

    def __init__(self, values: list):
        self.values, self.version, self.inferred = values, 0, inferring[0]


class Tensor:
    """As PyTorch's `Tensor`. The operations of other files become its methods (`_operations.op`)."""

    _wants = False  # whether a leaf's gradient is asked for
    _node = None  # the operation that made it, if it is on the tape
    _gatherer = None  # the end of the tape, for a leaf
    _base, _seen, _writes = None, 0, 0  # of views: see above
    grad = None
    device, layout = n.CPU, "torch.strided"
    is_quantized = is_nested = is_sparse = is_cuda = False

    def __new__(cls, *data, **_):
        return cls._of(*data) if cls is Tensor else object.__new__(cls)

    @staticmethod
    def _make_wrapper_subclass(cls, size, *, strides, dtype, device):
        x = object.__new__(cls)
        x._store, x._shape, x._strides, x._offset = None, tuple(size), strides, 0
        x.dtype, x.device = dtype, n.device(device)
        return x

    def _set(self, x):
        """Take the place of another tensor."""
        self._store, self._shape, self._strides, self._offset = x._store, x._shape, x._strides, x._offset
        self.dtype, self.device = x.dtype, x.device

    shape = property(lambda self: n.Size(self._shape))
    ndim = property(lambda self: len(self._shape))
    is_meta = property(lambda self: self.device.type == "meta")
    is_leaf = property(lambda self: self.grad_fn is None)
    requires_grad = property(
        lambda self: self._wants or bool(edge(self)) or (self._base is not None and self._base.requires_grad),
        lambda self, wish: self.requires_grad_(wish),
    )
    grad_fn = property(lambda self: node if (node := edge(self)) is not self._gatherer else None)

    def requires_grad_(self, requires_grad=True):
        require(not requires_grad or self.dtype.kind >= 2, "grad-dtype")
        self._wants = bool(requires_grad)
        return self

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

    def __getattr__(self, name):
        raise absent("Tensor.", name, self, f"'{type(self).__name__}' object")

    def _picked(self, at: list, shape: tuple, name="IndexBackward0", *like):
        """The numbers at these places, some perhaps more than once."""
        out = alike(list(map(flat(self).__getitem__, at)), shape, self.dtype, *like)
        return record(out, name, (self,), lambda g: (g._placed(at, self._shape),))

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
    "dim": lambda self: len(self._shape),
    "size": lambda self, dim=None: self.shape if dim is None else self._shape[axis(dim, len(self._shape))],
    "stride": lambda self, dim=None: self._strides if dim is None else self._strides[axis(dim, len(self._shape))],
    "storage_offset": lambda self: self._offset,
    "numel": lambda self: math.prod(self._shape),
    "is_contiguous": lambda self, memory_format=None: in_a_row(self._shape, self._strides),
    "is_floating_point": lambda self: self.dtype.kind == 2,
    "is_complex": lambda self: self.dtype.kind == 3,
    "is_inference": lambda self: self._store.inferred,
    "data_ptr": lambda self: id(self._store) + self._offset * self.dtype.itemsize,
    "__format__": lambda self, spec: repr(self) if self._shape else format(self.item(), spec),
    "__float__": lambda self: self._number(float),
    "__int__": lambda self: self._number(int),
}
for _name, _fact in FACTS.items():
    setattr(Tensor, _name, _fact)


def new(values: list, shape: tuple, dtype) -> Tensor:
    """A tensor of numbers that lie in a row; the list is taken over, and holds what the dtype can hold."""
    x = object.__new__(Tensor)
    x._store, x._shape, x._strides, x._offset, x.dtype = Storage(values), shape, rows(shape), 0, dtype
    return x


def alike(values: list, shape: tuple, dtype, *operands) -> Tensor:
    """A tensor of numbers (in logical order) whose axes lie in memory as those of the first operand of this shape."""
    out = new(values, shape, dtype)
    first = next((x for x in operands if isinstance(x, Tensor) and x._shape == shape and 0 not in x._strides), out)
    if not in_a_row(shape, first._strides):
        strides, step = [0] * len(shape), 1
        for d in sorted(range(len(shape)), key=first._strides.__getitem__):  # the innermost axis first
            strides[d], step = step, step * shape[d]
        out._strides = tuple(strides)
        out._store.values = list(values)
        for p, v in zip(places(shape, out._strides), values, strict=True):
            out._store.values[p] = v
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
    view._set(x)
    view._shape, view._strides, view._offset = tuple(shape), tuple(strides), offset
    view._base = base = x if x._base is None else x._base
    view._seen = base._writes
    return record(view, name, (x,), lambda g: (back(g),))


recording, inferring = [True], [False]
_made = itertools.count()
_ended = []  # what nodes that are gone have held


class Node:
    """One operation on the tape, or the place where a leaf's gradient is gathered."""

    def __init__(self, name, edges, back, like, leaf=None):
        self.name, self.edges, self.back, self.saved = name, edges, back, ()
        self.shape, self.dtype, self.leaf, self.freed, self.number = like._shape, like.dtype, leaf, False, next(_made)

    def __del__(self):
        """A long tape is taken apart node by node: a browser has no room for as deep a recursion."""
        _ended.append((self.__dict__.pop("edges"), self.__dict__.pop("back")))
        if len(_ended) == 1:  # else it is being done, further out
            done = 0
            while done < len(_ended):
                _ended[done] = None  # may end further nodes, which are appended
                done += 1
            _ended.clear()

    def save(self, *tensors):
        """Remember tensors whose numbers `back` needs; changing them in place makes the way back an error."""
        self.saved = []
        for x in tensors:
            name = x._node.name.removesuffix("Backward0").removesuffix("Backward1") if x._node else ""
            made_by = f", which is output 0 of {name}" if name else ""
            self.saved.append((x._store, x._store.version, x.dtype.legacy, list(x._shape), made_by))


def edge(x):
    """Where a gradient that reaches `x` goes on, or None."""
    if x._base is not None and x._seen != x._base._writes:
        _regrow(x)
    if x._node is None and x._wants and x._gatherer is None:
        x._gatherer = Node("torch::autograd::AccumulateGrad", (), None, x, x)
    return x._node or (x._gatherer if x._wants else None)


def wants(x) -> bool:
    """Whether an operation on `x` is written down."""
    return recording[0] and (x._wants or x._node is not None or (x._base is not None and edge(x) is not None))


def record(out, name, inputs, back, saved=()):
    """Write an operation on the tape, if one of its inputs wants a gradient. `saved`: see `Node.save`."""
    if recording[0] and out.dtype.kind >= 2 and any(map(wants, inputs)):
        out._node = Node(name, tuple(edge(x) if x.dtype.kind >= 2 else None for x in inputs), back, out)
        if saved:
            out._node.save(*saved)
    return out


def _within(base, view) -> list:
    """For each number of a view its position among those of the base, in logical order."""
    order = {p: i for i, p in enumerate(places(base._shape, base._strides, base._offset))}
    return [order[p] for p in places(view._shape, view._strides, view._offset)]


def _regrow(view):
    """Give a view the history that its base has by now."""
    base = view._base
    view._seen, view._node = base._writes, None
    way = edge(base)
    if way is not None:
        at = _within(base, view)
        view._node = Node("AsStridedBackward0", (way,), lambda g: (g._placed(at, base._shape),), view)


def written(x, result):
    """Give `x`, which has just been overwritten with the numbers of `result`, the history of `result`."""
    if not recording[0] or x.dtype.kind < 2:
        return
    way, base = edge(result), x._base
    if base is None:
        x._node = None if way is None else Node(way.name, (way,), lambda g: (g,), x)
        x._writes += 1
        return
    before, at = edge(base), _within(base, x)
    if way is not None or before is not None:
        base._node = Node("CopySlices", (before, way), lambda g: (g._without(at), g._picked(at, x._shape)), base)
    base._writes += 1
    _regrow(x)


def _behind(roots) -> list:
    """The nodes behind `roots`, each before those that it leads to, which are older."""
    seen, waiting = set(roots), list(roots)
    while waiting:
        new = {after for after in waiting.pop().edges if after is not None} - seen
        seen |= new
        waiting += new
    return sorted(seen, key=lambda node: -node.number)


def _run_back(outputs, gradients, wanted, retain, create) -> dict:
    """Send gradients back. Those of the nodes in `wanted` are returned; if it is None, leaves gather theirs."""
    if create:
        raise NotInThePage("autograd.grad(create_graph=True)")
    outputs, gathered, kept = listed((outputs,)), {}, {}

    def gather(node, g):
        gathered[node] = gathered[node] + g if node in gathered else g

    with no_grad():
        for x, g in zip(outputs, listed((gradients,)) if gradients is not None else [None] * len(outputs), strict=True):
            require(edge(x) is not None, "backward-none")
            require(g is not None or x.numel() == 1, "backward-scalar")
            g = x.detach().new_ones(x._shape) if g is None else g
            gather(edge(x), g)
        for node in _behind(gathered):
            if node not in gathered:
                continue
            g = gathered.pop(node).to(node.dtype)
            if wanted is not None and node in wanted:
                kept[node] = g
            if node.leaf is not None:
                if wanted is None:
                    node.leaf.grad = g.clone() if node.leaf.grad is None else node.leaf.grad + g
                continue
            require(not node.freed, "backward-twice")
            for store, version, *facts in node.saved:
                require(store.version == version, "changed-since", *facts, store.version, version)
            node.freed = bool(node.saved) and not retain
            for after, part in zip(node.edges, node.back(g), strict=True):
                if after is not None and part is not None:
                    gather(after, part if part._shape == after.shape else part.sum_to_size(after.shape))
    return kept


def backward(tensors, gradient=None, retain_graph=None, create_graph=False):
    _run_back(tensors, gradient, None, retain_graph, create_graph)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, allow_unused=None):
    nodes = [edge(x) for x in listed((inputs,))]
    require(None not in nodes, "grad-none")
    kept = _run_back(outputs, grad_outputs, set(nodes), retain_graph, create_graph)
    for i, node in enumerate(nodes):
        require(node in kept or allow_unused, "grad-unused", i)
    return tuple(kept.get(node) for node in nodes)


@contextlib.contextmanager
def _switched(mode, infer=None):
    """A block, or a function decorated with it, for which the tape is on or off."""
    before = recording[0], inferring[0]
    recording[0], inferring[0] = mode, inferring[0] if infer is None else infer
    try:
        yield
    finally:
        recording[0], inferring[0] = before


def _switch(mode):
    return lambda function=None: _switched(mode)(function) if callable(function) else _switched(mode)


no_grad, enable_grad, Tensor.backward = _switch(False), _switch(True), backward


def inference_mode(mode=True):
    return inference_mode()(mode) if callable(mode) else _switched(not mode, mode)
