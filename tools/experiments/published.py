"""Bahdanau's model as Dive into Deep Learning publishes it: does it learn from 512 pairs, or learn them by heart?

Question: how well does the published recipe translate what it has not seen, after 512 pairs and after the whole corpus?
Varies: the number of training pairs.
Equal: batch 128, vectors of 256, two layers of 256, dropout 0.2, learning rate 0.005, clipping at 1, epochs.
Control: sentences that were trained on, beside held-out ones that are equally hard as far as one can count: equally
    many of each length, all words known to the model, all translations of the corpus allowed. The 512 pairs and the
    sentences held out from them both come from the training part; for the whole corpus the test part is held out, which
    lists more translations per sentence, so that the difference is rather too small.
Seeds: 3, which also draw the 512 pairs; all are stored.
Turned round by: held-out sentences that are translated as well as those that were trained on.

A run with 512 pairs takes half a minute on one core, one with the whole corpus about five.
"""

import random

from attnbook.data import bundled_pairs, near_duplicates, references, split_pairs
from attnbook.text import UNK, normalise
from attnbook.translation import RECIPES, d2l_bleu, evaluate, fit
from tools.experiments.stored import loss_curves

OPTIONS = {"epochs": 30, "seeds": 3}
DEMO = ("Go.", "I lost.", "He's calm.", "I'm home.")
FEW = 512
MEASURED = (
    "negative log-likelihood in nats per word: of the training batches (with dropout), averaged over "
    "an epoch, and of the development set; BLEU after the last epoch: on sentences trained on (seen) and held out "
    "(unseen), equally many of each length and with known words only, on the test set, and on those of its "
    "sentences that are no near-duplicates of one trained on; d2l's BLEU with k = 2 of four sentences"
)


def few_pairs(train: list, corpus: list, seed: int) -> list:
    """The four demonstration pairs, and as many others of the training part as make 512."""
    by_source = {pair.source: pair for pair in reversed(corpus)}
    others = [pair for pair in train if pair.source not in DEMO]
    drawn = random.Random(seed).sample(others, FEW - len(DEMO))
    return [by_source[source] for source in DEMO] + drawn


def equally_long(first, second, seed: int) -> tuple[list, list]:
    """Sentences drawn from two sets, equally many of each number of tokens from both."""
    dice, drawn = random.Random(seed), ([], [])
    sides = [sorted(first), sorted(second)]
    for length in range(1, 40):
        parts = [[s for s in side if len(s.split()) == length] for side in sides]
        for side, part in zip(drawn, parts, strict=True):
            side += dice.sample(part, min(map(len, parts)))
    return drawn


def variants(options) -> list[dict]:
    """512 pairs, and the whole corpus."""
    return [{"whole": whole} for whole in (False, True)]


def run(seed: int, whole: bool, epochs: int) -> dict:
    """Train one model and measure it."""
    corpus = bundled_pairs()
    split = split_pairs(corpus, seed=0)
    train = split.train if whole else few_pairs(split.train, corpus, seed)
    trained = {normalise(pair.source) for pair in train}
    fitted = fit(
        RECIPES["bahdanau-published"],
        train,
        [pair for pair in split.dev if normalise(pair.source) not in trained],
        epochs=epochs,
        seed=seed,
        evaluations=epochs,
        keep_best=False,
    )
    translator, translations = fitted.translator, references(corpus)

    def known(source: str) -> bool:
        """Whether the model has a number for each word, and for those of one translation at least."""
        source_known = UNK not in translator.source_vocab.encode(source)
        to_ids = translator.target_vocab.encode
        return source_known and any(UNK not in to_ids(t) for t in translations[source])

    def measured(sources: list) -> float:
        chosen = set(sources)
        pairs = [pair for pair in corpus if normalise(pair.source) in chosen]
        return round(evaluate(translator, pairs)["bleu"], 2)

    tested = set(references(split.test)) - trained
    held_out = tested if whole else references(split.train).keys() - trained
    seen, unseen = equally_long(filter(known, trained), filter(known, held_out), seed)
    near = near_duplicates([pair for pair in split.test if normalise(pair.source) in tested], train)
    return {
        "pairs": len(train),
        "seed": seed,
        **loss_curves(fitted, epochs),
        "matched": len(seen),
        "seen_bleu": measured(seen),
        "unseen_bleu": measured(unseen),
        "test_bleu": measured(tested),
        "test_far_bleu": measured(tested - set(near)),
        "demo": {
            source: {
                "translation": written,
                "seen": normalise(source) in trained,
                "d2l_bleu": round(
                    max(d2l_bleu(written, normalise(text), 2) for text in translations[normalise(source)]), 3
                ),
            }
            for source, written in zip(DEMO, translator.translate(DEMO), strict=True)
        },
    }
