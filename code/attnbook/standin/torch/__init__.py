"""A stand-in for PyTorch in plain Python, for tensors of a few hundred numbers: what exercises and try-it cells use.

Where to look: `_numbers` dtypes and strides, `_tensor` the class and gradients, `_operations` how a function becomes
one of torch; then the functions themselves, by topic; `_modules` the small modules of torch.
"""

import math as _math
import sys as _sys

from . import _elementwise, _making, _reductions, _views, _written  # noqa: F401
from . import _numbers as _n
from . import _tensor as _t
from ._making import Generator, default_generator  # noqa: F401
from ._missing import missing_from as _missing_from
from ._numbers import Size, device, dtype, finfo, promote_types, result_type  # noqa: F401
from ._operations import FUNCTIONS as _FUNCTIONS
from ._tensor import Tensor, enable_grad, inference_mode, no_grad  # noqa: F401
from ._written import set_printoptions  # noqa: F401

__version__ = "2.13.0+page"
inf, nan, pi, e, newaxis = _math.inf, _math.nan, _math.pi, _math.e, None
globals().update({_d.name: _d for _d in _n.DTYPES})
bool, float, double, half = _n.bool_, _n.float32, _n.float64, _n.float16
long, int, short, cfloat, cdouble = _n.int64, _n.int32, _n.int16, _n.complex64, _n.complex128
strided, contiguous_format, SymInt = "torch.strided", "torch.contiguous_format", type("SymInt", (), {})
manual_seed = default_generator.manual_seed
_ABOUT = {_f: getattr(Tensor, _f) for _f in ("is_floating_point", "is_complex", "is_inference", "numel")} | {
    "is_tensor": lambda obj: isinstance(obj, Tensor),
    "get_default_dtype": lambda: _n.default,
    "is_grad_enabled": lambda: _t.recording[0],
    "is_inference_mode_enabled": lambda: _t.inferring[0],
    "is_autocast_enabled": lambda *_: False,
}
globals().update(_FUNCTIONS | _ABOUT)

from . import _modules, nn  # noqa: E402, F401

for _path in ("", ".nn", ".nn.functional", *(f".{path}" for path in _modules.CONTENTS)):
    _module = _sys.modules[__name__ + _path]
    _module.__getattr__ = _missing_from(_module)
