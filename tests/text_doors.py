"""The public doors of text, data, training and language."""

import random
import tempfile
import warnings
from functools import partial
from pathlib import Path
from time import process_time

import torch

from attnbook import data, language, text, training, transformer
from attnbook.data import EncodedPair, Pair
from attnbook.text import BOS, EOS, ByteVocabulary, SubwordVocabulary, Vocabulary, WordVocabulary, Writing
from attnbook.training import TrainConfig
from attnbook.transformer import LanguageModelConfig
from doors import Door
from layer_doors import X
from small_training import Small, batches, loss_fn

PLACE = tempfile.TemporaryDirectory()
FOLDER = Path(PLACE.name)

# --- text ------------------------------------------------------------------------------------------------------------

GERMAN = ["Die Katze sieht den Hund.", "Der Hund sieht die Katze, und die Katze schläft."] * 2 + ["Ein Haus!"]
CAPITALS = {"capitals": {"katze": "Katze", "hund": "Hund"}}
WORDS, SUBWORDS, BYTES = WordVocabulary(GERMAN), SubwordVocabulary(GERMAN, 60), ByteVocabulary(GERMAN[1], 300)
WRITES = Writing.learned(GERMAN)
IDS = WORDS.encode(GERMAN[0])
SENTENCE = {"sentence": GERMAN[0]}


def read_by(vocabulary):
    return [vocabulary.encode(sentence) for sentence in GERMAN]


def of_dice(**given):
    """What an encoder with dice gives, for the same dice each time."""
    return text.BPEDropout(SUBWORDS, 0.5).encode(**given | {"dice": random.Random(0)})


TEXT_DOORS = [
    *(Door(name, getattr(text, name), {"sentence": "L’été Ｘ."}, {}) for name in ("spell", "normalise", "tokenise")),
    Door("is_spaced", text.is_spaced, {"token": "我"}, {}),
    Door("marked", text.marked, {"tokens": ["我", "go"]}, {}),
    Door("small", text.small, {"text": "Été"}, {}),
    Door("Vocabulary", Vocabulary, {"tokens": [*text.SPECIALS, "katze", "Katze"]}, CAPITALS,
         lambda made: (len(made), made.split(GERMAN[0]))),
    Door("Vocabulary.split", WORDS.split, SENTENCE, {}),
    Door("Vocabulary.tokens", WORDS.tokens, {"ids": IDS}, {}),
    Door("Vocabulary.decode", WORDS.decode, {"ids": [BOS, *IDS, EOS, 5]}, {}),
    Door("WordVocabulary", WordVocabulary, {"sentences": GERMAN}, {"min_count": 2, "max_size": 9} | CAPITALS, read_by),
    Door("WordVocabulary.encode", WORDS.encode, SENTENCE, {}),
    Door("WordVocabulary.to_dict", WORDS.to_dict, {}, {}),
    Door("WordVocabulary.from_dict", WordVocabulary.from_dict, {"d": WORDS.to_dict()}, {}),
    Door("SubwordVocabulary", SubwordVocabulary, {"sentences": GERMAN}, {"size": 30} | CAPITALS, read_by),
    Door("SubwordVocabulary.encode", SUBWORDS.encode, SENTENCE, {}),
    Door("SubwordVocabulary.to_dict", SUBWORDS.to_dict, {}, {}),
    Door("SubwordVocabulary.from_dict", SubwordVocabulary.from_dict, {"d": SUBWORDS.to_dict()}, {}),
    Door("ByteVocabulary", ByteVocabulary, {"text": GERMAN[1]}, {"size": 260}, read_by),
    Door("ByteVocabulary.encode", BYTES.encode, {"text": GERMAN[0]}, {}),
    Door("ByteVocabulary.decode", BYTES.decode, {"ids": BYTES.encode(GERMAN[0])}, {}),
    Door("ByteVocabulary.tokens", BYTES.tokens, {"ids": BYTES.encode(GERMAN[0])}, {}),
    Door("ByteVocabulary.to_dict", BYTES.to_dict, {}, {}),
    Door("ByteVocabulary.from_dict", ByteVocabulary.from_dict, {"d": BYTES.to_dict()}, {}),
    Door("vocabulary_from_dict", text.vocabulary_from_dict, {"d": SUBWORDS.to_dict()}, {}),
    Door("BPEDropout", text.BPEDropout, {"vocab": SUBWORDS}, {"probability": 0.6, "variants": 1, "seed": 3},
         lambda made: [made.encode(sentence, random.Random(0)) for sentence in GERMAN * 5]),
    Door("BPEDropout.encode", of_dice, SENTENCE | {"dice": None}, {}),
    Door("Writing", Writing, {"kinds": WRITES.kinds, "pairs": WRITES.pairs, "forms": WRITES.forms}, {}),
    Door("Writing.learned", Writing.learned, {"texts": GERMAN}, {}),
    Door("Writing.write", WRITES.write, {"tokens": text.tokenise(GERMAN[1])}, {}),
    Door("Writing.to_dict", WRITES.to_dict, {}, {}),
    Door("Writing.from_dict", Writing.from_dict, {"d": WRITES.to_dict()}, {}),
    Door("capitals_to_keep", text.capitals_to_keep, {"texts": GERMAN}, {}),
]  # fmt: skip

# --- data ------------------------------------------------------------------------------------------------------------

PAIRS = [Pair(f"I am {n}.", f"Je suis {n}.") for n in range(9)]
VOCABULARIES = {f"{side}_vocab": WordVocabulary([getattr(pair, side) for pair in PAIRS]) for side in Pair._fields}
ENCODED = [EncodedPair([4] * n + [EOS], [5] * (n + 1)) for n in (1, 2, 3, 1, 2)]
TSV = FOLDER / "pairs.tsv"
TSV.write_text("Go.\tVa !\nno pair\nStay.\tReste !\n", "utf-8")
GRAMMAR = data.BilingualGrammar()
CHINESE = ["这本书。", "這本書。", "今天。"]
BATCH = data.collate(ENCODED)
REGRESSION = data.kernel_regression_data(3)
ALIGNED = {name: getattr(GRAMMAR.sample(1)[0], name) for name in ("source", "target", "alignment", "sure")}
PARSED = vars(data.parsed_sentences(1)[0])


def reported(**given):
    """What is read, and what is said of it, or with `strict` that it is refused."""
    said = []
    report = given.pop("report", None) and said.append
    with warnings.catch_warnings(record=True) as warned:
        try:
            return data.read_pairs(**given, report=report), said, [str(one.message) for one in warned]
        except ValueError as error:
            return str(error)


DATA_DOORS = [
    Door("RegressionData", data.RegressionData, vars(REGRESSION), {}),
    Door("RegressionData.to", REGRESSION.to, {"device": torch.device("cpu")}, {}),
    Door("kernel_regression_data", data.kernel_regression_data, {},
         {"n": 7, "noise": 0.1, "seed": 1, "dtype": torch.float64}),
    Door("true_curve", data.true_curve, {"x": X.abs()}, {}),
    Door("Pair", Pair, {"source": "Go.", "target": "Va !"}, {}),
    Door("Split", data.Split, {"train": PAIRS, "dev": [], "test": []}, {}),
    Door("split_pairs", data.split_pairs, {"pairs": PAIRS}, {"fractions": (0.4, 0.3, 0.3), "seed": 1}),
    Door("references", data.references, {"pairs": PAIRS}, {}),
    Door("near_duplicates", data.near_duplicates, {"pairs": PAIRS[:2], "known": PAIRS[2:]}, {}),
    Door("EncodedPair", EncodedPair, {"source": [4, EOS], "target": [4]}, {}),
    Door("encode_pairs", data.encode_pairs, {"pairs": [*PAIRS, Pair("I am.", "Je suis."), Pair("A", "B")]}
         | VOCABULARIES, {"max_len": 3}),
    Door("Batch", data.Batch, vars(BATCH), {}),
    Door("Batch.to", BATCH.to, {"device": "cpu"}, {}),
    Door("pad_rows", data.pad_rows, {"rows": [[1, 2], [3]]}, {"padding": 9}),
    Door("collate", data.collate, {"encoded": ENCODED}, {}),
    Door("make_batches", data.make_batches, {"encoded": ENCODED, "batch_size": 2},
         {"batch_size": 3, "seed": 1, "sort_by_length": False}, lambda promise: [*promise(0), *promise(1)]),
    Door("cache_folder", data.cache_folder, {}, {}),
    Door("bundled_pairs", data.bundled_pairs, {}, {"target": "chinese"}),
    Door("read_pairs", reported, {"path": TSV}, {"strict": True, "report": True}),
    Door("scripts_of", data.scripts_of, {"text": "go 我"}, {}),
    Door("own_scripts", data.own_scripts, {"sentences": CHINESE}, {}),
    Door("is_chinese", data.is_chinese, {"sentences": CHINESE}, {}),
    Door("in_both_scripts", data.in_both_scripts, {"sentences": CHINESE}, {}),
    Door("in_script", data.in_script, {"sentences": CHINESE, "script": "traditional"}, {}),
    Door("tatoeba_pairs", data.tatoeba_pairs, {"path": FOLDER / "fra.txt"}, {}),
    Door("AlignedPair", data.AlignedPair, ALIGNED, {}),
    Door("BilingualGrammar", data.BilingualGrammar, {}, {"seed": 1, "target": "chinese"}, lambda made: made.sample(3)),
    Door("BilingualGrammar.sample", GRAMMAR.sample, {"num": 3},
         {"min_len": 9, "max_len": 8, "exclude": [pair.pair.source for pair in GRAMMAR.sample(3)]}),
    Door("ParsedSentence", data.ParsedSentence, PARSED, {}),
    Door("parsed_sentences", data.parsed_sentences, {"num": 3}, {"min_len": 9, "max_len": 7, "seed": 1}),
]  # fmt: skip
(FOLDER / "fra.txt").write_text("Go.\tVa !\n", "utf-8")

# --- training --------------------------------------------------------------------------------------------------------

STEPS = TrainConfig(steps=4)
MADE = FOLDER / "made.pt"
training.save_checkpoint(MADE, {"step": 1})


def trained(config, **options):
    """Losses, what was reported after each step, and whether there is a checkpoint."""
    place, told = options.get("checkpoint"), []
    if place is not None:
        place.unlink(missing_ok=True)
    if "after_step" in options:
        options["after_step"] = lambda progress: told.append(progress) or progress.step == 2
    losses = training.train(Small(), loss_fn, batches, config, **options)
    return losses, told, place is not None and place.is_file()


def curve(config):
    """The losses of a training, and the schedule."""
    config = TrainConfig(**vars(config) | {"steps": config.steps or 3, "seconds": None})
    return trained(config), [config.factor(step, step / 4) for step in range(4)], config.length, vars(config)


def watching(by):
    with training.watched(by):
        trained(STEPS)
    return MARKS[-4:]


def in_evaluation(model):
    with training.evaluating(model) as same:
        return same is model, model.training


def saved(path, state):
    training.save_checkpoint(path, state)
    return training.read_archive(path)


MARKS = []
FABRIC = training.make_fabric()
TRAINING_DOORS = [
    Door("noam_factor", training.noam_factor, {"step": 3, "d_model": 16, "warmup": 5}, {}),
    Door("TrainConfig", TrainConfig, {"steps": 4},
         {"steps": 5, "lr": 0.1, "clip": 0.01, "seed": 1, "betas": (0.5, 0.5), "weight_decay": 3.0,
          "checkpoint_every": 2}, curve),
    Door("TrainConfig", partial(TrainConfig, schedule="warmup-cosine"), {"steps": 4},
         {"warmup": 2, "warmup_fraction": 0.75}, curve),
    Door("TrainConfig", TrainConfig, {}, {"seconds": 2.0}, lambda made: made.seconds),
    Door("TrainConfig", TrainConfig, {"schedule": "noam", "d_model": 16, "warmup": 2, "steps": 4},
         {"d_model": 4, "warmup": 3}, curve),
    Door("TrainConfig.factor", TrainConfig(seconds=4.0, schedule="warmup-cosine").factor, {"step": 1},
         {"elapsed": 2.0}),
    Door("Progress", training.Progress, {"step": 2, "before": 1.0, "now": 2.0}, {"last": True}),
    Door("Progress.passed", training.Progress(2, 1.0, 2.0).passed, {"every": 2.0}, {}),
    Door("make_fabric", training.make_fabric, {}, {"devices": 2, "nodes": 2}, lambda made: made.world_size),
    Door("together", training.together, {"fabric": FABRIC, "action": lambda: 7}, {}),
    Door("train", lambda model, loss_fn, batches, **more: trained(**more),
         {"model": None, "loss_fn": None, "batches": None, "config": STEPS},
         {"checkpoint": FOLDER / "run.pt", "after_step": True, "elapsed": 0.0, "progress": False, "fabric": FABRIC,
          "clock": process_time}),
    Door("watched", watching, {"by": lambda losses, done: MARKS.append(done)}, {}),
    Door("evaluating", in_evaluation, {"model": Small()}, {}),
    Door("save_checkpoint", saved, {"path": FOLDER / "saved.pt", "state": {"step": 3, "weight": X}}, {}),
    Door("read_archive", training.read_archive, {"path": MADE}, {}),
]  # fmt: skip

# --- language --------------------------------------------------------------------------------------------------------

PROSE = " ".join(GERMAN) * 9
TINY = {"d_model": 12, "num_heads": 3, "num_layers": 1, "d_ff": 7, "max_positions": 9}
RECIPE = language.LanguageRecipe(TINY, subwords=270, batch_size=2, training=TrainConfig(lr=0.01))
READER = ByteVocabulary(PROSE, 270)
torch.manual_seed(0)
TEXT_MODEL = language.TextModel(
    transformer.LanguageModel(LanguageModelConfig(len(READER), **TINY)).eval(), READER, "abc"
)
BOOK_FILE = FOLDER / "book.safetensors"
COUNTED = {"train": [1, 2, 3, 1, 2, 4, 1, 2], "held_out": [1, 2, 3, 1], "vocab_size": 5}
ABOUT = {"command": "c", "versions": {}, "seed": 0, "corpus_sha256": "0", "training": {}, "test": {}}


def fitted(**given):
    """What was learned, without how long it took."""
    if "folder" in given:
        given["folder"] = Path(tempfile.mkdtemp(dir=FOLDER))
    made = language.fit_language_model(**given)
    files = sorted(path.name for path in given["folder"].iterdir()) if "folder" in given else []
    return made.text_model.model, made.losses, made.history, files


def stored(path):
    TEXT_MODEL.save(path)
    return language.TextModel.load(path).model


def with_dice(**given):
    return language.continue_tokens(**given | {"generator": torch.Generator().manual_seed(given.get("generator", 0))})


BEGINNING = torch.tensor([READER.encode(GERMAN[0])[:4]])
FIT = {"recipe": RECIPE, "text": PROSE, "development": GERMAN[1]}
BOOK_FILE.write_bytes(language.book_model_file(TEXT_MODEL, ABOUT))
LANGUAGE_DOORS = [
    Door("TextSplit", language.TextSplit, {"train": "a", "dev": "b", "test": "c"}, {}),
    Door("read_text", language.read_text, {}, {"name": "this-book"}),
    Door("split_text", language.split_text, {"text": PROSE}, {}),
    Door("split_book", language.split_book, {}, {}),
    Door("chapter_prose", language.chapter_prose, {"markdown": "# A\n\nIt is **so**."}, {}),
    Door("LanguageRecipe", language.LanguageRecipe, {},
         {"sizes": TINY, "subwords": 300, "batch_size": 3, "training": TrainConfig(lr=0.5)}),
    Door("LanguageRecipe.config", RECIPE.config, {"vocab_size": 270}, {}),
    Door("random_pieces", language.random_pieces,
         {"ids": torch.arange(40), "length": 5, "batch_size": 3, "seed": 1}, {}, lambda promise: list(promise(0))),
    Door("fit_language_model", fitted, FIT | {"steps": 4, "evaluations": 4},
         {"steps": 3, "seed": 1, "evaluations": 2, "folder": True, "fabric": FABRIC, "progress": False}),
    Door("fit_language_model", fitted, FIT | {"steps": 4, "evaluations": 4}
         | {"recipe": language.LanguageRecipe(TINY, 270, 2, TrainConfig(lr=9.0))}, {"patience": 1}),
    Door("fit_language_model", fitted, FIT | {"seconds": 0.05}, {}, lambda found: len(found)),
    Door("FittedLanguageModel", language.FittedLanguageModel,
         {"text_model": TEXT_MODEL, "losses": [1.0], "history": [(1, 1.0)], "seconds": 2.0}, {}),
    Door("next_token_loss", language.next_token_loss, {"model": TEXT_MODEL.model, "tokens": BEGINNING}, {}),
    Door("held_out_loss", language.held_out_loss, {"model": TEXT_MODEL.model, "ids": READER.encode(GERMAN[1])}, {}),
    Door("measured", language.measured, {"text_model": TEXT_MODEL, "text": GERMAN[1]}, {}),
    Door("described_loss", language.described_loss, {"loss": 2.0, "num_tokens": 7, "text": GERMAN[0]}, {}),
    Door("ngram_loss", language.ngram_loss, COUNTED, {"order": 3, "prior": 1.0}),
    Door("kneser_ney_loss", language.kneser_ney_loss, COUNTED, {"order": 2}),
    Door("continue_tokens", with_dice, {"model": TEXT_MODEL.model, "tokens": BEGINNING},
         {"length": 5, "temperature": 0.1, "top_k": 2, "top_p": 0.3, "generator": 1}),
    Door("TextModel", language.TextModel, {"model": TEXT_MODEL.model, "vocabulary": READER}, {"characters": "xyz"},
         lambda made: made.characters),
    Door("TextModel.continue_text", TEXT_MODEL.continue_text, {"beginning": "Die"},
         {"length": 5, "seed": 1, "temperature": 0.1, "top_k": 2, "top_p": 0.3}),
    Door("TextModel.unfamiliar", TEXT_MODEL.unfamiliar, {"text": "abcd"}, {}),
    Door("TextModel.save", stored, {"path": FOLDER / "model.pt"}, {}),
    Door("TextModel.load", lambda path: stored(path), {"path": FOLDER / "model.pt"}, {}),
    Door("rounded", language.rounded, {"text_model": TEXT_MODEL}, {}, lambda made: made.model),
    Door("book_model_file", language.book_model_file, {"text_model": TEXT_MODEL, "measured": ABOUT}, {}),
    Door("load_book_model", language.load_book_model, {}, {"path": BOOK_FILE}, lambda made: made.model),
    Door("book_model_header", language.book_model_header, {}, {"path": BOOK_FILE}),
    Door("kind_of_file", language.kind_of_file, {"state": {"optimizer": 0}}, {}),
]  # fmt: skip
