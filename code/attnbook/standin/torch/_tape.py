"""Gradients: the tape on which operations are written, and the way back along it.

`record` writes one operation; its `back` takes the gradient of the result to those of the inputs. A tensor's `_base`
is the tensor that it is a view of. `_writes` counts how often the history of a base was changed by writing into it
or one of its views; a view whose `_seen` lags behind gets a new history, through its base, when it is asked for it.
"""

import contextlib
import itertools

from ._layout import places
from ._missing import NotInThePage, require

recording = [True]
_made = itertools.count()
_ended = []  # what nodes that are gone have held


class Node:
    """One operation on the tape, or the place where a leaf's gradient is gathered."""

    def __init__(self, name, edges, back, like, leaf=None):
        self._name, self.edges, self.back, self.saved = name, edges, back, ()
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

    def name(self):
        return self._name

    def save(self, *tensors):
        """Remember tensors whose numbers `back` needs; changing them in place makes the way back an error."""
        self.saved = [(x._store, x._store.version, x.dtype.legacy, list(x._shape), _maker(x)) for x in tensors]


def _maker(x) -> str:
    """What made `x`, for the error that it has been changed since."""
    name = "" if x._node is None else x._node._name.removesuffix("Backward0").removesuffix("Backward1")
    return f", which is output 0 of {name}" if name else ""


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
        x._node = None if way is None else Node(way._name, (way,), lambda g: (g,), x)
        x._writes += 1
        return
    before, at = edge(base), _within(base, x)
    if way is not None or before is not None:
        base._node = Node("CopySlices", (before, way), lambda g: (g._without(at), g._picked(at, x._shape)), base)
    base._writes += 1
    _regrow(x)


def check_may_write(x):
    """A leaf that wants a gradient is not overwritten while autograd watches."""
    if recording[0] and x.dtype.kind >= 2:
        require(not x._many or not wants(x), "many-views", x._many)
        for owner, what in ((x, "a"), (x._base, "a view of a")):
            require(owner is None or owner._node is not None or not owner._wants, "grad-leaf", what)


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
    outputs, gathered, kept = _listed(outputs), {}, {}

    def gather(node, g):
        gathered[node] = gathered[node] + g if node in gathered else g

    with no_grad():
        for x, g in zip(outputs, [None] * len(outputs) if gradients is None else _listed(gradients), strict=True):
            require(edge(x) is not None, "backward-none")
            require(g is not None or x.numel() == 1, "backward-scalar")
            g = x.detach().new_ones(x._shape) if g is None else g
            require(g._shape == x._shape, "grad-shape", g.shape, x.shape)
            gather(edge(x), g)
        for node in _behind(gathered):
            g = gathered.pop(node, None)
            if g is None:
                continue
            g = g if g.dtype is node.dtype else g.to(node.dtype)
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


def _listed(x) -> list:
    return list(x) if isinstance(x, tuple | list) else [x]


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False):
    _run_back(tensors, grad_tensors, None, retain_graph, create_graph)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, allow_unused=None):
    nodes = [edge(x) for x in _listed(inputs)]
    require(None not in nodes, "grad-none")
    kept = _run_back(outputs, grad_outputs, set(nodes), retain_graph, create_graph)
    for i, node in enumerate(nodes):
        require(node in kept or allow_unused, "grad-unused", i)
    return tuple(kept.get(node) for node in nodes)


class _Switch(contextlib.ContextDecorator):
    """A block, or a function decorated with it, for which the tape is on, off or (None) as it was."""

    def __init__(self, mode):
        self.mode, self.before = mode, []

    def __enter__(self):
        self.before.append(recording[0])
        recording[0] = self.before[-1] if self.mode is None else self.mode

    def __exit__(self, *error):
        recording[0] = self.before.pop()


def _switch(mode):
    return lambda function=None: _Switch(mode) if function is None else _Switch(mode)(function)


no_grad, enable_grad = _switch(False), _switch(True)


def inference_mode(mode=True):
    return _Switch(False)(mode) if callable(mode) else _Switch(False if mode else None)


def is_grad_enabled():
    return recording[0]
