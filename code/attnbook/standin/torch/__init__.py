"""A stand-in for PyTorch in plain Python, for tensors of a few hundred numbers: what exercises and try-it cells use.

Where to look: `_numbers` dtypes, `_layout` strides, `_tensor` the class, `_tape` gradients, `_operations` how a
function becomes one of torch; then the functions themselves, by topic.
"""

import math as _math

from . import _choosing, _elementwise, _making, _printing, _products, _random, _reductions, _views  # noqa: F401
from . import _numbers as _n
from ._missing import missing_from as _missing_from
from ._numbers import (  # noqa: F401
    Size,
    bfloat16,
    complex64,
    complex128,
    contiguous_format,
    device,
    dtype,
    finfo,
    float8_e4m3fn,
    float16,
    float32,
    float64,
    get_default_dtype,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    layout,
    preserve_format,
    promote_types,
    result_type,
    set_default_dtype,
    sparse_coo,
    strided,
    uint8,
)
from ._operations import FUNCTIONS as _FUNCTIONS
from ._random import Generator, default_generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state  # noqa: F401
from ._tape import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled  # noqa: F401
from ._tensor import Tensor

__version__ = "2.13.0+page"
inf, nan, pi, e, newaxis = _math.inf, _math.nan, _math.pi, _math.e, None
bool, float, double, half = _n.bool_, float32, float64, float16
long, int, short, cfloat, cdouble = int64, int32, int16, complex64, complex128
globals().update(_FUNCTIONS)


def is_tensor(obj):
    """Whether something is a tensor."""
    return isinstance(obj, Tensor)


def is_floating_point(input):
    """Whether a tensor holds floating-point numbers."""
    return input.is_floating_point()


def is_complex(input):
    """Whether a tensor holds complex numbers."""
    return input.is_complex()


def numel(input):
    """How many numbers a tensor holds."""
    return input.numel()


def real(input):
    """The real parts."""
    return input.real


def imag(input):
    """The imaginary parts."""
    return input.imag


def is_autocast_enabled(*_):
    """Never, here."""
    return False


def _nothing(*_, **__):
    """What has no meaning here is passed over."""


set_num_threads = use_deterministic_algorithms = set_float32_matmul_precision = _nothing


class SymInt:
    """No size is one of these, here."""


class compiler:
    """`torch.compiler`: nothing is compiled here."""

    @staticmethod
    def is_compiling():
        """Never, here."""
        return False


from . import autograd, cuda, linalg, nested, nn, optim, random, special, testing, utils  # noqa: E402, F401

for _thing in (Size, device, dtype, finfo, iinfo, Generator):
    _thing.__module__ = "torch"
__getattr__ = _missing_from("torch", globals())
