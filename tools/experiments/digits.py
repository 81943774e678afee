"""Small Vision Transformers on scikit-learn's digits: what do they read, and what do their positions know?

Question: does a reader of patches learn the grid from 1,000 pictures, and does it read pictures that are moved?
Varies: the order of the patches, whether there are positions, noise, shifted pictures in training, twice the steps.
Equal: pictures, sizes, steps, batches and learning rate.
Control: patches in a random order (their vectors are compared as if the order of reading were the grid, too), random
    placements of the vectors, no positions; and two opponents that know no patches, their constants chosen on the
    development pictures.
Seeds: 3; the chapter shows the lowest with the mean.
Turned round by: vectors of scrambled patches that do not find the grid, or random placements that are as close.

About four minutes on one core.
"""

import functools
import time
from collections.abc import Iterator
from importlib.metadata import version

import torch
import torch.nn.functional as F
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from torch import Tensor

from attnbook.studies import (
    PictureReader,
    digit_pictures,
    fit_pictures,
    neighbourliness,
    picture_accuracy,
    shift_pictures,
)
from attnbook.transformer import count_parameters

OPTIONS = {"seeds": 3, "steps": 600}
# name → arguments of the reader, of its training, and how many times as long it is trained
PLANS = {
    "in order": ({}, {}, 1),
    "scrambled": ({"order": True}, {}, 1),
    "no positions": ({"positions": False}, {}, 1),
    "noisy": ({}, {"noise": 0.2}, 1),
    "shifted": ({}, {"shift": True}, 1),
    "shifted, scrambled": ({"order": True}, {"shift": True}, 1),
    "in order, longer": ({}, {}, 2),
}
MODELS = {
    "logistic regression": [LogisticRegression(C=c, max_iter=5000) for c in (0.1, 1, 10)],
    "nearest neighbours": [KNeighborsClassifier(k) for k in (1, 3, 5)],
}
OPPONENTS = [f"{name}{how}" for how in ("", ", shifted") for name in MODELS]
pictures = functools.cache(digit_pictures)
DIRECTIONS = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]


def moved(pictures: Tensor, digits: Tensor) -> tuple[Tensor, Tensor]:
    """Each picture moved by one pixel in all eight directions."""
    some = [shift_pictures(pictures, *(torch.full(digits.shape, by) for by in direction)) for direction in DIRECTIONS]
    return torch.cat(some), digits.repeat(len(DIRECTIONS))


def opponent(name: str, parts: dict) -> dict:
    """One that knows of no patches; its constant is chosen on the development pictures."""
    seen, digits = parts["train"]
    kind, _, shifted = name.partition(", ")
    if shifted:
        more, as_before = moved(seen, digits)
        seen, digits = torch.cat([seen, more]), torch.cat([digits, as_before])

    def score(model, part: tuple[Tensor, Tensor]) -> float:
        return model.score(part[0].flatten(1).numpy(), part[1].numpy())

    for model in MODELS[kind]:
        model.fit(seen.flatten(1).numpy(), digits.numpy())
    best = max(MODELS[kind], key=lambda model: score(model, parts["development"]))
    return {
        "name": name,
        "chosen": str(best),
        "test": round(score(best, parts["test"]), 4),
        "moved": round(score(best, moved(*parts["test"])), 4),
    }


def by_chance(vectors: Tensor, draws: int = 2000) -> float:
    """How often 16 vectors, put on the grid at random, go with distance at least as closely, in either direction."""
    generator = torch.Generator().manual_seed(0)
    found = abs(neighbourliness(vectors))
    orders = (torch.randperm(16, generator=generator) for _ in range(draws))
    return sum(abs(neighbourliness(vectors[o])) >= found for o in orders) / draws


def measure(name: str, seed: int, steps: int, parts: dict) -> dict:
    """Train one reader, and mark it."""
    reader, training, times = PLANS[name]
    torch.manual_seed(seed)
    if reader.get("order"):
        reader = reader | {"order": torch.randperm(16)}
    model = PictureReader(**reader)
    row = {"name": name, "seed": seed, "steps": steps * times}
    row["parameters"] = count_parameters(model)
    learned = model.positions is not None
    if learned:
        row["before"] = round(neighbourliness(model.places()), 4)
    began = time.process_time()
    fit_pictures(model, *parts["train"], steps=steps * times, seed=seed, **training)
    row["cpu_seconds"] = round(time.process_time() - began, 1)
    row["train"] = round(picture_accuracy(model, *parts["train"]), 4)
    row["test"] = round(picture_accuracy(model, *parts["test"]), 4)
    row["moved"] = round(picture_accuracy(model, *moved(*parts["test"])), 4)
    if learned:
        vectors = model.places()
        row["after"] = round(neighbourliness(vectors), 4)
        row["by_chance"] = by_chance(vectors)
        if reader:  # the same vectors, laid out in the order of reading
            row["as_read"] = round(neighbourliness(vectors[model.order]), 4)
        cosines = F.cosine_similarity(vectors[:, None], vectors[None], dim=-1)
        row["cosines"] = [[round(x, 2) for x in line] for line in cosines.tolist()]
    return row


def settings(options) -> Iterator[dict]:
    """The opponents, then every reader with every seed."""
    for name in OPPONENTS:
        yield {"seed": 0, "name": name, "steps": 0}
    for seed in range(options.seeds):
        for name in PLANS:
            yield {"seed": seed, "name": name, "steps": options.steps}


def run(seed: int, name: str, steps: int) -> dict:
    """Fit one opponent, or train one reader."""
    parts = pictures()
    return opponent(name, parts) if name in OPPONENTS else measure(name, seed, steps, parts)


def summary(results: list[dict], options) -> dict:
    """All rows."""
    return {
        "versions": {"scikit-learn": version("scikit-learn")},
        "seeds": list(range(options.seeds)),
        "pictures": {name: len(digits) for name, (_, digits) in pictures().items()},
        "measured": "accuracy on training and test pictures, and on the test pictures moved by one pixel in eight "
        "directions; before and after training the correlation of distance on the grid and cosine, over 120 pairs of "
        "position vectors (as_read: as if the order of reading were the grid); by_chance: the fraction of 2,000 random "
        "placements of the vectors with a correlation at least as far from 0; cosines: of all vectors, row by row",
        "opponents": [found for found in results if found["name"] in OPPONENTS],
        "rows": [found for found in results if found["name"] in PLANS],
    }
