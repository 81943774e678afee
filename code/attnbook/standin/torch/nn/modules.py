"""Modules: what owns parameters, and the layers that the book uses."""

import math
from collections import OrderedDict

from .. import _numbers as n
from .._making import empty, ones, tensor, zeros
from .._missing import absent, error, require
from .._tape import no_grad
from .._tensor import Tensor
from . import functional as F


class Parameter(Tensor):
    def __new__(cls, data=None, requires_grad=True):
        return Tensor._make_subclass(cls, (tensor([]) if data is None else data).detach(), requires_grad)


KINDS = {  # what a module owns: the type, and how PyTorch's errors call it
    "_parameters": (Parameter, "parameter", "parameters", "torch.nn.Parameter"),
    "_modules": (object, "child module", "module", "torch.nn.Module"),
    "_buffers": ((), "buffer", "buffer", "torch.nn.Buffer, torch.Tensor"),
}


class Module:
    def __init__(self):
        self.__dict__.update({kind: {} for kind in KINDS}, _unsaved=set(), training=True)

    def forward(self, *args, **kwargs):
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def __getattr__(self, name):
        for kind in KINDS:
            if name in self.__dict__.get(kind, ()):
                return self.__dict__[kind][name]
        raise absent("nn.Module.", name, self, f"'{type(self).__name__}' object")

    def __setattr__(self, name, value):
        own = self.__dict__
        kind = next((kind for kind, (of, *_) in KINDS.items() if isinstance(value, of)), None)
        before = next((kind for kind in KINDS if name in own.get(kind, ())), None)
        if kind is not None:
            require(kind in own, "module-early", KINDS[kind][2])
            for of in (own, *(own[other] for other in KINDS)):
                of.pop(name, None)
            own[kind][name] = value
        elif before is None:
            object.__setattr__(self, name, value)
        else:
            if value is not None and not (before == "_buffers" and isinstance(value, Tensor)):
                came = value.type() if isinstance(value, Tensor) else type(value).__name__
                raise error("module-kind", came, KINDS[before][1], name, KINDS[before][3])
            own[before][name] = value

    def register_parameter(self, name, param):
        self._parameters[name] = param

    def register_buffer(self, name, tensor, persistent=True):
        self._buffers[name] = tensor
        (self._unsaved.discard if persistent else self._unsaved.add)(name)

    def named_modules(self, prefix=""):
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(f"{prefix}.{name}" if prefix else name)

    def _named(self, *kinds):
        """Path, name, value and owner of all parameters or buffers."""
        for path, module in self.named_modules():
            for name, x in [pair for kind in kinds for pair in module.__dict__[kind].items()]:
                if x is not None:
                    yield f"{path}.{name}" if path else name, name, x, module

    def named_parameters(self):
        seen = {}
        for path, _, x, _ in self._named("_parameters"):
            if seen.setdefault(id(x), path) == path:
                yield path, x

    def parameters(self):
        return (p for _, p in self.named_parameters())

    def modules(self):
        return (m for _, m in self.named_modules())

    def children(self):
        return (m for m in self._modules.values() if m is not None)

    def state_dict(self, *, keep_vars=False):
        owned = self._named("_parameters", "_buffers")
        return OrderedDict(
            (path, x if keep_vars else x.detach()) for path, name, x, owner in owned if name not in owner._unsaved
        )

    @no_grad()
    def load_state_dict(self, state_dict, strict=True):
        own, problems = self.state_dict(keep_vars=True), []
        for what, one, other in (("Unexpected", state_dict, own), ("Missing", own, state_dict)):
            strange = [f'"{key}"' for key in one if strict and key not in other]
            problems += [f"{what} key(s) in state_dict: {', '.join(strange)}. "] if strange else []
        for key in [key for key in own if key in state_dict]:
            new, now = state_dict[key].shape, own[key].shape
            if new == now:
                own[key].copy_(state_dict[key])
            else:
                problems.append(str(error("load-size", key, new, now)))
        require(not problems, "load", type(self).__name__, "\n\t".join(problems))

    def to(self, *wishes, **named):
        for _, name, x, owner in self._named("_parameters", "_buffers"):
            if x.dtype.kind == 2 and isinstance(x, Parameter):
                x.data, x._gatherer = x.detach().to(*wishes, **named), None
            elif x.dtype.kind == 2:
                owner._buffers[name] = x.to(*wishes, **named)
        return self

    type = to

    def double(self):
        return self.to(n.float64)

    def train(self, mode=True):
        for module in self.modules():
            module.training = mode
        return self

    def eval(self):
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        for p in self.parameters():
            p.grad = None

    def extra_repr(self):
        return ""

    def __repr__(self):
        extra, name = self.extra_repr(), type(self).__name__
        children = [f"({key}): {module!r}".replace("\n", "\n  ") for key, module in self._modules.items()]
        if not children:
            return f"{name}({extra})"
        return "\n  ".join([f"{name}(", *[extra] * bool(extra), *children]) + "\n)"


KINDS["_modules"] = (Module, *KINDS["_modules"][1:])


class ModuleList(Module):
    def __init__(self, modules=()):
        super().__init__()
        for module in modules:
            self.append(module)

    def append(self, module):
        self._modules[str(len(self))] = module
        return self

    def __getitem__(self, i):
        return list(self.children())[i]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return self.children()


class Sequential(ModuleList):
    def __init__(self, *modules):
        super().__init__(modules)

    def forward(self, input):
        for module in self:
            input = module(input)
        return input


class Linear(Module):
    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        bound = 1 / math.sqrt(in_features) if in_features else 0
        for name, *shape in (("weight", out_features, in_features), ("bias", out_features)):
            first = empty(shape, dtype=dtype).uniform_(-bound, bound) if bias or name == "weight" else None
            self.register_parameter(name, None if first is None else Parameter(first))

    def forward(self, input):
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Embedding(Module):
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, device=None, dtype=None):
        super().__init__()
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        self.weight = Parameter(empty(num_embeddings, embedding_dim, dtype=dtype).normal_())
        if padding_idx is not None:
            self.weight.detach()[padding_idx].fill_(0)

    def forward(self, input):
        return F.embedding(input, self.weight)

    def extra_repr(self):
        return f"{self.num_embeddings}, {self.embedding_dim}"


class LayerNorm(Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine, shape = eps, elementwise_affine, self.normalized_shape
        self.register_parameter("weight", Parameter(ones(shape, dtype=dtype)) if elementwise_affine else None)
        self.register_parameter("bias", Parameter(zeros(shape, dtype=dtype)) if elementwise_affine and bias else None)

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        own = f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        return f"{self.normalized_shape}, eps={self.eps}, {own}"


class Dropout(Module):
    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        require(0 <= p <= 1, "dropout", p)
        self.p, self.inplace = p, inplace

    def forward(self, input):
        return F.dropout(input, self.p, self.training)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


def _as_module(name: str, of) -> type:
    """A module for a function; it keeps the keyword arguments."""

    def __init__(self, **options):
        Module.__init__(self)
        self.options = options

    return type(name, (Module,), {"__init__": __init__, "forward": lambda self, *given: of(*given, **self.options)})


NonDynamicallyQuantizableLinear = type("NonDynamicallyQuantizableLinear", (Linear,), {})
ReLU, Tanh, Sigmoid = _as_module("ReLU", F.relu), _as_module("Tanh", F.tanh), _as_module("Sigmoid", F.sigmoid)
GELU, Softmax = _as_module("GELU", F.gelu), _as_module("Softmax", F.softmax)
CrossEntropyLoss, MSELoss = _as_module("CrossEntropyLoss", F.cross_entropy), _as_module("MSELoss", F.mse_loss)
Identity = _as_module("Identity", lambda input: input)
