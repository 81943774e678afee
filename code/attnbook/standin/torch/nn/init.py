"""`torch.nn.init`: first values of parameters."""

import math

from .._tape import no_grad
from .._tensor import Tensor

uniform_, normal_ = no_grad(Tensor.uniform_), no_grad(Tensor.normal_)
constant_, zeros_ = no_grad(Tensor.fill_), no_grad(Tensor.zero_)
ones_ = no_grad(lambda tensor: tensor.fill_(1.0))


def xavier_uniform_(tensor, gain=1.0, generator=None):
    bound = gain * math.sqrt(6.0 / sum(tensor.shape))
    return uniform_(tensor, -bound, bound, generator=generator)
