"""The page's `attnbook.data`: what Part I draws with NumPy, handed over as numbers, since the page has no NumPy."""

import json
from pathlib import Path

import torch

from attnbook.data.synthetic import RegressionData, true_curve

__all__ = ["RegressionData", "kernel_regression_data", "true_curve"]

DRAWN = {"n": 50, "noise": 0.5, "seed": 0}


def kernel_regression_data(
    n: int = 50, noise: float = 0.5, seed: int = 0, dtype: torch.dtype = torch.float32
) -> RegressionData:
    """The fifty points of Part I; a ValueError if others are asked for."""
    if {"n": n, "noise": noise, "seed": seed} != DRAWN:
        raise ValueError(
            "other points than the book's fifty are not available in the page, which has no NumPy to draw them. In the "
            "notebook they are."
        )
    numbers = json.loads(Path(__file__).with_name("drawn.json").read_text("utf-8"))
    return RegressionData(*(torch.tensor(row, dtype=torch.float64).to(dtype) for row in numbers))
