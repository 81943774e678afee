"""Train small Vision Transformers on scikit-learn's digits, and store what they read and what their positions know.

    python -m tools.experiments.digits

writes chapters/results/digits.json; about four minutes on one core. An interrupted run goes on where it stopped.
"""

import argparse
import time
from importlib.metadata import version
from pathlib import Path

import torch
import torch.nn.functional as F
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from torch import Tensor

from attnbook.files import write_atomically
from attnbook.studies import (
    PictureReader,
    digit_pictures,
    fit_pictures,
    neighbourliness,
    picture_accuracy,
    shift_pictures,
)
from attnbook.transformer import count_parameters
from tools import ROOT
from tools.experiments.stored import made_by, row_by_row, unfinished

DEFAULT = ROOT / "chapters" / "results" / "digits.json"
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
DIRECTIONS = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]


def moved(pictures: Tensor, digits: Tensor) -> tuple[Tensor, Tensor]:
    """Each picture moved by one pixel in all eight directions."""
    some = [
        shift_pictures(pictures, *(torch.full(digits.shape, by) for by in direction))
        for direction in DIRECTIONS
    ]
    return torch.cat(some), digits.repeat(len(DIRECTIONS))


def opponents(parts: dict) -> list[dict]:
    """Two that know of no patches; their constants are chosen on the development pictures."""
    kinds = {
        "logistic regression": [
            LogisticRegression(C=c, max_iter=5000) for c in (0.1, 1, 10)
        ],
        "nearest neighbours": [KNeighborsClassifier(k) for k in (1, 3, 5)],
    }
    seen = {"": parts["train"]}
    both = zip(parts["train"], moved(*parts["train"]), strict=True)
    seen[", shifted"] = tuple(map(torch.cat, both))
    rows = []
    for how, (pictures, digits) in seen.items():
        for name, models in kinds.items():

            def score(model, part: tuple[Tensor, Tensor]) -> float:
                return model.score(part[0].flatten(1).numpy(), part[1].numpy())

            for model in models:
                model.fit(pictures.flatten(1).numpy(), digits.numpy())
            best = max(models, key=lambda model: score(model, parts["development"]))
            rows.append(
                {
                    "name": name + how,
                    "chosen": str(best),
                    "test": round(score(best, parts["test"]), 4),
                    "moved": round(score(best, moved(*parts["test"])), 4),
                }
            )
    return rows


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


def main() -> None:
    """Run all trainings and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=DEFAULT)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=600)
    options = parser.parse_args()
    torch.set_num_threads(1)
    parts = digit_pictures()
    made = made_by(__spec__.name, options)
    made["versions"]["scikit-learn"] = version("scikit-learn")
    fresh = {
        **made,
        "seeds": list(range(options.seeds)),
        "pictures": {name: len(digits) for name, (_, digits) in parts.items()},
        "measured": "accuracy on training and test pictures, and on the test pictures moved by one pixel in eight "
        "directions; before and after training the correlation of distance on the grid and cosine, over 120 pairs of "
        "position vectors (as_read: as if the order of reading were the grid); by_chance: the fraction of 2,000 random "
        "placements of the vectors with a correlation at least as far from 0; cosines: of all vectors, row by row",
        "opponents": opponents(parts),
        "rows": [],
    }
    result = unfinished(options.out, fresh)
    done = [(row["name"], row["seed"]) for row in result["rows"]]
    for seed in result["seeds"]:
        for name in PLANS:
            if (name, seed) in done:
                continue
            row = measure(name, seed, options.steps, parts)
            result["rows"].append(row)
            print({k: v for k, v in row.items() if k != "cosines"}, flush=True)
            write_atomically(options.out, row_by_row(result, "rows"))


if __name__ == "__main__":
    main()
