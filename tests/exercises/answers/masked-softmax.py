"""Answers to masked-softmax, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import torch
import torch.nn.functional as F


# === wrong exp-overflows-guarded
def masked_where(scores, valid_lens):
    keep = torch.arange(scores.size(-1), device=scores.device)[None, None] < valid_lens[:, None, None]
    exps = torch.where(keep, scores.exp(), torch.zeros_like(scores))
    return exps / exps.sum(-1, keepdim=True).clamp(min=1e-30)


# === right
def masked_large_negative(scores, valid_lens):
    keep = torch.arange(scores.size(-1), device=scores.device) < valid_lens.view(-1, 1, 1)
    return scores.masked_fill(~keep, -1e6).softmax(-1) * keep


# === right
def masked_nan_to_num(scores, valid_lens):
    keep = torch.arange(scores.size(-1), device=scores.device) < valid_lens[:, None, None]
    return torch.nan_to_num(F.softmax(scores.masked_fill(~keep, float("-inf")), dim=-1), nan=0.0)


# === right
def masked_by_loops(scores, valid_lens):
    weights = torch.zeros_like(scores)
    for b in range(scores.shape[0]):
        n = int(valid_lens[b])
        for t in range(scores.shape[1]):
            if n > 0:
                weights[b, t, :n] = scores[b, t, :n].softmax(-1)
    return weights


# === right
def masked_in_a_copy(scores, valid_lens):
    copy = scores.clone()
    for b, n in enumerate(valid_lens.tolist()):
        copy[b, :, n:] = -torch.inf
    weights = copy.softmax(-1)
    return torch.where(torch.isnan(weights), torch.zeros_like(weights), weights)


# === wrong renormalised
def masked_and_shared_out_again(scores, valid_lens):
    keep = (torch.arange(scores.shape[2], device=scores.device) < valid_lens[:, None, None]).to(scores.dtype)
    weights = scores.softmax(-1) * keep
    return weights / (weights.sum(-1, keepdim=True) + 1e-12)


# === right
def masked_flat_rows(scores, valid_lens):
    rows = scores.reshape(-1, scores.shape[-1])
    lengths = valid_lens.repeat_interleave(scores.shape[1])
    keep = torch.arange(rows.shape[1], device=rows.device)[None] < lengths[:, None]
    return (rows.masked_fill(~keep, torch.finfo(rows.dtype).min).softmax(-1) * keep).reshape(scores.shape)


# === right
def masked_pad(scores, valid_lens):
    parts = []
    for matrix, n in zip(scores, valid_lens.tolist()):
        parts.append(F.pad(matrix[:, :n].softmax(-1), (0, scores.shape[-1] - n)))
    return torch.stack(parts)


# === wrong uniform-row
def masked_uniform_row(scores, valid_lens):
    for b in range(len(scores)):
        scores[b, :, valid_lens[b] :] = -1e6
    return scores.softmax(-1)


# === wrong returns-a-list
def masked_returns_a_list(scores, valid_lens):
    out = []
    for s, n in zip(scores, valid_lens):
        out.append(s[:, :n].softmax(-1))
    return out


# === wrong mask-after-softmax
def masked_mask_after_softmax(scores, valid_lens):
    out = torch.zeros_like(scores)
    for b in range(len(scores)):
        n = int(valid_lens[b])
        out[b, :, :n] = scores[b].softmax(-1)[:, :n]
    return out


# === wrong inverted
def masked_inverted(scores, valid_lens):
    mask = torch.arange(scores.shape[2])[None, None, :] < valid_lens[:, None, None]
    e = scores.masked_fill(mask, -1e9)
    return e.softmax(-1)


# === right
def masked_wrong_device(scores, valid_lens):
    mask = torch.arange(scores.shape[2])[None, None, :] < valid_lens[:, None, None]
    e = scores.masked_fill(~mask, float("-inf"))
    return torch.nan_to_num(e.softmax(-1))


# === wrong one-shape-only
def masked_one_shape_only(scores, valid_lens):
    mask = torch.arange(4) < valid_lens[:, None, None]
    return scores.masked_fill(~mask, float("-inf")).softmax(-1).masked_fill(~mask, 0)


# === wrong query-axis
def masked_query_axis(scores, valid_lens):
    mask = torch.arange(scores.size(1))[None, :, None] < valid_lens[:, None, None]
    return scores.masked_fill(~mask, -1e6).softmax(-1)


# === wrong zero-fill-and-mask
def masked_zero_fill_and_mask(scores, valid_lens):
    mask = (torch.arange(scores.size(-1)) < valid_lens[:, None, None]).float()
    return (scores * mask).softmax(-1) * mask


# === wrong nan-row
def masked_nan_row(scores, valid_lens):
    mask = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    return F.softmax(scores + mask.log(), dim=-1)


# === wrong zero-fill
def masked_zero_fill(scores, valid_lens):
    mask = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    return F.softmax(scores.masked_fill(~mask, 1e-6), dim=-1)


# === wrong over-everything
def masked_over_everything(scores, valid_lens):
    mask = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    e = scores.exp() * mask
    return e / e.sum()


# === wrong softmax-over-queries
def masked_softmax_over_queries(scores, valid_lens):
    mask = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    e = scores.exp() * mask
    return e / e.sum(1, keepdim=True)


# === wrong not-finite
def masked_nan_row_2(scores, valid_lens):
    mask = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    e = scores.exp() * mask
    return e / e.sum(-1, keepdim=True)


# === wrong one-shape-only
def masked_one_shape_only_2(scores, valid_lens):
    mask = torch.arange(scores.size(-1)) < valid_lens
    return scores.masked_fill(~mask, -torch.inf).softmax(-1)


# === right
def masked_wrong_device_2(scores, valid_lens):
    mask = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    return torch.where(mask, scores, torch.tensor(-1e6)).softmax(-1) * mask


# === wrong weights-do-not-sum-to-one
def masked_weights_do_not_sum_to_one(scores, valid_lens):
    mask = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    a = scores.softmax(-1) * mask
    return a / (a.sum(-1, keepdim=True) + 1e-3)


# === wrong ignores-lengths
def masked_ignores_lengths(scores, valid_lens):
    scores.masked_fill(torch.arange(scores.size(-1)) >= valid_lens[:, None, None], -1e6)
    return scores.softmax(-1)


# === wrong softmax-over-queries
def masked_softmax_over_queries_2(scores, valid_lens):
    m = torch.arange(scores.size(-1)) >= valid_lens[:, None, None]
    return scores.masked_fill(m, -1e6).softmax(1)


# === wrong softmax-over-batch
def masked_softmax_over_batch(scores, valid_lens):
    m = torch.arange(scores.size(-1)) >= valid_lens[:, None, None]
    return scores.masked_fill(m, -1e6).softmax(0)


# === wrong one-too-many
def masked_one_too_many(scores, valid_lens):
    m = torch.arange(scores.size(-1), device=scores.device) > valid_lens[:, None, None]
    return scores.masked_fill(m, -torch.inf).softmax(-1).masked_fill(m, 0)


# === wrong no-softmax
def masked_no_softmax(scores, valid_lens):
    m = torch.arange(scores.size(-1), device=scores.device) >= valid_lens[:, None, None]
    return scores.masked_fill(m, -torch.inf)


# === wrong one-shape-only
def masked_one_shape_only_3(scores, valid_lens):
    m = torch.arange(scores.size(-1)) < valid_lens[:, None]
    return scores.masked_fill(~m, -1e6).softmax(-1)


# === wrong inverted
def masked_inverted_2(scores, valid_lens):
    m = (torch.arange(scores.size(-1)) < valid_lens[:, None, None]).float()
    return (scores - 1e9 * m).softmax(-1)


# === wrong over-the-sentence
def masked_over_the_sentence(scores, valid_lens):
    m = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    return scores.masked_fill(~m, -1e9).flatten(1).softmax(-1).reshape(scores.shape)


# === wrong fails-at-the-edge
def masked_fails_at_the_edge(scores, valid_lens):
    out = torch.zeros_like(scores)
    for b, n in enumerate(valid_lens):
        s = scores[b, :, :n]
        e = (s - s.max(-1, keepdim=True).values).exp()
        out[b, :, :n] = e / e.sum(-1, keepdim=True)
    return out


# === wrong uniform-row
def masked_uniform_row_2(scores, valid_lens):
    m = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    a = scores.masked_fill(~m, -1e9).softmax(-1)
    a[valid_lens == 0] = 1 / scores.size(-1)
    return a


# === wrong writes-into-argument
def masked_writes_into_argument(scores, valid_lens):
    m = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    scores[~m.expand_as(scores)] = -1e9
    return scores.softmax(-1) * m


# === wrong mask-after-softmax + softmax-on-top
def masked_mask_after_softmax_softmax_on_top(scores, valid_lens):
    m = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    return (scores.softmax(-1) * m).softmax(-1)


# === wrong filled-after-softmax
def masked_filled_after_softmax(scores, valid_lens):
    m = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    a = scores.softmax(-1).masked_fill(~m, -1e9)
    return a


# === wrong weights-do-not-sum-to-one
def masked_weights_do_not_sum_to_one_2(scores, valid_lens):
    m = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    return torch.sigmoid(scores) * m


# === wrong ignores-an-argument
def masked_ignores_an_argument(scores, valid_lens):
    m = torch.tril(torch.ones(scores.shape[-2:])).bool()
    return scores.masked_fill(~m, -1e9).softmax(-1)


# === wrong returns-another-kind
def masked_returns_another_kind(scores, valid_lens):
    return torch.nested.nested_tensor([s[:, :n] for s, n in zip(scores, valid_lens)])


# === wrong uniform-row
def masked_uniform_row_3(scores, valid_lens):
    m = (torch.arange(scores.size(-1)).repeat(len(scores), 1) < valid_lens.unsqueeze(1)).unsqueeze(1).float()
    return (scores * m - 1e9 * (1 - m)).softmax(-1)


# === wrong filled-too-high-alone
def masked_uniform_row_4(scores, valid_lens):
    m = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    return F.softmax(scores.masked_fill(~m, -30.0), -1)


# === wrong no-gradient
def masked_no_gradient(scores, valid_lens):
    m = torch.arange(scores.size(-1), device=scores.device) < valid_lens[:, None, None]
    return scores.masked_fill(~m, torch.finfo(torch.float32).min).softmax(-1).detach() * m


# === wrong one-shape-only
def masked_one_shape_only_4(scores, valid_lens):
    n = int(valid_lens)
    out = torch.zeros_like(scores)
    out[..., :n] = scores[..., :n].softmax(-1)
    return out


# === wrong shortest-length
def masked_shortest_length(scores, valid_lens):
    n = valid_lens.min()
    out = torch.zeros_like(scores)
    out[..., :n] = scores[..., :n].softmax(-1)
    return out


# === wrong zero-fill-and-mask
def masked_zero_fill_and_mask_2(scores, valid_lens):
    m = torch.arange(scores.size(-1), device=scores.device) < valid_lens[:, None, None]
    e = (scores * m).exp()
    return e / e.sum(-1, keepdim=True) * m


# === wrong not-finite
def masked_softmax_exp_no_shift_large_scores_overflow_unseen_0(scores, valid_lens):
    m = torch.arange(scores.shape[-1], device=scores.device) < valid_lens[:, None, None]
    e = torch.exp(scores) * m
    s = e.sum(-1, keepdim=True)
    return e / s.masked_fill(s == 0, 1)


# === wrong renormalised
def masked_softmax_shift_including_padding_with_clamp_unseen_2(scores, valid_lens):
    m = torch.arange(scores.shape[-1], device=scores.device) < valid_lens[:, None, None]
    e = torch.exp(scores - scores.amax(-1, keepdim=True)).masked_fill(~m, 0)
    return e / e.sum(-1, keepdim=True).clamp(min=1e-12)


# === wrong filled-too-high
def masked_softmax_100_fill_unseen_4(scores, valid_lens):
    m = torch.arange(scores.shape[-1], device=scores.device) < valid_lens[:, None, None]
    return scores.masked_fill(~m, -100.0).softmax(-1) * m


# === wrong ignores-an-argument
def masked_softmax_all_equal_unseen_5(scores, valid_lens):
    return torch.full_like(scores, 1 / scores.shape[-1])


# === right
def masked_softmax_right_unseen_8(scores, valid_lens):
    m = torch.arange(scores.shape[-1], device=scores.device) < valid_lens[:, None, None]
    low = torch.finfo(scores.dtype).min
    return torch.where(m, scores, low).softmax(-1) * m


# === right
def masked_softmax_right_unseen_9(scores, valid_lens):
    rows = []
    for b, n in enumerate(valid_lens.tolist()):
        w = F.pad(scores[b, :, :n].softmax(-1), (0, scores.shape[-1] - n))
        rows.append(w)
    return torch.stack(rows)


# === wrong few-digits
def masked_softmax_float16_compute_unseen_b1(scores, valid_lens):
    m = torch.arange(scores.shape[-1], device=scores.device) < valid_lens[:, None, None]
    return (scores.half().masked_fill(~m, -torch.inf).softmax(-1) * m).nan_to_num().to(scores.dtype)


# === wrong raises
def masked_softmax_math_exp_unseen_b4(scores, valid_lens):
    e = math.exp(scores)
    return e / e.sum(-1)


# === wrong raises
def masked_softmax_index_too_far_unseen_b6(scores, valid_lens):
    out = torch.zeros_like(scores)
    for b in range(scores.shape[0] + 1):
        n = valid_lens[b]
        out[b, :, :n] = scores[b, :, :n].softmax(-1)
    return out


# === wrong one-too-few
def softmax_one_word_too_few(scores, valid_lens):
    mask = torch.arange(1, scores.shape[-1] + 1) <= valid_lens[:, None, None] - 1
    s = scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(s, -1).nan_to_num(0.0)


# === right
def softmax_with_nan_to_num(scores, valid_lens):
    mask = torch.arange(scores.shape[-1], device=scores.device) < valid_lens[:, None, None]
    s = scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(s, -1).nan_to_num(0.0)


# === wrong lengths-in-turn
def softmax_flattened_with_repeat(scores, valid_lens):
    shape = scores.shape
    lens = valid_lens.repeat(shape[1])
    X = scores.reshape(-1, shape[-1]).clone()
    mask = torch.arange(shape[-1])[None, :] < lens[:, None]
    X[~mask] = -1e6
    return F.softmax(X.reshape(shape), dim=-1)


# === wrong filled-too-high
def fresh_neg1e4(scores, valid_lens):
    keep = torch.arange(scores.shape[-1], device=scores.device) < valid_lens[:, None, None]
    return torch.where(keep, scores, torch.full_like(scores, -1e3)).softmax(-1) * keep


# === wrong one-maximum
def fresh_global_max(scores, valid_lens):
    keep = torch.arange(scores.shape[-1], device=scores.device) < valid_lens[:, None, None]
    e = (scores - scores.max()).exp() * keep
    return e / e.sum(-1, keepdim=True).clamp(min=1e-9)


# === right
def fresh_lists(scores, valid_lens):
    rows = []
    for s, n in zip(scores, valid_lens.tolist()):
        rows.append(torch.cat([s[:, :n].softmax(-1), torch.zeros_like(s[:, n:])], -1))
    return torch.stack(rows)


# === right
def blind_b4(scores, valid_lens):
    S = scores.shape[-1]
    drop = torch.arange(S) >= valid_lens[:, None, None]
    w = torch.softmax(scores.masked_fill(drop, -math.inf), -1)
    return torch.where(torch.isnan(w), torch.zeros_like(w), w)


# === wrong filled-too-high
def blind_b7(scores, valid_lens):
    keep = torch.arange(scores.shape[-1]) < valid_lens[:, None, None]
    return scores.masked_fill(~keep, -1e4).softmax(-1) * keep
