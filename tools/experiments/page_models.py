"""The translators that the book's pages run: trained on the bundled corpus, rounded to 8 bits, measured, stored.

    python -m tools.experiments.page_models                        all three, one core, into code/attnbook/weights
    python -m tools.experiments.page_models --only transformer     one of them
    python -m tools.experiments.page_models --dev --only seq2seq   measured on the development set, nothing written
    python -m tools.experiments.page_models --measure              the stored models measured again, not trained

The settings (`PAGE_SETTINGS`) were chosen on the development set. The test set is looked at once, by the first two
commands.
"""

import argparse
import hashlib
import time
from dataclasses import asdict

import torch

from attnbook.data import bundled_pairs, split_pairs
from attnbook.data.corpus import CORPUS
from attnbook.files import write_atomically
from attnbook.translation import (
    PAGE_MODELS,
    PAGE_SETTINGS,
    Translator,
    evaluate,
    export_page_model,
    load_page_model,
    page_model_header,
    page_sentences,
    train_page_model,
)
from attnbook.weights import FOLDER
from tools.experiments.stored import made_by

SEED = SPLIT_SEED = 0


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
        write_atomically(FOLDER / "sentences.safetensors", page_sentences(split))
    for name in [wanted.only] if wanted.only else PAGE_MODELS:
        began = time.perf_counter()
        translator = (
            load_page_model(name)
            if wanted.measure
            else train_page_model(PAGE_SETTINGS[name], split, SEED)
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
            "training": asdict(PAGE_SETTINGS[name]),
            "test": test,
        }
        if wanted.measure:  # how it was made has not changed
            measured = page_model_header(name) | {"test": test}
        path = FOLDER / f"{name}.safetensors"
        size = export_page_model(translator, path, measured)
        print(f"    {path.name}: {size / 1e6:.2f} MB", flush=True)


if __name__ == "__main__":
    main()
