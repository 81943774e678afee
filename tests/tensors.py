"""Small tensors for the tests.

Every axis has its own prime, so that a swapped axis cannot pass, and the values are moderate, so that no softmax
saturates: a one-hot softmax would pass without the scale, without the width, and with half of the keys gone.
"""

import re

import torch
from hypothesis import settings

B, H, T, S, D, DK, DV, HIDDEN = 2, 3, 5, 7, 11, 19, 13, 17
LENGTHS = (3, 6)  # valid lengths of the B sequences: different, and neither 0 nor S
QUERY_LENGTHS = ((1, 7, 3, 2, 5), (4, 2, 6, 1, 3))  # (B, T)

DEVICES = ["cpu", *["cuda"] * torch.cuda.is_available()]
TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5}  # what the book promises
HALF = [torch.float16, torch.bfloat16]
HALF_TOLERANCE = {torch.float16: 4e-3, torch.bfloat16: 3e-2}  # a few units in the last place of numbers near 1

PROPERTY = settings(max_examples=30, deadline=None, derandomize=True, database=None)


def generator(seed=0):
    """A generator of random numbers, the same ones for the same seed."""
    return torch.Generator().manual_seed(seed)


def randn(*shape, seed=0, dtype=torch.float64, device="cpu", grad=False):
    """Normal numbers of standard deviation 0.7, the same ones for the same seed, on any device and in any dtype."""
    numbers = torch.randn(*shape, generator=generator(seed), dtype=torch.float64)
    return (0.7 * numbers).to(device, dtype).requires_grad_(grad)


def coin(*shape, seed=0, device="cpu"):
    """A random bool tensor, True three times out of five."""
    return (torch.rand(*shape, generator=generator(seed)) < 0.6).to(device)


def inputs(lead=(B,), key_size=D, dtype=torch.float64, device="cpu", grad=False):
    """Query (…, T, D), key (…, S, key_size) and value (…, S, DV), for the given leading axes."""
    shapes = (T, D), (S, key_size), (S, DV)
    return tuple(
        randn(*lead, *shape, seed=seed, dtype=dtype, device=device, grad=grad)
        for seed, shape in enumerate(shapes, start=1)
    )


def close(actual, expected, tolerance=1e-10, dtype=None):
    """Assert equal shapes and dtypes, and values within an absolute tolerance."""
    torch.testing.assert_close(actual, expected, rtol=0, atol=tolerance, check_dtype=dtype is None)
    if dtype is not None:
        assert actual.dtype == dtype


def says(*parts):
    """A pattern for `match=`: these parts, word for word, in this order."""
    return ".*".join(re.escape(part) for part in parts)


def fill(module, scale=0.2):
    """Give a module weights of a moderate size, the same ones every time; norms keep theirs near 1."""
    with torch.no_grad():
        for seed, (name, parameter) in enumerate(module.named_parameters(), start=21):
            numbers = scale * randn(*parameter.shape, seed=seed) / 0.7
            near = 1 if "norm" in name and name.endswith("weight") else 0
            parameter.copy_(near + numbers)
    return module
