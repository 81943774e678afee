"""The public doors of translation."""

import tempfile
from pathlib import Path
from time import process_time

import torch

from attnbook import training, translation
from attnbook.data import Pair, Split, collate
from attnbook.text import EOS, Writing
from attnbook.training import Progress, TrainConfig
from attnbook.transformer import TransformerConfig
from attnbook.translation import (
    AttentionDecoder,
    BigramDraft,
    EarlyStopping,
    GRUDecoder,
    GRUEncoder,
    Languages,
    PageSetting,
    Recipe,
    RecurrentConfig,
    RecurrentState,
    RecurrentTranslator,
    TransformerTranslator,
    Translator,
)
from doors import Door, layer
from small_recipes import SMALL
from small_translators import MEASURED, SOURCE_SIZE, TARGET_SIZE, source_batch, target_batch, translator
from tensors import B, S, T, coin, fill, generator, randn
from toy_corpus import toy_pairs

PLACE = tempfile.TemporaryDirectory()
FOLDER = Path(PLACE.name)
F32 = {"dtype": torch.float32}

# --- models ----------------------------------------------------------------------------------------------------------

GRU = {"vocab_size": 13, "embed_size": 5, "hidden_size": 11, "num_layers": 2}
GRU_OPTIONS = {"num_layers": 3, "dropout": 0.5}
IDS = torch.tensor([[5, 6, 2, 3, 4], [9, 2, 8, 1, 0]])
READ = {"ids": IDS, "valid_lens": torch.tensor([5, 4])}
ENCODED = {"states": randn(B, S, 11, **F32), "last": randn(2, B, 11, seed=1, **F32),
           "valid_lens": torch.tensor([3, 6])}  # fmt: skip
PLAIN, LOOKING = fill(GRUDecoder(**GRU)).eval(), fill(AttentionDecoder(**GRU)).eval()
ORDER = {"order": torch.tensor([1, 1, 0])}
SIZES = {"source_vocab_size": SOURCE_SIZE, "target_vocab_size": TARGET_SIZE}
SMALL_CONFIG = RecurrentConfig(**SIZES, embed_size=5, hidden_size=13)
TRANSFORMER = TransformerConfig(**SIZES, d_model=10, num_heads=2, d_ff=13, num_encoder_layers=1, num_decoder_layers=1)
ONE_LAYER = {"config": TRANSFORMER}
SOURCE, LENS = source_batch()
SOURCES = {"source": SOURCE, "valid_lens": LENS}
TARGET = target_batch()
MODELS = {
    "RecurrentTranslator": translator("additive").requires_grad_(False),
    "TransformerTranslator": translator("transformer").requires_grad_(False),
}
KEYS = {"query": randn(B, T, 5, **F32), "key": randn(B, S, 6, **F32), "value": randn(B, S, 3, **F32)}


def moves_on(call):
    """A call that moves a state on, by a copy of it, which is looked at too."""

    def called(state, **given):
        state = state.copy()
        return call(state=state, **given), state

    return called


def reordered(state):
    def called(order):
        again = state.copy()
        again.reorder(order)
        return again

    return called


def written_by(decoder):
    """What a decoder just made writes, in training mode, from an encoder's states of the size that it takes."""
    memory_size = decoder.rnn.input_size - decoder.embedding.embedding_dim
    layers, size = decoder.rnn.num_layers, decoder.rnn.hidden_size
    states, last = randn(B, S, memory_size, **F32), randn(layers, B, size, seed=1, **F32)
    looks = isinstance(decoder, AttentionDecoder)
    state = decoder.start(states, last, ENCODED["valid_lens"]) if looks else RecurrentState(last, states[:, 0])
    return fill(decoder).train()(IDS, state)


def of_translators():
    """The doors that both kinds have, of models in float64."""
    for name, model in MODELS.items():
        state = model.start(**SOURCES)
        model.extend(TARGET[:, :3], state)
        yield from (
            Door(f"{name}.start", model.start, SOURCES, {}),
            Door(f"{name}.extend", moves_on(model.extend), {"ids": TARGET[:, 3:], "state": state}, {}),
            Door(f"{name}.rewind", moves_on(model.rewind), {"state": state, "words": 2}, {}),
            Door(f"{name}.step", moves_on(model.step), {"ids": TARGET[:, 3], "state": state}, {"need_weights": True}),
        )


STATE, ATTENDING = PLAIN.start(**ENCODED), LOOKING.start(**ENCODED)
DECODING = MODELS["TransformerTranslator"].start(**SOURCES)
MODEL_DOORS = [
    *layer(GRUEncoder, GRU, GRU_OPTIONS | {"bidirectional": True}, READ, {}),
    Door("GRUDecoder", GRUDecoder, GRU, GRU_OPTIONS | {"memory_size": 3}, written_by),
    Door("GRUDecoder.start", PLAIN.start, ENCODED, {}),
    Door("GRUDecoder.forward", moves_on(PLAIN), {"ids": IDS, "state": STATE}, {}),
    Door("AttentionDecoder", AttentionDecoder, GRU, GRU_OPTIONS | {"memory_size": 3, "score": "multiplicative"},
         written_by),
    Door("AttentionDecoder.start", LOOKING.start, ENCODED, {}),
    Door("AttentionDecoder.attend", LOOKING.attend, {"state": ATTENDING}, {}),
    Door("AttentionDecoder.step", moves_on(LOOKING.step), {"word": randn(B, 5, **F32), "state": ATTENDING}, {}),
    Door("AttentionDecoder.forward", moves_on(LOOKING), {"ids": IDS, "state": ATTENDING}, {}),
    Door("RecurrentState", RecurrentState, {"hidden": STATE.hidden, "memory": STATE.memory},
         {"before": (STATE.hidden, IDS)}),
    Door("RecurrentState.copy", STATE.copy, {}, {}),
    Door("RecurrentState.reorder", reordered(STATE), ORDER, {}),
    Door("AttentionState", translation.AttentionState,
         {name: getattr(ATTENDING, name) for name in ("hidden", "memory", "keys", "mask")},
         {"before": (STATE.hidden, IDS)}),
    Door("AttentionState.reorder", reordered(ATTENDING), ORDER, {}),
    Door("make_alignment", translation.make_alignment, {"score": "additive", "query_size": 5, "key_size": 6},
         {"score": "multiplicative", "dropout": 0.5}, lambda made: fill(made).train()(**KEYS)),
    Door("RecurrentConfig", RecurrentConfig, SIZES,
         {"embed_size": 5, "hidden_size": 7, "num_layers": 3, "dropout": 0.5, "attention": "scaled dot",
          "bidirectional": True}),
    *layer(RecurrentTranslator, {"config": SMALL_CONFIG}, {}, SOURCES | {"target": TARGET}, {"need_weights": True}),
    *layer(TransformerTranslator, ONE_LAYER, {}, {"source": SOURCE, "target": TARGET},
           {"valid_lens": LENS, "need_weights": True}),
    *of_translators(),
    Door("TransformerState", translation.TransformerState,
         {"memory_mask": DECODING.memory_mask, "cache": DECODING.cache}, {}),
    Door("TransformerState.copy", DECODING.copy, {}, {}),
    Door("TransformerState.reorder", reordered(DECODING), ORDER, {}),
]  # fmt: skip

# --- decoding --------------------------------------------------------------------------------------------------------

WRITER = MODELS["RecurrentTranslator"]
DRAFT = BigramDraft([[4, 5, EOS], [4, 3, EOS]], WRITER.config).eval()
ALL = {"model": WRITER} | SOURCES
ONE = {"source": SOURCE[1:2, :2], "valid_lens": LENS[1:2]}
LOGITS = {"logits": 3 * randn(B, T, TARGET_SIZE)}


def with_dice(call):
    """A call whose generator begins anew each time, with the number that is given in its place."""
    return lambda **given: call(**given | {"generator": generator(given.get("generator", 0))})


DECODING_DOORS = [
    Door("Decoded", translation.Decoded, {"ids": [4, EOS], "log_prob": -1.0}, {"weights": randn(2, S)}),
    Door("next_word_log_probs", translation.next_word_log_probs, LOGITS, {"unknown": True}),
    Door("begin", translation.begin, ALL | {"max_len": 3}, {}),
    Door("one_by_one", translation.one_by_one,
         ALL | {"max_len": 3, "need_weights": False, "choose": lambda log_probs: log_probs.argmax(-1)},
         {"need_weights": True}),
    Door("greedy", translation.greedy, ALL, {"max_len": 2, "need_weights": True}),
    Door("length_penalty_factor", translation.length_penalty_factor, {"length": 7, "alpha": 0.6}, {}),
    Door("beam_search", translation.beam_search, {"model": WRITER} | ONE,
         {"width": 3, "length_penalty": 2.0, "n_best": 2}),
    Door("beam_search", translation.beam_search, {"model": WRITER, "n_best": 2} | ONE, {"max_len": 1}),
    Door("SpeculativeResult", translation.SpeculativeResult,
         {"ids": [4, EOS], "target_calls": 1, "proposed": 2, "accepted": 1}, {}),
    Door("filter_logits", translation.filter_logits, LOGITS, {"temperature": 0.5, "top_k": 4, "top_p": 0.6}),
    Door("sample", with_dice(translation.sample), ALL,
         {"temperature": 0.2, "top_k": 2, "top_p": 0.3, "generator": 1, "max_len": 2}),
    Door("speculative", with_dice(translation.speculative), {"target": WRITER, "draft": DRAFT} | ONE,
         {"generator": 1, "lookahead": 2, "max_len": 2, "temperature": 0.1}),
    Door("BigramDraft", BigramDraft, {"targets": [[4, 5, EOS], [4, 3, EOS]], "config": WRITER.config}, {"prior": 1.0}),
    Door("BigramDraft.start", DRAFT.start, SOURCES, {}, type),
    Door("BigramDraft.extend", DRAFT.extend, {"ids": TARGET, "state": DRAFT.start(**SOURCES)}, {}),
]  # fmt: skip

# --- training --------------------------------------------------------------------------------------------------------

PAIRS = toy_pairs()
FABRIC = training.make_fabric()
FIT = {"recipe": SMALL, "pairs": PAIRS}
KNOWN = FIT | {"development": PAIRS[:7], "steps": 4, "evaluations": 4}
FAST = KNOWN | {"recipe": SMALL.with_training(lr=9.0)}
TRANSLATOR, NUMBERS = translation.fit(SMALL, PAIRS, steps=12).translator, translation.prepare(**FIT)[1]
BATCH = collate(NUMBERS[:5])
STORED, BEST = FOLDER / "stored.pt", FOLDER / "best.pt"
TRANSLATOR.save(STORED)
LONG = [*PAIRS, Pair("one two three four five six .", "un .")]
SPLIT = Split(PAIRS, [], [])
SETTING = PageSetting(SMALL, epochs=1)


def of_translator(made):
    return made.model, made.source_vocab, made.target_vocab, made.writing, made.languages


def fitted(**given):
    """What was learned, without how long it took."""
    told = []
    if "folder" in given:
        given["folder"] = Path(tempfile.mkdtemp(dir=FOLDER))
    if "report" in given:
        given["report"] = told.append
    made = translation.fit(**given)
    files = sorted(path.name for path in given["folder"].iterdir()) if "folder" in given else []
    return of_translator(made.translator), made.losses, made.history, files, told


def page_model(**given):
    place = given.get("checkpoint")
    if place is not None:
        place.unlink(missing_ok=True)
    return translation.train_page_model(**given).model, place is not None and place.is_file()


def stopped(stopping):
    """When it stops, what it has seen by then, and whether there is a file."""
    stops = [stopping(Progress(step, step - 1, step)) for step in (1, 2, 3)]
    return stops, stopping.history, BEST.is_file()


def stopping(**given):
    BEST.unlink(missing_ok=True)
    return EarlyStopping(**given)


def restored():
    model = translator("none")
    best = EarlyStopping(model, [BATCH], 1, loss=lambda model, batches: 1.0)
    best(Progress(1, 0, 1))
    fill(model)
    best.restore()
    return model


STOPPING = {"model": TRANSLATOR.model, "batches": [BATCH], "every": 1}
TRAINING_DOORS = [
    Door("Recipe", Recipe, {"model": "transformer", "subwords": 60},
         {"model": "recurrent", "sizes": {"dropout": 0.5}, "subwords": 50, "bpe_dropout": 0.1, "min_count": 1,
          "writes_unknown": True, "max_len": 9, "batch_size": 3, "label_smoothing": 0.1,
          "training": TrainConfig(lr=0.5)}),
    Door("Recipe.with_training", SMALL.with_training, {"lr": 0.5}, {}),
    Door("Recipe.build", SMALL.build, SIZES, {}),
    Door("Recipe.vocabulary", SMALL.vocabulary, {"sentences": ["Un .", "Deux ."]}, {"capitals": {"un": "Un"}}),
    Door("untrained", translation.untrained, FIT, {"seed": 1}, of_translator),
    Door("prepare", translation.prepare, FIT, {"seed": 1}, lambda made: (of_translator(made[0]), made[1])),
    Door("translation_loss", translation.translation_loss, {}, {"label_smoothing": 0.1, "fabric": FABRIC},
         lambda loss: loss(TRANSLATOR.model, BATCH)),
    Door("rows_of", translation.rows_of, {"batch": BATCH, "rank": 1, "number": 2}, {}),
    Door("development_loss", translation.development_loss, {"model": TRANSLATOR.model, "batches": [BATCH]}, {}),
    Door("EarlyStopping", stopping, STOPPING, {"patience": 1, "path": BEST, "loss": lambda model, batches: 1.0},
         stopped),
    Door("EarlyStopping", stopping, STOPPING | {"path": BEST}, {"writes": False}, stopped),
    Door("EarlyStopping.restore", restored, {}, {}),
    Door("Fitted", translation.Fitted, {"translator": TRANSLATOR, "losses": [1.0]},
         {"history": [(1, 1.0)], "seconds": 2.0}),
    Door("fit", fitted, KNOWN,
         {"steps": 3, "seed": 1, "evaluations": 2, "fabric": FABRIC, "folder": True, "progress": False,
          "clock": process_time}),
    Door("fit", fitted, FAST, {"patience": 1, "keep_best": False}),
    Door("fit", fitted, FIT | {"recipe": Recipe(**vars(SMALL) | {"max_len": 6}), "pairs": LONG, "epochs": 1},
         {"report": True}),
    Door("fit", fitted, FIT | {"seconds": 0.05}, {}, len),
    Door("masked_cross_entropy", translation.masked_cross_entropy, LOGITS | {"target": coin(B, T).long() * 4},
         {"label_smoothing": 0.1, "ignore": 4}),
    Door("PageSetting", PageSetting, {"recipe": SMALL, "epochs": 1},
         {"vector_dropout": 0.1, "head_dropout": 0.1, "word_dropout": 0.2, "open_end": 0.2}),
    Door("train_page_model", page_model, {"setting": SETTING, "split": SPLIT},
         {"seed": 1, "checkpoint": FOLDER / "page.pt", "progress": False}),
]  # fmt: skip

# --- translators and scores ------------------------------------------------------------------------------------------

SENTENCES = ["One red car.", "Two black books now."]
FRENCH = ["un auto rouge .", "deux livre noir ."]
GERMAN = ["die katze sieht den hund .", "der hund sieht die katze ."]
TOLD = ["die katze sieht einen hund .", "ein hund sieht die katze ."]
SCORED = {"hypotheses": [*TOLD, *GERMAN], "references": [[one] for one in GERMAN * 2]}
LINKS = {(0, 0), (1, 2)}


def stored(path):
    TRANSLATOR.save(path)
    return of_translator(Translator.load(path))


def exported(path, **given):
    return translation.export_page_model(path=path, **given), path.read_bytes()


EXPORT = {"translator": TRANSLATOR, "measured": MEASURED}
TEXT_DOORS = [
    Door("Translator", Translator,
         {"model": TRANSLATOR.model, "source_vocab": TRANSLATOR.source_vocab, "target_vocab": TRANSLATOR.target_vocab},
         {"writing": Writing.learned(FRENCH), "languages": Languages(script="simplified")}, of_translator),
    Door("Translator.encode", TRANSLATOR.encode, {"sentences": SENTENCES}, {}),
    Door("Translator.translate", TRANSLATOR.translate, {"sentences": [pair.source for pair in PAIRS[:5]]},
         {"beam": 4, "max_len": 2, "batch_size": 1}),
    Door("Translator.translate", TRANSLATOR.translate, {"sentences": SENTENCES, "beam": 4}, {"length_penalty": 5.0}),
    Door("Translator.written", TRANSLATOR.written, {"translation": FRENCH[0]}, {}),
    Door("Translator.align", TRANSLATOR.align, {"sentence": SENTENCES[0]}, {"target": FRENCH[0], "max_len": 2}),
    Door("Translator.save", stored, {"path": FOLDER / "saved.pt"}, {}),
    Door("Translator.load", Translator.load, {"path": STORED}, {}, of_translator),
    Door("Languages", Languages, {},
         {"names": ("English", "Chinese"), "codes": ("en", "zh"), "script": "simplified"}),
    Door("Languages.from_dict", Languages.from_dict, {"d": {"names": ["English", "French"], "script": None}}, {}),
    Door("evaluate", translation.evaluate, {"translator": TRANSLATOR, "pairs": PAIRS[:5]}, {"beam": 4}),
    Door("ngrams", translation.ngrams, {"tokens": GERMAN[0].split(), "n": 2}, {}),
    Door("matched_ngrams", translation.matched_ngrams, {"hypothesis": TOLD[0], "references": GERMAN, "n": 2}, {}),
    Door("closest_length", translation.closest_length, {"length": 5, "reference_lengths": [3, 6]}, {}),
    Door("ngram_precision", translation.ngram_precision, SCORED | {"n": 2}, {}),
    Door("brevity_penalty", translation.brevity_penalty, {"hypothesis_length": 5, "reference_length": 6}, {}),
    Door("bleu", translation.bleu, SCORED, {"max_n": 2}),
    Door("named_bleu", translation.named_bleu, SCORED, {}),
    Door("sentence_bleu", translation.sentence_bleu, {"hypothesis": TOLD[0], "references": GERMAN}, {"max_n": 2}),
    Door("d2l_bleu", translation.d2l_bleu, {"prediction": TOLD[0], "label": GERMAN[0]}, {"k": 3}),
    Door("chrf", translation.chrf, SCORED, {}),
    Door("bootstrap_band", translation.bootstrap_band, SCORED,
         {"metric": translation.chrf, "resamples": 7, "seed": 1, "level": 0.5}),
    Door("hard_alignment", translation.hard_alignment, {"weights": randn(T, S).softmax(-1)}, {"threshold": 0.4}),
    Door("alignment_error_rate", translation.alignment_error_rate, {"predicted": LINKS, "gold": {(0, 0)}},
         {"possible": LINKS}),
    Door("load_page_model", translation.load_page_model, {"name": "seq2seq"}, {"target": "zh"}, of_translator),
    Door("page_model_header", translation.page_model_header, {"name": "seq2seq"}, {"target": "zh"}),
    Door("quantised", translation.quantised, {"translator": TRANSLATOR}, {}, of_translator),
    Door("page_model_file", translation.page_model_file, EXPORT | {"name": "bahdanau"}, {}),
    Door("export_page_model", exported, EXPORT | {"path": FOLDER / "bahdanau.safetensors"}, {}),
    Door("sentence_key", translation.sentence_key, {"sentence": SENTENCES[0]}, {}),
    Door("page_sentences", translation.page_sentences, {"split": SPLIT}, {}),
]  # fmt: skip

TRANSLATION_DOORS = [*MODEL_DOORS, *DECODING_DOORS, *TRAINING_DOORS, *TEXT_DOORS]
