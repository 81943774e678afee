"""Texts, their split, n-grams, trained models: by loops, by hand, from file to file, across an interruption."""

import dataclasses
import math
from collections import Counter
from pydoc_data.topics import topics

import pytest
import torch
import torch.nn.functional as F

from attnbook.attention import LinearScaling
from attnbook.language import (
    LANGUAGE_RECIPES,
    LanguageRecipe,
    TextModel,
    described_loss,
    fit_language_model,
    held_out_loss,
    kind_of_file,
    kneser_ney_loss,
    measured,
    next_token_loss,
    ngram_loss,
    random_pieces,
    read_text,
    split_text,
)
from attnbook.text import ByteVocabulary
from attnbook.training import CheckpointError, TrainConfig, read_archive, save_checkpoint
from attnbook.transformer import LanguageModel, LanguageModelConfig, count_parameters
from small_texts import TEXT, TINY
from tensors import close, fill, says

SPLIT = split_text(TEXT)
V = 13
MODEL = fill(LanguageModel(LanguageModelConfig(V, 12, 3, 17, 2, max_positions=5, dropout=0.5))).double()
IDS = torch.randint(V, (3, 8), generator=torch.Generator().manual_seed(2))


# --- texts -----------------------------------------------------------------------------------------------------------


def test_pythons_own_help_is_a_text():
    text = read_text()
    assert len(text) > 300_000 and all(topic.strip() in text for topic in topics.values())


def test_a_file_of_text(tmp_path):
    file = tmp_path / "book.txt"
    file.write_bytes(("\ufeff" + TEXT.replace("\n", "\r\n") + " 日本 🙂").encode())
    assert read_text(str(file)) == TEXT + " 日本 🙂"


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        (None, FileNotFoundError, ("there is no file", "pass a file of text, this-book or python-topics")),
        (b"", ValueError, ("is empty", "fewer than 10,000")),
        (b" \n" * 9000, ValueError, ("is empty",)),
        (b"a" * 9999, ValueError, ("has 9,999 characters",)),
        (b"a" * 20000 + b"\0", ValueError, ("NUL",)),
        (TEXT.encode("utf-16"), ValueError, ("is not text in UTF-8 (byte 0)",)),
    ],
)
def test_what_is_no_text(tmp_path, content, error, message):
    file = tmp_path / "book.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(error, match=says(*message)):
        read_text(str(file))


def test_a_folder_is_no_text(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder"):
        read_text(str(tmp_path))


def test_a_text_is_cut_between_paragraphs():
    assert "".join(SPLIT) == TEXT
    assert [len(part) / len(TEXT) for part in SPLIT] == pytest.approx([0.8, 0.1, 0.1], abs=0.01)
    assert all(part.endswith("again.\n\n") for part in SPLIT[:2])
    assert [len(part) for part in split_text("x" * 57)] == [45, 6, 6]  # where there are none
    with pytest.raises(ValueError, match="a text of 9 characters cannot be split"):
        split_text("x" * 9)


# --- n-grams ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2, 3])
def test_an_ngrams_loss_by_loops(order):
    train = IDS.flatten().tolist()
    held_out, prior = [*train[-2:], 4, 1, *IDS[1].tolist(), V - 1], 1.5

    def probability(history, word):
        shorter = probability(history[1:], word) if history else 1 / V
        n = len(history)
        followed = Counter(tuple(train[i : i + n]) for i in range(len(train) - n))
        pairs = Counter(tuple(train[i : i + n + 1]) for i in range(len(train) - n))
        return (pairs[(*history, word)] + prior * shorter) / (followed[history] + prior)

    losses = [
        -math.log(probability(tuple(held_out[i - order + 1 : i]), held_out[i])) for i in range(order - 1, len(held_out))
    ]
    assert ngram_loss(train, held_out, V, order, prior) == pytest.approx(sum(losses) / len(losses))


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_kneser_and_neys_probabilities_by_their_formula(order):
    train = [0, 1, 0, 0, 1, 2, 0, 1, 0, 2, 2, 1, 0, 1]

    def count(run):  # how often; of a shorter run, how many different tokens stand before it
        places = [i for i in range(len(train) - len(run) + 1) if tuple(train[i : i + len(run)]) == run]
        return len(places) if len(run) == order else len({train[i - 1] for i in places if i and long_enough(i, run)})

    def long_enough(i, run):  # a run counts only as the end of one of the longest
        return i >= order - len(run)

    def counts(length):
        runs = {tuple(train[i : i + length]) for i in range(len(train) - length + 1)}
        return {run: count(run) for run in runs if count(run)}

    def probability(history, word):
        known = counts(len(history) + 1)
        if not history:
            shorter = 1 / 3
        else:
            shorter = probability(history[1:], word)
        after = {run: c for run, c in known.items() if run[:-1] == history}
        if not after:
            return shorter
        once, twice = (list(known.values()).count(times) for times in (1, 2))
        less = once / (once + 2 * twice) if once else 0.5
        return (max(after.get((*history, word), 0) - less, 0) + less * len(after) * shorter) / sum(after.values())

    history = (1, 0, 1)[3 - order + 1 :] if order > 1 else ()
    found = [math.exp(-kneser_ney_loss(train, [*history, word], 3, order)) for word in range(3)]
    assert found == pytest.approx([probability(history, word) for word in range(3)])
    assert sum(found) == pytest.approx(1)


def test_kneser_and_ney_by_hand():
    assert math.exp(-kneser_ney_loss([0, 1, 0, 0, 1, 2], [0, 1], 3, 2)) == pytest.approx(1.4 / 3 + 0.4 * 0.25)


def test_what_is_told_of_a_loss():
    told = described_loss(math.log(8), 5, "sé")
    assert told == pytest.approx({"loss": math.log(8), "perplexity": 8, "bits_per_byte": 5 * 3 / 3})


# --- losses ----------------------------------------------------------------------------------------------------------


def test_the_loss_of_the_next_token():
    model = MODEL.eval()
    log_probs = model(IDS[:, :-1])[0].log_softmax(-1)
    terms = [log_probs[b, t, IDS[b, t + 1]] for b in range(3) for t in range(7)]
    close(next_token_loss(model, IDS), -torch.stack(terms).mean())


def test_a_held_out_text_is_read_in_pieces_and_every_token_is_predicted_once():
    ids = IDS.flatten().tolist()[:18]  # pieces of 5, 5, 5 and 2
    MODEL.train()
    found = held_out_loss(MODEL, ids)
    assert MODEL.training
    MODEL.eval()
    losses = []
    for start in (0, 5, 10, 15):
        piece = torch.tensor([ids[start : start + 6]])
        logits = MODEL(piece[:, :-1])[0]
        losses += F.cross_entropy(logits[0], piece[0, 1:], reduction="none").tolist()
    assert len(losses) == 17 and found == pytest.approx(sum(losses) / 17)
    with pytest.raises(ValueError, match="a text of 1 tokens has none to predict"):
        held_out_loss(MODEL, [3])


def test_pieces_are_parts_of_the_text_and_the_same_for_the_same_epoch():
    ids = torch.arange(100)
    batches = random_pieces(ids, 7, 3, seed=1)
    found = [torch.stack(list(batches(epoch))) for epoch in (0, 1, 0)]
    assert found[0].shape == (100 // 21, 3, 8)
    assert torch.equal(found[0], found[2]) and not torch.equal(found[0], found[1])
    assert (found[0].diff() == 1).all()
    starts = {int(b[0]) for epoch in range(60) for batch in batches(epoch) for b in batch}
    assert min(starts) == 0 and max(starts) == 92  # the first and the last piece, too
    with pytest.raises(ValueError, match="the text has 7 tokens, and a piece of 8"):
        random_pieces(ids[:7], 7, 3, seed=1)


# --- training --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fitted():
    return fit_language_model(TINY, SPLIT.train, SPLIT.dev, steps=120, progress=False)


def test_it_learns_more_than_a_bigram_knows(fitted):
    model = fitted.text_model
    assert not model.model.training and len(fitted.losses) == 120
    assert [step for step, _ in fitted.history] == [*range(12, 121, 12)]
    vocabulary = model.vocabulary
    train, test = vocabulary.encode(SPLIT.train), vocabulary.encode(SPLIT.test)
    found = measured(model, SPLIT.test)
    assert found["loss"] == pytest.approx(held_out_loss(model.model, test))
    assert found["loss"] < ngram_loss(train, test, len(vocabulary), 2)
    best = min(loss for _, loss in fitted.history)
    assert held_out_loss(model.model, vocabulary.encode(SPLIT.dev)) == pytest.approx(best)


def test_the_weights_of_the_lowest_loss_are_kept(monkeypatch):
    states = []

    def rising(model, ids):
        states.append({name: weight.clone() for name, weight in model.state_dict().items()})
        return float(len(states))

    monkeypatch.setattr("attnbook.language.fitting.held_out_loss", rising)
    found = fit_language_model(TINY, SPLIT.train, SPLIT.dev, steps=4, evaluations=4, progress=False)
    assert found.history == [(1, 1.0), (2, 2.0), (3, 3.0), (4, 4.0)]
    kept = found.text_model.model.state_dict()
    assert all(torch.equal(kept[name], weight) for name, weight in states[0].items())


def test_an_interrupted_training_goes_on(tmp_path, fitted):
    def stop(*_):
        raise KeyboardInterrupt

    how = (TINY, SPLIT.train, SPLIT.dev)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("attnbook.training.run.Run.save", saving_then(stop, 3))
        with pytest.raises(KeyboardInterrupt):
            fit_language_model(*how, steps=120, folder=tmp_path, progress=False)
    resumed = fit_language_model(*how, steps=120, folder=tmp_path, progress=False)
    assert resumed.losses == fitted.losses and resumed.history == fitted.history
    for a, b in zip(resumed.text_model.model.parameters(), fitted.text_model.model.parameters(), strict=True):
        assert torch.equal(a, b)
    with pytest.raises(CheckpointError, match="another configuration"):
        other = dataclasses.replace(TINY, sizes=TINY.sizes | {"d_ff": 41})
        fit_language_model(other, SPLIT.train, SPLIT.dev, steps=120, folder=tmp_path, progress=False)


def saving_then(stop, number):
    from attnbook.training.run import Run

    save, calls = Run.save, []

    def saving(self, path):
        save(self, path)
        calls.append(path)
        if len(calls) == number:
            stop()

    return saving


def test_the_recipes_are_of_one_size_and_of_two_times():
    sizes = {}
    for name, recipe in LANGUAGE_RECIPES.items():
        config = recipe.config(recipe.subwords)
        sizes[name] = count_parameters(LanguageModel(config))
        assert config.positions == ("rotary" if name == "llama" else "learned")
    assert sizes.keys() == {"llama", "gpt-2"}
    assert sizes["gpt-2"] == pytest.approx(sizes["llama"], rel=0.02)


# --- text in, text out -----------------------------------------------------------------------------------------------


def test_it_writes_on(fitted):
    model = fitted.text_model
    written = model.continue_text("one 5 two", length=12, top_k=1)
    assert written == model.continue_text("one 5 two", length=12, top_k=1, seed=3)
    assert model.vocabulary.encode(written) and written != model.continue_text("one 5 two", length=12, seed=3)
    assert model.continue_text("one 5 two", length=12, seed=3) == model.continue_text("one 5 two", length=12, seed=3)
    assert isinstance(model.continue_text("🙂 日本 \0", length=5), str)
    assert model.unfamiliar("one 🙂 \0 🙂") == ["🙂", "\0"]
    with pytest.raises(ValueError, match="there is nothing to continue"):
        model.continue_text("")


def test_it_is_stored_and_comes_back(fitted, tmp_path):
    model, file = fitted.text_model, tmp_path / "model.pt"
    model.save(file)
    again = TextModel.load(file)
    assert again.model.config == model.model.config and again.characters == model.characters
    assert again.vocabulary == model.vocabulary and not again.model.training
    assert again.model.head.weight is again.model.embedding.weight
    assert again.continue_text("one", length=9) == model.continue_text("one", length=9)


CONFIG = LanguageModelConfig(
    257, 12, 3, 17, 2, num_kv_heads=1, head_dim=6, window=4, global_layers=(1,), rotary_base=100.0
)


def test_every_choice_is_stored(tmp_path):
    model = TextModel(LanguageModel(CONFIG), ByteVocabulary("ab", 257), "ab")
    model.save(tmp_path / "model.pt")
    assert TextModel.load(tmp_path / "model.pt").model.config == CONFIG


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "bahdanau"}, "holds a file of another kind, not a language model"),
        ({"kind": None, "source_vocab": {}}, "holds a translator, not a language model"),
        ({"kind": None, "optimizer": {}}, "holds a training checkpoint, not a language model"),
        ({"weights": {}}, "is a damaged language model (ValueError: num_layers is 2, with only 0 weights)"),
        ({"vocabulary": {}}, "is a damaged language model (ValueError: expected a dict with kind 'bytes')"),
        ({"config": {"window": 4.5}}, "the setting window must be of type int or NoneType, got 4.5"),
        ({"config": {"global_layers": [1]}}, "the setting global_layers must be of type tuple, got [1]"),
        ({"config": {"vocab_size": 258}}, "the weight embedding.weight has shape (257, 12), the model's (258, 12)"),
    ],
)
def test_another_kind_of_file_is_named(tmp_path, change, message):
    file = tmp_path / "model.pt"
    TextModel(LanguageModel(CONFIG), ByteVocabulary("ab", 257)).save(file)
    state = read_archive(file)
    if "config" in change:
        change = {"config": state["config"] | change["config"]}
    save_checkpoint(file, {name: value for name, value in (state | change).items() if value is not None})
    with pytest.raises(CheckpointError, match=says(message)):
        TextModel.load(file)


def test_kinds_of_files():
    kinds = [kind_of_file(state) for state in ({"kind": "language model"}, {"source_vocab": 1}, {"optimizer": 1}, {})]
    assert kinds == ["language model", "translator", "training checkpoint", "file of another kind"]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ngram_loss([1, 2], [1], V), ValueError, ("number of tokens in held_out must be at least 2, got 1",)),
        (lambda: ngram_loss([1, V], [1, 2], V), ValueError, ("train holds the id 13",)),
        (lambda: ngram_loss([1, 2], [1, 2], V, prior=0), ValueError, ("prior must be",)),
        (lambda: kneser_ney_loss([1], [1, 2], V), ValueError, ("number of tokens in train must be at least 3, got 1",)),
        (lambda: kneser_ney_loss([1, 2, V], [1] * 3, V), ValueError, ("train holds the id 13",)),
        (lambda: ngram_loss([1] * 9, [2] * 9, 2000, 6), ValueError, ("more than can be numbered",)),
        (lambda: LanguageRecipe({"width": 3}), TypeError, ("width",)),
        (lambda: LanguageRecipe(subwords=255), ValueError, ("subwords must be at least 256",)),
        (lambda: LanguageRecipe(batch_size=0), ValueError, ("batch_size must be at least 1",)),
        (lambda: LanguageRecipe(training=TrainConfig(steps=3)), ValueError, ("does not say how long",)),
        (lambda: fit_language_model(TINY, TEXT, TEXT), ValueError, ("pass one of steps and seconds",)),
        (lambda: fit_language_model(TINY, "short", TEXT, steps=3), ValueError, ("the text has",)),
        (lambda: TextModel(MODEL, ByteVocabulary("ab", 257)), ValueError, ("vocabulary of 13, this one has 257",)),
        (lambda: TextModel(LanguageModel(dataclasses.replace(CONFIG, rotary_scaling=LinearScaling(2.0))),
                           ByteVocabulary("ab", 257)).save("x"), TypeError, ("rotary_scaling",)),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=says(*message)):
        call()
