"""A figure: attention tile by tile, with a running maximum, sum and average per query, and no table."""

import numpy as np

from ..kit import Figure, number_between, one_of, yes_or_no
from ..kit.samples import seeded_normals

WORDS, FEATURES, WINDOW = 16, 3, 4
SEES = ("all keys", "causal", "a window of 4")
TILES = (2, 4, 8, 16)
MOST_STEPS = (WORDS // TILES[0]) ** 2


def sample(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw the scores of 16 queries with 16 keys, and a value for each key: the figure's sample.

    Args:
        seed: a whole number, 0 or more.

    Returns:
        scores (16, 16) and values (16,), float64.
    """
    numbers = seeded_normals(seed, WORDS * (2 * FEATURES + 1))
    query, key = numbers[: 2 * WORDS * FEATURES].reshape(2, WORDS, FEATURES)
    return query @ key.T, numbers[2 * WORDS * FEATURES :]


def visible(sees: str) -> np.ndarray:
    """Say which keys the queries may see.

    Args:
        sees: one of `SEES`.

    Returns:
        bool array (16, 16).
    """
    ago = np.arange(WORDS)[:, None] - np.arange(WORDS)
    if sees == SEES[0]:
        return np.ones((WORDS, WORDS), dtype=bool)
    return (ago >= 0) & (ago < (WORDS if sees == SEES[1] else WINDOW))


def worth_it(sees: str, tile: int) -> list[tuple[int, int]]:
    """List the tiles in which something may be seen, row by row.

    Args:
        sees: one of `SEES`.
        tile: one of `TILES`.

    Returns:
        list of (first row, first column).
    """
    starts, seen = range(0, WORDS, tile), visible(sees)
    return [
        (row, column) for row in starts for column in starts if seen[row : row + tile, column : column + tile].any()
    ]


def after(
    seed: int, sees: str, tile: int, step: int, corrected: bool = True
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute what is kept for each query after some tiles.

    Args:
        seed: of the sample.
        sees: one of `SEES`.
        tile: one of `TILES`.
        step: how many tiles have been read.
        corrected: whether the sums are corrected when a larger score turns up.

    Returns:
        arrays (16,): the largest score, the sum of exp(score − largest), and the same sum with the values. Of a query
        that has not met a key: −inf, 0 and 0.

    Source:
        Milakov and Gimelshein (2018); Dao et al. (2022), algorithm 1.
    """
    (scores, values), seen = sample(seed), visible(sees)
    most, total, summed = np.full(WORDS, -np.inf), np.zeros(WORDS), np.zeros(WORDS)
    for row, column in worth_it(sees, tile)[:step]:
        rows, columns = slice(row, row + tile), slice(column, column + tile)
        part = np.where(seen, scores, -np.inf)[rows, columns]
        new = np.maximum(most[rows], part.max(1))
        safe = np.where(np.isinf(new), 0, new)
        old, exps = np.exp(most[rows] - safe), np.exp(part - safe[:, None])
        old = old if corrected else np.ones(tile)
        total[rows] = total[rows] * old + exps.sum(1)
        summed[rows] = summed[rows] * old + exps @ values[columns]
        most[rows] = new
    return most, total, summed


class TileStepperFigure(Figure):
    """The scores of 16 queries and 16 keys, computed tile by tile, and the average of each query so far.

    Args:
        tile: rows and columns of a tile: 2, 4, 8 or 16.
        sees: "all keys", "causal" or "a window of 4".
        step: how many tiles have been read, 0 to 64; beyond the last one, all of them.
        corrected: whether the sums are corrected when a larger score turns up.
        seed: which random sample, 0 to 999.
    """

    module = "tile_stepper"
    alt = (
        "Left, a table of 16 queries and 16 keys, divided into tiles of 4 by 4. Five tiles have been read and thrown "
        "away, the sixth shows its exponentials as shades, the others are empty. Right, beside each row, a dot for the "
        "query's average so far and a stroke for its exact attention: in the finished rows the dots are on the strokes."
    )
    tile = one_of(4, TILES, "the rows and columns of a tile")
    sees = one_of(SEES[0], SEES, "which keys a query may see")
    step = number_between(6, 0, MOST_STEPS, "the number of tiles read", whole=True)
    corrected = yes_or_no(True, "whether the sums are corrected")
    seed = number_between(17, 0, 999, "the number of the random sample", whole=True)
