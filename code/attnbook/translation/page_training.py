"""How the small translators of pages are trained: the book's own, and those of a reader's sentence pairs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.data import Batch, EncodedPair, Split, make_batches
from attnbook.text import EOS, UNK
from attnbook.training import TrainConfig, train
from attnbook.translation.fitting import translation_loss
from attnbook.translation.page_models import quantised
from attnbook.translation.recipes import RECIPES, Recipe, prepare
from attnbook.translation.translator import Translator


@dataclass(frozen=True)
class PageSetting:
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


STOPS = ". 。 । ۔"  # full stops of several scripts
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
# Without noise on the way into the encoder: with dropout on word vectors and words the maps looked at wrong words
# more often, and BLEU was not higher for it.
QUIET = {"head_dropout": 0.4, "word_dropout": 0.0}
TRANSFORMER = RECIPES["transformer"]
#: How the book's three page models are trained, by their names.
PAGE_SETTINGS = {
    "bahdanau": PageSetting(RECURRENT, epochs=25, **QUIET),
    "seq2seq": PageSetting(replace(RECURRENT, sizes=PLAIN), epochs=25, **QUIET),
    "transformer": PageSetting(
        replace(
            TRANSFORMER,
            sizes=TRANSFORMER.sizes | {"d_ff": 384, "dropout": 0.2},
            subwords=0,
        ),
        epochs=40,
    ),
}


def train_page_model(
    setting: PageSetting,
    split: Split,
    seed: int = 0,
    checkpoint: str | Path | None = None,
    *,
    progress: bool = False,
) -> Translator:
    """Train a page model from scratch and round its weights.

    Args:
        setting: how.
        split: its training pairs are learned, the rest is not looked at.
        seed: of the weights, the order of the pairs, the noise and dropout.
        checkpoint: a file to save to, ten times, and, if it exists, to resume from.
        progress: show a progress bar.

    Returns:
        The translator, in evaluation mode, with weights as its file can hold them.

    Raises:
        ValueError: no pairs.
    """
    recipe = setting.recipe
    translator, encoded = prepare(recipe, split.train, seed)
    model = translator.model
    source, target = translator.source_vocab, translator.target_vocab
    stops = [{*vocab.encode(STOPS)} - {UNK} for vocab in (source, target)]
    batches = _noisy(encoded, setting, stops, seed)
    steps = setting.epochs * -(-len(encoded) // recipe.batch_size)
    every = steps // 10 + 1 if checkpoint else 0
    config = replace(recipe.training, steps=steps, seed=seed, checkpoint_every=every)
    hooks = _more_dropout(model, setting)
    loss = translation_loss(recipe.label_smoothing)
    train(model, loss, batches, config, checkpoint=checkpoint, progress=progress)
    for hook in hooks:
        hook.remove()
    return quantised(translator)


def _noisy(
    encoded: list[EncodedPair],
    setting: PageSetting,
    stops: list[set[int]],
    seed: int,
) -> Callable[[int], Iterator[Batch]]:
    """Batches in which some source words are unknown and some sentences have no full stop; new ones every epoch."""

    def batches(epoch: int) -> Iterator[Batch]:
        rng = np.random.default_rng((seed, 1, epoch))
        changed = []
        for source, target in encoded:
            words, written = source[:-1], target
            both = len(words) > 1 and all(
                side[-1] in ids
                for side, ids in zip((words, written), stops, strict=True)
            )
            if both and rng.random() < setting.open_end:
                words, written = words[:-1], written[:-1]
            lost = rng.random(len(words)) < setting.word_dropout
            words = [
                UNK if gone else word for word, gone in zip(words, lost, strict=True)
            ]
            changed.append(EncodedPair([*words, EOS], written))
        return make_batches(changed, setting.recipe.batch_size, seed)(epoch)

    return batches


def _more_dropout(model: Any, setting: PageSetting) -> list:
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
