"""Translators without attention, whose one vector is small or large, beside one with attention."""

from statistics import mean

from torch import Tensor, nn

from attnbook.data import AlignedPair, Batch, BilingualGrammar, make_batches
from attnbook.training import Progress, TrainConfig, evaluating, train
from attnbook.translation import (
    Recipe,
    Translator,
    bleu,
    prepare,
    translation_loss,
)

SIZES = {"embed_size": 48, "hidden_size": 64, "num_layers": 1, "dropout": 0.0}
SHORTEST, LONGEST = 4, 8  # English tokens, the full stop included
RATE, BATCH = 4e-3, 64


def one_vector_data(
    seed: int, number: int = 12_000, tested: int = 100
) -> tuple[list, dict[int, list[AlignedPair]]]:
    """Sentences of the bilingual grammar.

    Args:
        seed: of both parts.
        number: of training sentences, of 4 to 8 English tokens, less those that are tested.
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
        size: of the states, and so of the vector; None for a translator with additive attention and states of 64.
        seed: of data, weights and batches.
        moments: the steps at which to look, ascending; the last one is the end.
        number, tested: see `one_vector_data`.

    Returns:
        For every moment: steps, the mean training loss of the 100 steps before, and BLEU by length.
    """
    pairs, tests = one_vector_data(seed, number, tested)
    sizes = SIZES | (
        {"attention": "additive"}
        if size is None
        else {"attention": "none", "hidden_size": size}
    )
    config = TrainConfig(lr=RATE, steps=moments[-1], seed=seed, betas=(0.9, 0.999))
    recipe = Recipe("recurrent", sizes, min_count=1, batch_size=BATCH)
    translator, encoded = prepare(recipe, pairs, seed)
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
