"""`torch.nn`: what owns parameters, the layers that the book uses, and `MultiheadAttention`."""

import math
from collections import OrderedDict

from .. import _numbers as n
from .._making import empty, full, ones, tensor, zeros
from .._missing import NotInThePage, absent, error, require
from .._tensor import Tensor, no_grad
from . import functional as F


class Parameter(Tensor):
    def __new__(cls, data=None, requires_grad=True):
        x = object.__new__(cls)
        x._set(tensor([]) if data is None else data)
        x._wants = requires_grad
        return x


class Module:
    """Parameters, buffers and children are plain attributes."""

    training = True

    def __init__(self):
        self.__dict__["_kept"] = {}  # the names of buffers, and whether they belong to the state

    def forward(self, *args, **kwargs):
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def __getattr__(self, name):
        raise absent("nn.Module.", name, self, f"'{type(self).__name__}' object")

    def __setattr__(self, name, value):
        for kind, a, several in ((Parameter, "parameter", "parameters"), (Module, "child module", "module")):
            require("_kept" in self.__dict__ or not isinstance(value, kind), "module-early", several)
            if isinstance(self.__dict__.get(name), kind) and not isinstance(value, Parameter | Module | None):
                came = value.type() if isinstance(value, Tensor) else type(value).__name__
                raise error("module-kind", came, a, name, f"torch.nn.{kind.__name__}")
        object.__setattr__(self, name, value)

    register_parameter = __setattr__

    def register_buffer(self, name, tensor, persistent=True):
        self.__dict__[name], self._kept[name] = tensor, persistent

    def named_modules(self, prefix=""):
        yield prefix, self
        for name, module in vars(self).items():
            if isinstance(module, Module):
                yield from module.named_modules(f"{prefix}.{name}" if prefix else name)

    def _named(self):
        """Path, name, value and owner of all parameters and buffers."""
        for path, module in self.named_modules():
            for name, x in vars(module).items():
                if isinstance(x, Parameter) or (name in module._kept and x is not None):
                    yield f"{path}.{name}" if path else name, name, x, module

    def named_parameters(self, recurse=True):
        seen = {}
        for path, _, x, owner in self._named():
            if isinstance(x, Parameter) and (recurse or owner is self) and seen.setdefault(id(x), path) == path:
                yield path, x

    def parameters(self, recurse=True):
        return (p for _, p in self.named_parameters(recurse))

    def modules(self):
        return (m for _, m in self.named_modules())

    def children(self):
        return (m for m in vars(self).values() if isinstance(m, Module))

    def state_dict(self, *, keep_vars=False):
        owned = [(path, x) for path, name, x, owner in self._named() if owner._kept.get(name, True)]
        return OrderedDict((path, x if keep_vars else x.detach()) for path, x in owned)

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
        for _, _, x, _ in self._named():
            if x.dtype.kind == 2:
                x.data, x._gatherer = x.detach().to(*wishes, **named), None
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
        return SHOWN.get(type(self).__name__, "").format(self, self.__dict__.get("bias") is not None)

    def __repr__(self):
        extra, name = self.extra_repr(), type(self).__name__
        children = [(key, module) for key, module in vars(self).items() if isinstance(module, Module)]
        children = [f"({key}): {module!r}".replace("\n", "\n  ") for key, module in children]
        if not children:
            return f"{name}({extra})"
        return "\n  ".join([f"{name}(", *[extra] * bool(extra), *children]) + "\n)"


class ModuleList(Module):
    def __init__(self, modules=()):
        super().__init__()
        for module in modules:
            self.append(module)

    def append(self, module):
        setattr(self, str(len(self)), module)
        return self

    def __getitem__(self, i):
        return list(self.children())[i]

    def __len__(self):
        return len(list(self.children()))

    __iter__ = Module.children


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


class Embedding(Module):
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, device=None, dtype=None):
        super().__init__()
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        self.weight = Parameter(empty(num_embeddings, embedding_dim, dtype=dtype).normal_())
        if padding_idx is not None:
            self.weight.detach()[padding_idx].fill_(0)

    def forward(self, input):
        return F.embedding(input, self.weight)


class LayerNorm(Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine, shape = eps, elementwise_affine, self.normalized_shape
        self.register_parameter("weight", Parameter(ones(shape, dtype=dtype)) if elementwise_affine else None)
        self.register_parameter("bias", Parameter(zeros(shape, dtype=dtype)) if elementwise_affine and bias else None)

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class Dropout(Module):
    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        require(0 <= p <= 1, "dropout", p)
        self.p, self.inplace = p, inplace

    def forward(self, input):
        return F.dropout(input, self.p, self.training)


def _as_module(name: str, of) -> type:
    """A module for a function; it keeps the keyword arguments."""

    def __init__(self, **options):
        Module.__init__(self)
        self.options = options

    return type(name, (Module,), {"__init__": __init__, "forward": lambda self, *given: of(*given, **self.options)})


ReLU, Tanh, Sigmoid = _as_module("ReLU", F.relu), _as_module("Tanh", F.tanh), _as_module("Sigmoid", F.sigmoid)
GELU, SiLU, Softmax = _as_module("GELU", F.gelu), _as_module("SiLU", F.silu), _as_module("Softmax", F.softmax)
CrossEntropyLoss, MSELoss = _as_module("CrossEntropyLoss", F.cross_entropy), _as_module("MSELoss", F.mse_loss)
Identity = _as_module("Identity", lambda input: input)
NonDynamicallyQuantizableLinear = type("NonDynamicallyQuantizableLinear", (Linear,), {})
SHOWN = {  # what a layer is written with
    "Linear": "in_features={0.in_features}, out_features={0.out_features}, bias={1}",
    "Embedding": "{0.num_embeddings}, {0.embedding_dim}",
    "LayerNorm": "{0.normalized_shape}, eps={0.eps}, elementwise_affine={0.elementwise_affine}, bias={1}",
    "Dropout": "p={0.p}, inplace={0.inplace}",
}
SHOWN["NonDynamicallyQuantizableLinear"] = SHOWN["Linear"]
WEIGHTS = "in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"


def xavier_uniform_(tensor, gain=1.0, generator=None):
    bound = gain * math.sqrt(6.0 / sum(tensor.shape))
    return no_grad(Tensor.uniform_)(tensor, -bound, bound, generator=generator)


class MultiheadAttention(Module):
    def __init__(
        self, embed_dim, num_heads, dropout=0.0, bias=True, *, kdim=None, vdim=None, batch_first=False, device=None,
        dtype=None,
    ):  # fmt: skip
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim, self.vdim, self.head_dim = kdim or embed_dim, vdim or embed_dim, embed_dim // num_heads
        require(self.head_dim * num_heads == embed_dim, "heads-size")
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        shapes = {"in_proj_weight": (3 * embed_dim, embed_dim)}
        if not self._qkv_same_embed_dim:
            sizes = zip(WEIGHTS[1:], (embed_dim, self.kdim, self.vdim), strict=True)
            shapes = {name: (embed_dim, size) for name, size in sizes}
        for name in (*WEIGHTS, "in_proj_bias"):
            self.register_parameter(name, None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, dtype=dtype)
        for name, shape in shapes.items():
            setattr(self, name, Parameter(xavier_uniform_(empty(shape, dtype=dtype))))
        if bias:
            self.in_proj_bias = Parameter(zeros(3 * embed_dim, dtype=dtype))
            self.out_proj.bias.data.zero_()

    def forward(
        self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True,
        is_causal=False,
    ):  # fmt: skip
        """Attend; masks are bool with True = may *not* attend, or numbers that are added to the scores."""
        single = query.dim() == 2
        if not self.batch_first and not single:
            query, key, value = (x.transpose(0, 1) for x in (query, key, value))
        query, key, value = (x.unsqueeze(0) if single else x for x in (query, key, value))
        require(query.shape[-1] == self.embed_dim, "heads-query", self.embed_dim, query.shape[-1])
        separate = [getattr(self, name) for name in WEIGHTS[1:]]
        weights = self.in_proj_weight.chunk(3) if self._qkv_same_embed_dim else separate
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        heads = [
            F.linear(x, w, b).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for x, w, b in zip((query, key, value), weights, biases, strict=True)
        ]
        scores = heads[0].matmul(heads[1].transpose(-2, -1)) / math.sqrt(self.head_dim)
        masks, batch = [], len(query)
        if attn_mask is not None:
            masks.append(attn_mask if attn_mask.dim() == 2 else attn_mask.unflatten(0, (batch, self.num_heads)))
        if key_padding_mask is not None:
            masks.append(key_padding_mask.reshape(batch, 1, 1, -1))
        for mask in masks:
            scores = scores.masked_fill(mask, -math.inf) if mask.dtype is n.bool_ else scores + mask
        weights = F.dropout(scores.softmax(-1), self.dropout, self.training)
        out = self.out_proj(weights.matmul(heads[2]).transpose(1, 2).flatten(2))
        weights = (weights.mean(1) if average_attn_weights else weights) if need_weights else None
        if single:
            return out.squeeze(0), weights if weights is None else weights.squeeze(0)
        return out if self.batch_first else out.transpose(0, 1), weights


class Transformer(Module):
    """Here only its mask."""

    def __init__(self, *_, **__):
        raise NotInThePage("nn.Transformer")

    @staticmethod
    def generate_square_subsequent_mask(sz, device=None, dtype=None):
        return full((sz, sz), -math.inf, dtype=dtype or n.default).triu(1)
