"""The language model that a page of the book runs: trained on the book's own prose, rounded to 8 bits, measured.

    book_model            train, on one core; the weights, and what the figure shows before they are there
    book_model --shown    what the figure shows is made anew, from the stored model

No design: nothing is compared. The settings (`BOOK_RECIPE`) were chosen on the development chapters; the test chapters
are looked at once, by the first command.

What it copies is counted in words: the longest run of words that also stands in the chapters it has read, in each of
its continuations of held-out paragraphs, and in what the author wrote there instead.
"""

import hashlib
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import torch

from attnbook.files import write_atomically
from attnbook.language import (
    BOOK_RECIPE,
    TextModel,
    book_model_file,
    book_model_header,
    described_loss,
    fit_language_model,
    kneser_ney_loss,
    load_book_model,
    measured,
    ngram_loss,
    rounded,
    split_book,
)
from attnbook.translation import filter_logits
from attnbook.weights import LANGUAGE_MODEL
from attnbook.widgets.kit.samples import seeded_uniforms
from tools.experiments.stored import made_by

RESULT = "code/attnbook/widgets/write_page/data.json"
OPTIONS = {"steps": 2000, "shown": False, "weights": None}
MAY_DIFFER = ("shown",)
SEED = 0
# one of ten that were looked at: neither the best of them nor the worst
EXAMPLE = {"text": "Each head looks", "temperature": 0.8, "top_p": 0.6, "length": 20}
NAMED = 60  # tokens of the distribution whose names are stored
UNIT = 1e-3  # of the stored log-probabilities
LONG = 40  # words of a held-out paragraph from which the model goes on, and which the author wrote on


def copied(words: list[str], known: str) -> int:
    """The longest run of words that stands in a text, as it is."""
    longest = 0
    for start in range(len(words)):
        while start + longest < len(words) and f" {' '.join(words[start : start + longest + 1])} " in known:
            longest += 1
    return longest


def copies(model: TextModel, learned: str, held_out: str) -> dict:
    """How many words in a row the model and the author have from the text that was learned."""
    known = f" {' '.join(learned.split())} "
    paragraphs = [paragraph.split() for paragraph in held_out.split("\n\n")]
    long = [words for words in paragraphs if len(words) >= 2 * LONG]
    by_author = [copied(words[LONG : 2 * LONG], known) for words in long]
    by_model = []
    for seed, words in enumerate(long):
        written = model.continue_text(" ".join(words[:LONG]), length=2 * LONG, seed=seed)
        by_model.append(copied(written.split()[:LONG], known))
    mean = {"model": sum(by_model) / len(by_model), "author": sum(by_author) / len(by_author)}
    return {"paragraphs": len(long), "longest": max(by_model)} | {name: round(x, 2) for name, x in mean.items()}


def rivals(model: TextModel, learned: str, development: str, test: str) -> dict:
    """Bits per byte of n-grams over the same tokens, Dirichlet-smoothed with the best prior for the development text,
    and of runs of five mixed by Kneser and Ney."""
    ids, dev, held_out = (model.vocabulary.encode(text) for text in (learned, development, test))
    size, bits = len(model.vocabulary), {}
    for name, order in (("bigram", 2), ("trigram", 3)):
        prior = min((1.0, 2.0, 4.0, 8.0, 16.0, 32.0), key=lambda p: ngram_loss(ids, dev, size, order, p))
        loss = ngram_loss(ids, held_out, size, order, prior)
        bits[name] = round(described_loss(loss, len(held_out), test)["bits_per_byte"], 3)
    loss = kneser_ney_loss(ids, held_out, size, 5)
    return bits | {"kneser_ney": round(described_loss(loss, len(held_out), test)["bits_per_byte"], 3)}


@torch.no_grad()
def rounding(before: TextModel, after: TextModel, text: str) -> float:
    """The largest difference of a log-probability that rounding makes, in the first windows of a text."""
    ids = torch.tensor(before.vocabulary.encode(text))[: 8 * before.model.config.max_positions].view(8, -1)
    logs = [text_model.model.cpu()(ids)[0].log_softmax(-1) for text_model in (before, after)]
    likely = logs[0] > -7  # a thousandth; what hardly ever comes may be further off
    return round(float((logs[0] - logs[1])[likely].abs().max()), 3)


@torch.no_grad()
def example(
    model: TextModel, text: str, temperature: float, top_p: float, length: int, path: Path = LANGUAGE_MODEL
) -> dict:
    """A beginning, how the page goes on from it by its own dice, and the distribution after that, complete.

    Args:
        model: as it is stored in the file `path`.
        text, temperature, top_p, length: see `EXAMPLE`.
    """
    ids = model.vocabulary.encode(text)
    written: list[int] = []
    dice = seeded_uniforms(SEED, length)
    for number in range(length + 1):
        logs = model.model(torch.tensor([ids + written]))[0][0, -1].log_softmax(-1)
        ranked, order = logs.sort(descending=True, stable=True)
        if number == length:
            break
        kept = filter_logits(ranked.double(), temperature=temperature, top_p=top_p).softmax(-1).cumsum(0)
        place = min(int(torch.searchsorted(kept, float(dice[number]), right=True)), len(order) - 1)
        written.append(int(order[place]))
    costs = [round(-log_prob / UNIT) for log_prob in ranked.tolist()]
    return {
        "text": text,
        "written": written,
        "pieces": model.vocabulary.tokens(written),
        "temperature": temperature,
        "top_p": top_p,
        "seed": SEED,
        "size": len(model.vocabulary),
        "layers": model.model.config.num_layers,
        "parameters": sum(weight.numel() for weight in model.model.parameters()),
        "bytes": path.stat().st_size,
        "unit": UNIT,
        "names": model.vocabulary.tokens(order[:NAMED].tolist()),
        # the first −log p, then by how much each token's is above the one before
        "costs": [cost - before for cost, before in zip(costs, [0, *costs], strict=False)],
    }


def run(seed: int, steps: int, shown: bool, weights: str | None) -> dict:
    """Train the model, round it, measure it, and store its weights."""
    split, path = split_book(), Path(weights or LANGUAGE_MODEL)
    if shown:
        return book_model_header(path)["test"] | rivals(load_book_model(path), split.train, split.dev, split.test)
    fitted = fit_language_model(BOOK_RECIPE, split.train, split.dev, steps=steps, seed=seed, progress=False)
    model = rounded(fitted.text_model)
    bits = {
        name: round(measured(text_model, split.test)["bits_per_byte"], 3)
        for name, text_model in (("bits_per_byte", model), ("before_rounding", fitted.text_model))
    }
    test = {
        "chapters": "8, 17",
        **bits,
        **rivals(model, split.train, split.dev, split.test),
        "rounding": rounding(fitted.text_model, model, split.test),
        "copied": copies(model, split.train, split.test),
    }
    print(f"    {fitted.seconds:.0f} s; development {[round(loss, 3) for _, loss in fitted.history]}", flush=True)
    print(f"    {test}\n    {model.continue_text(EXAMPLE['text'], temperature=0.7)}", flush=True)
    about = made_by("book_model", SimpleNamespace(steps=steps)) | {
        "seed": seed,
        "corpus_sha256": hashlib.sha256(split.train.encode()).hexdigest(),
        "training": asdict(BOOK_RECIPE) | {"steps": steps},
        "test": test,
    }
    write_atomically(path, book_model_file(model, about))
    return test


def summary(results: list[dict], options) -> dict:
    """What the figure shows before the model is there."""
    path = Path(options.weights or LANGUAGE_MODEL)
    return {"test": results[0], **example(load_book_model(path), **EXAMPLE, path=path)}
