"""The translators that the book's pages run: trained on the bundled corpus, rounded to 8 bits, measured, stored.

    python -m tools.experiments.page_models                        all three, one core, into code/attnbook/data/models
    python -m tools.experiments.page_models --only transformer     one of them
    python -m tools.experiments.page_models --dev --only seq2seq   measured on the development set, nothing written
    python -m tools.experiments.page_models --measure              the stored models measured again, not trained

The settings below were chosen on the development set. The test set is looked at once, by the first two commands.
"""

import argparse
import hashlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.data import (
    Batch,
    EncodedPair,
    Split,
    bundled_pairs,
    make_batches,
    split_pairs,
)
from attnbook.data.corpus import CORPUS
from attnbook.files import write_atomically
from attnbook.text import EOS, UNK
from attnbook.training import TrainConfig, train
from attnbook.translation import (
    PAGE_MODELS,
    Recipe,
    Translator,
    evaluate,
    export_page_model,
    load_page_model,
    page_model_header,
    page_models,
    page_sentences,
    prepare,
    quantised,
    translation_loss,
)
from tools.experiments.stored import made_by

SEED = SPLIT_SEED = 0


@dataclass(frozen=True)
class Setting:
    """How a page model is trained.

    Attributes:
        recipe: the model's sizes, its vocabularies and the optimiser.
        epochs: times through the training pairs.
        vector_dropout, head_dropout: on word vectors, and on what the output map reads, beside the recipe's own.
        word_dropout: the share of source words that are replaced by <unk>, which also teaches what to do with one.
        open_end: the share of sentences that lose the full stop at their end, on both sides, as readers type them.
    """

    recipe: Recipe
    epochs: int
    vector_dropout: float = 0.0
    head_dropout: float = 0.0
    word_dropout: float = 0.08
    open_end: float = 0.1


RECURRENT = Recipe(
    "recurrent",
    sizes={
        "embed_size": 128,
        "hidden_size": 160,
        "num_layers": 1,
        "dropout": 0.0,
        "bidirectional": True,
    },
    batch_size=64,
    label_smoothing=0.1,
    training=TrainConfig(
        lr=4e-3, schedule="warmup-cosine", warmup_fraction=0.05, betas=(0.9, 0.999)
    ),
)
# Without attention there are no alignment weights and no wide context: a larger state makes up for the parameters.
PLAIN = RECURRENT.sizes | {"attention": "none", "hidden_size": 184}
# Without noise on the way into the encoder. With 30 % dropout on the word vectors and 8 % on the words, of 26 links in
# twelve hand-aligned sentences the largest weight was on 13, without on 25; and BLEU was not higher for it.
QUIET = {"head_dropout": 0.4, "word_dropout": 0.0}
SETTINGS = {
    "bahdanau": Setting(RECURRENT, epochs=25, **QUIET),
    "seq2seq": Setting(replace(RECURRENT, sizes=PLAIN), epochs=25, **QUIET),
    "transformer": Setting(
        Recipe(
            "transformer",
            sizes={
                "d_model": 128,
                "num_heads": 4,
                "d_ff": 384,
                "num_encoder_layers": 2,
                "num_decoder_layers": 2,
                "dropout": 0.2,
                "norm_first": True,
            },
            batch_size=64,
            label_smoothing=0.1,
            training=TrainConfig(
                lr=2e-3,
                schedule="warmup-cosine",
                warmup_fraction=0.1,
                weight_decay=0.01,
                betas=(0.9, 0.98),
            ),
        ),
        epochs=40,
    ),
}


def noisy(
    encoded: list[EncodedPair], setting: Setting, stop: tuple[int, int]
) -> Callable[[int], Iterator[Batch]]:
    """Batches in which some source words are unknown and some sentences have no full stop; new ones every epoch."""

    def batches(epoch: int) -> Iterator[Batch]:
        rng = np.random.default_rng((SEED, 1, epoch))
        changed = []
        for source, target in encoded:
            words, written = source[:-1], target
            both = len(words) > 1 and (words[-1], written[-1]) == stop
            if both and rng.random() < setting.open_end:
                words, written = words[:-1], written[:-1]
            lost = rng.random(len(words)) < setting.word_dropout
            words = [
                UNK if gone else word for word, gone in zip(words, lost, strict=True)
            ]
            changed.append(EncodedPair([*words, EOS], written))
        return make_batches(changed, setting.recipe.batch_size, SEED)(epoch)

    return batches


def more_dropout(model: nn.Module, setting: Setting) -> list:
    """Hooks that drop entries of word vectors and of what the output map reads, while training."""

    def after(module: nn.Module, inputs: tuple, output: Tensor) -> Tensor:
        return F.dropout(output, setting.vector_dropout, module.training)

    def before(module: nn.Module, inputs: tuple) -> tuple:
        return tuple(
            F.dropout(x, setting.head_dropout, module.training) for x in inputs
        )

    both = (model.encoder, model.decoder)
    hooks = [part.embedding.register_forward_hook(after) for part in both]
    return [*hooks, model.decoder.head.register_forward_pre_hook(before)]


def trained(setting: Setting, split: Split) -> Translator:
    """Train one page model from scratch and round its weights."""
    recipe = setting.recipe
    translator, encoded = prepare(recipe, split.train, SEED)
    model = translator.model
    full_stop = tuple(
        v.encode(".")[0] for v in (translator.source_vocab, translator.target_vocab)
    )
    batches = noisy(encoded, setting, full_stop)
    steps = setting.epochs * -(-len(encoded) // recipe.batch_size)
    config = replace(recipe.training, steps=steps, seed=SEED)
    hooks = more_dropout(model, setting)
    train(model, translation_loss(recipe.label_smoothing), batches, config)
    for hook in hooks:
        hook.remove()
    return quantised(translator)


def samples(translator: Translator, pairs: list, number: int = 20) -> None:
    """Print some translations, evenly taken from the sentences of a set."""
    seen = evaluate(translator, pairs)
    every = max(1, len(seen["translations"]) // number)
    for source, written in list(seen["translations"].items())[::every][:number]:
        print(f"    {source}  →  {written}")


def main() -> None:
    """Train, measure and store the models that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=PAGE_MODELS)
    parser.add_argument(
        "--dev",
        action="store_true",
        help="measure on the development set and write nothing",
    )
    parser.add_argument(
        "--measure",
        action="store_true",
        help="measure the stored models again, on references that have been added since",
    )
    wanted = parser.parse_args()
    torch.set_num_threads(1)
    split = split_pairs(bundled_pairs(), seed=SPLIT_SEED)
    corpus = hashlib.sha256(CORPUS.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
    if not wanted.dev:
        text = json.dumps(page_sentences(split), ensure_ascii=False, indent=0)
        write_atomically(page_models.FOLDER / "sentences.json", text + "\n")
    for name in [wanted.only] if wanted.only else PAGE_MODELS:
        began = time.perf_counter()
        translator = (
            load_page_model(name) if wanted.measure else trained(SETTINGS[name], split)
        )
        took = time.perf_counter() - began
        on = split.dev if wanted.dev else split.test
        found = evaluate(translator, on)
        test = {key: round(found[key], 2) for key in ("bleu", "chrf")} | {
            "sentences": found["sentences"]
        }
        print(
            f"{name}: {'dev' if wanted.dev else 'test'} {test}, made in {took:.0f} s",
            flush=True,
        )
        samples(translator, on)
        if wanted.dev:
            continue
        measured = {
            **made_by(__spec__.name, argparse.Namespace(only=name)),
            "seed": SEED,
            "split_seed": SPLIT_SEED,
            "corpus_sha256": corpus,
            "training": asdict(SETTINGS[name]),
            "test": test,
        }
        if wanted.measure:  # how it was made has not changed
            measured = page_model_header(name) | {"test": test}
        path = page_models.FOLDER / f"{name}.json"
        size = export_page_model(translator, path, measured)
        print(f"    {path.name}: {size / 1e6:.2f} MB", flush=True)


if __name__ == "__main__":
    main()
