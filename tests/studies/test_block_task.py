"""Stacks for the chapter on blocks: the schedule by its formula, the gradients by hand, the training reproducible."""

import math

import pytest
import torch
from torch import nn

from attnbook.studies import StackedReader, fit_stack, layer_gradients, rate, reversal_batch
from attnbook.transformer import EncoderLayer


@pytest.mark.parametrize("step", [0, 1, 28, 59, 60, 239])
def test_the_rate_is_the_papers_up_to_a_factor(step):
    s, warmup = step + 1, 60
    assert rate(step, 0.01, warmup) == pytest.approx(0.01 * min((s / warmup) ** -0.5, s / warmup))


def test_without_the_rise_the_rate_is_the_peak_and_then_the_same():
    flat = [rate(step, 0.01, 60, rise=False) for step in range(120)]
    assert flat[:60] == pytest.approx([0.01] * 60)
    assert flat[60:] == pytest.approx([rate(step, 0.01, 60) for step in range(60, 120)])


def test_the_answers_are_the_row_backwards():
    ids, answers = reversal_batch(3, 5, torch.Generator().manual_seed(0), vocab_size=7)
    assert ids.shape == answers.shape == (3, 5) and int(ids.max()) < 7
    assert [row[::-1] for row in ids.tolist()] == answers.tolist()


@pytest.mark.parametrize("norm_first", [False, True])
def test_a_reader_is_its_layers_and_pre_ln_has_one_more_norm(norm_first):
    torch.manual_seed(0)
    model = StackedReader(3, norm_first, d_model=12)
    ids = torch.randint(8, (2, 16))
    x = model.words(ids) + model.places.weight
    for layer in model.layers:
        assert isinstance(layer, EncoderLayer) and layer.around_attention.norm_first is norm_first
        x = layer(x)[0]
    if norm_first:
        x = nn.functional.layer_norm(x, (12,))
    torch.testing.assert_close(model(ids), x @ model.head.weight.T + model.head.bias)
    assert model(ids).shape == (2, 16, 8)


def test_the_stream_starts_with_variance_one_and_matrices_are_glorots():
    torch.manual_seed(0)
    models = [StackedReader(1, True) for _ in range(40)]
    streams = [m.words.weight[:, None] + m.places.weight for m in models]
    mean = torch.stack(streams).square().mean().item()
    assert mean == pytest.approx(1, rel=0.05)
    model = models[0]
    matrix = model.layers[0].feed_forward.W_2.weight
    assert matrix.square().mean().item() == pytest.approx(2 / (64 + 256), rel=0.05)


@pytest.mark.parametrize("norm_first", [False, True])
def test_the_gradients_are_those_of_the_loss(norm_first):
    found = layer_gradients(2, norm_first, seed=3)
    torch.manual_seed(3)
    model = StackedReader(2, norm_first)
    ids, answers = reversal_batch(8, 16, torch.Generator().manual_seed(1003))
    loss = -model(ids).log_softmax(-1).gather(-1, answers[..., None]).mean()
    wanted = torch.autograd.grad(loss, [layer.feed_forward.W_2.weight for layer in model.layers])
    assert found == pytest.approx([g.norm().item() for g in wanted], rel=1e-4)


def test_training_begins_at_guessing_gets_better_and_repeats_itself():
    losses = fit_stack(True, 0.01, rise=True, seed=1, depth=1, steps=60, warmup=20)
    again = fit_stack(True, 0.01, rise=True, seed=1, depth=1, steps=60, warmup=20)
    assert losses == again and len(losses) == 60
    assert losses[0] > 0.8 * math.log(8)
    assert sum(losses[-5:]) < sum(losses[:5])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: StackedReader(0, True), "depth"),
        (lambda: fit_stack(True, 0.0, True), "peak"),
        (lambda: fit_stack(True, 0.1, True, steps=0), "steps"),
        (lambda: rate(0, 0.1, 0), "warmup"),
    ],
)
def test_what_cannot_be_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
