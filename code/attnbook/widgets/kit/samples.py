"""Random numbers that the browser and Python draw alike, so that one can check the other."""

import numpy as np


def seeded_uniforms(seed: int, n: int) -> np.ndarray:
    """Uniform numbers in (0, 1), the same in the figures' JavaScript (`seededUniforms`) and here.

    Number i is an integer hash of the seed and i, so it depends on none of the numbers before it.

    Args:
        seed: a whole number, 0 or more.
        n: how many.

    Returns:
        float64 array (n,).

    Raises:
        ValueError: a negative seed or number.
    """
    if seed < 0 or n < 0:
        raise ValueError(f"seed and n are whole numbers, 0 or more; got seed {seed} and n {n}")
    counter = np.arange(1, n + 1, dtype=np.uint64)
    word = np.uint64(0xFFFFFFFF)
    z = (np.uint64(seed + 1) * np.uint64(0x9E3779B1) + counter * np.uint64(0x6D2B79F5)) & word
    z = ((z ^ (z >> np.uint64(16))) * np.uint64(0x21F0AAAD)) & word
    z = ((z ^ (z >> np.uint64(15))) * np.uint64(0x735A2D97)) & word
    z = z ^ (z >> np.uint64(15))
    return (z.astype(np.float64) + 0.5) / 2.0**32


def seeded_normals(seed: int, n: int) -> np.ndarray:
    """Numbers from N(0, 1), the same in the figures' JavaScript (`seededNormals`) and here.

    Args:
        seed: a whole number, 0 or more.
        n: how many.

    Returns:
        float64 array (n,).

    Raises:
        ValueError: a negative seed or number.

    Source:
        Box and Muller (1958): two uniform numbers u, v give √(−2 ln u) · (cos 2πv, sin 2πv).
    """
    u, v = seeded_uniforms(seed, 2 * ((n + 1) // 2)).reshape(-1, 2).T
    radius, angle = np.sqrt(-2 * np.log(u)), 2 * np.pi * v
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).reshape(-1)[:n]
