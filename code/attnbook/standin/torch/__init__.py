"""A stand-in for PyTorch in plain Python, for tensors of a few hundred numbers: what exercises and try-it cells use.

Where to look: `_numbers` dtypes, `_layout` strides, `_tensor` the class, `_tape` gradients, `_operations` how a
function becomes one of torch; then the functions themselves, by topic; `_modules` the small modules of torch.
"""

import math as _math
import sys as _sys

from . import _choosing, _elementwise, _making, _printing, _products, _random, _reductions, _views  # noqa: F401
from . import _numbers as _n
from ._missing import missing_from as _missing_from
from ._numbers import Size, device, dtype, finfo, promote_types, result_type  # noqa: F401
from ._operations import FUNCTIONS as _FUNCTIONS
from ._random import Generator, default_generator  # noqa: F401
from ._tape import enable_grad, inference_mode, is_grad_enabled, no_grad  # noqa: F401
from ._tensor import Tensor

__version__ = "2.13.0+page"
inf, nan, pi, e, newaxis = _math.inf, _math.nan, _math.pi, _math.e, None
globals().update({_d.name: _d for _d in _n.DTYPES})
bool, float, double, half = _n.bool_, _n.float32, _n.float64, _n.float16
long, int, short, cfloat, cdouble = _n.int64, _n.int32, _n.int16, _n.complex64, _n.complex128
strided, sparse_coo, contiguous_format, preserve_format = (
    f"torch.{_name}" for _name in ("strided", "sparse_coo", "contiguous_format", "preserve_format")
)
set_printoptions = _printing.set_printoptions
manual_seed, initial_seed = default_generator.manual_seed, default_generator.initial_seed
get_rng_state, set_rng_state = default_generator.get_state, default_generator.set_state


_ABOUT = {
    "is_tensor": lambda obj: isinstance(obj, Tensor),
    "is_floating_point": Tensor.is_floating_point,
    "is_complex": Tensor.is_complex,
    "numel": Tensor.numel,
    "get_default_dtype": lambda: _n.default,
    "is_autocast_enabled": lambda *_: False,
    "use_deterministic_algorithms": lambda *_, **__: None,
    "set_num_threads": lambda *_: None,
}
globals().update(_FUNCTIONS | _ABOUT)


class SymInt:
    """No size is one of these, here."""


class compiler:
    """`torch.compiler`: nothing is compiled here."""

    is_compiling = staticmethod(lambda: False)


from . import _modules, nn  # noqa: E402, F401

for _path in ("", ".nn", ".nn.functional", *(f".{path}" for path in _modules.CONTENTS)):
    _module = _sys.modules[__name__ + _path]
    _module.__getattr__ = _missing_from(_module)
