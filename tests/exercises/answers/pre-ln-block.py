"""Answers to pre-ln-block, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch
import torch.nn.functional as F
from torch import nn


# === right
def block_in_one_line(x, attend, feed_forward, norm1, norm2):
    return (y := x + attend(norm1(x))) + feed_forward(norm2(y))


# === right
def block_step_by_step(x, attend, feed_forward, norm1, norm2):
    h = norm1(x)
    h = attend(h)
    x = x + h
    h = norm2(x)
    h = feed_forward(h)
    return x + h


# === right
def block_by_a_loop(x, attend, feed_forward, norm1, norm2):
    for norm, sublayer in ((norm1, attend), (norm2, feed_forward)):
        x = sublayer(norm(x)) + x
    return x


# === right
def block_with_an_inner_function(x, attend, feed_forward, norm1, norm2):
    def residual(x, sublayer, norm):
        return torch.add(x, sublayer(norm(x)))

    return residual(residual(x, attend, norm1), feed_forward, norm2)


# === right
def block_that_keeps_a_copy(x, attend, feed_forward, norm1, norm2):
    x = x.clone()
    x += attend(norm1(x))
    x += feed_forward(norm2(x))
    return x


# === right
def block_as_a_module(x, attend, feed_forward, norm1, norm2):
    class Block(nn.Module):
        def forward(self, x):
            residual = x
            x = residual + attend(norm1(x))
            residual = x
            return residual + feed_forward(norm2(x))

    return Block()(x)


# === right
def block_that_sums_a_list(x, attend, feed_forward, norm1, norm2):
    heard = attend(norm1(x))
    thought = feed_forward(norm2(x + heard))
    return torch.stack([x, heard, thought]).sum(0)


# === right
def block_that_calls_twice(x, attend, feed_forward, norm1, norm2):
    return x + attend(norm1(x)) + feed_forward(norm2(x + attend(norm1(x))))


# === wrong post-ln
def block_post_ln(x, attend, feed_forward, norm1, norm2):
    x = norm1(x + attend(x))
    x = norm2(x + feed_forward(x))
    return x


# === wrong norm-on-the-residual
def block_overwrites_x(x, attend, feed_forward, norm1, norm2):
    x = norm1(x)
    x = x + attend(x)
    x = norm2(x)
    return x + feed_forward(x)


# === wrong norm-on-the-first-residual
def block_overwrites_x_once(x, attend, feed_forward, norm1, norm2):
    x = norm1(x)
    x = x + attend(x)
    return x + feed_forward(norm2(x))


# === wrong norm-on-the-second-residual
def block_overwrites_y(x, attend, feed_forward, norm1, norm2):
    x = x + attend(norm1(x))
    x = norm2(x)
    x = x + feed_forward(x)
    return x


# === wrong no-first-residual
def block_forgets_x(x, attend, feed_forward, norm1, norm2):
    h = attend(norm1(x))
    return h + feed_forward(norm2(h))


# === wrong no-second-residual
def block_returns_the_network(x, attend, feed_forward, norm1, norm2):
    h = x + attend(norm1(x))
    out = feed_forward(norm2(h))
    return out


# === wrong no-residual
def block_is_a_chain(x, attend, feed_forward, norm1, norm2):
    return feed_forward(norm2(attend(norm1(x))))


# === wrong first-norm-twice
def block_shares_a_norm(x, attend, feed_forward, norm1, norm2):
    for sublayer in (attend, feed_forward):
        x = x + sublayer(norm1(x))
    return x


# === wrong norms-swapped
def block_swaps_norms(x, attend, feed_forward, norm1, norm2):
    y = x + attend(norm2(x))
    return y + feed_forward(norm1(y))


# === wrong network-without-norm
def block_forgets_norm2(x, attend, feed_forward, norm1, norm2):
    x = x + attend(norm1(x))
    return x + feed_forward(x)


# === wrong attention-without-norm
def block_forgets_norm1(x, attend, feed_forward, norm1, norm2):
    x = x + attend(x)
    return x + feed_forward(norm2(x))


# === wrong no-norm
def block_without_norms(x, attend, feed_forward, norm1, norm2):
    x = x + attend(x)
    return x + feed_forward(x)


# === wrong parallel
def block_side_by_side(x, attend, feed_forward, norm1, norm2):
    return x + attend(norm1(x)) + feed_forward(norm2(x))


# === wrong parallel-with-one-norm
def block_side_by_side_one_norm(x, attend, feed_forward, norm1, norm2):
    h = norm1(x)
    return x + attend(h) + feed_forward(h)


# === wrong skips-the-first-half
def block_adds_the_old_x(x, attend, feed_forward, norm1, norm2):
    y = x + attend(norm1(x))
    return x + feed_forward(norm2(y))


# === wrong network-first
def block_network_first(x, attend, feed_forward, norm1, norm2):
    x = x + feed_forward(norm1(x))
    return x + attend(norm2(x))


# === wrong one-branch
def block_one_sum(x, attend, feed_forward, norm1, norm2):
    h = attend(norm1(x))
    return x + feed_forward(norm2(h))


# === wrong norm-at-the-end
def block_final_norm(x, attend, feed_forward, norm1, norm2):
    x = x + attend(norm1(x))
    x = x + feed_forward(norm2(x))
    return norm2(x)


# === wrong writes-into-argument
def block_in_place(x, attend, feed_forward, norm1, norm2):
    x += attend(norm1(x))
    return x + feed_forward(norm2(x))


# === wrong raises
def block_calls_attention_with_three(x, attend, feed_forward, norm1, norm2):
    h = norm1(x)
    x = x + attend(h, h, h)
    return x + feed_forward(norm2(x))


# === wrong raises
def block_unpacks_weights(x, attend, feed_forward, norm1, norm2):
    h, _, _, _ = attend(norm1(x))
    return x + h


# === wrong first-of-the-batch
def block_takes_the_first(x, attend, feed_forward, norm1, norm2):
    x = x + attend(norm1(x))[0]
    return x + feed_forward(norm2(x))


# === wrong gradient-cut
def block_detaches(x, attend, feed_forward, norm1, norm2):
    y = x.detach() + attend(norm1(x.detach()))
    return y + feed_forward(norm2(y)) + 0 * x


# === wrong wrong-gradient
def block_detaches_a_branch(x, attend, feed_forward, norm1, norm2):
    y = x + attend(norm1(x.detach()))
    return y + feed_forward(norm2(y))


# === wrong no-gradient
def block_without_gradient(x, attend, feed_forward, norm1, norm2):
    with torch.no_grad():
        y = x + attend(norm1(x))
        return y + feed_forward(norm2(y))


# === wrong changes-dtype
def block_makes_its_own_buffer(x, attend, feed_forward, norm1, norm2):
    y = x + attend(norm1(x))
    return y + feed_forward(norm2(y)) + torch.zeros(x.shape, dtype=torch.float64)


# === wrong returns-a-tuple
def block_returns_both(x, attend, feed_forward, norm1, norm2):
    y = x + attend(norm1(x))
    return y + feed_forward(norm2(y)), y


# === wrong returns-none
def block_forgets_return(x, attend, feed_forward, norm1, norm2):
    y = x + attend(norm1(x))
    y = y + feed_forward(norm2(y))


# === wrong not-repeatable
def block_drops_out_not_repeatable(x, attend, feed_forward, norm1, norm2):
    y = x + F.dropout(attend(norm1(x)), 0.5)
    return y + feed_forward(norm2(y))


# === wrong ignores-an-argument
def block_without_attention(x, attend, feed_forward, norm1, norm2):
    return x + feed_forward(norm2(x)) + norm1(x)


# === wrong over-summed
def block_sums_over_positions(x, attend, feed_forward, norm1, norm2):
    y = x + attend(norm1(x))
    return (y + feed_forward(norm2(y))).sum(1)


# === wrong factor
def block_averages_the_two(x, attend, feed_forward, norm1, norm2):
    y = x + attend(norm1(x))
    return (y + feed_forward(norm2(y))) / 2


# === wrong unknown
def block_halves_the_branches(x, attend, feed_forward, norm1, norm2):
    y = x + attend(norm1(x)) / 2
    return y + feed_forward(norm2(y)) / 2


# === wrong norm-on-the-residual + network-without-norm
def block_two_slips(x, attend, feed_forward, norm1, norm2):
    x = norm1(x)
    x = x + attend(x)
    return x + feed_forward(x)


# === wrong post-ln
def fresh_post(x, attend, feed_forward, norm1, norm2):
    y = norm1(x + attend(x))
    return norm2(y + feed_forward(y))


# === wrong norm-on-the-residual
def fresh_residual_from_norm(x, attend, feed_forward, norm1, norm2):
    h = norm1(x)
    y = h + attend(h)
    u = norm2(y)
    return u + feed_forward(u)


# === right
def fresh_short(x, attend, feed_forward, norm1, norm2):
    x = x + attend(norm1(x))
    return x + feed_forward(norm2(x))
