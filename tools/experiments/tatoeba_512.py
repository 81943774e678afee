"""The published settings on the 512 pairs that readers of Dive into Deep Learning know: the first of Tatoeba's file.

Question: how far does the published recipe come on the first 512 lines of the file, and on the 128 lines after them?
Varies: the seed. The same recipe on 512 pairs of the book's own corpus, whose sources differ, is stored by `published`.
Equal: batch 128, vectors of 256, two layers of 256, dropout 0.2, learning rate 0.005, clipping at 1, epochs, pairs.
Control: the entropy of the translations given their source. The file lists up to two dozen translations of one
    sentence, and no model without luck comes below this; sentences that were trained on beside those that were not.
Seeds: 3; all are stored.
Turned round by: sentences that were not trained on translated as well as those that were.

A run takes about half a minute on one core. The file is CC BY 2.0 FR and no part of the book; `--data` names a copy, or
the book's loader looks for one. The result names the SHA-256 of the lines that were read; those of other lines than the
book's go elsewhere.
"""

import hashlib
import math
from collections import Counter

from attnbook.data import Pair, references, tatoeba_pairs
from attnbook.text import EOS, UNK, normalise
from attnbook.translation import RECIPES, d2l_bleu, fit
from tools.experiments.stored import loss_curves

OPTIONS = {"data": None, "epochs": 30, "seeds": 3}
MAY_DIFFER = ("data",)  # the lines may not
TRAINED, LATER = 512, 128
BOOKS_SHA256 = "a844b80b3e4b381c37fc25105c0778e33472012ed947f04ea5f38fd084c3dc02"  # of the lines that its result is of
# what d2l shows, with the translations that it compares with
DEMO = {"go .": "va !", "i lost .": "j'ai perdu .", "he's calm .": "il est calme .", "i'm home .": "je suis chez moi ."}
MEASURED = (
    "negative log-likelihood in nats per token, <eos> among them: of the training batches (with "
    "dropout), averaged over an epoch, and of the 128 lines after them; the entropy of the training translations "
    "given their source (floor), and the part of their tokens that the vocabulary lacks (unknown); after the last "
    "epoch, the part of the sentences whose translation is one of those listed, of sentences trained on and of "
    "others; d2l's BLEU with k = 2 of the four sentences that d2l shows"
)


def floor(sources: list[tuple], targets: list[tuple]) -> float:
    """The entropy of the targets given their sources, in nats per token: no smaller loss is to be had without luck."""
    of_source, of_pair = Counter(sources), Counter(zip(sources, targets, strict=True))
    nats = sum(n * math.log(of_source[source] / n) for (source, _), n in of_pair.items())
    return nats / sum(map(len, targets))


def check(options) -> None:
    """Refuse a file that cannot be read."""
    tatoeba_pairs(options.data)


def check_own(options) -> None:
    """Refuse a file whose lines are not those of the book's result."""
    if (sha256 := hash_of(tatoeba_pairs(options.data)[: TRAINED + LATER])) != BOOKS_SHA256:
        raise ValueError(
            f"the book's result is of the {TRAINED + LATER} lines with the SHA-256 {BOOKS_SHA256}, these have "
            f"{sha256}; say with --out where another result goes"
        )


def hash_of(pairs: list[Pair]) -> str:
    """The SHA-256 of the lines that these pairs are."""
    return hashlib.sha256("\n".join(f"{pair.source}\t{pair.target}" for pair in pairs).encode()).hexdigest()


def run(data: str | None, seed: int, epochs: int) -> dict:
    """Train one model and measure it."""
    pairs = tatoeba_pairs(data)[: TRAINED + LATER]
    train, later = pairs[:TRAINED], pairs[TRAINED:]
    recipe = RECIPES["bahdanau-published"]
    fitted = fit(recipe, train, later, epochs=epochs, seed=seed, evaluations=epochs, keep_best=False)
    trained, everywhere = references(train), references(pairs)

    def exact(sources: list) -> float:
        """The part of the sentences whose translation is one that the 640 lines list."""
        written = fitted.translator.translate(sources)
        hits = [normalise(a) in map(normalise, everywhere[s]) for s, a in zip(sources, written, strict=True)]
        return round(sum(hits) / len(hits), 4)

    unseen = sorted(everywhere.keys() - trained)
    known = fitted.translator
    sources = [tuple(known.source_vocab.encode(pair.source)) for pair in train]
    targets = [(*known.target_vocab.encode(pair.target), EOS) for pair in train]
    ids = [token for target in targets for token in target]
    return {
        "seed": seed,
        "sha256": hash_of(pairs),
        "sources": len(trained),
        "later_sources": len(unseen),
        "floor": round(floor(sources, targets), 4),
        "unknown": round(ids.count(UNK) / len(ids), 4),
        **loss_curves(fitted, epochs),
        "seen_exact": exact(sorted(trained)),
        "unseen_exact": exact(unseen),
        "demo": {
            source: {
                "translation": written,
                "seen": source in trained,
                "d2l_bleu": round(d2l_bleu(written, target, 2), 3),
            }
            for (source, target), written in zip(DEMO.items(), fitted.translator.translate(list(DEMO)), strict=True)
        },
    }
