"""Who finds the word that a word comes from: attention, a ruler, or counts; in languages of different order."""

import random
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from itertools import combinations, product
from statistics import mean
from typing import TypeAlias

from torch import Tensor, nn

from attnbook.data import AlignedPair, Batch, BilingualGrammar, make_batches
from attnbook.training import Progress, TrainConfig, evaluating, train
from attnbook.translation import (
    Recipe,
    Translator,
    alignment_error_rate,
    hard_alignment,
    prepare,
    translation_loss,
)

Links: TypeAlias = set[tuple[int, int]]
Aligner: TypeAlias = Callable[[AlignedPair], Links]

#: French, Chinese, and Chinese with its characters in the order of the English.
TARGETS = ("french", "chinese", "reordered")
SHORTEST, LONGEST = 4, 9  # English tokens in training
SIZES = {
    "embed_size": 64,
    "hidden_size": 96,
    "num_layers": 1,
    "dropout": 0.1,
    "bidirectional": True,
}
TRAINING = TrainConfig(
    lr=4e-3, schedule="warmup-cosine", warmup_fraction=0.1, betas=(0.9, 0.999)
)


def word_order_recipe(**sizes: int) -> Recipe:
    """The translator: a GRU that reads both ways, and one that writes, with additive attention.

    Args:
        sizes: instead of the usual ones.

    Returns:
        A recipe.
    """
    return Recipe(
        "recurrent", SIZES | sizes, min_count=1, batch_size=64, training=TRAINING
    )


def fit_word_order(
    recipe: Recipe,
    sentences: Sequence[AlignedPair],
    seed: int,
    moments: Sequence[int],
    look: Callable[[Translator], dict],
) -> tuple[Translator, list[dict]]:
    """Train a translator, and look at it now and then.

    Args:
        recipe: see `word_order_recipe`.
        sentences: to train on.
        seed: of weights and batches.
        moments: the steps at which to look, ascending; the last one is the end.
        look: finds something out about the translator.

    Returns:
        The translator, and for every moment the steps, the mean training loss of the 50 steps before, and what was
        found.
    """
    translator, encoded = prepare(recipe, [a.pair for a in sentences], seed)
    loss_of, losses = translation_loss(), []
    seen: list[dict] = []

    def noted(model: nn.Module, batch: Batch) -> Tensor:
        loss = loss_of(model, batch)
        losses.append(loss.item())
        return loss

    def notice(progress: Progress) -> bool:
        if progress.step in moments:
            with evaluating(translator.model):
                found = look(translator)
            loss = round(mean(losses[-50:]), 3)
            seen.append({"steps": progress.step, "loss": loss} | found)
        return False

    config = replace(recipe.training, steps=moments[-1], seed=seed)
    batches = make_batches(encoded, recipe.batch_size, seed)
    train(translator.model, noted, batches, config, after_step=notice)
    translator.model.eval()
    return translator, seen


def in_english_order(aligned: AlignedPair) -> AlignedPair:
    """The same translation with its tokens sorted by the places of their sure English words.

    Args:
        aligned: a sentence.

    Returns:
        The sentence with tokens and links moved; tokens of one English word stay in order.
    """
    place = {j: i for i, j in aligned.sure}
    order = sorted(range(len(aligned.target)), key=lambda j: (place[j], j))
    moved = {j: new for new, j in enumerate(order)}
    return replace(
        aligned,
        target=tuple(aligned.target[j] for j in order),
        alignment=frozenset((i, moved[j]) for i, j in aligned.alignment),
        sure=frozenset((i, moved[j]) for i, j in aligned.sure),
    )


def word_order_data(
    target: str,
    seed: int,
    lengths: Sequence[int],
    number: int = 6000,
    tested: int = 100,
) -> tuple[list[AlignedPair], dict[int, list[AlignedPair]]]:
    """Sentences of the bilingual grammar; the English is the same for all targets.

    Args:
        target: one of `TARGETS`.
        seed: of both parts.
        lengths: of the tested sentences, in English tokens.
        number: of training sentences, of 4 to 9 tokens, less those that are tested.
        tested: how many new sentences of each length.

    Returns:
        Training sentences, and length → new sentences.
    """
    language = "chinese" if target == "reordered" else target
    tests = {
        n: BilingualGrammar(1000 * (seed + 1) + n, language).sample(tested, n, n)
        for n in lengths
    }
    held_out = {aligned.source for each in tests.values() for aligned in each}
    drawn = BilingualGrammar(seed, language).sample(number, SHORTEST, LONGEST)
    train = [aligned for aligned in drawn if aligned.source not in held_out]
    if target == "reordered":
        train = [in_english_order(aligned) for aligned in train]
        tests = {n: [in_english_order(a) for a in some] for n, some in tests.items()}
    return train, tests


def crossed(sentences: Iterable[AlignedPair]) -> float:
    """How much a translation changes the order of words.

    Args:
        sentences: with the true links.

    Returns:
        Of all pairs of target tokens from different source words, the part whose source words stand the other way
        round.
    """
    backwards = pairs = 0
    for aligned in sentences:
        places = [i for _, i in sorted((j, i) for i, j in aligned.sure)]
        both = [(a, b) for a, b in combinations(places, 2) if a != b]
        backwards += sum(a > b for a, b in both)
        pairs += len(both)
    return backwards / pairs


def error_of(
    aligner: Aligner, sentences: Iterable[AlignedPair], middle: bool = False
) -> float:
    """The alignment error rate of what an aligner claims.

    Args:
        aligner: AlignedPair → links (source, target); it may look at the words only.
        sentences: with the true links.
        middle: leave out the first and the last token of each translation.

    Returns:
        The rate over all sentences together, in 0…1.
    """
    claimed: set[tuple[int, int, int]] = set()
    sure: set[tuple[int, int, int]] = set()
    possible: set[tuple[int, int, int]] = set()
    for k, aligned in enumerate(sentences):
        inside = range(middle, len(aligned.target) - middle)
        for links, found in (
            (aligner(aligned), claimed),
            (aligned.sure, sure),
            (aligned.alignment, possible),
        ):
            found |= {(k, i, j) for i, j in links if j in inside}
    return alignment_error_rate(claimed, sure, possible)


def looks_of(translator: Translator, shuffled: int | None = None) -> Aligner:
    """Link each target token of a given translation to the source token that a model looks at most.

    Args:
        translator: a model with attention.
        shuffled: a seed, to give it the source tokens in random order; the links are those of the tokens.

    Returns:
        An aligner.
    """

    def aligner(aligned: AlignedPair) -> Links:
        order = list(range(len(aligned.source)))
        if shuffled is not None:
            random.Random(f"{shuffled} {aligned.pair.source}").shuffle(order)
        source = " ".join(aligned.source[i] for i in order)
        weights = translator.align(source, aligned.pair.target)[2]
        links = hard_alignment(weights[:-1, :-1])  # <eos> translates no word
        return {(order[i], j) for i, j in links}

    return aligner


def ruler(slope: float = 1.0, offset: float = 0.0) -> Aligner:
    """Link along a straight line; without arguments the diagonal: first to first, last to last.

    Args:
        slope: as a multiple of the diagonal's.
        offset: source tokens to the right.

    Returns:
        An aligner.
    """

    def aligner(aligned: AlignedPair) -> Links:
        last = len(aligned.source) - 1
        step = slope * last / max(len(aligned.target) - 1, 1)
        places = (round(offset + step * j) for j in range(len(aligned.target)))
        return {(min(max(i, 0), last), j) for j, i in enumerate(places)}

    return aligner


def best_ruler(sentences: Collection[AlignedPair]) -> Aligner:
    """The straight line with the lowest error rate on sentences whose links are known.

    Args:
        sentences: to choose by.

    Returns:
        An aligner.
    """
    slopes, offsets = (0.6, 0.7, 0.8, 0.9, 1.0, 1.1), (-1, -0.5, 0, 0.5, 1, 1.5, 2)
    lines = [ruler(*line) for line in product(slopes, offsets)]
    return min(lines, key=lambda line: error_of(line, sentences))


def counts_of(sentences: Sequence[AlignedPair], rounds: int = 5) -> Aligner:
    """Link each target token to the source token that it goes with most often, wherever the two stand.

    Args:
        sentences: pairs to count in; their links are not used.
        rounds: of counting. In the first, each target token is shared out evenly among the source tokens of its
            sentence; then by the counts of the round before.

    Returns:
        An aligner.

    Source:
        Brown et al. (1993), Model 1, without the empty word.
    """
    chance: dict[tuple[str, str], float] = defaultdict(lambda: 1.0)
    for _ in range(rounds):
        found: dict[tuple[str, str], float] = defaultdict(float)
        total: dict[str, float] = defaultdict(float)
        for aligned in sentences:
            for word in aligned.target:
                whole = sum(chance[other, word] for other in aligned.source)
                for other in aligned.source:
                    part = chance[other, word] / whole
                    found[other, word] += part
                    total[other] += part
        chance = {pair: part / total[pair[0]] for pair, part in found.items()}

    def aligner(aligned: AlignedPair) -> Links:
        def best(word: str) -> int:
            chances = [chance.get((other, word), 0.0) for other in aligned.source]
            return max(range(len(chances)), key=chances.__getitem__)

        return {(best(word), j) for j, word in enumerate(aligned.target)}

    return aligner
