"""The block of 2017, the changes that lead to today's, and the training that they share."""

import pytest
import torch
from torch import nn

from attnbook.language import held_out_loss, split_book
from attnbook.studies import DECODER_CHANGES, OF_2017, book_ids, decoder_after, fit_decoder, measure_decoder
from attnbook.transformer import LanguageModel, LanguageModelConfig, count_parameters

V = 1024
NAMES = [None, *DECODER_CHANGES]


def built(name: str | None) -> LanguageModel:
    return LanguageModel(LanguageModelConfig(V, **decoder_after(name)))


@pytest.mark.parametrize(("before", "name"), [*zip(NAMES, NAMES[1:], strict=False)])
def test_a_change_changes_what_it_says_and_keeps_the_parameters(before, name):
    old, new = decoder_after(before), decoder_after(name)
    assert {key for key in new if new[key] != old.get(key)} == set(DECODER_CHANGES[name])
    more = count_parameters(built(name)) / count_parameters(built(before)) - 1
    assert (abs(more) > 0.015) == (name == "grouped queries")


def test_the_ends_are_the_block_of_2017_and_todays():
    assert decoder_after(None) == OF_2017
    assert decoder_after() == decoder_after(NAMES[-1])
    model = built(NAMES[-1])
    kinds = [type(part) for part in model.modules()]
    assert nn.LayerNorm not in kinds and kinds.count(nn.RMSNorm) == 2 * 2 + 1 + 2 * 2
    assert [name for name, _ in model.named_parameters() if name.endswith("bias")] == []


def test_another_name_is_an_error():
    with pytest.raises(ValueError, match="change must be None or one of pre-norm, .*; got 'post-norm'"):
        decoder_after("post-norm")


def test_the_same_seed_gives_the_same_model_and_training_helps():
    few = fit_decoder(decoder_after(), 5e-3, 1, steps=40, batch_size=2)
    again = fit_decoder(decoder_after(), 5e-3, 1, steps=40, batch_size=2)
    other = fit_decoder(decoder_after(), 5e-3, 2, steps=40, batch_size=2)
    assert torch.equal(few.head.weight, again.head.weight) and not torch.equal(few.head.weight, other.head.weight)
    other = fit_decoder(decoder_after(), 5e-3, 1, steps=40, batch_size=2, first_weights=2)
    assert not torch.equal(few.head.weight, other.head.weight)
    vocabulary, ids = book_ids()
    assert split_book().train.startswith(vocabulary.decode(ids[:40]))
    unseen = vocabulary.encode(split_book().dev)
    loss = held_out_loss(few, unseen)
    assert loss < torch.tensor(V).log().item() - 0.3
    in_bits = loss * len(unseen) / len(split_book().dev.encode()) / 0.693147
    assert measure_decoder(few, "dev") == pytest.approx(in_bits, rel=1e-5)
