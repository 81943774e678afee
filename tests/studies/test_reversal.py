"""The reversal of digits: what is packed, what is held out, and that the bugs are bugs."""

import pytest
import torch

from attnbook.attention import causal_mask
from attnbook.studies import (
    BOS,
    EOS,
    PAD,
    SIGNS,
    SMALL,
    backwards,
    digit_rows,
    fit_small,
    next_word_loss,
    pack_pairs,
    random_target,
    run_decoder,
    share_right,
    tell_peeking,
    unmasked_loss,
    word_loss,
    write,
    write_anew,
)
from attnbook.transformer import Transformer


@pytest.fixture
def model():
    torch.manual_seed(0)
    return Transformer(SMALL).double().eval()


@pytest.fixture
def batch():
    rows = [[4, 7, 1, 9], [5, 2, 3]]
    return pack_pairs(rows, [row[::-1] for row in rows])


def test_pairs_are_packed_with_signs(batch):
    source, lens, target = batch
    assert source.tolist() == [[7, 10, 4, 12], [8, 5, 6, PAD]]
    assert lens.tolist() == [4, 3]
    assert [SIGNS[i] for i in target[1]] == ["<bos>", "3", "2", "5", "<eos>", "<pad>"]


def test_held_out_rows_do_not_occur_in_training():
    for held_out in (True, False):
        rows = digit_rows(200, seed=1, held_out=held_out)
        assert all((sum(row) % 5 == 0) == held_out for row in rows)
        assert {len(row) for row in rows} == set(range(4, 10))


def test_an_epoch_is_forty_batches_of_reversals():
    batches = backwards(3)
    assert len(batches) == 40
    source, lens, target = batches[7]
    for ids, n, reversed_ids in zip(source, lens, target, strict=True):
        assert reversed_ids[1 : n + 1].tolist() == ids[:n].flip(0).tolist()
        assert (reversed_ids[0], reversed_ids[n + 1]) == (BOS, EOS)
    assert not torch.equal(backwards(4)[7][0][:, :4], source[:, :4])


def test_the_decoder_by_hand_is_the_models(model, batch):
    source, lens, target = batch
    memory, _ = model.encoder(source, lens)
    logits = run_decoder(model, target, memory, lens, causal_mask(target.shape[1]))
    torch.testing.assert_close(logits, model(source, target, lens))
    late = run_decoder(model, target, memory, lens, causal_mask(6), start=3)
    assert (late - logits).abs().max() > 0.1


def test_the_loss_leaves_padding_out(model, batch):
    source, lens, target = batch
    logits = model(source, target[:, :-1], lens)
    terms = [-logits[b, t].log_softmax(-1)[target[b, t + 1]] for b, words in enumerate((5, 4)) for t in range(words)]
    torch.testing.assert_close(word_loss(logits, target), torch.stack(terms).mean())
    torch.testing.assert_close(next_word_loss(model, batch), word_loss(logits, target))


def test_without_the_mask_the_loss_depends_on_the_next_word_and_with_it_does_not(model):
    source, lens, target = pack_pairs([[4, 7, 1]], [[1, 7, 4]])
    other = target.clone()
    other[0, 3] = 12  # goes in at position 3
    memory, _ = model.encoder(source, lens)
    for mask, sees in ((None, True), (causal_mask(4), False)):
        change = run_decoder(model, target[:, :-1], memory, lens, mask) - run_decoder(
            model, other[:, :-1], memory, lens, mask
        )
        assert (change[0, :3].abs().max() > 1e-6) == sees
    assert unmasked_loss(model, (source, lens, target)) != next_word_loss(model, (source, lens, target))


def test_writing_anew_is_writing_with_a_cache(model, batch):
    source, lens, _ = batch
    assert torch.equal(write(model, source, lens), write_anew(model, source, lens, True))


def test_rows_are_right_only_as_a_whole(batch):
    target = batch[2]
    assert share_right(target[:, 1:], target) == 1
    after = target[:, 1:].clone()
    after[1, 4] = 9  # after <eos>
    assert share_right(after, target) == 1
    after[1, 3] = 9  # <eos> itself
    assert share_right(after, target) == 0.5


def test_what_a_peeking_model_is_asked():
    lens = torch.tensor([4, 6])
    assert (random_target(lens) == EOS).float().argmax(-1).tolist() == [5, 7]
    rows = digit_rows(5, seed=0)
    batch = pack_pairs(rows, [row[::-1] for row in rows])
    torch.manual_seed(0)
    told = tell_peeking(Transformer(SMALL), batch)
    assert set(told) == {"alone", "company", "ends"}
    assert all(0 <= share <= 1 for share in told.values())


def test_training_teaches():
    model, losses = fit_small(next_word_loss, backwards, steps=20)
    again, _ = fit_small(next_word_loss, backwards, steps=20)
    assert losses[-1] < losses[0] - 1
    for a, b in zip(model.parameters(), again.parameters(), strict=True):
        assert torch.equal(a, b)
