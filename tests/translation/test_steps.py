"""Word by word with a cache gives the numbers of the parallel pass, and any step may follow any other."""

import pytest
import torch

from attnbook.transformer import TransformerConfig
from attnbook.translation import TransformerTranslator
from small_translators import KINDS, TARGET_SIZE, source_batch, target_batch, translator
from tensors import close


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


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "transformer"])
def test_what_was_read_before_a_step_cannot_be_taken_back(kind):
    """A recurrent state has no memory of all its places: it says so, instead of going back to a wrong one."""
    model, (source, lens), target = translator(kind), source_batch(), target_batch(6)
    with torch.no_grad():
        state = model.start(source, lens)
        model.extend(target[:, :3], state)
        model.step(target[:, 3], state)
        with pytest.raises(ValueError, match="cannot take back 1 words, only 0 were"):
            model.rewind(state, 1)
        close(model.extend(target[:, 4:], state), model(source, target, lens)[:, 4:])
        model.rewind(state, 1)
        close(model.step(target[:, 5], state)[0], model(source, target, lens)[:, 5])


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


def test_gradients_flow_through_the_steps_and_dropout_is_at_work_while_training():
    model, (source, lens), target = model_of(), source_batch(), target_batch(2)
    logits = scores(model, target, model.start(source, lens), 0, 2)
    logits.square().sum().backward()
    assert model.encoder.embedding.weight.grad.abs().max() > 0
    with torch.no_grad():
        model.train()
        first, second = (scores(model, target, model.start(source, lens), 0, 2) for _ in range(2))
    assert (first - second).abs().max() > 0


def test_a_step_computes_no_more_positions_than_it_needs(monkeypatch):
    """Also in beam search, which changes its sentences at every step: the table of encodings is made once."""
    from attnbook.attention import positions

    rows = []
    whole = positions.sinusoidal_encoding

    def counted(num_positions, *rest, **options):
        rows.append(num_positions)
        return whole(num_positions, *rest, **options)

    monkeypatch.setattr(positions, "sinusoidal_encoding", counted)
    model, (source, lens), target = model_of(), source_batch(), target_batch(20)
    with torch.no_grad():
        state = model.start(source, lens)
        for t in range(20):
            model.step(target[:, t], state)
            state.reorder(torch.tensor([0, 0, 1]))
    assert rows == [64, 64]  # the encoder's and the decoder's


@pytest.mark.parametrize("words", [[40, 1, 1, 1], [1.0, 1.0, 1.0, 1.0], [1, 1]])
def test_a_refused_word_leaves_the_state_as_it_was(words):
    model, (source, lens), target = model_of(), source_batch(), target_batch(2)
    with torch.no_grad():
        state = model.start(source, lens)
        model.step(target[:, 0], state)
        with pytest.raises((TypeError, ValueError)):
            model.step(torch.tensor(words), state)
        assert [layer.own.length for layer in state.cache] == [1, 1]
