"""Gradients: the tape on which operations are written, and the way back along it.

`record` writes one operation; its `back` takes the gradient of the result to those of the inputs. A tensor's `_base`
is the tensor that it is a view of. `_writes` counts how often the history of a base was changed by writing into it
or one of its views; a view whose `_seen` lags behind gets a new history, through its base, when it is asked for it.
"""

import functools

from ._layout import places
from ._missing import NotInThePage, words

recording = [True]


class Node:
    """One operation on the tape, or the place where a leaf's gradient is gathered."""

    def __init__(self, name, edges, back, saved, like):
        self._name, self.edges, self.back, self.saved = name, edges, back, saved
        self.shape, self.dtype, self.leaf, self.freed, self.watchers = like.shape, like.dtype, None, False, []

    def name(self):
        """What PyTorch calls the operation."""
        return self._name

    def __repr__(self):
        return f"<{self._name} object at {hex(id(self))}>"

    @property
    def next_functions(self):
        """The operations before this one."""
        return tuple((edge, 0) for edge in self.edges)


def edge(x):
    """Where a gradient that reaches `x` goes on, or None."""
    base = x._base
    if base is not None and x._seen != base._writes:
        _regrow(x)
    if x._node is None and x._wants:
        if x._gatherer is None:
            x._gatherer = Node("torch::autograd::AccumulateGrad", (), None, (), x)
            x._gatherer.leaf = x
        return x._gatherer
    return x._node


def wants(x) -> bool:
    """Whether an operation on `x` is written down."""
    if not recording[0]:
        return False
    return x._wants or x._node is not None or (x._base is not None and edge(x) is not None)


def record(out, name, inputs, back, saved=()):
    """Write an operation on the tape, if one of its inputs wants a gradient.

    `saved` are the tensors whose numbers `back` needs; changing them in place makes the way back an error.
    """
    if not recording[0] or out.dtype.kind < 2 or not any(map(wants, inputs)):
        return out
    edges = tuple(edge(x) if x.dtype.kind >= 2 else None for x in inputs)
    out._node = Node(name, edges, back, (), out)
    out._node.saved = [(x._store, x._store.version, x.dtype.legacy, list(x.shape), maker(x)) for x in saved]
    return out


def maker(x) -> str:
    """What made `x`, for the error that it has been changed since."""
    name = "" if x._node is None else x._node.name().removesuffix("Backward0").removesuffix("Backward1")
    return f", which is output 0 of {name}" if name else ""


# --- views and writing in place -------------------------------------------------------------------------------------


def _within(base, view) -> list:
    """For each number of a view its position among those of the base, in logical order."""
    order = {p: i for i, p in enumerate(places(tuple(base.shape), base._strides, base._offset))}
    return [order[p] for p in places(tuple(view.shape), view._strides, view._offset)]


def _regrow(view):
    base = view._base
    view._seen, view._node = base._writes, None
    way = edge(base)
    if way is not None:
        at = _within(base, view)
        view._node = Node("AsStridedBackward0", (way,), lambda g: (g._placed(at, base.shape),), (), view)


def written(x, result):
    """Give `x`, which has just been overwritten with the numbers of `result`, the history of `result`."""
    if not recording[0] or x.dtype.kind < 2:
        return
    way, base = edge(result), x._base
    if base is None:
        x._node = None if way is None else Node(way.name(), (way,), lambda g: (g,), (), x)
        x._writes += 1
        return
    before, at = edge(base), _within(base, x)

    def back(g):
        rest = g.clone()
        for i in at:
            rest._store.values[i] = 0.0
        return rest, g._picked(at, x.shape)

    base._node = None if way is None and before is None else Node("CopySlices", (before, way), back, (), base)
    base._writes += 1
    _regrow(x)


def check_may_write(x):
    """A leaf that wants a gradient is not overwritten while autograd watches."""
    if recording[0] and x.dtype.kind >= 2:
        if x._many and wants(x):
            raise RuntimeError(words("many-views", x._many))
        if x._base is None and x._wants and x._node is None:
            raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
        if x._base is not None and x._base._wants and x._base._node is None:
            raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")


# --- the way back ---------------------------------------------------------------------------------------------------


def _order(roots: list) -> list:
    """The nodes behind `roots`, each after those that it leads to."""
    order, seen = [], set()
    for root in roots:
        waiting = [(root, iter(root.edges))] if root not in seen else []
        seen.add(root)
        while waiting:
            node, edges = waiting[-1]
            for after in edges:
                if after is not None and after not in seen:
                    seen.add(after)
                    waiting.append((after, iter(after.edges)))
                    break
            else:
                order.append(node)
                waiting.pop()
    return order


def _begin(outputs, gradients) -> dict:
    """The gradients at the roots."""
    gathered = {}
    for x, g in zip(outputs, gradients, strict=True):
        node = edge(x)
        if node is None:
            raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
        if g is None:
            if x.numel() != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            g = x.detach().new_ones(x.shape)
        elif g.shape != x.shape:
            raise RuntimeError(words("grad-shape", g.shape, x.shape))
        gathered[node] = gathered[node] + g if node in gathered else g
    return gathered


def _check(node):
    if node.freed:
        raise RuntimeError(words("backward-twice"))
    for store, version, kind, shape, maker in node.saved:
        if store.version != version:
            raise RuntimeError(words("changed-since", kind, shape, maker, store.version, version))


def run_back(outputs, gradients, wanted=None, retain=False) -> dict:
    """Send gradients back. Those of the nodes in `wanted` are returned; without it leaves gather theirs in `.grad`."""
    kept = {}
    with no_grad():
        gathered = _begin(outputs, gradients)
        for node in reversed(_order(list(gathered))):
            g = gathered.pop(node, None)
            if g is None:
                continue
            g = g if g.dtype is node.dtype else g.to(node.dtype)
            for watcher in node.watchers:
                g = watcher(g) if watcher(g) is not None else g
            if wanted is not None and node in wanted:
                kept[node] = g
            if node.leaf is not None:
                if wanted is None:
                    leaf = node.leaf
                    leaf.grad = g.clone() if leaf.grad is None else leaf.grad + g
                continue
            _check(node)
            node.freed = node.freed or (bool(node.saved) and not retain)
            for after, part in zip(node.edges, node.back(g), strict=True):
                if after is not None and part is not None:
                    part = part if part.shape == after.shape else part.sum_to_size(after.shape)
                    gathered[after] = gathered[after] + part if after in gathered else part
    return kept


def _listed(x) -> list:
    return list(x) if isinstance(x, tuple | list) else [x]


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, inputs=None):
    """`torch.autograd.backward`."""
    _once(create_graph)
    tensors = _listed(tensors)
    gradients = [None] * len(tensors) if grad_tensors is None else _listed(grad_tensors)
    run_back(tensors, gradients, retain=bool(retain_graph))


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, allow_unused=None, **options):
    """`torch.autograd.grad`."""
    _once(create_graph)
    outputs, inputs = _listed(outputs), _listed(inputs)
    gradients = [None] * len(outputs) if grad_outputs is None else _listed(grad_outputs)
    nodes = [edge(x) for x in inputs]
    if None in nodes:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    kept = run_back(outputs, gradients, set(nodes), retain=bool(retain_graph))
    if options.get("materialize_grads"):
        kept |= {node: x.detach().new_zeros(x.shape) for node, x in zip(nodes, inputs, strict=True) if node not in kept}
    for i, node in enumerate(nodes):
        if node not in kept and not allow_unused:
            raise RuntimeError(words("grad-unused", i))
    return tuple(kept.get(node) for node in nodes)


def _once(create_graph):
    if create_graph:
        raise NotInThePage("autograd.grad(create_graph=True)")


# --- switching the tape on and off ----------------------------------------------------------------------------------


class set_grad_enabled:
    """Switch the tape on or off, from here on or for a block."""

    def __init__(self, mode):
        self.before, self.mode = recording[0], mode
        recording[0] = mode

    def __enter__(self):
        recording[0] = self.mode

    def __exit__(self, *error):
        recording[0] = self.before


class _Switch:
    """A block, or a function decorated with it, for which the tape is on or off."""

    def __init__(self, mode):
        self.mode = mode

    def __enter__(self):
        self.before = recording[0]
        recording[0] = self.mode if self.mode is not None else self.before

    def __exit__(self, *error):
        recording[0] = self.before

    def __call__(self, function):
        @functools.wraps(function)
        def inside(*args, **kwargs):
            with _Switch(self.mode):
                return function(*args, **kwargs)

        return inside


def no_grad(function=None):
    """A block, or a function decorated with it, that writes nothing on the tape."""
    return _Switch(False)(function) if function is not None else _Switch(False)


def enable_grad(function=None):
    """A block, or a function decorated with it, that is written on the tape."""
    return _Switch(True)(function) if function is not None else _Switch(True)


def inference_mode(mode=True):
    """As `no_grad`; `inference_mode(False)` changes nothing."""
    return _Switch(False)(mode) if callable(mode) else _Switch(False if mode else None)


def is_grad_enabled():
    """Whether operations are written on the tape."""
    return recording[0]
