"""The fast step gives the decoder's numbers, and can be left and entered at any word."""

import pytest
import torch
from small_translators import TARGET_SIZE, source_batch, target_batch
from tensors import close

from attnbook.transformer import TransformerConfig
from attnbook.translation import TransformerTranslator
from attnbook.translation.stepping import can_hurry


def model_of(**options):
    torch.manual_seed(0)
    config = TransformerConfig(11, TARGET_SIZE, 10, 2, 13, 2, 2, dropout=0.1, **options)
    return TransformerTranslator(config).double().eval()


def scores(model, target, state, begin, end):
    steps = [model.step(target[:, t], state)[0] for t in range(begin, end)]
    return torch.stack(steps, dim=1)


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_it_is_the_parallel_pass(norm_first, positions):
    model = model_of(norm_first=norm_first, positions=positions)
    (source, lens), target = source_batch(), target_batch(70)
    with torch.no_grad():
        assert can_hurry(model)
        at_once = model(source, target, lens)
        close(scores(model, target, model.start(source, lens), 0, 70), at_once)


def test_it_can_be_left_and_entered_at_any_word():
    model, (source, lens), target = model_of(), source_batch(), target_batch(12)
    with torch.no_grad():
        at_once = model(source, target, lens)
        state = model.start(source, lens)
        close(scores(model, target, state, 0, 4), at_once[:, :4])
        close(model.extend(target[:, 4:7], state), at_once[:, 4:7])  # all at once
        model.rewind(state, 2)
        twin = state.copy()
        close(scores(model, target, state, 5, 12), at_once[:, 5:])
        close(scores(model, target, twin, 5, 12), at_once[:, 5:])


def test_beams_change_places_between_two_steps():
    model, (source, lens), target = model_of(), source_batch(), target_batch(8)
    order = torch.tensor([2, 0, 0, 1])
    with torch.no_grad():
        expected = model(source[order], target[order], lens[order])
        state = model.start(source, lens)
        scores(model, target, state, 0, 3)
        state.reorder(order)
        close(scores(model, target[order], state, 3, 8), expected[:, 3:])


def test_a_state_goes_on_outside_of_inference_mode_and_with_gradients():
    model, (source, lens), target = model_of(), source_batch(), target_batch(9)
    at_once = model(source, target, lens).detach()
    with torch.no_grad():
        state = model.start(source, lens)
        with torch.inference_mode():
            close(scores(model, target, state, 0, 3), at_once[:, :3])
        close(scores(model, target, state, 3, 6), at_once[:, 3:6])
    with torch.no_grad():
        close(scores(model, target, state, 6, 9), at_once[:, 6:])


def test_with_gradients_or_dropout_it_does_not_hurry():
    model, (source, lens), target = model_of(), source_batch(), target_batch(2)
    assert not can_hurry(model)
    logits = scores(model, target, model.start(source, lens), 0, 2)
    assert logits.requires_grad
    with torch.no_grad():
        assert not can_hurry(model.train())
