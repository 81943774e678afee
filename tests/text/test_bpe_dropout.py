"""Words cut at random: always the same words, the vocabulary's own cut without dropout, and the same for a seed."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnbook.data import bundled_pairs
from attnbook.text import UNK, BPEDropout, SubwordVocabulary, WordVocabulary, normalise
from attnbook.translation import Recipe, fit
from small_recipes import SMALL
from tensors import PROPERTY, says
from toy_corpus import toy_pairs

TEXTS = [pair.target for pair in bundled_pairs()[:400]]
VOCAB = SubwordVocabulary(TEXTS, 300)
LOOSE = replace(SMALL, subwords=60, bpe_dropout=0.2)


def cut(text, probability, seed=0, draw=0):
    return BPEDropout(VOCAB, probability, seed=seed).encode(text, random.Random(draw))


def test_merges_are_in_the_order_in_which_they_were_learned():
    pieces = VOCAB.tokens(range(len(VOCAB)))
    joined = [left + right for left, right in VOCAB.merges]
    assert joined == [piece for piece in pieces if piece in set(joined)] and len(joined) > 200


@pytest.mark.parametrize("text", TEXTS[::20])
def test_with_nothing_left_out_it_is_the_vocabularys_cut(text):
    assert cut(text, 0.0) == VOCAB.encode(text)


@PROPERTY
@given(st.sampled_from(TEXTS), st.floats(0, 0.99), st.integers(0, 5))
def test_however_a_text_is_cut_it_says_the_same(text, probability, draw):
    assert VOCAB.decode(cut(text, probability, draw=draw)) == normalise(text)


def test_characters_of_scripts_without_spaces_are_cut_alike():
    text = "我们走吧，OK？"
    vocab = SubwordVocabulary([text] * 3, 40)
    assert BPEDropout(vocab, 0.0).encode(text, random.Random(0)) == vocab.encode(text)


def test_the_more_is_left_out_the_smaller_the_pieces():
    lengths = [sum(len(cut(text, probability)) for text in TEXTS) for probability in (0.0, 0.1, 0.3, 0.6, 0.99)]
    assert lengths == sorted(set(lengths))
    letters = sum(len(word) + 1 for text in TEXTS for word in normalise(text).split())
    assert lengths[-1] > 0.9 * letters


def test_a_cut_depends_on_the_seed_and_the_dice_alone():
    text = TEXTS[200]
    sampler = BPEDropout(VOCAB, 0.3)
    for other in TEXTS[:50]:
        sampler.encode(other, random.Random(9))
    assert sampler.encode(text, random.Random(1)) == cut(text, 0.3, draw=1)
    assert len({tuple(cut(text, 0.3, draw=draw)) for draw in range(20)}) > 5
    assert len({tuple(cut(text, 0.3, seed=seed)) for seed in range(20)}) > 5


def test_a_word_with_an_unknown_letter_is_left_to_the_vocabulary():
    assert "ж" not in "".join(TEXTS)
    assert cut("je жuis", 0.5)[-len(VOCAB.encode("жuis")) :] == VOCAB.encode("жuis")
    assert UNK in VOCAB.encode("жuis")


def test_a_training_with_it_is_repeated_exactly_and_goes_on_exactly(tmp_path):
    whole, again = (fit(LOOSE, toy_pairs(), steps=12, seed=3).losses for _ in range(2))
    assert whole == again != fit(replace(LOOSE, bpe_dropout=0.0), toy_pairs(), steps=12, seed=3).losses
    constant = LOOSE.with_training(schedule="constant")
    at_once = fit(constant, toy_pairs(), steps=12, seed=3).losses
    fit(constant, toy_pairs(), steps=5, seed=3, folder=tmp_path)
    assert fit(constant, toy_pairs(), steps=12, seed=3, folder=tmp_path).losses == at_once


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: BPEDropout(WordVocabulary(TEXTS)), "vocab must be a SubwordVocabulary, got WordVocabulary"),
        (lambda: BPEDropout(VOCAB, 1.0), "probability must be in [0, 1), got 1.0"),
        (lambda: BPEDropout(VOCAB, -0.1), "probability must be in [0, 1), got -0.1"),
        (lambda: BPEDropout(VOCAB, variants=0), "variants"),
        (lambda: Recipe("transformer", bpe_dropout=0.1), "set subwords, too"),
    ],
)
def test_what_cannot_be_is_refused(call, message):
    with pytest.raises((TypeError, ValueError), match=says(message)):
        call()
