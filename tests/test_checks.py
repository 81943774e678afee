"""Every check passes what is right, and for what is wrong says what was expected, what came, and what to do."""

import dataclasses
import functools
import math

import pytest
import torch
from torch import nn

from attnbook import checks
from attnbook.attention import sequence_mask
from tensors import DK, DV, B, D, H, S, T, inputs, randn, says

FLOAT = torch.zeros(T, S)
SHAPE = torch.Size([B, H, T, S])


def test_exports():
    assert set(checks.__all__) - {"aligned_shape", "kind_of", "has_values", "is_traced", "readable"} == {
        name for name in vars(checks) if name.startswith("check_")
    }


def test_right_arguments_pass():
    query, key, value = inputs()
    checks.check_tensor("x", FLOAT, min_dims=2)
    checks.check_tensor("x", FLOAT, dims=2)
    checks.check_features("x", FLOAT, "d_model", S)
    checks.check_features("x", FLOAT, "d_model", S, dims=2, module=nn.Linear(S, 2))
    wrapped = nn.Sequential(nn.Linear(S, 2).double())  # knows itself what it takes
    checks.check_features("x", FLOAT, "d_model", S, module=wrapped)
    checks.check_alike("a", FLOAT, "b", FLOAT[0])
    checks.check_query_key(query, key)
    checks.check_query_key(query, randn(B, S, DK), same_features=False)
    checks.check_query_key(randn(B, 1, T, D), randn(H, S, D))  # leading axes broadcast
    checks.check_value(query, key, value)
    checks.check_value(randn(B, 1, T, D), randn(S, D), randn(H, S, DV))
    checks.check_mask(torch.ones(B, 1, 1, S, dtype=torch.bool), SHAPE)
    checks.check_mask(torch.ones(T, S, dtype=torch.bool))
    checks.check_lengths(torch.tensor([0, S]), S)
    checks.check_lengths(torch.tensor([], dtype=torch.long), S)
    checks.check_valid_lens(torch.tensor([1, 2]), SHAPE)
    checks.check_valid_lens(torch.ones(B, T, dtype=torch.int32), SHAPE)
    checks.check_scores(torch.tensor([[0.0, -torch.inf]]))
    checks.check_scores(torch.zeros(0, T, S))
    for p in (0, 0.0, 0.999):
        checks.check_probability("dropout", p)
    for x in (1, 1e-300, torch.tensor([2.0])):
        checks.check_positive("width", x)
    for x in (0, -0.0, torch.tensor(0.0), 3):
        checks.check_positive("noise", x, or_zero=True)
    checks.check_number("w", -2)
    checks.check_integers("tokens", torch.ones(T, S, dtype=torch.uint8))
    checks.check_ids("ids", torch.tensor([[0, 12]], dtype=torch.int32), 13)
    checks.check_ids("ids", torch.ones(0, T, dtype=torch.long), 13)
    checks.check_count("n", 1)
    checks.check_count("n", 0, at_least=0)


WRONG = [
    (lambda: checks.check_tensor("query", [1.0]), TypeError,
     ("query must be a torch.Tensor", "list", "torch.as_tensor(query")),
    (lambda: checks.check_tensor("query", torch.arange(3)), TypeError,
     ("query must be a floating-point", "torch.int64", "query.float()")),
    (lambda: checks.check_tensor("query", torch.zeros(T), min_dims=2), ValueError,
     ("query must have at least 2 axes", f"({T},)", "[None]")),
    (lambda: checks.check_tensor("W", FLOAT, dims=1), ValueError, ("W must have 1 axes", f"({T}, {S})", "reshape it")),
    (lambda: checks.check_features("x", FLOAT, "d_model", T), ValueError,
     (f"x has size {S}, d_model is {T}; project it to that size",)),
    (lambda: checks.check_features("x", FLOAT, "d_model", S, dims=3), ValueError,
     ("x must have 3 axes", f"({T}, {S})")),
    (lambda: checks.check_features("x", [1.0], "d_model", S), TypeError, ("x must be a torch.Tensor", "list")),
    (lambda: checks.check_features("x", FLOAT.double(), "d_model", S, module=nn.Linear(S, 2)), TypeError,
     ("x is torch.float64, the layer is torch.float32",)),
    (lambda: checks.check_features("x", FLOAT.to("meta"), "d_model", S, module=nn.Linear(S, 2)), ValueError,
     ("x is on meta, the layer is on cpu",)),
    (lambda: checks.check_alike("key", FLOAT, "value", FLOAT.double()), TypeError,
     ("key is torch.float32", "value is torch.float64", "one dtype")),
    (lambda: checks.check_alike("key", FLOAT, "value", FLOAT.to("meta")), ValueError,
     ("key is on cpu", "value is on meta", "one device")),
    (lambda: checks.check_query_key(randn(T, D), randn(S, DK)), ValueError,
     (f"query has size {D}, key has size {DK}", "project both to one size")),
    (lambda: checks.check_query_key(randn(T, D), randn(0, D)), ValueError,
     (f"(0, {D})", "no key to attend to", "at least one")),
    (lambda: checks.check_keys("memory", randn(B, 0, D)), ValueError,
     (f"memory has shape ({B}, 0, {D}): no key to attend to; pass at least one",)),
    (lambda: checks.check_query_key(randn(2, T, D), randn(3, S, D)), ValueError,
     ("leading (batch) axes of query are (2,), those of key (3,)", "broadcast")),
    (lambda: checks.check_query_key(randn(T, D), randn(S, D).float()), TypeError,
     ("query is torch.float64, key is torch.float32",)),
    (lambda: checks.check_query_key(randn(D), randn(S, D)), ValueError, ("query must have at least 2 axes",)),
    (lambda: checks.check_query_key(randn(T, D), randn(D)), ValueError, ("key must have at least 2 axes",)),
    (lambda: checks.check_value(randn(T, D), randn(S, D), randn(T, DV)), ValueError,
     (f"the number of keys is {S}", f"values is {T}", "one value for each key")),
    (lambda: checks.check_value(randn(2, T, D), randn(2, S, D), randn(3, S, DV)), ValueError,
     ("leading (batch) axes of key are (2,), those of value (3,)",)),
    (lambda: checks.check_value(randn(2, T, D), randn(1, S, D), randn(3, S, DV)), ValueError,
     ("leading (batch) axes of query are (2,), those of value (3,)",)),
    (lambda: checks.check_value(randn(T, D), randn(S, D), randn(S, DV).half()), TypeError,
     ("key is torch.float64, value is torch.float16",)),
    (lambda: checks.check_mask([[True]], SHAPE), TypeError,
     ("mask must be a bool tensor (True = may attend)", "list", "make one with torch.tensor([...])")),
    (lambda: checks.check_mask(torch.ones(T, S), SHAPE), TypeError,
     ("torch.float32", "from_binary", "from_additive", "from_blocked")),
    (lambda: checks.check_mask(torch.ones(S, T, dtype=torch.bool), SHAPE), ValueError,
     (f"({S}, {T})", f"does not broadcast to the scores' {tuple(SHAPE)}", "(queries, keys)")),
    # it broadcasts *with* the scores, but not *to* them: it would make more of them
    (lambda: checks.check_mask(torch.ones(4, B, H, T, S, dtype=torch.bool), SHAPE), ValueError,
     ("does not broadcast",)),
    (lambda: checks.check_lengths([2, 3], S), TypeError,
     ("valid_lens must be a tensor of integers", "list", "torch.tensor")),
    (lambda: checks.check_lengths(torch.tensor([2.0]), S), TypeError,
     ("valid_lens must hold integers", "torch.float32", "torch.long")),
    (lambda: checks.check_lengths(torch.tensor([True]), S), TypeError,
     ("valid_lens must hold integers, got torch.bool; a mask goes in as mask=", "mask.sum(-1)")),
    *(
        (lambda dtype=dtype: sequence_mask(torch.tensor([1, 3]).to(dtype), 4), TypeError,
         (f"valid_lens is {dtype}", "hardly computes; convert it with valid_lens.long()"))
        for dtype in (torch.uint16, torch.uint32, torch.uint64)
    ),
    (lambda: checks.check_lengths(torch.tensor([1j]), S), TypeError, ("torch.complex64",)),
    (lambda: checks.check_lengths(torch.tensor([2, S + 1]), S), ValueError,
     (f"between 0 and the number of keys, {S}; got {S + 1}",)),
    (lambda: checks.check_lengths(torch.tensor([2, -1]), S), ValueError,
     (f"between 0 and the number of keys, {S}; got -1",)),
    (lambda: checks.check_valid_lens(torch.tensor([1, 2]), SHAPE[2:]), ValueError,
     ("needs scores with a batch axis", f"({T}, {S})", "pass a mask")),
    (lambda: checks.check_valid_lens(torch.ones(T, dtype=torch.long), SHAPE), ValueError,
     (f"({B},), one length per sequence", f"({B}, {T})", f"got ({T},)")),
    (lambda: checks.check_valid_lens(torch.ones(B, S, dtype=torch.long), SHAPE), ValueError,
     (f"({B}, {T})", f"got ({B}, {S})")),
    (lambda: checks.check_valid_lens((1, 2), SHAPE), TypeError, ("valid_lens must be a tensor of integers", "tuple")),
    (lambda: checks.check_scores(torch.tensor([[0.0, 1.0], [2.0, torch.nan]])), ValueError,
     ("scores holds nan at index (1, 1)", "division by zero")),
    (lambda: checks.check_scores(torch.tensor([[0.0, torch.inf]])), ValueError,
     ("scores holds inf at index (0, 1)", "65504")),
    (lambda: checks.check_scores(torch.zeros(T, 0)), ValueError, (f"({T}, 0)", "key axis is empty", "at least one")),
    (lambda: checks.check_scores(torch.zeros(S)), ValueError, ("scores must have at least 2 axes", f"({S},)")),
    (lambda: checks.check_scores(torch.zeros(T, S, dtype=torch.long)), TypeError,
     ("scores must be a floating-point tensor", "torch.int64")),
    (lambda: checks.check_probability("dropout", "0.1"), TypeError,
     ("dropout must be a number", "str", "an int or a float")),
    (lambda: checks.check_probability("dropout", True), TypeError, ("dropout must be a number", "bool")),
    (lambda: checks.check_probability("dropout", 1), ValueError,
     ("dropout must be at least 0 and below 1, got 1; pass a fraction",)),
    (lambda: checks.check_probability("dropout", -0.1), ValueError, ("got -0.1",)),
    (lambda: checks.check_probability("dropout", math.nan), ValueError, ("got nan",)),
    (lambda: checks.check_positive("width", 0), ValueError, ("width must be a finite number above 0, got 0",)),
    (lambda: checks.check_positive("width", math.inf), ValueError, ("got inf",)),
    (lambda: checks.check_positive("width", math.nan), ValueError, ("got nan",)),
    (lambda: checks.check_positive("width", torch.tensor(-1.0)), ValueError, ("got -1.0",)),
    (lambda: checks.check_positive("width", torch.ones(2)), TypeError, ("width must be a number", "Tensor")),
    (lambda: checks.check_positive("width", True), TypeError, ("width must be a number", "bool")),
    (lambda: checks.check_positive("noise", -1, or_zero=True), ValueError,
     ("noise must be a finite number of at least 0, got -1",)),
    (lambda: checks.check_positive("noise", math.nan, or_zero=True), ValueError, ("got nan",)),
    (lambda: checks.check_positive("noise", None, or_zero=True), TypeError, ("noise must be a number",)),
    (lambda: checks.check_number("w", -math.inf), ValueError,
     ("w must be a finite number, got -inf", "division by zero")),
    (lambda: checks.check_number("w", "1"), TypeError, ("w must be a number, got str",)),
    (lambda: checks.check_ids("ids", torch.tensor([[3, 13]]), 13), ValueError,
     ("ids holds the id 13, beyond the vocabulary of 13 (0 … 12)", "another vocabulary?")),
    (lambda: checks.check_ids("ids", torch.tensor([[3, -1]]), 13), ValueError, ("ids holds the id -1",)),
    (lambda: checks.check_ids("ids", torch.tensor([3]), 13), ValueError, ("ids must be (B, T)", "[None]")),
    (lambda: checks.check_ids("ids", [[3]], 13), TypeError, ("ids must be a tensor of token ids", "list")),
    (lambda: checks.check_count("n", 2.0), TypeError, ("n must be an integer", "float", "int(n)")),
    (lambda: checks.check_count("n", True), TypeError, ("n must be an integer", "bool")),
    (lambda: checks.check_count("n", 1, at_least=2), ValueError, ("n must be at least 2, got 1",)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "error", "message"), WRONG, ids=[f"{n}-{row[2][0][:40]}" for n, row in enumerate(WRONG)]
)
def test_wrong_arguments_are_told_why(call, error, message):
    with pytest.raises(error, match=says(*message)):
        call()


def test_fields_of_a_configuration_whose_annotations_are_texts():
    """As they all are below `from __future__ import annotations`, which a module may get at any time."""
    for kinds in ({"layers": int, "rate": float, "tied": bool}, {"layers": "int", "rate": "float", "tied": "bool"}):
        sizes = functools.partial(dataclasses.make_dataclass("Sizes", kinds.items()), layers=1, rate=0.5, tied=True)
        checks.check_fields(sizes())
        checks.check_fields(sizes(tied=False))
        with pytest.raises(TypeError, match="layers must be an integer, got float"):
            checks.check_fields(sizes(layers=1.0))
        with pytest.raises(ValueError, match="layers must be at least 1, got 0"):
            checks.check_fields(sizes(layers=0))
        for odd in ("no", 1, None):
            with pytest.raises(TypeError, match=f"tied must be True or False, got {odd!r}"):
                checks.check_fields(sizes(tied=odd))


def test_autocast_converts_dtypes_so_they_may_differ():
    with torch.autocast("cpu", dtype=torch.bfloat16):
        checks.check_alike("query", FLOAT, "W_q", FLOAT.bfloat16())
    with pytest.raises(TypeError, match="one dtype"):
        checks.check_alike("query", FLOAT, "W_q", FLOAT.bfloat16())


def test_values_that_cannot_be_read_are_not_read():
    checks.check_lengths(torch.ones(B, dtype=torch.long, device="meta"), S)
    checks.check_scores(torch.zeros(T, S, device="meta"))
