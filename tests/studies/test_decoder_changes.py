"""The block of 2017, each change to it, and the training that they share."""

import pytest
import torch
from torch import nn

from attnbook.language import held_out_loss, split_book
from attnbook.studies import DECODER_CHANGES, OF_2017, OF_TODAY, book_ids, changed_decoder, fit_decoder, measure_decoder
from attnbook.transformer import LanguageModel, LanguageModelConfig, count_parameters

V = 1024
ABOUT_PARAMETERS = {"grouped queries", "untied output", "learned positions"}


def built(name: str) -> LanguageModel:
    return LanguageModel(LanguageModelConfig(V, **changed_decoder(name)))


@pytest.mark.parametrize("name", DECODER_CHANGES)
def test_a_change_changes_what_it_says_and_nothing_else(name):
    made = changed_decoder(name)
    assert {key for key in made if made[key] != OF_2017.get(key)} == set(DECODER_CHANGES[name])
    more = count_parameters(built(name)) / count_parameters(built("2017")) - 1
    assert (abs(more) > 0.02) == (name in ABOUT_PARAMETERS)


def test_todays_block_has_all_of_its_changes_and_no_norm_with_a_mean():
    model, made = built("today"), changed_decoder("today")
    assert all(made[key] == value for name in OF_TODAY for key, value in DECODER_CHANGES[name].items())
    kinds = [type(part) for part in model.modules()]
    assert nn.LayerNorm not in kinds and kinds.count(nn.RMSNorm) == 2 * 2 + 1 + 2 * 2
    assert [name for name, _ in model.named_parameters() if name.endswith("bias")] == []


def test_another_name_is_an_error():
    with pytest.raises(KeyError):
        changed_decoder("post-norm")


def test_the_same_seed_gives_the_same_model_and_training_helps():
    few = fit_decoder(changed_decoder("today"), 5e-3, 1, steps=12, batch_size=2)
    again = fit_decoder(changed_decoder("today"), 5e-3, 1, steps=12, batch_size=2)
    other = fit_decoder(changed_decoder("today"), 5e-3, 2, steps=12, batch_size=2)
    assert torch.equal(few.head.weight, again.head.weight) and not torch.equal(few.head.weight, other.head.weight)
    vocabulary, ids = book_ids()
    assert vocabulary.decode(ids[:40]) == split_book().train[: len(vocabulary.decode(ids[:40]))]
    unseen = vocabulary.encode(split_book().dev)
    assert held_out_loss(few, unseen) < torch.tensor(V).log().item() - 0.3
    in_bits = held_out_loss(few, unseen) * len(unseen) / len(split_book().dev.encode()) / 0.693147
    assert measure_decoder(few, "dev") == pytest.approx(in_bits, rel=1e-5)
