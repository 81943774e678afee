"""What a translator reads while it learns, for the figure "alignment reader" of chapter 12.

No design: one translator with additive attention and one without are shown at eight moments between "untrained" and
"done", and the figure says that it is one seed. How both fare with several seeds is in `lengths`.

At each moment the file has how both translate a few sentences, and where the first one looks, for its own translation
and for the reference. Three minutes each on one core. The same bytes for the same versions.
"""

import functools
from dataclasses import asdict, replace

from attnbook.data import Split, bundled_pairs, make_batches, references, split_pairs
from attnbook.data.corpus import corpus_sha256
from attnbook.text import UNK, normalise, tokenise
from attnbook.training import evaluating, train
from attnbook.translation import RECIPES, evaluate, greedy, prepare, translation_loss

RESULT = "code/attnbook/widgets/alignment_reader/data.json"
OPTIONS: dict = {}
SEED = SPLIT_SEED = 0
EPOCHS = (0, 1, 2, 3, 4, 6, 9, 16)  # the moments; the last one is the end
LONGEST = 14  # tokens of a translation that are stored, <eos> included
SENTENCES = {  # English → which of the corpus' translations is the reference
    "The children are playing in the garden.": "Les enfants jouent dans le jardin.",
    "They have a black dog.": "Ils ont un chien noir.",
    "I found him in the park.": "Je l'ai trouvé dans le parc.",
    "I didn't receive your message.": "Je n'ai pas reçu ton message.",
    "My uncle and aunt live in the mountains.": "Mon oncle et ma tante vivent à la montagne.",
    "My mother played the piano when she was young.": "Ma mère jouait du piano quand elle était jeune.",
    "I'm home.": "Je suis chez moi.",
}
MEASURED = "BLEU on the development set; attention weights in thousandths"


def recipe(attention: str):
    """One translator's sizes and its training."""
    sizes = {"embed_size": 96, "hidden_size": 128, "num_layers": 1, "dropout": 0.0}
    sizes |= {"bidirectional": True, "attention": attention}
    chosen = replace(RECIPES["bahdanau"], sizes=sizes, batch_size=64)
    return chosen.with_training(lr=4e-3)


def look(translator, sentences: dict, development: list) -> dict:
    """What one translator makes of the sentences now; its weights in thousandths, None without attention."""

    def whole(weights) -> list:
        return [[round(1000 * a) for a in row] for row in weights.tolist()]

    attends = translator.model.config.attention != "none"
    rows = []
    for source, reference in sentences.items():
        ids, lens = translator.encode([source])
        with evaluating(translator.model) as model:
            written = greedy(model, ids, lens, max_len=LONGEST, need_weights=attends)[0]
        row = {"own": translator.target_vocab.tokens(written.ids)}
        if attends:
            row["weights"] = whole(written.weights)
            row["forced"] = whole(translator.align(source, reference)[2])
        rows.append(row)
    bleu = round(evaluate(translator, development)["bleu"], 1)
    return {"bleu": bleu, "rows": rows}


@functools.cache
def checked_pairs() -> tuple[list, Split]:
    """The corpus and its parts; a ValueError if the sentences or their references are not where they should be."""
    pairs = bundled_pairs()
    split = split_pairs(pairs, seed=SPLIT_SEED)
    shown = references(split.train).keys() | references(split.test)
    for source, reference in SENTENCES.items():
        known = references(pairs).get(normalise(source), [])
        if reference not in known:
            raise ValueError(f"the corpus translates {source!r} by {known}, not {reference!r}")
        if normalise(source) not in shown:
            raise ValueError(f"{source!r} stands in the development set; take another one")
    return pairs, split


def settings(options) -> list[dict]:
    """Both translators."""
    checked_pairs()
    return [{"seed": SEED, "attention": kind} for kind in ("additive", "none")]


def run(seed: int, attention: str) -> dict:
    """Train one translator and look at it at every moment."""
    _, split = checked_pairs()
    chosen = recipe(attention)
    translator, encoded = prepare(chosen, split.train, seed)
    an_epoch = -(-len(encoded) // chosen.batch_size)
    steps = [round(epoch * an_epoch) for epoch in EPOCHS]
    config = replace(chosen.training, steps=steps[-1], seed=seed)
    moments = [look(translator, SENTENCES, split.dev)]

    def after_step(progress) -> bool:
        if progress.step in steps:
            moments.append(look(translator, SENTENCES, split.dev))
        return False

    batches = make_batches(encoded, chosen.batch_size, seed)
    loss_fn = translation_loss(chosen.label_smoothing)
    train(translator.model, loss_fn, batches, config, after_step=after_step)
    return {"attention": attention, "steps": steps, "moments": moments}


def summary(results: list[dict], options) -> dict:
    """What the figure draws."""
    _, split = checked_pairs()
    vocabulary = recipe("none").vocabulary([pair.source for pair in split.train])
    known = references(split.train)
    attentive, plain = (result["moments"] for result in results)
    return {
        "seed": SEED,
        "split_seed": SPLIT_SEED,
        "corpus_sha256": corpus_sha256(),
        "recipe": asdict(recipe("additive")),
        "measured": MEASURED,
        "epochs": list(EPOCHS),
        "steps": results[0]["steps"],
        "bleu": {"with": [moment["bleu"] for moment in attentive], "without": [moment["bleu"] for moment in plain]},
        "sentences": [
            {
                "text": source,
                "source": [*tokenise(source), "<eos>"],
                "unknown": [j for j, word in enumerate(vocabulary.encode(source)) if word == UNK],
                "human": reference,
                "reference": [*tokenise(reference), "<eos>"],
                "seen": normalise(source) in known,
                "with": [moment["rows"][i] for moment in attentive],
                "without": [moment["rows"][i]["own"] for moment in plain],
            }
            for i, (source, reference) in enumerate(SENTENCES.items())
        ],
    }
