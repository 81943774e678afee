"""The translators that the book's pages run: trained on the bundled corpus, rounded to 8 bits, measured, stored.

    page_models                         all three into French, one core, into code/attnbook/weights
    page_models --target zh             all three into Chinese
    page_models --only transformer      one of them
    page_models --dev --only seq2seq    measured on the development set, nothing written
    page_models --measure               the stored models measured again (references have been added), not trained

No design: nothing is compared. The settings (`PAGE_SETTINGS`) were chosen on the development set; the test set is
looked at once, by the first two commands.
"""

from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

from attnbook.data import Split, bundled_pairs, split_pairs
from attnbook.data.corpus import corpus_sha256
from attnbook.files import write_atomically
from attnbook.translation import (
    PAGE_SETTINGS,
    evaluate,
    export_page_model,
    load_page_model,
    page_model_header,
    page_sentences,
    train_page_model,
)
from attnbook.weights import PAGE_MODELS, PAGE_TARGETS, page_file
from tools.experiments.stored import made_by

RESULT = "code/attnbook/weights"  # the folder; each model has a file
OPTIONS = {"only": None, "target": None, "dev": False, "measure": False, "weights": None}
CHOICES = {"only": PAGE_MODELS, "target": PAGE_TARGETS}
MAY_DIFFER = ("only", "target", "dev", "measure")  # each model has a file of its own
SEED = SPLIT_SEED = 0


def print_samples(translations: dict[str, str], number: int = 20) -> None:
    """Print some translations, evenly taken from those of a set."""
    every = max(1, len(translations) // number)
    for source, written in list(translations.items())[::every][:number]:
        print(f"    {source}  →  {written}")


def settings(options) -> list[dict]:
    """The models that were asked for."""
    how = {"target": options.target or "fr", "dev": options.dev, "measure": options.measure, "weights": options.weights}
    names = [options.only] if options.only else PAGE_MODELS
    return [{"seed": SEED, "model": name} | how for name in names]


def split_of(target: str) -> Split:
    """The book's corpus in that language."""
    return split_pairs(bundled_pairs(PAGE_TARGETS[target].lower()), seed=SPLIT_SEED)


def place(name: str, target: str, weights: str | None) -> Path:
    """Where a file of the pages is stored: in the book's own folder, or in another."""
    path = page_file(name, target)
    return Path(weights) / path.name if weights else path


def run(seed: int, model: str, target: str, dev: bool, measure: bool, weights: str | None) -> dict:
    """Train or load one model, measure it, and store its weights in their own format."""
    split = split_of(target)
    setting = PAGE_SETTINGS[model]
    if target == "fr":  # the stored scores were measured so
        setting = replace(setting, recipe=replace(setting.recipe, writes_unknown=True))
    translator = load_page_model(model, target) if measure else train_page_model(setting, split, seed)
    on = split.dev if dev else split.test
    scores = evaluate(translator, on)
    test = {key: round(scores[key], 2) for key in ("bleu", "chrf")}
    test |= {key: scores[key] for key in ("tokens", "sentences")}
    print_samples(scores["translations"])
    if not dev:
        measured = {
            **made_by("page_models", SimpleNamespace(only=model, target=None if target == "fr" else target)),
            "seed": seed,
            "split_seed": SPLIT_SEED,
            "corpus_sha256": corpus_sha256(PAGE_TARGETS[target].lower()),
            "training": asdict(setting),
            "test": test,
        }
        if measure:  # how it was made has not changed
            measured = page_model_header(model, target) | {"test": test}
        path = place(model, target, weights)
        size = export_page_model(translator, path, measured)
        print(f"    {path.name}: {size / 1e6:.2f} MB", flush=True)
    return {"model": model, "on": "dev" if dev else "test"} | test


def summary(results: list[dict], options) -> dict:
    """Nothing beside the models, but the sentences that pages offer for translation."""
    if not options.dev:
        target = options.target or "fr"
        write_atomically(place("sentences", target, options.weights), page_sentences(split_of(target)))
    return {}
