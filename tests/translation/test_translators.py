"""Every translator behind one interface: at once, step by step, several words at a time, and back again."""

import inspect

import pytest
import torch

from attnbook.translation import RecurrentConfig, RecurrentTranslator, TransformerTranslator
from small_translators import KINDS, TARGET_SIZE, source_batch, target_batch, translator
from tensors import close, says


@pytest.mark.parametrize("kind", KINDS)
def test_step_by_step_as_at_once(kind):
    model, target = translator(kind), target_batch()
    source, lens = source_batch()
    at_once = model(source, target, lens)
    assert at_once.shape == (3, 6, TARGET_SIZE)
    state, steps = model.start(source, lens), []
    for t in range(6):
        logits, weights, state = model.step(target[:, t], state)
        assert weights is None  # not asked for
        steps.append(logits)
    close(torch.stack(steps, 1), at_once)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "none"])
def test_the_weights_of_a_step_are_those_of_the_whole(kind):
    model, target = translator(kind), target_batch()
    source, lens = source_batch()
    _, all_weights = model(source, target, lens, need_weights=True)
    if kind == "transformer":
        assert [w.shape for w in all_weights] == [(3, 2, 6, 5)] * 2
        all_weights = all_weights[-1].mean(1)
    state = model.start(source, lens)
    for t in range(6):
        _, weights, state = model.step(target[:, t], state, need_weights=True)
        close(weights, all_weights[:, t])
    assert (weights[1, 2:] == 0).all()  # the second source has two tokens
    close(weights.sum(-1), torch.ones(3).double())


def test_without_attention_there_are_no_weights():
    model, target = translator("none"), target_batch()
    source, lens = source_batch()
    assert model(source, target, lens, need_weights=True)[1] is None
    assert model.step(target[:, 0], model.start(source, lens), need_weights=True)[1] is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("taken_back", [0, 1, 3, 4])
def test_reading_several_words_and_taking_some_back(kind, taken_back):
    model, target = translator(kind), target_batch(8)
    source, lens = source_batch()
    at_once = model(source, target, lens)
    state = model.start(source, lens)
    close(model.extend(target[:, :2], state), at_once[:, :2])
    close(model.extend(target[:, 2:6], state), at_once[:, 2:6])
    model.rewind(state, taken_back)
    begin = 6 - taken_back
    close(model.extend(target[:, begin:], state), at_once[:, begin:])


@pytest.mark.parametrize("kind", KINDS)
def test_no_more_words_can_be_taken_back_than_were_read(kind):
    model, target = translator(kind), target_batch()
    state = model.start(*source_batch())
    model.extend(target[:, :2], state)
    with pytest.raises(ValueError, match="cannot take back 3 words, only 2 were read"):
        model.rewind(state, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_a_copied_state_goes_its_own_way(kind):
    model, target = translator(kind), target_batch()
    source, lens = source_batch()
    at_once = model(source, target, lens)
    state = model.start(source, lens)
    model.extend(target[:, :3], state)
    twin = state.copy()
    model.extend(target[:, 3:], state)
    close(model.extend(target[:, 3:], twin), at_once[:, 3:])


@pytest.mark.parametrize("kind", KINDS)
def test_beams_are_kept_and_repeated(kind):
    model, target = translator(kind), target_batch()
    source, lens = source_batch()
    order = torch.tensor([2, 0, 0])
    state = model.start(source, lens)
    model.extend(target[:, :3], state)
    state.reorder(order)
    expected = model(source[order], target[order], lens[order])
    close(model.extend(target[order, 3:], state), expected[:, 3:])


@pytest.mark.parametrize("kind", KINDS)
def test_no_word_sees_a_later_one(kind):
    model, target = translator(kind), target_batch()
    source, lens = source_batch()
    before = model(source, target, lens)
    for t in range(1, 6):
        other = target.clone()
        other[:, t] = (target[:, t] + 1) % TARGET_SIZE
        after = model(source, other, lens)
        close(after[:, :t], before[:, :t])
        assert not torch.allclose(after[:, t], before[:, t])


@pytest.mark.parametrize("kind", KINDS)
def test_ids_beyond_the_vocabulary_are_named(kind):
    model, target = translator(kind), target_batch()
    source, lens = source_batch()
    with pytest.raises(ValueError, match="beyond the vocabulary of 11"):
        model(source + 5, target, lens)
    with pytest.raises(ValueError, match="beyond the vocabulary of 7"):
        model(source, target + 5, lens)
    with pytest.raises(ValueError, match="beyond the vocabulary of 11"):
        model.start(source + 5, lens)


def test_the_published_sizes():
    """Batch 4, 7 steps, vocabulary 10, embedding 8, 16 hidden units, 2 layers, as BOOK.md and d2l check them."""
    model = RecurrentTranslator(RecurrentConfig(10, 10, 8, 16, 2, 0.0))
    source = torch.ones(4, 7, dtype=torch.long)
    lens = torch.full((4,), 7)
    assert model(source, source, lens).shape == (4, 7, 10)
    state = model.start(source, lens)
    assert state.memory.shape == (4, 7, 16)
    assert [layer.shape for layer in state.hidden] == [(4, 16)] * 2


def test_configs_say_what_is_wrong():
    with pytest.raises(ValueError, match=says("additive, scaled dot, multiplicative, none", "'cosine'")):
        RecurrentConfig(10, 10, attention="cosine")
    with pytest.raises(ValueError, match="hidden_size"):
        RecurrentConfig(10, 10, hidden_size=0)
    with pytest.raises(ValueError, match="encoder that reads one way"):
        RecurrentTranslator(RecurrentConfig(10, 10, attention="scaled dot", bidirectional=True))


def test_all_translators_take_the_same_names():
    classes = (RecurrentTranslator, TransformerTranslator)
    for method in ("forward", "start", "extend", "rewind", "step"):
        one, other = (list(inspect.signature(getattr(c, method)).parameters) for c in classes)
        assert one == other, method
    names = list(inspect.signature(RecurrentTranslator.forward).parameters)
    assert names == ["self", "source", "target", "valid_lens", "need_weights"]
