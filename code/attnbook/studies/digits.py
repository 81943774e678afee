"""Handwritten digits read as sentences of patches."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention import LearnedPositions
from attnbook.checks import check_count, check_tensor
from attnbook.training import TrainConfig, train
from attnbook.transformer import EncoderLayer

SIDE, PATCH = 8, 2  # pixels along a picture's side, and along a patch's
GRID = SIDE // PATCH  # patches along a side
PARTS = {"train": 1000, "development": 297, "test": 500}


def digit_pictures(seed: int = 0) -> dict[str, tuple[Tensor, Tensor]]:
    """scikit-learn's 1,797 digits of 8 × 8 pixels, split at random.

    Args:
        seed: for the split.

    Returns:
        For "train", "development" and "test" pictures (N, 8, 8) from 0 to 1, and which digits they show (N,).

    Source:
        Alpaydin & Kaynak (1998), the test set of the UCI "Optical Recognition of Handwritten Digits".
    """
    from sklearn.datasets import load_digits  # its import takes seconds

    pixels, digits = load_digits(return_X_y=True)
    pictures = torch.tensor(pixels, dtype=torch.float32).reshape(-1, SIDE, SIDE) / 16
    order = torch.randperm(len(pictures), generator=torch.Generator().manual_seed(seed))
    picks = order.split(list(PARTS.values()))
    digits = torch.tensor(digits)
    return {
        name: (pictures[i], digits[i]) for name, i in zip(PARTS, picks, strict=True)
    }


def cut_patches(pictures: Tensor) -> Tensor:
    """Cut pictures into patches of 2 × 2 pixels, row by row.

    Args:
        pictures: (B, 8, 8).

    Returns:
        (B, 16, 4).
    """
    check_tensor("pictures", pictures, dims=3)
    rows = pictures.unfold(1, PATCH, PATCH)
    return rows.unfold(2, PATCH, PATCH).flatten(3).flatten(1, 2)


class PictureReader(nn.Module):
    """A small Vision Transformer: patches, learned positions, an encoder, and the mean of its outputs.

    Args:
        d_model, num_layers: the sizes; four heads.

    Source:
        Dosovitskiy et al. (2021), arXiv:2010.11929, §3.1, with the mean instead of a class token.
    """

    def __init__(self, d_model: int = 32, num_layers: int = 2):
        super().__init__()
        self.W_patch = nn.Linear(PATCH * PATCH, d_model)
        self.positions = LearnedPositions(GRID * GRID, d_model)
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, 4, 2 * d_model, activation="gelu", norm_first=True)
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model)
        self.head = nn.Linear(d_model, 10)

    def forward(self, pictures: Tensor) -> Tensor:
        """Score the ten digits.

        Args:
            pictures: (B, 8, 8).

        Returns:
            logits (B, 10).
        """
        x = self.positions(self.W_patch(cut_patches(pictures)))  # (B, 16, D)
        for layer in self.layers:
            x, _ = layer(x)
        return self.head(self.norm(x).mean(dim=1))


def fit_pictures(
    model: PictureReader,
    pictures: Tensor,
    digits: Tensor,
    steps: int = 600,
    seed: int = 0,
) -> list[float]:
    """Train a reader.

    Args:
        model: changed in place, and left in evaluation mode.
        pictures: (N, 8, 8).
        digits: (N,), which digits they show.
        steps: updates, with 64 pictures each.
        seed: for the order of the pictures.

    Returns:
        The loss of each update.
    """
    check_count("steps", steps)
    generator = torch.Generator().manual_seed(1000 + seed)
    picks = torch.randint(len(pictures), (steps, 64), generator=generator)
    stream = [(pictures[pick], digits[pick]) for pick in picks]
    config = TrainConfig(
        steps, 1e-2, seed=seed, schedule="warmup-cosine", warmup_fraction=0.1
    )
    losses = train(
        model, lambda m, b: F.cross_entropy(m(b[0]), b[1]), lambda epoch: stream, config
    )
    model.eval()
    return losses


@torch.no_grad()
def picture_accuracy(model: PictureReader, pictures: Tensor, digits: Tensor) -> float:
    """The fraction of pictures that a reader reads right.

    Args:
        model: a trained reader.
        pictures: (N, 8, 8).
        digits: (N,).

    Returns:
        From 0 to 1; guessing gives about 0.1.
    """
    return (model(pictures).argmax(-1) == digits).float().mean().item()
