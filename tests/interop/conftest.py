"""The other book's code."""

import pytest

from attnbook.interop import load_d2l


@pytest.fixture(scope="module")
def d2l():
    return load_d2l()
