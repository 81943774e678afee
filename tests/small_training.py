"""A small model that is trained in seven steps, or not to its end, and how a checkpoint is refused."""

import contextlib
import dataclasses

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.optim.optimizer import register_optimizer_step_pre_hook

from attnbook.training import CheckpointError, TrainConfig, train

STEPS = TrainConfig(steps=7, lr=0.05, clip=0.5, schedule="warmup-cosine", warmup=2)
SAVING = dataclasses.replace(STEPS, checkpoint_every=2)
EVEN = dataclasses.replace(SAVING, schedule="constant", warmup=0)


@dataclasses.dataclass(frozen=True)
class Sizes:
    """The configuration of the small model."""

    d_model: int = 5
    dropout: float = 0.3


class Small(nn.Module):
    """With dropout, so that random numbers matter at every step."""

    def __init__(self, config=Sizes()):  # noqa: B008 — frozen
        super().__init__()
        torch.manual_seed(1)
        self.config = config
        self.inner = nn.Linear(3, config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.outer = nn.Linear(config.d_model, 1)

    def forward(self, x):
        return self.outer(self.dropout(self.inner(x).tanh()))


def batches(epoch):
    """Three batches an epoch, shuffled by the epoch's number."""
    generator = torch.Generator().manual_seed(epoch)
    for _ in range(3):
        x = torch.randn(4, 3, generator=generator)
        yield x, x.sum(-1, keepdim=True)


def loss_fn(model, batch):
    x, y = batch
    return F.mse_loss(model(x), y)


class Interrupted(Exception):
    pass


def interrupt_at(step):
    """A loss that stops the training at a step, as a power cut would."""
    seen = []

    def loss(model, batch):
        seen.append(batch)
        if len(seen) > step:
            raise Interrupted
        return loss_fn(model, batch)

    return loss


def weights_of(model):
    return {name: weight.clone() for name, weight in model.state_dict().items()}


@contextlib.contextmanager
def watching(look):
    """Collect what `look` finds in the optimizer's group of parameters before each step."""
    found = []
    hook = register_optimizer_step_pre_hook(lambda optimizer, *_: found.append(look(optimizer.param_groups[0])))
    try:
        yield found
    finally:
        hook.remove()


def same(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def refused(path, model, config=None):
    """Train on a checkpoint that does not fit: it must be refused, and neither model nor file be touched."""
    weights, content = weights_of(model), path.read_bytes()
    config = config or EVEN
    with pytest.raises(CheckpointError) as caught:
        train(model, loss_fn, batches, config, checkpoint=path)
    assert same(weights_of(model), weights)
    assert path.read_bytes() == content
    return str(caught.value)
