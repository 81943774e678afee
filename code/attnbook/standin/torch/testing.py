"""`torch.testing`: are two results equal?"""

from ._making import as_tensor
from ._missing import missing_from

TOLERANCE = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}


def assert_close(actual, expected, *, rtol=None, atol=None, equal_nan=False, check_dtype=True, msg=None, **_):
    """Raise an AssertionError unless both are about equal."""
    if isinstance(actual, tuple | list):
        for one, other in zip(actual, expected, strict=True):
            assert_close(one, other, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=check_dtype)
        return
    actual, expected = as_tensor(actual), as_tensor(expected)
    if actual.shape != expected.shape:
        raise AssertionError(f"The values for attribute 'shape' do not match: {actual.shape} != {expected.shape}.")
    if check_dtype and actual.dtype is not expected.dtype:
        raise AssertionError(f"The values for attribute 'dtype' do not match: {actual.dtype} != {expected.dtype}.")
    if rtol is None:
        pairs = [TOLERANCE.get(x.dtype.name, (0.0, 0.0)) for x in (actual, expected)]
        rtol, atol = max(pair[0] for pair in pairs), max(pair[1] for pair in pairs)
    expected = expected.to(actual.dtype)
    close = actual.isclose(expected, rtol=rtol, atol=atol, equal_nan=equal_nan)
    if not close.all():
        count, many = int((~close).sum()), close.numel()
        far = (actual - expected).abs().max() if actual.dtype.kind else actual ^ expected
        raise AssertionError(
            f"Tensor-likes are not close!\n\nMismatched elements: {count} / {many} ({100 * count / many:.1f}%)\n"
            f"Greatest absolute difference: {far.max().item()} (up to {atol} allowed)"
        )


__getattr__ = missing_from("torch.testing", globals())
