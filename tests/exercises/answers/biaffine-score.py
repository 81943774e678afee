"""Answers to biaffine-score, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch


# === right
def by_einsum(start, end, U, w_start, w_end, b):
    scores = torch.einsum("btd,cde,bse->bcts", start, U, end)
    scores = scores + torch.einsum("btd,cd->bct", start, w_start).unsqueeze(-1)
    scores = scores + torch.einsum("bse,ce->bcs", end, w_end).unsqueeze(-2)
    return scores + b.view(1, -1, 1, 1)


# === right
def by_loops(start, end, U, w_start, w_end, b):
    tables = []
    for c in range(len(b)):
        product = start @ U[c] @ end.transpose(1, 2)
        of_start = (start @ w_start[c]).unsqueeze(2)
        of_end = (end @ w_end[c]).unsqueeze(1)
        tables.append(product + of_start + of_end + b[c])
    return torch.stack(tables, dim=1)


# === right
def by_one_matrix(start, end, U, w_start, w_end, b):
    one = torch.ones_like(start[..., :1])
    other = torch.ones_like(end[..., :1])
    s, e = torch.cat([start, one], -1), torch.cat([end, other], -1)
    top = torch.cat([U, w_start[:, :, None]], dim=2)
    bottom = torch.cat([w_end[:, None], b[:, None, None]], dim=2)
    W = torch.cat([top, bottom], dim=1)
    return s[:, None] @ W @ e[:, None].mT


# === right
def by_the_book(start, end, U, w_start, w_end, b):
    from attnbook.pairs import biaffine_score

    return biaffine_score(start, end, U, w_start, w_end, b)


# === right
def absorbed(start, end, U, w_start, w_end, b):
    # s·(U e + w) + w'·e + b
    moved = (U[None] @ end[:, None].mT) + w_start[None, :, :, None]
    return start[:, None] @ moved + (w_end @ end.mT)[:, :, None] + b[:, None, None]


# === right
def pair_by_pair(start, end, U, w_start, w_end, b):
    rows = []
    for i in range(start.shape[1]):
        s = start[:, i]
        left = torch.einsum("bd,cde->bce", s, U) + w_end
        rows.append(left @ end.mT + (s @ w_start.T + b)[..., None])
    return torch.stack(rows, dim=2)


# === wrong bilinear-only
def luongs(start, end, U, w_start, w_end, b):
    return torch.einsum("btd,cde,bse->bcts", start, U, end)


# === wrong no-bias
def three_terms(start, end, U, w_start, w_end, b):
    s = start[:, None] @ U @ end[:, None].mT
    return s + (start @ w_start.T).mT[..., None] + (end @ w_end.T).mT[..., None, :]


# === wrong no-product
def additive(start, end, U, w_start, w_end, b):
    s = torch.einsum("btd,cd->bct", start, w_start)[..., None]
    return s + torch.einsum("bsd,cd->bcs", end, w_end)[:, :, None] + b[:, None, None]


# === wrong no-start-term
def end_only(start, end, U, w_start, w_end, b):
    return start[:, None] @ U @ end[:, None].mT + (end @ w_end.T).mT[..., None, :] + b[:, None, None]


# === wrong no-end-term
def start_only(start, end, U, w_start, w_end, b):
    q = torch.einsum("btd,cde->bcte", start, U)
    return torch.einsum("bcte,bse->bcts", q, end) + (start @ w_start.T).mT[..., None] + b[:, None, None]


# === wrong sigmoid
def as_probability(start, end, U, w_start, w_end, b):
    s = torch.einsum("btd,cde,bse->bcts", start, U, end) + b[:, None, None]
    s = s + (start @ w_start.T).mT[..., None] + (end @ w_end.T).mT[..., None, :]
    return torch.sigmoid(s)


# === wrong softmax
def as_weights(start, end, U, w_start, w_end, b):
    s = torch.einsum("btd,cde,bse->bcts", start, U, end) + b[:, None, None]
    s = s + (start @ w_start.T).mT[..., None] + (end @ w_end.T).mT[..., None, :]
    return s.softmax(dim=-1)


# === wrong scaled
def with_a_root(start, end, U, w_start, w_end, b):
    s = torch.einsum("btd,cde,bse->bcts", start, U, end) / end.shape[-1] ** 0.5
    s = s + (start @ w_start.T).mT[..., None] + (end @ w_end.T).mT[..., None, :]
    return s + b[:, None, None]


# === wrong types-last
def types_at_the_end(start, end, U, w_start, w_end, b):
    s = torch.einsum("btd,cde,bse->btsc", start, U, end) + b
    return s + (start @ w_start.T)[:, :, None] + (end @ w_end.T)[:, None]


# === wrong ends-first
def ends_down(start, end, U, w_start, w_end, b):
    s = torch.einsum("btd,cde,bse->bcst", start, U, end) + b[:, None, None]
    return s + (start @ w_start.T).mT[..., None, :] + (end @ w_end.T).mT[..., None]


# === wrong no-type-axis
def no_axis(start, end, U, w_start, w_end, b):
    s = start @ U @ end.mT
    s = s + (start @ w_start.T).mT[..., None] + (end @ w_end.T).mT[..., None, :]
    return s + b[:, None, None]


# === wrong bias-not-lifted
def bias_as_it_is(start, end, U, w_start, w_end, b):
    s = torch.einsum("btd,cde,bse->bcts", start, U, end)
    s = s + (start @ w_start.T).mT[..., None] + (end @ w_end.T).mT[..., None, :]
    return s + b


# === wrong terms-not-lifted
def terms_as_they_are(start, end, U, w_start, w_end, b):
    s = torch.einsum("btd,cde,bse->bcts", start, U, end)
    return s + start @ w_start.T + end @ w_end.T + b[:, None, None]


# === wrong first-type-only
def one_type(start, end, U, w_start, w_end, b):
    s = (start @ U[0] @ end.mT)[:, None]
    s = s + (start @ w_start.T).mT[..., None] + (end @ w_end.T).mT[..., None, :]
    return s + b[:, None, None]


# === wrong types-averaged
def mean_type(start, end, U, w_start, w_end, b):
    s = (start @ U.mean(0) @ end.mT)[:, None]
    s = s + (start @ w_start.T).mT[..., None] + (end @ w_end.T).mT[..., None, :]
    return s + b[:, None, None]


# === wrong first-end-only
def first_column(start, end, U, w_start, w_end, b):
    s = torch.einsum("btd,cde,bse->bcts", start, U, end)
    s = s + (start @ w_start.T).mT[..., None] + (end[:, :1] @ w_end.T).mT[..., None, :]
    return s + b[:, None, None]


# === wrong start-term-doubled
def twice(start, end, U, w_start, w_end, b):
    s = torch.einsum("btd,cde,bse->bcts", start, U, end) + b[:, None, None]
    for _ in range(2):
        s = s + (start @ w_start.T).mT[..., None]
    return s + (end @ w_end.T).mT[..., None, :]


# === wrong ends-weigh-starts
def averaged_starts(start, end, U, w_start, w_end, b):
    s = torch.einsum("btd,cde,bse->bcts", start, U, end) + b[:, None, None]
    s = s + (start.mean(1) @ w_start.T)[:, :, None, None]
    return s + (end @ w_end.T).mT[..., None, :]


# === wrong changes-dtype
def in_single(start, end, U, w_start, w_end, b):
    s = torch.einsum("btd,cde,bse->bcts", start, U, end) + b[:, None, None]
    s = s + (start @ w_start.T).mT[..., None] + (end @ w_end.T).mT[..., None, :]
    return s.to(torch.float32)


# === wrong ignores-an-argument
def two_terms(start, end, U, w_start, w_end, b):
    return start[:, None] @ U @ end[:, None].mT + (start @ w_start.T).mT[..., None]


# === wrong returns-none
def forgot(start, end, U, w_start, w_end, b):
    s = torch.einsum("btd,cde,bse->bcts", start, U, end)


# === wrong scaled-by-start
def scaled(start, end, U, w_start, w_end, b):
    x = torch.einsum("btd,cde,bse->bcts", start, U, end) / start.shape[-1] ** 0.5
    s = torch.einsum("btd,cd->bct", start, w_start)
    e = torch.einsum("bsd,cd->bcs", end, w_end)
    return x + s[..., None] + e[:, :, None] + b[:, None, None]


# === right
def folded(start, end, U, w_start, w_end, b):
    left = torch.einsum("btd,cde->bcte", start, U) + w_end[:, None]
    right = torch.einsum("btd,cd->bct", start, w_start) + b[:, None]
    return left @ end[:, None].transpose(-1, -2) + right.unsqueeze(-1)


# === wrong always-the-same
def biaffine_score_zeros_unseen_b4(start, end, U, w_start, w_end, b):
    return start.new_zeros(start.shape[0], len(U), start.shape[1], end.shape[1])


# === wrong raises
def biaffine_score_dtype_error_unseen_b5(start, end, U, w_start, w_end, b):
    s = torch.einsum("btd,cde,bse->bcts", start.float(), U, end)
    return s


# === wrong raises
def biaffine_score_einsum_letters_unseen_b6(start, end, U, w_start, w_end, b):
    return torch.einsum("btd,cdd,bsd->bcts", start, U, end)


# === wrong bias-twice
def biaffine_two_linear_layers_with_bias(start, end, U, w_start, w_end, b):
    s = torch.einsum("btd,cde,bse->bcts", start, U, end)
    a = torch.nn.functional.linear(start, w_start, b).mT[..., None]
    c = torch.nn.functional.linear(end, w_end, b).mT[:, :, None]
    return s + a + c


# === wrong no-bias
def fresh_no_bias(start, end, U, w_start, w_end, b):
    s = torch.einsum("btd,cde,bse->bcts", start, U, end)
    return (
        s + torch.einsum("btd,cd->bct", start, w_start)[..., None] + torch.einsum("bse,ce->bcs", end, w_end)[:, :, None]
    )


# === wrong right-for-the-example-only
def fresh_bias_sum(start, end, U, w_start, w_end, b):
    s = torch.einsum("btd,cde,bse->bcts", start, U, end)
    return (
        s
        + torch.einsum("btd,cd->bct", start, w_start)[..., None]
        + torch.einsum("bse,ce->bcs", end, w_end)[:, :, None]
        + b.sum()
    )


# === right
def fresh_augmented(start, end, U, w_start, w_end, b):
    s1 = torch.cat([start, torch.ones_like(start[..., :1])], -1)
    e1 = torch.cat([end, torch.ones_like(end[..., :1])], -1)
    top = torch.cat([U, w_start[:, :, None]], 2)
    low = torch.cat([w_end, b[:, None]], 1)[:, None]
    return torch.einsum("btd,cde,bse->bcts", s1, torch.cat([top, low], 1), e1)


# === wrong first-bias-for-all
def blind_b1(start, end, U, w_start, w_end, b):
    x = torch.einsum("bti,cij,bsj->bcts", start, U, end)
    return (
        x
        + torch.einsum("bti,ci->bct", start, w_start)[:, :, :, None]
        + torch.einsum("bsj,cj->bcs", end, w_end)[:, :, None]
        + b[0]
    )
