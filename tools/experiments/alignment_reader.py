"""What a translator reads while it learns: the numbers behind the figure “alignment reader” of chapter 12.

    python -m tools.experiments.alignment_reader

Trains two small translators on the bundled corpus, one with additive attention and one without, three minutes each on
one core, and stops at eight moments between “untrained” and “done”. At each one it stores how both translate a few
sentences, and where the first one looks, for its own translation and for the reference. Writes
code/attnbook/widgets/alignment_reader/data.json, the same bytes for the same versions.
"""

import argparse
import hashlib
from dataclasses import asdict, replace

from attnbook.files import write_atomically
from tools import ROOT
from tools.experiments.stored import made_by, row_by_row
from tools.surroundings import clean_environment

RESULT = ROOT / "code" / "attnbook" / "widgets" / "alignment_reader" / "data.json"
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


def recipe(attention: str):
    """One translator's sizes and its training."""
    from attnbook.translation import RECIPES

    sizes = {"embed_size": 96, "hidden_size": 128, "num_layers": 1, "dropout": 0.0}
    sizes |= {"bidirectional": True, "attention": attention}
    chosen = replace(RECIPES["bahdanau"], sizes=sizes, batch_size=64)
    return chosen.with_training(lr=4e-3)


def look(translator, sentences: dict, development: list) -> dict:
    """What one translator makes of the sentences now; its weights in thousandths, None without attention."""
    from attnbook.training import evaluating
    from attnbook.translation import evaluate, greedy

    def whole(weights) -> list:
        return [[round(1000 * a) for a in row] for row in weights.tolist()]

    attends = translator.model.config.attention != "none"
    rows = []
    for source, reference in sentences.items():
        ids, lens = translator.encode([source])
        with evaluating(translator.model) as model:
            written = greedy(model, ids, lens, LONGEST, need_weights=attends)[0]
        row = {"own": translator.target_vocab.tokens(written.ids)}
        if attends:
            row["weights"] = whole(written.weights)
            row["forced"] = whole(translator.align(source, reference)[2])
        rows.append(row)
    bleu = round(evaluate(translator, development)["bleu"], 1)
    return {"bleu": bleu, "rows": rows}


def run(attention: str, split, sentences: dict) -> tuple[list[int], list[dict]]:
    """Train one translator and look at it at every moment; the steps and what was seen."""
    from attnbook.data import make_batches
    from attnbook.training import train
    from attnbook.translation import prepare, translation_loss

    how = recipe(attention)
    translator, encoded = prepare(how, split.train, SEED)
    an_epoch = -(-len(encoded) // how.batch_size)
    steps = [round(epoch * an_epoch) for epoch in EPOCHS]
    config = replace(how.training, steps=steps[-1], seed=SEED)
    seen = [look(translator, sentences, split.dev)]

    def after_step(progress) -> bool:
        if progress.step in steps:
            seen.append(look(translator, sentences, split.dev))
            print(
                f"{attention}: step {progress.step}, BLEU {seen[-1]['bleu']}",
                flush=True,
            )
        return False

    batches = make_batches(encoded, how.batch_size, SEED)
    loss_fn = translation_loss(how.label_smoothing)
    train(translator.model, loss_fn, batches, config, after_step=after_step)
    return steps, seen


def main() -> None:
    """Train both and store what was seen."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options = parser.parse_args()
    import torch

    from attnbook.data import bundled_pairs, references, split_pairs
    from attnbook.data.corpus import CORPUS
    from attnbook.text import UNK, normalise, tokenise

    torch.set_num_threads(1)
    pairs = bundled_pairs()
    split = split_pairs(pairs, seed=SPLIT_SEED)
    sources = {name: references(getattr(split, name)) for name in ("train", "test")}
    for source, reference in SENTENCES.items():
        known = references(pairs).get(normalise(source), [])
        if reference not in known:
            raise ValueError(
                f"the corpus translates {source!r} by {known}, not {reference!r}"
            )
        if not any(normalise(source) in part for part in sources.values()):
            raise ValueError(
                f"{source!r} stands in the development set; take another one"
            )

    vocabulary = recipe("none").vocabulary([pair.source for pair in split.train])
    steps, attentive = run("additive", split, SENTENCES)
    _, plain = run("none", split, SENTENCES)
    corpus = hashlib.sha256(CORPUS.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
    result = {
        **made_by(__spec__.name, options),
        "seed": SEED,
        "split_seed": SPLIT_SEED,
        "corpus_sha256": corpus,
        "recipe": asdict(recipe("additive")),
        "measured": "BLEU on the development set; attention weights in thousandths",
        "epochs": list(EPOCHS),
        "steps": steps,
        "bleu": {
            "with": [moment["bleu"] for moment in attentive],
            "without": [moment["bleu"] for moment in plain],
        },
        "sentences": [
            {
                "text": source,
                "source": [*tokenise(source), "<eos>"],
                "unknown": [
                    j for j, word in enumerate(vocabulary.encode(source)) if word == UNK
                ],
                "human": reference,
                "reference": [*tokenise(reference), "<eos>"],
                "seen": normalise(source) in sources["train"],
                "with": [moment["rows"][i] for moment in attentive],
                "without": [moment["rows"][i]["own"] for moment in plain],
            }
            for i, (source, reference) in enumerate(SENTENCES.items())
        ],
    }
    text = row_by_row(result, "sentences")
    write_atomically(RESULT, text)
    print(f"{RESULT.name}: {len(text.encode()) / 1000:.0f} KB")


if __name__ == "__main__":
    with clean_environment():
        main()
