"""Masks and the masked softmax: against loops, PyTorch and by hand, in values and in gradients."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

import naive
from attnbook.attention import (
    causal_mask,
    combine_masks,
    from_additive,
    from_binary,
    from_blocked,
    masked_softmax,
    sequence_mask,
    to_additive,
    to_binary,
    to_blocked,
)
from tensors import (
    DEVICES,
    HALF,
    HALF_TOLERANCE,
    LENGTHS,
    PROPERTY,
    QUERY_LENGTHS,
    TOLERANCE,
    B,
    D,
    H,
    S,
    T,
    close,
    coin,
    inputs,
    randn,
    says,
)

LENS, QUERY_LENS = torch.tensor(LENGTHS), torch.tensor(QUERY_LENGTHS)


def by_loops(scores, mask):
    """The naive masked softmax, over any leading axes."""
    mask = mask.expand(scores.shape)
    rows = [
        naive.masked_softmax(s, m)
        for s, m in zip(scores.reshape(-1, *scores.shape[-2:]), mask.reshape(-1, *scores.shape[-2:]), strict=True)
    ]
    return torch.stack(rows).reshape(scores.shape)


def lengths_by_loops(lengths, shape):
    """bool (B, H, T, S) from lengths (B,) or (B, T), one cell at a time."""
    mask = torch.zeros(shape, dtype=torch.bool)
    for b in range(shape[0]):
        for i in range(shape[-2]):
            count = lengths[b][i] if isinstance(lengths[b], tuple) else lengths[b]
            mask[b, ..., i, :count] = True
    return mask


# --- sequence_mask ---------------------------------------------------------------------------------------------------


def test_sequence_mask_by_hand():
    assert sequence_mask(torch.tensor([2, 0, 3]), 3).int().tolist() == [[1, 1, 0], [0, 0, 0], [1, 1, 1]]


@PROPERTY
@given(lengths=st.lists(st.integers(0, S), max_size=5), dtype=st.sampled_from([torch.int64, torch.int32, torch.uint8]))
def test_sequence_mask_is_a_prefix_of_each_length(lengths, dtype):
    mask = sequence_mask(torch.tensor(lengths, dtype=dtype), S)
    assert mask.dtype == torch.bool and mask.shape == (len(lengths), S)
    assert mask.sum(-1).tolist() == lengths
    assert (mask.int().diff(dim=-1) <= 0).all()


def test_sequence_mask_adds_one_axis_to_any_shape():
    assert sequence_mask(QUERY_LENS, S).shape == (B, T, S)
    assert sequence_mask(torch.tensor(2), S).tolist() == [True] * 2 + [False] * (S - 2)
    assert sequence_mask(torch.zeros(0, T, dtype=torch.long), S).shape == (0, T, S)
    assert sequence_mask(torch.zeros(B, dtype=torch.long), 0).shape == (B, 0)
    assert sequence_mask(torch.ones(B, dtype=torch.long, device="meta"), S).device.type == "meta"


@pytest.mark.parametrize(
    ("lengths", "num_keys", "error", "message"),
    [
        ([2], 3, TypeError, ("valid_lens must be a tensor of integers", "list", "torch.tensor([...])")),
        (torch.tensor([2.0]), 3, TypeError, ("valid_lens must hold integers", "torch.float32", "torch.long")),
        (torch.tensor([True]), 3, TypeError, ("valid_lens must hold integers", "torch.bool")),
        (torch.tensor([2j]), 3, TypeError, ("valid_lens must hold integers", "torch.complex64")),
        (torch.tensor([2, 4]), 3, ValueError, ("between 0 and the number of keys, 3; got 4",)),
        (torch.tensor([2, -1]), 3, ValueError, ("between 0 and the number of keys, 3; got -1",)),
        (torch.tensor([2]), 3.0, TypeError, ("num_keys must be an integer", "float")),
        (torch.tensor([2]), -3, ValueError, ("num_keys must be at least 0, got -3",)),
    ],
)
def test_sequence_mask_errors(lengths, num_keys, error, message):
    with pytest.raises(error, match=says(*message)):
        sequence_mask(lengths, num_keys)


# --- causal_mask -----------------------------------------------------------------------------------------------------


def test_causal_mask_by_hand():
    assert causal_mask(3).int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    # two new queries after one cached key: the queries are the last positions
    assert causal_mask(2, 3).int().tolist() == [[1, 1, 0], [1, 1, 1]]
    assert causal_mask(1, 4).all()


@pytest.mark.parametrize(("num_queries", "num_keys"), [(1, 1), (T, T), (T, S), (0, 0), (0, S)])
def test_causal_mask_lets_query_i_see_itself_and_what_came_before(num_queries, num_keys):
    mask = causal_mask(num_queries, num_keys)
    assert mask.dtype == torch.bool and mask.shape == (num_queries, num_keys)
    for i in range(num_queries):
        position = num_keys - num_queries + i
        assert mask[i].tolist() == [j <= position for j in range(num_keys)]


@pytest.mark.parametrize("device", ["meta", *DEVICES])
def test_causal_mask_is_made_where_it_is_wanted(device):
    assert causal_mask(T, S, device=device).device.type == device


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((S, T), ValueError, ("at least as many keys as queries", f"{S} queries and {T} keys")),
        ((-1,), ValueError, ("num_queries must be at least 0, got -1",)),
        ((0, -1), ValueError, ("num_keys must be at least 0, got -1",)),
        ((2.0,), TypeError, ("num_queries must be an integer", "float")),
        ((2, "3"), TypeError, ("num_keys must be an integer", "str")),
    ],
)
def test_causal_mask_errors(arguments, error, message):
    with pytest.raises(error, match=says(*message)):
        causal_mask(*arguments)


# --- combine_masks ---------------------------------------------------------------------------------------------------

SHAPE = torch.Size([B, H, T, S])


@pytest.mark.parametrize("lengths", [LENGTHS, QUERY_LENGTHS], ids=["one a sequence", "one a query"])
@pytest.mark.parametrize("shape", [SHAPE, torch.Size([B, T, S])], ids=["with heads", "without"])
def test_lengths_reach_every_head_and_the_right_queries(lengths, shape):
    combined = combine_masks(shape, torch.tensor(lengths))
    assert torch.equal(combined.expand(shape), lengths_by_loops(lengths, shape))


@pytest.mark.parametrize("lengths", [LENGTHS, QUERY_LENGTHS], ids=["one a sequence", "one a query"])
@pytest.mark.parametrize("mask_shape", [(T, S), (B, 1, T, S), (1, H, T, S), (B, T, S), (1, S), (S,), (B, H, T, S)])
def test_a_key_must_pass_both(lengths, mask_shape):
    mask = coin(*mask_shape, seed=3)
    combined = combine_masks(SHAPE, torch.tensor(lengths), mask)
    each = mask.unsqueeze(1) if mask.dim() == 3 else mask  # (B, T, S): for all heads
    assert torch.equal(combined.expand(SHAPE), lengths_by_loops(lengths, SHAPE) & each)


def test_combine_masks_with_one_or_neither():
    mask = coin(T, S)
    assert combine_masks(SHAPE) is None
    assert torch.equal(combine_masks(SHAPE, mask=mask), mask)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"mask": torch.ones(T, S)}, TypeError, ("hidden must be a bool tensor", "from_binary(hidden)")),
        ({"mask": [[True]]}, TypeError, ("hidden must be a bool tensor", "got list")),
        ({"mask": coin(S, T)}, ValueError, ("hidden has shape (7, 5)",)),
        ({"valid_lens": coin(B)}, TypeError, ("counts must hold integers, got torch.bool", "goes in as hidden=")),
        ({"valid_lens": LENS.float()}, TypeError, ("counts must hold integers, got torch.float32",)),
        ({"valid_lens": LENS + S}, ValueError, ("counts must lie between 0 and the number of keys, 7",)),
        ({"valid_lens": LENS[:1]}, ValueError, ("counts must have shape (2,)",)),
    ],
)
def test_combine_masks_calls_both_as_its_caller_does_in_errors(given, error, message):
    with pytest.raises(error, match="^" + says(*message)):
        combine_masks(SHAPE, **given, names=("counts", "hidden"))


@pytest.mark.parametrize("device", ["meta", *DEVICES])
def test_combine_masks_moves_both_to_the_device(device):
    combined = combine_masks(SHAPE, LENS, coin(T, S), device=torch.device(device))
    assert combined.device.type == device


# --- masked_softmax: the truth ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("lead", [(), (B,), (B, H)])
def test_against_loops(dtype, lead):
    scores, mask = randn(*lead, T, S, dtype=dtype), coin(*lead, T, S)
    weights = masked_softmax(scores, mask=mask)
    assert weights.dtype == dtype
    close(weights.double(), by_loops(scores, mask), TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("lead", [(), (B,), (B, H)])
def test_without_a_mask_it_is_pytorchs_softmax(dtype, lead):
    scores = randn(*lead, T, S, dtype=dtype)
    close(masked_softmax(scores), scores.softmax(-1), TOLERANCE[dtype])


def test_values_and_gradients_against_masked_fill():
    mask = coin(B, H, T, S) | (torch.arange(S) == 2)  # no empty row: there this formula is NaN
    upstream = randn(B, H, T, S, seed=9)
    ours, theirs = randn(B, H, T, S, grad=True), randn(B, H, T, S, grad=True)
    weights = masked_softmax(ours, mask=mask)
    expected = theirs.masked_fill(~mask, -torch.inf).softmax(-1)
    close(weights, expected)
    close(*(torch.autograd.grad((w * upstream).sum(), s)[0] for w, s in ((weights, ours), (expected, theirs))))


def test_by_hand():
    """The example of chapter 4: scores 1, 2, 3, 4 for a sentence of two words."""
    weights = masked_softmax(torch.tensor([[[1.0, 2.0, 3.0, 4.0]]]), torch.tensor([2]))
    close(weights, torch.tensor([[[0.2689, 0.7311, 0.0, 0.0]]]), 1e-4)


@pytest.mark.parametrize(
    ("lengths", "allowed"),
    [([2, 3], [[2, 2], [3, 3]]), ([[1, 3], [2, 4]], [[1, 3], [2, 4]])],
    ids=["one a sequence", "one a query"],
)
def test_the_shapes_of_chapter_4(lengths, allowed):
    weights = masked_softmax(randn(2, 2, 4), torch.tensor(lengths))
    assert (weights > 0).sum(-1).tolist() == allowed


@pytest.mark.parametrize("lengths", [LENGTHS, QUERY_LENGTHS], ids=["one a sequence", "one a query"])
def test_lengths_with_heads_against_loops(lengths):
    scores, mask = randn(B, H, T, S), coin(T, S, seed=4)
    expected = by_loops(scores, lengths_by_loops(lengths, SHAPE) & mask)
    close(masked_softmax(scores, torch.tensor(lengths), mask), expected)


def test_one_length_a_sequence_is_that_length_for_each_query():
    scores = randn(B, H, T, S)
    repeated = LENS[:, None].expand(B, T)
    close(masked_softmax(scores, LENS), masked_softmax(scores, repeated))


# --- masked_softmax: properties --------------------------------------------------------------------------------------

CASES = given(
    seed=st.integers(0, 2**16),
    lead=st.sampled_from([(), (1,), (B,), (B, H)]),
    num_queries=st.integers(1, 5),
    num_keys=st.integers(1, 7),
)


@PROPERTY
@CASES
def test_rows_sum_to_one_or_to_zero_and_masked_keys_get_exactly_zero(seed, lead, num_queries, num_keys):
    shape = (*lead, num_queries, num_keys)
    scores, mask = randn(*shape, seed=seed), coin(*shape, seed=seed + 1)
    weights = masked_softmax(scores, mask=mask)
    close(weights.sum(-1), mask.any(-1).double())
    assert (weights[~mask] == 0).all() and (weights[mask] > 0).all()


@PROPERTY
@CASES
def test_shifting_a_row_changes_nothing(seed, lead, num_queries, num_keys):
    shape = (*lead, num_queries, num_keys)
    scores, mask = randn(*shape, seed=seed), coin(*shape, seed=seed + 1)
    shift = 50 * randn(*lead, num_queries, 1, seed=seed + 2)
    close(masked_softmax(scores + shift, mask=mask), masked_softmax(scores, mask=mask))


@PROPERTY
@CASES
def test_permuting_keys_permutes_weights(seed, lead, num_queries, num_keys):
    shape = (*lead, num_queries, num_keys)
    scores, mask = randn(*shape, seed=seed), coin(*shape, seed=seed + 1)
    order = torch.randperm(num_keys, generator=torch.Generator().manual_seed(seed))
    permuted = masked_softmax(scores[..., order], mask=mask[..., order])
    close(permuted, masked_softmax(scores, mask=mask)[..., order])


@PROPERTY
@CASES
def test_masked_scores_do_not_matter_and_neither_do_other_rows(seed, lead, num_queries, num_keys):
    shape = (*lead, num_queries, num_keys)
    scores, mask = randn(*shape, seed=seed), coin(*shape, seed=seed + 1)
    elsewhere = torch.where(mask, scores, 30 * randn(*shape, seed=seed + 3))
    weights = masked_softmax(scores, mask=mask)
    close(masked_softmax(elsewhere, mask=mask), weights)
    close(masked_softmax(scores[..., :1, :], mask=mask[..., :1, :]), weights[..., :1, :])


def test_the_greater_score_gets_the_greater_weight():
    scores = randn(B, T, S)
    assert torch.equal(masked_softmax(scores).argsort(-1), scores.argsort(-1))


# --- masked_softmax: edges -------------------------------------------------------------------------------------------


def empty_row_by_lengths(scores):
    return masked_softmax(scores, torch.tensor([0, S]))


def empty_row_by_mask(scores):
    mask = torch.ones(B, T, S, dtype=torch.bool)
    mask[0] = False
    return masked_softmax(scores, mask=mask)


def empty_row_by_scores(scores):
    blocked = torch.zeros(B, T, S, dtype=torch.bool)
    blocked[0] = True
    return masked_softmax(scores.masked_fill(blocked, -torch.inf))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, *HALF])
@pytest.mark.parametrize("function", [empty_row_by_lengths, empty_row_by_mask, empty_row_by_scores])
def test_a_fully_masked_row_is_zero_in_value_and_gradient(function, dtype):
    scores = randn(B, T, S, dtype=dtype, grad=True)
    weights = function(scores)
    assert (weights[0] == 0).all()
    (weights * randn(B, T, S, seed=5, dtype=dtype)).sum().backward()
    assert (scores.grad[0] == 0).all()
    # its neighbour is what it would be alone, and does learn
    alone = scores[1].detach().requires_grad_()
    expected = alone.softmax(-1)
    (expected * randn(B, T, S, seed=5, dtype=dtype)[1]).sum().backward()
    close(weights[1], expected, 1e-10 if dtype not in HALF else HALF_TOLERANCE[dtype])
    close(scores.grad[1], alone.grad, 1e-6 if dtype not in HALF else HALF_TOLERANCE[dtype])
    assert scores.grad[1].abs().max() > 1e-2


def test_no_nan_is_met_on_the_way_back():
    """`detect_anomaly`, the first tool of whoever hunts a NaN, must not stop here."""
    scores = randn(B, T, S, grad=True)
    with torch.autograd.set_detect_anomaly(True):
        masked_softmax(scores, torch.tensor([0, S])).square().sum().backward()
    assert scores.grad.isfinite().all()


def test_a_row_whose_only_allowed_key_scores_minus_infinity_is_empty():
    scores = torch.tensor([[-torch.inf, 1.0], [-torch.inf, 1.0]])
    mask = torch.tensor([[True, False], [True, True]])
    assert masked_softmax(scores, mask=mask).tolist() == [[0, 0], [0, 1]]


def test_a_masked_score_has_no_gradient():
    scores, mask = randn(B, T, S, grad=True), coin(B, T, S)
    masked_softmax(scores, mask=mask).square().sum().backward()
    assert (scores.grad[~mask] == 0).all()
    several = mask & (mask.sum(-1, keepdim=True) > 1)
    assert (scores.grad[several] != 0).any()


def test_length_zero_and_one_and_a_single_key():
    weights = masked_softmax(randn(B, T, S), torch.tensor([0, 1]))
    assert (weights[0] == 0).all()
    assert (weights[1, :, 0] == 1).all() and (weights[1, :, 1:] == 0).all()
    assert (masked_softmax(randn(B, T, 1)) == 1).all()
    assert (masked_softmax(randn(B, T, 1), torch.tensor([1, 0])).flatten(1).tolist()) == [[1] * T, [0] * T]


@pytest.mark.parametrize("shape", [(0, T, S), (B, 0, S), (0, H, T, S)])
def test_empty_batches_and_no_query(shape):
    lengths = torch.ones(shape[0], dtype=torch.long)
    assert masked_softmax(torch.zeros(shape), lengths, torch.ones(S, dtype=torch.bool)).shape == shape


@pytest.mark.parametrize("dtype", HALF)
def test_half_precision(dtype):
    scores = randn(B, H, T, S, dtype=dtype)
    weights = masked_softmax(scores, LENS)
    assert weights.dtype == dtype
    close(weights.double(), by_loops(scores, lengths_by_loops(LENGTHS, SHAPE)), HALF_TOLERANCE[dtype])
    assert (weights[0, ..., LENGTHS[0] :] == 0).all()


@pytest.mark.parametrize(
    ("dtype", "large"), [(torch.float16, 1e4), (torch.bfloat16, 1e30), (torch.float32, 1e30), (torch.float64, 1e300)]
)
def test_very_large_scores_are_finite_and_exact(dtype, large):
    scores = torch.tensor(
        [[[large, -large, 0.0, large], [-large, -large, -large, 0.0]]], dtype=dtype, requires_grad=True
    )
    weights = masked_softmax(scores, torch.tensor([[4, 3]]))
    assert weights[0, 0].tolist() == [0.5, 0, 0, 0.5]
    close(weights[0, 1], torch.tensor([1 / 3, 1 / 3, 1 / 3, 0], dtype=dtype), 1e-3)  # even −large beats "masked"
    weights.square().sum().backward()
    assert scores.grad.isfinite().all()


def test_minus_infinity_in_the_scores_counts_as_masked():
    scores, mask = randn(B, T, S, grad=True), coin(B, T, S)
    premasked = scores.masked_fill(~mask, -torch.inf)
    close(masked_softmax(premasked), masked_softmax(scores, mask=mask))
    close(masked_softmax(premasked, LENS), masked_softmax(scores, LENS, mask))
    masked_softmax(premasked).square().sum().backward()
    assert scores.grad.isfinite().all()


def test_non_contiguous_scores_and_masks():
    scores, mask = randn(S, B, T).permute(1, 2, 0), coin(S, T).T
    assert not scores.is_contiguous() and not mask.is_contiguous()
    close(masked_softmax(scores, LENS, mask), masked_softmax(scores.contiguous(), LENS, mask.contiguous()))
    expanded = randn(1, T, S).expand(B, T, S)  # one storage under all batches
    close(masked_softmax(expanded, LENS)[1], masked_softmax(expanded.clone(), LENS)[1])


def test_arguments_are_left_alone():
    scores, mask, lengths = randn(B, T, S), coin(T, S), LENS.clone()
    before = scores.clone(), mask.clone()
    masked_softmax(scores, lengths, mask)
    assert torch.equal(scores, before[0]) and torch.equal(mask, before[1]) and torch.equal(lengths, LENS)


@pytest.mark.parametrize("device", ["meta", *DEVICES])
def test_weights_live_where_the_scores_live(device):
    """Lengths and masks from the CPU are moved; on the meta device shapes can be planned without memory."""
    weights = masked_softmax(torch.zeros(B, T, S, device=device), LENS, coin(T, S))
    assert weights.device.type == device and weights.shape == (B, T, S)


def test_gradcheck():
    mask = coin(T, S, seed=2)
    mask[1] = False
    assert torch.autograd.gradcheck(
        lambda scores: masked_softmax(scores, torch.tensor([S, 2]), mask), randn(B, T, S, grad=True)
    )


def test_compiles_into_one_graph():
    def attend(scores, lengths):
        return masked_softmax(scores, lengths, causal_mask(T, S, device=scores.device))

    compiled = torch.compile(attend, fullgraph=True, backend="eager")
    scores, lengths = randn(B, T, S), torch.tensor([0, 6])
    close(compiled(scores, lengths), attend(scores, lengths))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([[1.0]],), TypeError, ("scores must be a torch.Tensor", "list", "as_tensor")),
        ((torch.ones(B, T, S).long(),), TypeError, ("scores must be a floating-point tensor", "torch.int64")),
        ((torch.ones(S),), ValueError, ("scores must have at least 2 axes", f"({S},)")),
        ((torch.ones(B, T, 0),), ValueError, ("the key axis is empty", "at least one key")),
        ((torch.full((B, T, S), torch.nan),), ValueError, ("scores holds nan at index (0, 0, 0)", "division by zero")),
        ((torch.full((B, T, S), torch.inf),), ValueError, ("scores holds inf", "overflow")),
        ((torch.ones(B, T, S), [3, 6]), TypeError, ("valid_lens must be a tensor of integers", "list")),
        ((torch.ones(B, T, S), LENS.float()), TypeError, ("valid_lens must hold integers", "torch.float32")),
        ((torch.ones(B, T, S), LENS + 4), ValueError, (f"between 0 and the number of keys, {S}", "got 10")),
        ((torch.ones(B, T, S), -LENS), ValueError, ("between 0 and the number of keys", "got -6")),
        ((torch.ones(B, T, S), torch.ones(T).long()), ValueError, ("valid_lens must have shape", f"got ({T},)")),
        ((torch.ones(T, S), LENS), ValueError, ("needs scores with a batch axis", "pass a mask")),
        ((torch.ones(B, T, S), None, torch.ones(T, S)), TypeError, ("mask must be a bool tensor", "from_binary")),
        ((torch.ones(B, T, S), None, coin(S, T)), ValueError, ("does not broadcast", "(queries, keys)")),
        ((torch.ones(B, T, S), None, [[True]]), TypeError, ("mask must be a bool tensor", "list")),
    ],
)
def test_masked_softmax_errors(arguments, error, message):
    with pytest.raises(error, match=says(*message)):
        masked_softmax(*arguments)


# --- converters ------------------------------------------------------------------------------------------------------

MASK = torch.tensor([[True, False, True], [False, False, True]])


def test_converters_by_hand():
    assert to_blocked(MASK).tolist() == [[False, True, False], [True, True, False]]
    assert to_binary(MASK).tolist() == [[1, 0, 1], [0, 0, 1]]
    assert to_binary(MASK).dtype == torch.int64
    assert to_additive(MASK).tolist() == [[0, -math.inf, 0], [-math.inf, -math.inf, 0]]
    assert to_additive(MASK).dtype == torch.float32


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, *HALF])
def test_round_trips(dtype):
    assert torch.equal(from_blocked(to_blocked(MASK)), MASK)
    assert torch.equal(from_binary(to_binary(MASK)), MASK)
    assert torch.equal(from_binary(to_binary(MASK).to(dtype)), MASK)
    assert torch.equal(from_additive(to_additive(MASK, dtype)), MASK)
    assert to_additive(MASK, dtype).dtype == dtype


@pytest.mark.parametrize("fill", ["-1e4", "-1e9", "the least number"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, *HALF])
def test_the_fill_values_that_libraries_use(fill, dtype):
    value = torch.finfo(dtype).min if fill == "the least number" else max(float(fill), torch.finfo(dtype).min)
    additive = torch.zeros(MASK.shape, dtype=dtype).masked_fill(~MASK, value)
    assert torch.equal(from_additive(additive), MASK)


def test_empty_masks_and_devices():
    empty = torch.zeros(0, S, dtype=torch.bool)
    for there, back in ((to_blocked, from_blocked), (to_binary, from_binary), (to_additive, from_additive)):
        assert torch.equal(back(there(empty)), empty)
        for device in ("meta", *DEVICES):
            assert there(MASK.to(device)).device.type == device


@pytest.mark.parametrize("mask", [coin(T, S, seed=1) | (torch.arange(S) == 0), causal_mask(T, S)])
def test_bool_and_additive_masks_mean_the_same_to_pytorch(mask):
    query, key, value = inputs()
    expected = masked_softmax(query @ key.mT / math.sqrt(D), mask=mask) @ value
    close(F.scaled_dot_product_attention(query, key, value, attn_mask=mask), expected)
    additive = to_additive(mask, query.dtype)
    close(F.scaled_dot_product_attention(query, key, value, attn_mask=additive), expected)


def test_blocked_masks_mean_the_same_to_multihead_attention():
    """With the identity for all projections, one head of nn.MultiheadAttention is our masked softmax."""
    layer = torch.nn.MultiheadAttention(D, 1, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.eye(D).repeat(3, 1))
        layer.out_proj.weight.copy_(torch.eye(D))
    query, key, _ = inputs()
    real, causal = sequence_mask(LENS, S), causal_mask(T, S)
    output, weights = layer(query, key, key, key_padding_mask=to_blocked(real), attn_mask=to_blocked(causal))
    expected = masked_softmax(query @ key.mT / math.sqrt(D), LENS, causal)
    close(weights, expected)
    close(output, expected @ key)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: to_blocked(MASK.float()), TypeError, ("mask must be a bool tensor", "torch.float32", "from_additive")),
        (lambda: from_blocked(MASK.int()), TypeError, ("bool tensor (True = blocked)", "int32", "mask.bool()")),
        (lambda: to_binary([True]), TypeError, ("mask must be a bool tensor", "list")),
        (lambda: to_additive(MASK.long()), TypeError, ("mask must be a bool tensor", "torch.int64", "from_binary")),
        (lambda: to_additive(MASK, torch.int64), TypeError, ("needs a floating-point dtype", "torch.int64", "scores")),
        (lambda: to_additive(MASK, "float32"), TypeError, ("needs a floating-point dtype", "float32")),
        (lambda: from_additive(MASK), TypeError, ("a floating-point tensor", "torch.bool", "from_binary")),
        (lambda: from_additive([0.0]), TypeError, ("a floating-point tensor", "list")),
        (lambda: from_additive(torch.tensor([0, -3.5])), ValueError, ("got -3.5", "add a bias to the scores")),
        (lambda: from_additive(torch.tensor([0, torch.inf])), ValueError, ("got inf", "bias")),
        (lambda: from_additive(torch.tensor([0, torch.nan])), ValueError, ("got nan", "bias")),
        (lambda: from_binary([0, 1]), TypeError, ("a 0/1 mask is a tensor of real numbers", "list", "torch.tensor")),
        (lambda: from_binary(torch.tensor([1j])), TypeError, ("a tensor of real numbers", "torch.complex64")),
        (lambda: from_binary(torch.tensor([0, 2])), ValueError, ("holds only 0 and 1, got 2", "from_additive")),
        (lambda: from_binary(to_additive(MASK)), ValueError, ("holds only 0 and 1, got -inf", "from_additive")),
    ],
)
def test_converter_errors(call, error, message):
    with pytest.raises(error, match=says(*message)):
        call()
