"""The stored translators: what is stored is what is loaded, what is loaded is what was measured."""

import dataclasses
import json
import re

import pytest
import torch
from safetensors import safe_open

from attnbook.data import Pair, Split, bundled_pairs, references, split_pairs
from attnbook.data.corpus import SOURCES, corpus_sha256
from attnbook.text import normalise
from attnbook.translation import (
    RECIPES,
    Recipe,
    Translator,
    evaluate,
    export_page_model,
    load_page_model,
    page_model_header,
    page_sentences,
    page_training,
    prepare,
    quantised,
    sentence_key,
)
from attnbook.translation.page_training import PageSetting, train_page_model
from attnbook.weights import FOLDER, PAGE_MODELS, pages, read_weights, weights_file
from small_translators import MEASURED

PAIRS = [Pair(f"a b{i} c .", f"x y{i} z .") for i in range(7)] * 2
SIZES = {
    "bahdanau": {"embed_size": 5, "hidden_size": 7, "num_layers": 2, "bidirectional": True},
    "seq2seq": {"embed_size": 5, "hidden_size": 7, "num_layers": 1, "attention": "none"},
    "transformer": {"d_model": 6, "num_heads": 3, "d_ff": 11, "norm_first": True},
}


def small(name, **more):
    recipe = Recipe("transformer" if name == "transformer" else "recurrent", sizes=SIZES[name], **more)
    return prepare(recipe, PAIRS)[0]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder in place of the package's."""
    monkeypatch.setattr(pages, "FOLDER", tmp_path)
    return tmp_path


def same(a: Translator, b: Translator) -> bool:
    ours, theirs = a.model.state_dict(), b.model.state_dict()
    return ours.keys() == theirs.keys() and all(torch.equal(ours[k], theirs[k]) for k in ours)


# -- rounding and storing --


@pytest.mark.parametrize("name", PAGE_MODELS)
def test_what_is_stored_is_what_is_loaded(folder, name):
    translator = small(name)
    size = export_page_model(translator, folder / f"{name}.safetensors", MEASURED)
    assert size == (folder / f"{name}.safetensors").stat().st_size
    loaded = load_page_model(name)
    assert same(loaded, quantised(translator)) and not same(loaded, translator)
    assert not loaded.model.training
    assert loaded.model.config == translator.model.config
    assert loaded.source_vocab == translator.source_vocab
    assert loaded.target_vocab == translator.target_vocab
    assert loaded.translate(["A b3 c."]) == quantised(translator).translate(["a b3 c ."])


@pytest.mark.parametrize("name", PAGE_MODELS)
def test_rounding_is_fine_enough_leaves_the_rest_and_happens_once(name):
    translator = small(name)
    with torch.no_grad():
        translator.model.encoder.embedding.weight[0] = 0.0
    rounded = quantised(translator)
    for (where, weight), new in zip(translator.model.named_parameters(), rounded.model.parameters(), strict=True):
        if weight.dim() == 2 and len(weight) > 1:
            # half a step of 1/127 of the row's largest weight, and a little for the rounded scale
            step = weight.abs().amax(1, keepdim=True) / 127
            assert ((weight - new).abs() <= 0.5001 * step).all(), where
            assert new.unique().numel() > 3
        else:
            assert torch.equal(weight, new), where
    assert same(quantised(rounded), rounded)


def test_a_shared_matrix_stays_shared(folder):
    export_page_model(small("transformer"), folder / "transformer.safetensors", MEASURED)
    weights, _ = read_weights(folder / "transformer.safetensors")
    assert "decoder.head.weight" not in weights
    decoder = load_page_model("transformer").model.decoder
    assert decoder.head.weight is decoder.embedding.weight


def test_the_header_says_where_a_model_comes_from(folder):
    export_page_model(small("seq2seq"), folder / "seq2seq.safetensors", MEASURED)
    header = page_model_header("seq2seq")
    assert MEASURED.items() <= header.items()
    assert header["name"] == "seq2seq" and header["config"]["hidden_size"] == 7
    assert "weights" not in header and "source_vocab" not in header


def test_a_failed_export_leaves_the_old_file(folder):
    path = folder / "bahdanau.safetensors"
    export_page_model(small("bahdanau"), path, MEASURED)
    before = path.read_bytes()
    broken = small("bahdanau")
    with torch.no_grad():
        broken.model.decoder.head.weight[1, 2] = torch.nan
    with pytest.raises(ValueError, match="decoder.head.weight is not finite"):
        export_page_model(broken, path, MEASURED)
    assert path.read_bytes() == before and [p.name for p in folder.iterdir()] == ["bahdanau.safetensors"]


def test_too_large_a_model_is_refused(folder):
    large = prepare(dataclasses.replace(RECIPES["bahdanau-published"], min_count=1), PAIRS)[0]
    with pytest.raises(ValueError, match="at most 1500000; take smaller sizes"):
        export_page_model(large, folder / "bahdanau.safetensors", MEASURED)
    assert not list(folder.iterdir())


@pytest.mark.parametrize(("stop", "kept"), [(".", False), ("c{}", True)])
def test_an_open_end_is_a_full_stop_and_no_unknown_word(monkeypatch, stop, kept):
    """With an end of words that occur once, <unk>, the source vocabulary knows no full stop."""
    read = []

    def train(model, loss, batches, *_, **__):
        read.extend(word for batch in batches(0) for word in batch.target_out[:, -2].tolist())

    monkeypatch.setattr(page_training, "train", train)
    pairs = [Pair(f"a b {stop.format(i)}", "x y .") for i in range(6)]
    recipe = Recipe("recurrent", sizes=SIZES["bahdanau"], min_count=2)
    setting = PageSetting(recipe, epochs=1, open_end=1.0)
    translator = train_page_model(setting, Split(pairs, [], []))
    last = translator.target_vocab.encode("." if kept else "y")
    assert read == last * 6


def test_pieces_of_words_are_refused(folder):
    pieces = small("transformer", subwords=40)
    with pytest.raises(TypeError, match="vocabularies of words, got SubwordVocabulary"):
        export_page_model(pieces, folder / "transformer.safetensors", MEASURED)


@pytest.mark.parametrize("key", list(MEASURED))
def test_a_missing_measurement_is_named(folder, key):
    less = {k: v for k, v in MEASURED.items() if k != key}
    with pytest.raises(ValueError, match=f"must say {key}"):
        export_page_model(small("seq2seq"), folder / "seq2seq.safetensors", less)


# -- files that are not as they should be --


def cut(path):
    path.write_bytes(path.read_bytes()[:-100])


def as_before(path):
    path.write_text('{\n"format":"attnbook page model 1"}\n', "utf-8")


def changed(**entries):
    return edited(lambda stored, about: about.update(entries))


def edited(edit):
    """Does something with the file's tensors and with what it says of itself."""

    def damage(path):
        with safe_open(path, "pt") as file:
            stored = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            about = json.loads(file.metadata()["about"])
        edit(stored, about)
        path.write_bytes(weights_file(stored, about))

    return damage


def without_a_weight(stored, about):
    del stored["decoder.head.bias"]


def without_scales(stored, about):
    del stored["decoder.head.weight.scales"]


def cut_a_weight(stored, about):
    stored["decoder.head.weight"] = stored["decoder.head.weight"][:3]


def another_shape(stored, about):
    stored["encoder.embedding.weight"] = stored["encoder.embedding.weight"].T


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (cut, "SafetensorError"),
        (as_before, "an earlier version wrote JSON: make such a file anew"),
        (lambda path: path.write_bytes(weights_file({}, {})), "its format is None"),
        (changed(format="attnbook page model 9"), "expected 'attnbook page model 2'"),
        (changed(name="bahdanau"), "it holds the model 'bahdanau'"),
        (changed(corpus_sha256="12"), "64 hexadecimal digits, got '12'"),
        (changed(test={}), r"must say test\['bleu'\]"),
        (changed(kind="ape"), "KeyError: 'ape'"),
        (changed(config={"wings": 2}), "wings"),
        (changed(source_vocab={"kind": "words", "words": ["a"]}), "vocabulary has 5 entries"),
        (changed(target_vocab=[]), "expected a dict with kind"),
        (edited(without_a_weight), "the weights lack decoder.head.bias"),
        (edited(without_scales), "KeyError: 'decoder.head.weight.scales'"),
        (edited(cut_a_weight), "RuntimeError: The size"),
        (edited(another_shape), "RuntimeError: The size"),
    ],
)
def test_a_damaged_file_is_a_clear_error(folder, damage, says):
    path = folder / "seq2seq.safetensors"
    export_page_model(small("seq2seq"), path, MEASURED)
    damage(path)
    with pytest.raises(ValueError, match=says) as caught:
        load_page_model("seq2seq")
    assert "seq2seq.safetensors is not a page model" in str(caught.value)
    assert "make it anew with" in str(caught.value)


def test_unknown_and_missing_models_are_named(folder):
    with pytest.raises(ValueError, match="one of bahdanau, seq2seq, transformer, got 'bert'"):
        load_page_model("bert")
    with pytest.raises(FileNotFoundError, match="transformer.safetensors is not there; make it with"):
        load_page_model("transformer")


# -- the sentences --


def test_sentence_keys():
    assert sentence_key("") == 0x811C9DC5  # FNV-1a's published starting value
    assert sentence_key("a") == 0xE40C292C  # and its published value of "a"
    assert sentence_key("I’m  home.") == sentence_key("i'm home .")
    assert sentence_key("i'm home .") != sentence_key("i'm home !")


def test_no_two_sentences_of_the_corpus_share_a_key():
    sources = references(bundled_pairs())
    assert len({sentence_key(source) for source in sources}) == len(sources)


# -- the stored models --


@pytest.fixture(scope="module")
def split():
    return split_pairs(bundled_pairs(), seed=0)


def test_the_stored_sentences_are_those_of_the_split(split):
    path = FOLDER / "sentences.safetensors"
    assert path.read_bytes() == page_sentences(split)


@pytest.mark.parametrize("name", PAGE_MODELS)
def test_a_stored_model_is_small_and_knows_its_corpus(name):
    assert (FOLDER / f"{name}.safetensors").stat().st_size <= 1_500_000
    header = page_model_header(name)
    earlier = re.findall(r"earlier edition.*?([0-9a-f]{64})", SOURCES.read_text("utf-8"), re.S)
    assert header["corpus_sha256"] in [corpus_sha256(), *earlier], (
        "the corpus has changed since: run python -m tools.experiments page_models, or say in SOURCES.md what changed"
    )
    assert (header["seed"], header["split_seed"]) == (0, 0)


@pytest.mark.parametrize("name", PAGE_MODELS)
def test_a_stored_model_is_as_good_as_its_file_says(split, name):
    found = evaluate(load_page_model(name), split.test)
    said = page_model_header(name)["test"]
    assert found["sentences"] == said["sentences"] == len(references(split.test))
    # another processor may break a tie between two words otherwise
    assert found["bleu"] == pytest.approx(said["bleu"], abs=0.5)
    assert found["chrf"] == pytest.approx(said["chrf"], abs=0.5)


def test_a_stored_model_knows_words_of_the_training_set_only(split):
    words = {token for pair in split.train for token in normalise(pair.source).split()}
    for name in PAGE_MODELS:
        vocab = load_page_model(name).source_vocab
        assert set(vocab.tokens(range(4, len(vocab)))) <= words
