"""Wrong answers to the exercise on blocks, as readers write them, each with the diagnosis that it should hear."""
# ruff: noqa (this is how people write)

import torch
import torch.nn.functional as F
from torch import nn
from wrong_answers import wrong


@wrong("pre-ln-block", "post-ln")
def block_post_ln(x, attend, feed_forward, norm1, norm2):
    x = norm1(x + attend(x))
    x = norm2(x + feed_forward(x))
    return x


@wrong("pre-ln-block", "norm-on-the-residual")
def block_overwrites_x(x, attend, feed_forward, norm1, norm2):
    x = norm1(x)
    x = x + attend(x)
    x = norm2(x)
    return x + feed_forward(x)


@wrong("pre-ln-block", "norm-on-the-first-residual")
def block_overwrites_x_once(x, attend, feed_forward, norm1, norm2):
    x = norm1(x)
    x = x + attend(x)
    return x + feed_forward(norm2(x))


@wrong("pre-ln-block", "norm-on-the-second-residual")
def block_overwrites_y(x, attend, feed_forward, norm1, norm2):
    x = x + attend(norm1(x))
    x = norm2(x)
    x = x + feed_forward(x)
    return x


@wrong("pre-ln-block", "no-first-residual")
def block_forgets_x(x, attend, feed_forward, norm1, norm2):
    h = attend(norm1(x))
    return h + feed_forward(norm2(h))


@wrong("pre-ln-block", "no-second-residual")
def block_returns_the_network(x, attend, feed_forward, norm1, norm2):
    h = x + attend(norm1(x))
    out = feed_forward(norm2(h))
    return out


@wrong("pre-ln-block", "no-residual")
def block_is_a_chain(x, attend, feed_forward, norm1, norm2):
    return feed_forward(norm2(attend(norm1(x))))


@wrong("pre-ln-block", "first-norm-twice")
def block_shares_a_norm(x, attend, feed_forward, norm1, norm2):
    for sublayer in (attend, feed_forward):
        x = x + sublayer(norm1(x))
    return x


@wrong("pre-ln-block", "norms-swapped")
def block_swaps_norms(x, attend, feed_forward, norm1, norm2):
    y = x + attend(norm2(x))
    return y + feed_forward(norm1(y))


@wrong("pre-ln-block", "network-without-norm")
def block_forgets_norm2(x, attend, feed_forward, norm1, norm2):
    x = x + attend(norm1(x))
    return x + feed_forward(x)


@wrong("pre-ln-block", "attention-without-norm")
def block_forgets_norm1(x, attend, feed_forward, norm1, norm2):
    x = x + attend(x)
    return x + feed_forward(norm2(x))


@wrong("pre-ln-block", "no-norm")
def block_without_norms(x, attend, feed_forward, norm1, norm2):
    x = x + attend(x)
    return x + feed_forward(x)


@wrong("pre-ln-block", "parallel")
def block_side_by_side(x, attend, feed_forward, norm1, norm2):
    return x + attend(norm1(x)) + feed_forward(norm2(x))


@wrong("pre-ln-block", "parallel-with-one-norm")
def block_side_by_side_one_norm(x, attend, feed_forward, norm1, norm2):
    h = norm1(x)
    return x + attend(h) + feed_forward(h)


@wrong("pre-ln-block", "skips-the-first-half")
def block_adds_the_old_x(x, attend, feed_forward, norm1, norm2):
    y = x + attend(norm1(x))
    return x + feed_forward(norm2(y))


@wrong("pre-ln-block", "network-first")
def block_network_first(x, attend, feed_forward, norm1, norm2):
    x = x + feed_forward(norm1(x))
    return x + attend(norm2(x))


@wrong("pre-ln-block", "one-branch")
def block_one_sum(x, attend, feed_forward, norm1, norm2):
    h = attend(norm1(x))
    return x + feed_forward(norm2(h))


@wrong("pre-ln-block", "norm-at-the-end")
def block_final_norm(x, attend, feed_forward, norm1, norm2):
    x = x + attend(norm1(x))
    x = x + feed_forward(norm2(x))
    return norm2(x)


@wrong("pre-ln-block", "writes-into-argument")
def block_in_place(x, attend, feed_forward, norm1, norm2):
    x += attend(norm1(x))
    return x + feed_forward(norm2(x))


@wrong("pre-ln-block", "raises")
def block_calls_attention_with_three(x, attend, feed_forward, norm1, norm2):
    h = norm1(x)
    x = x + attend(h, h, h)
    return x + feed_forward(norm2(x))


@wrong("pre-ln-block", "raises")
def block_unpacks_weights(x, attend, feed_forward, norm1, norm2):
    h, _, _, _ = attend(norm1(x))
    return x + h


@wrong("pre-ln-block", "first-of-the-batch")
def block_takes_the_first(x, attend, feed_forward, norm1, norm2):
    x = x + attend(norm1(x))[0]
    return x + feed_forward(norm2(x))


@wrong("pre-ln-block", "gradient-cut")
def block_detaches(x, attend, feed_forward, norm1, norm2):
    y = x.detach() + attend(norm1(x.detach()))
    return y + feed_forward(norm2(y)) + 0 * x


@wrong("pre-ln-block", "wrong-gradient")
def block_detaches_a_branch(x, attend, feed_forward, norm1, norm2):
    y = x + attend(norm1(x.detach()))
    return y + feed_forward(norm2(y))


@wrong("pre-ln-block", "no-gradient")
def block_without_gradient(x, attend, feed_forward, norm1, norm2):
    with torch.no_grad():
        y = x + attend(norm1(x))
        return y + feed_forward(norm2(y))


@wrong("pre-ln-block", "changes-dtype")
def block_makes_its_own_buffer(x, attend, feed_forward, norm1, norm2):
    y = x + attend(norm1(x))
    return y + feed_forward(norm2(y)) + torch.zeros(x.shape, dtype=torch.float64)


@wrong("pre-ln-block", "returns-a-tuple")
def block_returns_both(x, attend, feed_forward, norm1, norm2):
    y = x + attend(norm1(x))
    return y + feed_forward(norm2(y)), y


@wrong("pre-ln-block", "returns-none")
def block_forgets_return(x, attend, feed_forward, norm1, norm2):
    y = x + attend(norm1(x))
    y = y + feed_forward(norm2(y))


@wrong("pre-ln-block", "not-repeatable")
def block_drops_out_not_repeatable(x, attend, feed_forward, norm1, norm2):
    y = x + F.dropout(attend(norm1(x)), 0.5)
    return y + feed_forward(norm2(y))


@wrong("pre-ln-block", "ignores-an-argument")
def block_without_attention(x, attend, feed_forward, norm1, norm2):
    return x + feed_forward(norm2(x)) + norm1(x)


@wrong("pre-ln-block", "over-summed")
def block_sums_over_positions(x, attend, feed_forward, norm1, norm2):
    y = x + attend(norm1(x))
    return (y + feed_forward(norm2(y))).sum(1)


@wrong("pre-ln-block", "factor")
def block_averages_the_two(x, attend, feed_forward, norm1, norm2):
    y = x + attend(norm1(x))
    return (y + feed_forward(norm2(y))) / 2


@wrong("pre-ln-block", "unknown")
def block_halves_the_branches(x, attend, feed_forward, norm1, norm2):
    y = x + attend(norm1(x)) / 2
    return y + feed_forward(norm2(y)) / 2


@wrong("pre-ln-block", "norm-on-the-residual + network-without-norm")
def block_two_slips(x, attend, feed_forward, norm1, norm2):
    x = norm1(x)
    x = x + attend(x)
    return x + feed_forward(x)
