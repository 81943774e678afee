"""Right answers to the exercise on blocks, as different people write them."""
# ruff: noqa (this is how people write)

import torch
from right_answers import right
from torch import nn


@right("pre-ln-block")
def block_in_one_line(x, attend, feed_forward, norm1, norm2):
    return (y := x + attend(norm1(x))) + feed_forward(norm2(y))


@right("pre-ln-block")
def block_step_by_step(x, attend, feed_forward, norm1, norm2):
    h = norm1(x)
    h = attend(h)
    x = x + h
    h = norm2(x)
    h = feed_forward(h)
    return x + h


@right("pre-ln-block")
def block_by_a_loop(x, attend, feed_forward, norm1, norm2):
    for norm, sublayer in ((norm1, attend), (norm2, feed_forward)):
        x = sublayer(norm(x)) + x
    return x


@right("pre-ln-block")
def block_with_an_inner_function(x, attend, feed_forward, norm1, norm2):
    def residual(x, sublayer, norm):
        return torch.add(x, sublayer(norm(x)))

    return residual(residual(x, attend, norm1), feed_forward, norm2)


@right("pre-ln-block")
def block_that_keeps_a_copy(x, attend, feed_forward, norm1, norm2):
    x = x.clone()
    x += attend(norm1(x))
    x += feed_forward(norm2(x))
    return x


@right("pre-ln-block")
def block_as_a_module(x, attend, feed_forward, norm1, norm2):
    class Block(nn.Module):
        def forward(self, x):
            residual = x
            x = residual + attend(norm1(x))
            residual = x
            return residual + feed_forward(norm2(x))

    return Block()(x)


@right("pre-ln-block")
def block_that_sums_a_list(x, attend, feed_forward, norm1, norm2):
    heard = attend(norm1(x))
    thought = feed_forward(norm2(x + heard))
    return torch.stack([x, heard, thought]).sum(0)


@right("pre-ln-block")
def block_that_calls_twice(x, attend, feed_forward, norm1, norm2):
    return x + attend(norm1(x)) + feed_forward(norm2(x + attend(norm1(x))))
