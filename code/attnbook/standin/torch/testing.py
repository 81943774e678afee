"""`torch.testing`: are two results equal?"""

from ._making import as_tensor
from ._missing import missing_from

TOLERANCE = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}


def assert_close(actual, expected, *, rtol=None, atol=None, equal_nan=False, check_dtype=True):
    """Raise an AssertionError unless both are about equal."""
    if isinstance(actual, tuple | list):
        for one, other in zip(actual, expected, strict=True):
            assert_close(one, other, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=check_dtype)
        return
    actual, expected = as_tensor(actual), as_tensor(expected)
    for what, differ in (("shape", actual.shape != expected.shape), ("dtype", actual.dtype is not expected.dtype)):
        if differ and (check_dtype or what == "shape"):
            pair = f"{getattr(actual, what)} != {getattr(expected, what)}"
            raise AssertionError(f"The values for attribute '{what}' do not match: {pair}.")
    if rtol is None:
        rtol, atol = map(max, *(TOLERANCE.get(x.dtype.name, (0.0, 0.0)) for x in (actual, expected)))
    close = actual.isclose(expected.to(actual.dtype), rtol=rtol, atol=atol, equal_nan=equal_nan)
    if not close.all():
        count, many = int((~close).sum()), close.numel()
        far = (actual.double() - expected.double()).abs().max().item()
        raise AssertionError(
            f"Tensor-likes are not close!\n\nMismatched elements: {count} / {many} ({100 * count / many:.1f}%)\n"
            f"Greatest absolute difference: {far} (up to {atol} allowed)"
        )


__getattr__ = missing_from("torch.testing", globals())
