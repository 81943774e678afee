"""Recipes and translators: from text to text, measured, saved and read again."""

from dataclasses import replace

import pytest
import torch
from tensors import says
from toy_corpus import toy_pairs

from attnbook.data import Pair
from attnbook.text import EOS, SubwordVocabulary, WordVocabulary
from attnbook.training import CheckpointError, save_checkpoint
from attnbook.translation import (
    RECIPES,
    Recipe,
    Translator,
    bleu,
    evaluate,
    fit,
    prepare,
)

SMALL = Recipe(
    "recurrent",
    {"embed_size": 16, "hidden_size": 24, "num_layers": 1, "dropout": 0.0},
    min_count=1,
    batch_size=16,
    lr=1e-2,
)
SIZES = {"d_model": 16, "num_heads": 2, "d_ff": 32, "num_encoder_layers": 1}
SMALL_TRANSFORMER = Recipe(
    "transformer",
    SIZES | {"num_decoder_layers": 1, "dropout": 0.0, "norm_first": True},
    subwords=60,
    batch_size=16,
    lr=1e-2,
)


@pytest.fixture(scope="module")
def trained():
    return fit(SMALL, toy_pairs(), steps=150, seed=0).translator


def test_it_translates_what_it_has_learned(trained):
    pairs = toy_pairs()
    found = trained.translate([pair.source for pair in pairs])
    right = sum(text == pair.target for text, pair in zip(found, pairs, strict=True))
    assert right >= 46
    assert trained.translate([pairs[5].source] * 2, beam=3) == [pairs[5].target] * 2


def test_order_repeats_and_case_do_not_matter(trained):
    first, second = (pair.source for pair in toy_pairs()[:2])
    one, other = trained.translate([first, second])
    asked = [second, first.upper().replace(" .", "."), "", second]
    assert trained.translate(asked) == [other, one, "", other]
    assert trained.translate([]) == []
    assert not trained.model.training


def test_batches_of_any_size_give_the_same(trained):
    sources = [pair.source for pair in toy_pairs()[:7]]
    assert trained.translate(sources, batch_size=2) == trained.translate(sources)


def test_unknown_words_become_unk(trained):
    ids, lens = trained.encode(["one purple car ."])
    assert trained.source_vocab.tokens(ids[0].tolist()) == [
        "one",
        "<unk>",
        "car",
        ".",
        "<eos>",
    ]
    assert lens.tolist() == [5]
    assert isinstance(trained.translate(["one purple car ."])[0], str)


def test_alignment_names_its_axes(trained):
    source, target, weights = trained.align("two red car .")
    assert source == ["two", "red", "car", ".", "<eos>"]
    assert target == ["deux", "auto", "rouge", ".", "<eos>"]
    assert weights.shape == (5, 5)
    torch.testing.assert_close(weights.sum(-1), torch.ones(5))
    _, forced, _ = trained.align("two red car .", "un livre .")
    assert forced == ["un", "livre", ".", "<eos>"]


def test_a_transformer_aligns_too_and_a_model_without_attention_does_not():
    translator, _ = prepare(SMALL_TRANSFORMER, toy_pairs())
    source, target, weights = translator.align("two red car .", "deux auto rouge .")
    assert weights.shape == (len(target), len(source))
    none = replace(SMALL, sizes=SMALL.sizes | {"attention": "none"})
    translator, _ = prepare(none, toy_pairs())
    with pytest.raises(ValueError, match="no attention; there is nothing to align"):
        translator.align("two red car .")


def test_evaluation_counts_each_source_once_with_all_its_references(trained):
    pairs = [*toy_pairs()[:3], Pair(toy_pairs()[0].source, "autre chose .")]
    result = evaluate(trained, pairs)
    assert result["sentences"] == 3 and len(result["translations"]) == 3
    written = list(result["translations"].values())
    references = [[pair.target] for pair in pairs[:3]]
    references[0].append("autre chose .")
    assert result["bleu"] == pytest.approx(bleu(written, references))
    assert 0 <= result["chrf"] <= 100


@pytest.mark.parametrize(
    "recipe", [SMALL, SMALL_TRANSFORMER], ids=["recurrent", "transformer"]
)
def test_saved_and_read_again(tmp_path, recipe):
    translator, _ = prepare(recipe, toy_pairs())
    path = tmp_path / "translator.pt"
    translator.save(path)
    again = Translator.load(path)
    assert again.model.config == translator.model.config and not again.model.training
    assert again.source_vocab == translator.source_vocab
    sources = [pair.source for pair in toy_pairs()[:5]]
    assert again.translate(sources, max_len=8) == translator.translate(
        sources, max_len=8
    )


def test_what_is_no_translator_is_refused(tmp_path):
    path = tmp_path / "x.pt"
    with pytest.raises(FileNotFoundError, match="train first"):
        Translator.load(path)
    path.write_bytes(b"not a zip")
    with pytest.raises(CheckpointError, match="not a whole checkpoint"):
        Translator.load(path)
    save_checkpoint(path, {"kind": "recurrent"})
    with pytest.raises(
        CheckpointError, match=says("does not hold a translator", "KeyError")
    ):
        Translator.load(path)


def test_vocabularies_of_another_size_are_refused(trained):
    other = WordVocabulary(["a few words"])
    with pytest.raises(
        ValueError, match=says("target vocabulary has 7 entries", "pass the voc")
    ):
        Translator(trained.model, trained.source_vocab, other)


def test_recipes():
    for name, recipe in RECIPES.items():
        model = recipe.build(31, 37)
        assert model.config.target_vocab_size == 37, name
    published = RECIPES["bahdanau-published"]
    config = published.build(31, 37).config
    assert (config.embed_size, config.hidden_size, config.num_layers) == (256, 256, 2)
    assert (config.dropout, published.batch_size, published.lr, published.clip) == (
        0.2,
        128,
        0.005,
        1,
    )
    assert RECIPES["seq2seq"].build(31, 37).config.attention == "none"
    assert isinstance(SMALL.vocabulary(["a b"]), WordVocabulary)
    assert isinstance(SMALL_TRANSFORMER.vocabulary(["a b"] * 9), SubwordVocabulary)
    with pytest.raises(ValueError, match="recurrent, transformer, got 'lstm'"):
        Recipe("lstm")
    with pytest.raises(TypeError, match="num_heads"):
        Recipe("recurrent", {"num_heads": 2})


def test_a_recipe_decides_by_the_seed_alone():
    one, two, other = (prepare(SMALL, toy_pairs(), seed)[0].model for seed in (0, 0, 1))
    states = [model.state_dict()["decoder.head.weight"] for model in (one, two, other)]
    assert torch.equal(states[0], states[1]) and not torch.equal(states[0], states[2])
    _, encoded = prepare(SMALL, toy_pairs())
    assert encoded[0].source[-1] == EOS


def test_one_text_is_not_a_list(trained):
    with pytest.raises(TypeError, match="a list of texts, got one text"):
        trained.translate("two red car .")
    with pytest.raises(ValueError, match="beam"):
        trained.translate(["two"], beam=0)
