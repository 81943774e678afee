"""A figure: dot products grow with the dimension, and the softmax over them turns into a hard choice."""

from functools import lru_cache

import numpy as np

from ..kit import Figure, number_between, yes_or_no
from ..kit.samples import seeded_normals

GROUPS, QUERIES, KEYS, MOST = (16, 16, 16, 768)  # 16 groups, each of 16 queries that share 16 keys


@lru_cache(maxsize=2)
def _vectors(seed: int) -> np.ndarray:
    table = seeded_normals(seed, GROUPS * (QUERIES + KEYS) * MOST)
    return table.reshape(GROUPS, QUERIES + KEYS, MOST)


def sample_scores(seed: int, d: int, scaled: bool) -> np.ndarray:
    """Draw random queries and keys and score them by their dot products: the figure's sample.

    The vectors of a smaller dimension are the first d entries of those of a larger one.

    Args:
        seed: a whole number, 0 or more.
        d: their dimension, 4 to 768.
        scaled: whether to divide the scores by √d.

    Returns:
        float64 array (256, 16): for each query its scores with 16 keys.
    """
    vectors = _vectors(seed)[:, :, :d]
    query, key = vectors[:, :QUERIES], vectors[:, QUERIES:]
    scores = (query @ key.transpose(0, 2, 1)).reshape(GROUPS * QUERIES, KEYS)
    return scores / np.sqrt(d) if scaled else scores


def jacobian_norm(weights: np.ndarray) -> np.ndarray:
    """Size of the softmax's derivative ∂α/∂e = diag(α) − ααᵀ: how much gradient it lets through.

    Args:
        weights: array (..., S), rows of softmax weights.

    Returns:
        array (...): the Frobenius norm. Its entries are α_i (1 − α_i) and −α_i α_j; 1 − α_i is summed from the other
        weights, because for a weight near 1 the difference would lose its digits.
    """
    same = np.eye(weights.shape[-1])
    diagonal = weights * (weights @ (1 - same))
    others = weights[..., :, None] * weights[..., None, :] * (1 - same)
    return np.sqrt((diagonal**2).sum(-1) + (others**2).sum((-2, -1)))


def saturation(scores: np.ndarray) -> dict[str, float]:
    """Measure how hard the softmax of some rows of scores is.

    Args:
        scores: array (queries, S).

    Returns:
        dict: `variance` of all the scores, mean `largest` weight of a row, median `jacobian` norm of a row.

    Source:
        Vaswani et al. (2017), section 3.2.1 and its footnote 4: why the scores are divided by √d_k.
    """
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    weights = powers / powers.sum(-1, keepdims=True)
    return {
        "variance": float(scores.var()),
        "largest": float(weights.max(-1).mean()),
        "jacobian": float(np.median(jacobian_norm(weights))),
    }


class SaturationFigure(Figure):
    """Scores of random queries and keys of dimension d, and what the softmax makes of them.

    Args:
        d: dimension of queries and keys, 4 to 768.
        scaled: whether the scores are divided by √d.
        seed: which random sample, 0 to 999.
    """

    module = "softmax_saturation"
    alt = (
        "Left, a histogram of dot products of random queries and keys: its spread grows with the dimension d unless "
        "the scores are divided by the square root of d. Right, the softmax weights of one query over 16 keys, "
        "sorted, beside their mean over 256 queries: as d grows, one key takes nearly all the weight unless the scores "
        "are divided."
    )
    d = number_between(64, 4, MOST, "the dimension of queries and keys", whole=True)
    scaled = yes_or_no(False, "whether scores are divided by √d")
    seed = number_between(0, 0, 999, "the number of the random sample", whole=True)
