"""Modules: what owns parameters, and the layers that the book uses."""

import math
from collections import OrderedDict

from .._making import empty, ones, zeros
from .._tape import no_grad
from .._tensor import Tensor
from . import functional as F
from . import init
from .parameter import Buffer, Parameter

KINDS = "_parameters", "_modules", "_buffers"


def _kind(x) -> str:
    return "torch.nn.Parameter" if isinstance(x, Parameter) else x.type() if isinstance(x, Tensor) else type(x).__name__


class Module:
    """Owns parameters, buffers and other modules, by their names."""

    def __init__(self, *args, **kwargs):
        own = {"_parameters": {}, "_modules": {}, "_buffers": {}, "_unsaved": set(), "training": True}
        self.__dict__.update(own)

    def forward(self, *args, **kwargs):
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def __getattr__(self, name):
        for kind in KINDS:
            if name in self.__dict__.get(kind, ()):
                return self.__dict__[kind][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def __setattr__(self, name, value):
        own = self.__dict__
        new = next((k for k, of in zip(KINDS, (Parameter, Module, Buffer), strict=True) if isinstance(value, of)), None)
        if new and new not in own:
            what = {"_parameters": "parameters", "_modules": "module", "_buffers": "buffer"}[new]
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        old = next((kind for kind in KINDS if name in own.get(kind, ())), None)
        if new is None and old:
            if value is not None and not (old == "_buffers" and isinstance(value, Tensor)):
                what, wanted = {
                    "_parameters": ("parameter", "torch.nn.Parameter"),
                    "_modules": ("child module", "torch.nn.Module"),
                    "_buffers": ("buffer", "torch.nn.Buffer, torch.Tensor"),
                }[old]
                raise TypeError(f"cannot assign '{_kind(value)}' as {what} '{name}' ({wanted} or None expected)")
            own[old][name] = value
        elif new is None:
            object.__setattr__(self, name, value)
        else:
            own.pop(name, None)
            for kind in KINDS:
                if kind != new:
                    own[kind].pop(name, None)
            own[new][name] = value

    def __delattr__(self, name):
        for kind in KINDS:
            if name in self.__dict__[kind]:
                del self.__dict__[kind][name]
                return
        object.__delattr__(self, name)

    def __dir__(self):
        return [*object.__dir__(self), *(name for kind in KINDS for name in self.__dict__.get(kind, ()))]

    def register_parameter(self, name, param):
        self._parameters[name] = param

    def register_buffer(self, name, tensor, persistent=True):
        self._buffers[name] = tensor
        (self._unsaved.discard if persistent else self._unsaved.add)(name)

    def add_module(self, name, module):
        self._modules[name] = module

    register_module = add_module

    # --- what it owns ---

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        memo = set() if memo is None else memo
        if self not in memo:
            memo.add(self)
            yield prefix, self
            for name, module in self.named_children():
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name)

    def named_children(self):
        return ((name, module) for name, module in self._modules.items() if module is not None)

    def _named(self, kind, recurse=True, prefix=""):
        seen = set()
        for path, module in self.named_modules(prefix=prefix) if recurse else [(prefix, self)]:
            for name, x in module.__dict__[kind].items():
                if x is not None and id(x) not in seen:
                    seen.add(id(x))
                    yield f"{path}.{name}" if path else name, x

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        return self._named("_parameters", recurse, prefix)

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        return self._named("_buffers", recurse, prefix)

    def parameters(self, recurse=True):
        return (p for _, p in self.named_parameters(recurse=recurse))

    def buffers(self, recurse=True):
        return (b for _, b in self.named_buffers(recurse=recurse))

    def modules(self):
        return (m for _, m in self.named_modules())

    def children(self):
        return (m for _, m in self.named_children())

    def get_submodule(self, target):
        module = self
        for name in target.split(".") if target else ():
            module = getattr(module, name)
        return module

    def get_parameter(self, target):
        path, _, name = target.rpartition(".")
        return getattr(self.get_submodule(path), name)

    # --- its numbers ---

    def state_dict(self, *, prefix="", keep_vars=False):
        state = OrderedDict()
        for path, module in self.named_modules(prefix=prefix.rstrip(".")):
            for name, x in [*module._parameters.items(), *module._buffers.items()]:
                if x is not None and name not in module._unsaved:
                    state[f"{path}.{name}" if path else name] = x if keep_vars else x.detach()
        return state

    def load_state_dict(self, state_dict, strict=True, assign=False):
        own, problems = self.state_dict(keep_vars=True), []
        missing, strange = (
            [key for key in one if key not in other] for one, other in ((own, state_dict), (state_dict, own))
        )
        for what, keys in (("Unexpected", strange), ("Missing", missing)):
            if strict and keys:
                listed = ", ".join(f'"{key}"' for key in keys)
                problems.append(f"{what} key(s) in state_dict: {listed}. ")
        for key, x in own.items():
            if key in state_dict and x.shape != state_dict[key].shape:
                problems.append(
                    f"size mismatch for {key}: copying a param with shape {state_dict[key].shape} from checkpoint, the "
                    f"shape in current model is {x.shape}."
                )
            elif key in state_dict:
                with no_grad():
                    x.copy_(state_dict[key])
        if problems:
            listed = "\n\t".join(problems)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{listed}")
        return missing, strange

    def _apply(self, fn):
        for module in self.modules():
            for p in (p for p in module._parameters.values() if p is not None):
                p.data = fn(p.detach())
                p._gatherer = None
            for name, b in module._buffers.items():
                module._buffers[name] = None if b is None else fn(b)
        return self

    def to(self, *wishes, **named):
        def moved(x):
            y = x.to(*wishes, **named)
            return y if x.dtype.kind == 2 and y.dtype.kind == 2 else x.to(y.device)

        return self._apply(moved)

    def type(self, dst_type):
        return self.to(dst_type)

    def double(self):
        return self.to(F.n.float64)

    def float(self):
        return self.to(F.n.float32)

    def half(self):
        return self.to(F.n.float16)

    def cpu(self):
        return self.to("cpu")

    def apply(self, fn):
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

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

    # --- how it is written ---

    def extra_repr(self):
        return ""

    def __repr__(self):
        extra, name = self.extra_repr(), type(self).__name__
        children = [f"({key}): {module!r}".replace("\n", "\n  ") for key, module in self._modules.items()]
        if not children:
            return f"{name}({extra})"
        return "\n  ".join([f"{name}(", *[extra] * bool(extra), *children]) + "\n)"


class Sequential(Module):
    """Modules one after another."""

    def __init__(self, *modules):
        super().__init__()
        named = modules[0].items() if modules and isinstance(modules[0], dict) else enumerate(modules)
        for name, module in named:
            self.add_module(str(name), module)

    def forward(self, input):
        for module in self.children():
            input = module(input)
        return input

    def __getitem__(self, i):
        found = list(self.children())[i]
        return Sequential(*found) if isinstance(i, slice) else found

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return self.children()


class ModuleList(Module):
    """A list of modules."""

    def __init__(self, modules=()):
        super().__init__()
        self.extend(modules)

    def append(self, module):
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        for module in modules:
            self.append(module)
        return self

    def __getitem__(self, i):
        found = list(self.children())[i]
        return ModuleList(found) if isinstance(i, slice) else found

    __len__, __iter__ = Sequential.__len__, Sequential.__iter__


class Identity(Module):
    """Gives back what it gets."""

    def forward(self, input):
        return input


class Linear(Module):
    """x Wᵀ + b."""

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(empty(out_features, in_features, dtype=dtype))
        self.bias = None
        if bias:
            self.bias = Parameter(empty(out_features, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input):
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


NonDynamicallyQuantizableLinear = type("NonDynamicallyQuantizableLinear", (Linear,), {"__doc__": "A `Linear`."})


class Embedding(Module):
    """A table of vectors, one for each token."""

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, device=None, dtype=None):
        super().__init__()
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        self.weight = Parameter(empty(num_embeddings, embedding_dim, dtype=dtype))
        init.normal_(self.weight)
        if padding_idx is not None:
            with no_grad():
                self.weight[padding_idx].fill_(0)

    def forward(self, input):
        return F.embedding(input, self.weight)

    def extra_repr(self):
        return f"{self.num_embeddings}, {self.embedding_dim}"


class LayerNorm(Module):
    """Mean 0 and variance 1 along the last axes, then a learned scale and shift."""

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self.register_parameter("weight", None)
        self.register_parameter("bias", None)
        if elementwise_affine:
            self.weight = Parameter(ones(self.normalized_shape, dtype=dtype))
            if bias:
                self.bias = Parameter(zeros(self.normalized_shape, dtype=dtype))

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        own = f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        return f"{self.normalized_shape}, eps={self.eps}, {own}"


class Dropout(Module):
    """Zeros at random places, while training."""

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input):
        return F.dropout(input, self.p, self.training)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


def _pointwise(name: str, of) -> type:
    return type(name, (Module,), {"forward": lambda self, input: of(input), "__doc__": f"`{name}` as a module."})


ReLU, Tanh, Sigmoid = _pointwise("ReLU", F.relu), _pointwise("Tanh", F.tanh), _pointwise("Sigmoid", F.sigmoid)
GELU, ELU = _pointwise("GELU", F.gelu), _pointwise("ELU", F.elu)


class Softmax(Module):
    """Weights that sum to 1."""

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.softmax(input, self.dim)


class _Loss(Module):
    def __init__(self, **options):
        super().__init__()
        self.options = options

    def forward(self, input, target):
        return type(self).of(input, target, **self.options)


CrossEntropyLoss = type(
    "CrossEntropyLoss", (_Loss,), {"of": staticmethod(F.cross_entropy), "__doc__": "As the function."}
)
MSELoss = type("MSELoss", (_Loss,), {"of": staticmethod(F.mse_loss), "__doc__": "As the function."})
NLLLoss = type("NLLLoss", (_Loss,), {"of": staticmethod(F.nll_loss), "__doc__": "As the function."})
