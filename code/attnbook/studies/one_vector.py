"""A translator of which only a few numbers pass from the reader to the writer: is one vector too small, or slow?"""

from statistics import mean
from typing import cast

import torch
from torch import Tensor, nn

from attnbook.data import AlignedPair, Batch, BilingualGrammar, make_batches
from attnbook.training import Progress, TrainConfig, evaluating, train
from attnbook.translation import (
    Recipe,
    RecurrentConfig,
    RecurrentState,
    RecurrentTranslator,
    Translator,
    bleu,
    prepare,
    translation_loss,
)

SIZES = {"embed_size": 48, "hidden_size": 64, "num_layers": 1, "dropout": 0.0}
SHORTEST, LONGEST = 4, 8  # English words
RATE, BATCH = 4e-3, 64


class NarrowTranslator(RecurrentTranslator):
    """A translator without attention whose last state passes through fewer numbers than it has.

    Args:
        config: the sizes, with attention "none".
        size: how many numbers reach the writer.
    """

    def __init__(self, config: RecurrentConfig, size: int):
        super().__init__(config)
        self.squeeze = nn.Linear(config.hidden_size, size)
        self.widen = nn.Linear(size, config.hidden_size)

    def start(self, source: Tensor, valid_lens: Tensor) -> RecurrentState:
        """Read the source sentences; all that is handed on is `size` numbers.

        Args:
            source: (B, S) ids.
            valid_lens: (B,) integers.

        Returns:
            The decoder's state before the first word.
        """
        states, last = self.encoder(source, valid_lens)
        handed_on = self.squeeze(last).tanh()  # (L, B, size)
        last = self.widen(handed_on).tanh()  # (L, B, D)
        return self.decoder.start(states, last, valid_lens)


def one_vector_data(
    seed: int, number: int = 12_000, tested: int = 100
) -> tuple[list, dict[int, list[AlignedPair]]]:
    """Sentences of the bilingual grammar.

    Args:
        seed: of both parts.
        number: of training sentences, of 4 to 8 English words, less those that are tested.
        tested: new sentences of the shortest and of the greatest length.

    Returns:
        Training pairs, and length → aligned pairs.
    """
    tests = {
        length: BilingualGrammar(1000 * (seed + 1) + length).sample(
            tested, length, length
        )
        for length in (SHORTEST, LONGEST)
    }
    held_out = {aligned.source for each in tests.values() for aligned in each}
    drawn = BilingualGrammar(seed).sample(number, SHORTEST, LONGEST)
    return [a.pair for a in drawn if a.source not in held_out], tests


def fit_one_vector(
    size: int | None,
    seed: int,
    moments: tuple[int, ...],
    number: int = 12_000,
    tested: int = 100,
) -> list[dict]:
    """Train one translator, and look at it now and then.

    Args:
        size: of the vector; None for a translator with additive attention and no vector.
        seed: of data, weights and batches.
        moments: the steps at which to look, ascending; the last one is the end.
        number, tested: see `one_vector_data`.

    Returns:
        For every moment: steps, the mean training loss of the 100 steps before, and BLEU by length.
    """
    pairs, tests = one_vector_data(seed, number, tested)
    sizes = SIZES | {"attention": "additive" if size is None else "none"}
    config = TrainConfig(lr=RATE, steps=moments[-1], seed=seed, betas=(0.9, 0.999))
    recipe = Recipe("recurrent", sizes, min_count=1, batch_size=BATCH)
    translator, encoded = prepare(recipe, pairs, seed)
    if size is not None:
        torch.manual_seed(seed)
        narrow = NarrowTranslator(cast(RecurrentConfig, translator.model.config), size)
        translator = Translator(
            narrow, translator.source_vocab, translator.target_vocab
        )
    loss_of, losses = translation_loss(), []
    seen: list[dict] = []

    def noted(model: nn.Module, batch: Batch) -> Tensor:
        loss = loss_of(model, batch)
        losses.append(loss.item())
        return loss

    def look(progress: Progress) -> bool:
        if progress.step in moments:
            with evaluating(translator.model):
                found = {n: _score(translator, some) for n, some in tests.items()}
            loss = mean(losses[-100:])
            seen.append({"steps": progress.step, "loss": round(loss, 3), "bleu": found})
        return False

    batches = make_batches(encoded, BATCH, seed)
    train(translator.model, noted, batches, config, after_step=look)
    return seen


def _score(translator: Translator, aligned: list[AlignedPair]) -> float:
    written = translator.translate([" ".join(a.source) for a in aligned], max_len=20)
    return round(bleu(written, [[" ".join(a.target)] for a in aligned]), 1)
