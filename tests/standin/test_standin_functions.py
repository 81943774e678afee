"""The stand-in gives what PyTorch gives: numbers, dtypes, shapes, strides, gradients, errors, random numbers, text."""

import re

import pytest
import torch
import twins
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from attnbook.standin import torch as page

TABLES = twins.tables()
ERRORS = "errors", "errors in other words"  # those of the second table are PyTorch's in kind, not in wording
PLAIN = [name for name in TABLES if name not in (*ERRORS, "printed")]
ONCE = settings(max_examples=2, derandomize=True, deadline=None, database=None, phases=[Phase.generate])
cases = given(
    seed=st.integers(1, 10_000),
    dtype=st.sampled_from(["float64", "float32"]),
    layout=st.sampled_from(list(twins.LAYOUTS)),
)


def unequal(table: str, seed: int, dtype: str, layout: str) -> dict:
    """The lines of a table of which the two libraries make something different."""
    told = {}
    for line in TABLES[table]:
        pair = [twins.outcome(library, line, seed, dtype, layout) for library in (torch, page)]
        if found := twins.differences(*pair, line):
            told[line] = found
    return told


@pytest.mark.parametrize("table", PLAIN)
def test_every_line_once(table):
    assert not unequal(table, 3, "float64", "turned")


@pytest.mark.parametrize("table", PLAIN)
@ONCE
@cases
def test_every_line_gives_the_same(table, seed, dtype, layout):
    assert not unequal(table, seed, dtype, layout)


@ONCE
@cases
def test_errors_are_of_the_same_type_and_nearly_all_say_the_same(seed, dtype, layout):
    other_type, other_words = [], []
    for line in [line for table in ERRORS for line in TABLES[table]]:
        theirs, ours = (twins.outcome(library, line, seed, dtype, layout) for library in (torch, page))
        if not isinstance(theirs, Exception):
            continue  # these numbers are no mistake
        if type(theirs) is not type(ours):
            other_type.append((line, theirs, ours))
        elif line in TABLES["errors"] and str(theirs).splitlines()[:1] != str(ours).splitlines()[:1]:
            other_words.append(line)
    assert not other_type
    assert len(other_words) < 0.05 * len(TABLES["errors"])


def test_every_function_of_the_stand_in_stands_in_a_line():
    from attnbook.standin.torch._operations import FUNCTIONS

    text = " ".join(line for lines in TABLES.values() for line in lines)
    words = {word.removesuffix("_") for word in re.findall(r"\w+", text)}
    names = {
        name.removesuffix("_") for name in [*FUNCTIONS, *vars(page.Tensor), *vars(page.nn.functional)] if name[0] != "_"
    }
    assert not sorted(names - words - NOT_A_FUNCTION)


# attributes, what other tests look at, and what `nn.functional` imports
NOT_A_FUNCTION = {
    *("is_meta", "is_quantized", "is_nested", "is_sparse", "is_cuda", "layout", "cuda", "data_ptr", "n", "math"),
    *("Operations", "FUNCTIONS", "define", "must_be_tensor", "require", "default_generator", "flat", "new"),
}
