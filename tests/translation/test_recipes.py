"""Recipes and translators: from text to text, measured, saved and read again."""

import inspect
from dataclasses import replace

import pytest
import torch

from attnbook.data import Pair
from attnbook.text import EOS, SubwordVocabulary, WordVocabulary
from attnbook.training import CheckpointError, TrainConfig, read_archive, save_checkpoint
from attnbook.translation import (
    LENGTH_PENALTY,
    RECIPES,
    Languages,
    Recipe,
    RecurrentTranslator,
    Translator,
    beam_search,
    bleu,
    evaluate,
    fit,
    prepare,
)
from attnbook.translation import translator as translator_module
from small_recipes import SMALL, SMALL_TRANSFORMER
from tensors import says
from toy_corpus import toy_pairs


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
    assert trained.source_vocab.tokens(ids[0].tolist()) == ["one", "<unk>", "car", ".", "<eos>"]
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
    translator.model.train()
    with pytest.raises(ValueError, match="no attention; there is nothing to align"):
        translator.align("two red car .")
    assert translator.model.training  # the error has left nothing behind


def test_evaluation_counts_each_source_once_with_all_its_references(trained):
    pairs = [*toy_pairs()[:3], Pair(toy_pairs()[0].source, "autre chose .")]
    result = evaluate(trained, pairs)
    assert result["sentences"] == 3 and len(result["translations"]) == 3
    written = list(result["translations"].values())
    references = [[pair.target] for pair in pairs[:3]]
    references[0].append("autre chose .")
    assert result["bleu"] == pytest.approx(bleu(written, references))
    assert 0 <= result["chrf"] <= 100


@pytest.mark.parametrize("recipe", [SMALL, SMALL_TRANSFORMER], ids=["recurrent", "transformer"])
def test_saved_and_read_again(tmp_path, recipe):
    translator, _ = prepare(recipe, toy_pairs())
    path = tmp_path / "translator.pt"
    translator.save(path)
    again = Translator.load(path)
    assert again.model.config == translator.model.config and not again.model.training
    assert again.source_vocab == translator.source_vocab
    assert vars(again.writing) == vars(translator.writing)
    sources = [pair.source for pair in toy_pairs()[:5]]
    assert again.translate(sources, max_len=8) == translator.translate(sources, max_len=8)


NOUNS = "Katze Hund Haus Baum Brot Stuhl Tisch Vogel Berg Fluss Brief Stein Schiff Kleid Apfel Garten Koffer Insel"
GERMAN = [Pair(f"there is {noun.lower()} .", f"Dort ist {noun}.") for noun in NOUNS.split()]


@pytest.mark.parametrize("recipe", [SMALL, SMALL_TRANSFORMER], ids=["recurrent", "transformer"])
def test_a_language_with_capitals_keeps_them(tmp_path, recipe):
    fitted = fit(replace(recipe, min_count=1), GERMAN, GERMAN, steps=150, seed=0)
    fitted.translator.save(tmp_path / "translator.pt")
    translator = Translator.load(tmp_path / "translator.pt")
    found = translator.translate(["There is Katze."])
    assert found == fitted.translator.translate(["there is katze ."]) == ["dort ist Katze ."]
    assert translator.written(found[0]) == "Dort ist Katze."
    measured = evaluate(translator, GERMAN)
    assert measured["bleu"] > 80  # capitals do not count
    assert measured["translations"]["there is katze ."] == "dort ist Katze ."
    forced = translator.align("there is katze .", "Dort ist Katze.")[1]
    assert "".join(forced).replace("▁", "") == "dortistKatze.<eos>"


def test_a_file_says_whether_its_model_writes_unk(tmp_path):
    """The recipes of the book's chapters let it; a file of before, that does not say so, goes on writing it."""
    path = tmp_path / "translator.pt"
    for writes in (False, True):
        translator, _ = prepare(replace(SMALL, writes_unknown=writes), toy_pairs())
        translator.save(path)
        assert Translator.load(path).model.writes_unknown == writes
    stored = read_archive(path)
    for new in ("writes_unknown", "languages", "writing"):
        del stored[new]
    save_checkpoint(path, stored)
    old = Translator.load(path)
    assert old.model.writes_unknown and old.languages == Languages() and old.writing is None
    assert {name for name, recipe in RECIPES.items() if recipe.writes_unknown} == {
        "bahdanau-published", "bahdanau", "seq2seq",
    }  # fmt: skip


def test_what_is_no_translator_is_refused(tmp_path):
    path = tmp_path / "x.pt"
    with pytest.raises(FileNotFoundError, match="train first"):
        Translator.load(path)
    path.write_bytes(b"not a zip")
    with pytest.raises(CheckpointError, match="not a whole checkpoint"):
        Translator.load(path)
    save_checkpoint(path, torch.zeros(3))
    with pytest.raises(CheckpointError, match=says("not a whole checkpoint", "TypeError")):
        Translator.load(path)
    translator, _ = prepare(SMALL, toy_pairs())
    for wrong in ({"names": ["English"]}, {"codes": 3}, []):
        translator.save(path)
        save_checkpoint(path, {**read_archive(path), "languages": wrong})
        with pytest.raises(CheckpointError, match="does not hold a translator"):
            Translator.load(path)
    save_checkpoint(path, {"kind": "recurrent"})
    with pytest.raises(CheckpointError, match=says("does not hold a translator", "KeyError")):
        Translator.load(path)


def test_vocabularies_of_another_size_are_refused(trained):
    other = WordVocabulary(["a few words"])
    with pytest.raises(ValueError, match=says("target vocabulary has 7 entries", "pass the voc")):
        Translator(trained.model, trained.source_vocab, other)


def test_recipes():
    for name, recipe in RECIPES.items():
        model = recipe.build(31, 37)
        assert model.config.target_vocab_size == 37, name
    published = RECIPES["bahdanau-published"]
    config = published.build(31, 37).config
    assert (config.embed_size, config.hidden_size, config.num_layers) == (256, 256, 2)
    assert (config.dropout, published.batch_size, published.training.lr, published.training.clip) == (
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
    with pytest.raises(ValueError, match="batch_size must be at least 1, got -1"):
        trained.translate(["two"], batch_size=-1)
    with pytest.raises(ValueError, match="length_penalty must be a finite number"):
        trained.translate(["two"], length_penalty=-1.0)


def test_an_error_while_translating_leaves_the_mode_as_it_was(trained, monkeypatch):
    def greedy(*_, **__):
        raise RuntimeError("out of memory")

    monkeypatch.setattr(translator_module, "greedy", greedy)
    trained.model.train()
    with pytest.raises(RuntimeError, match="out of memory"):
        trained.translate(["two red car ."])
    assert all(module.training for module in trained.model.modules())
    trained.model.eval()


def test_a_subclass_cannot_be_stored(tmp_path):
    class Mine(RecurrentTranslator):
        pass

    translator, _ = prepare(SMALL, toy_pairs())
    mine = Mine(translator.model.config)
    own = Translator(mine, translator.source_vocab, translator.target_vocab)
    with pytest.raises(TypeError, match=says("RecurrentTranslator", "got Mine")):
        own.save(tmp_path / "mine.pt")
    assert not list(tmp_path.iterdir())


def test_one_length_penalty():
    for search in (Translator.translate, beam_search):
        default = inspect.signature(search).parameters["length_penalty"].default
        assert default == LENGTH_PENALTY == 0.6


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"training": TrainConfig(steps=5)}, ValueError, "pass steps, epochs or"),
        ({"training": TrainConfig(seconds=5)}, ValueError, "pass steps, epochs or"),
        ({"training": {"lr": 1.0}}, TypeError, "must be a TrainConfig, got dict"),
        ({"batch_size": 0}, ValueError, "batch_size must be at least 1"),
        ({"label_smoothing": 1.0}, ValueError, "label_smoothing"),
        ({"subwords": -1}, ValueError, "subwords must be at least 0"),
        ({"bpe_dropout": 0.1}, ValueError, "set subwords, too"),
    ],
)
def test_a_recipe_is_checked_when_it_is_made(options, error, message):
    with pytest.raises(error, match=message):
        Recipe("recurrent", **options)


def test_what_each_recipe_trains_with():
    """Stored results depend on these."""
    found = {
        name: (r.training.lr, r.training.betas, r.training.schedule, r.training.clip) for name, r in RECIPES.items()
    }
    gru, adam = (0.9, 0.999), (0.9, 0.98)
    assert found == {
        "bahdanau-published": (5e-3, gru, "constant", 1.0),
        "bahdanau": (3e-3, gru, "warmup-cosine", 1.0),
        "seq2seq": (3e-3, gru, "warmup-cosine", 1.0),
        "transformer": (2e-3, adam, "warmup-cosine", 1.0),
        "transformer-few-pairs": (2e-3, adam, "warmup-cosine", 1.0),
        "transformer-few-pairs-long": (3e-3, adam, "warmup-cosine", 1.0),
    }
    decays = {name: r.training.weight_decay for name, r in RECIPES.items()}
    assert {n for n, d in decays.items() if d == 0.01} == {name for name in RECIPES if name.startswith("transformer")}
    fractions = {name: r.training.warmup_fraction for name, r in RECIPES.items()}
    assert set(fractions.values()) == {0.0, 0.1}
    assert fractions["bahdanau-published"] == 0.0
