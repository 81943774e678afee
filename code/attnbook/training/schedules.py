"""Learning-rate schedules: factors by which the rate of each step is multiplied."""

import math

from attnbook.checks import check_count, check_probability


def noam_factor(step: int, d_model: int, warmup: int) -> float:
    """The paper's learning rate: linear warm-up, then falling with the square root of the step.

    Args:
        step: 0, 1, 2, …; the paper's step_num is step + 1.
        d_model: D.
        warmup: steps until the peak.

    Returns:
        d_model^(−1/2) · min(s^(−1/2), s · warmup^(−3/2)) with s = step + 1.

    Raises:
        TypeError, ValueError: a number that is not a count.

    Source:
        Vaswani et al. (2017), eq. 3.
    """
    check_count("step", step, at_least=0)
    check_count("d_model", d_model)
    check_count("warmup", warmup)
    s = step + 1
    return d_model**-0.5 * min(s**-0.5, s * warmup**-1.5)


def warmup_cosine_factor(step: int, warmup: int, total: int) -> float:
    """Linear warm-up to 1, then half a cosine down to 0.

    Args:
        step: 0, 1, 2, ….
        warmup: steps until the peak; 0 for none.
        total: steps in all.

    Returns:
        A factor between 0 and 1.

    Raises:
        TypeError, ValueError: a number that is not a count.

    Source:
        Loshchilov & Hutter (2017), arXiv:1608.03983, eq. 5, without restarts.
    """
    check_count("step", step, at_least=0)
    check_count("warmup", warmup, at_least=0)
    check_count("total", total)
    if step < warmup:
        return (step + 1) / warmup
    return _falling((step - warmup) / max(1, total - warmup))


def warmup_cosine(done: float, warmup: float) -> float:
    """The same shape for a training that is measured by the clock.

    Args:
        done: the fraction of the time that has passed; beyond 1 the factor stays at 0.
        warmup: the fraction of the time until the peak, below 1; 0 for none.

    Returns:
        A factor between 0 and 1.

    Raises:
        ValueError: a negative `done`, or `warmup` outside [0, 1).

    Source:
        As `warmup_cosine_factor`.
    """
    check_probability("warmup", warmup)
    if not done >= 0:  # NaN neither
        raise ValueError(f"done must be at least 0, got {done}")
    if done < warmup:
        return done / warmup
    return _falling((done - warmup) / (1 - warmup))


def _falling(done: float) -> float:
    """Half a cosine, from 1 at 0 to 0 at 1 and beyond."""
    return 0.5 * (1 + math.cos(math.pi * min(1.0, done)))
