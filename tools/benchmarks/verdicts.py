"""From measurements to verdicts: each bar holds, or misses, or could not be measured."""

import math
import statistics

from tools.benchmarks.family import Bar, Case, Family

HOLDS, MISSES, UNMEASURED = "holds", "misses", "not measured"


def time_ratio(ours: list[float], theirs: list[float]) -> float:
    """The median, over rounds, of our time divided by theirs in the same round: a busy moment meets both."""
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))


def slope(lengths: list[int], peaks: list[int]) -> float:
    """The power of the length by which the peak grows: the least-squares line through the logarithms."""
    x, y = ([math.log(number) for number in given] for given in (lengths, peaks))
    return statistics.linear_regression(x, y).slope


def _row(result: dict, name: str | None) -> dict:
    return next(row for row in result["layers"] if row["layer"] == name)


def ratio(bar: Bar, result: dict) -> float | None:
    """Ours divided by theirs in one result; None where the memory was not measured."""
    ours, theirs = (_row(result, name) for name in (bar.ours, bar.theirs))
    if bar.measure == "time":
        return time_ratio(ours["seconds"][bar.kind], theirs["seconds"][bar.kind])
    if ours["peak"] is None or theirs["peak"] is None:
        return None
    return ours["peak"][bar.kind] / theirs["peak"][bar.kind]


def slope_of(name: str, kind: str, results: list[dict]) -> float | None:
    """How a layer's peak grows over the results of a sweep; None where it was not measured."""
    peaks = [_row(result, name)["peak"] for result in results]
    if len(peaks) < 2 or None in peaks:
        return None
    lengths = [result["case"]["length"] for result in results]
    return slope(lengths, [peak[kind] for peak in peaks])


def verdict(value: float | None, limit: float, noise: float = 0.0) -> str:
    """Whether a value keeps to its limit, with the noise allowed for."""
    if value is None:
        return UNMEASURED
    return HOLDS if value <= limit * (1 + noise) else MISSES


def judge(family: Family, results: list[dict], swept: list[dict]) -> list[dict]:
    """All bars of a family, on all of its results.

    Args:
        family: whose bars.
        results: of `measure.joined`, for this family.
        swept: of `measure.memory`, for this family.

    Returns:
        One dict a bar and case: family, case (None for a slope), measure, kind, ours, theirs, value, limit, noise,
        verdict.
    """
    values = []
    for bar in family.bars:
        if bar.measure == "slope":
            values.append((bar, None, slope_of(bar.ours, bar.kind, swept)))
            continue
        for result in results:
            if bar.only(Case(**result["case"])):
                values.append((bar, result["case"], ratio(bar, result)))
    return [
        {
            "family": family.name,
            "case": case,
            "measure": bar.measure,
            "kind": bar.kind,
            "ours": bar.ours,
            "theirs": bar.theirs,
            "value": value if value is None else round(value, 4),
            "limit": bar.limit,
            "noise": bar.noise,
            "verdict": verdict(value, bar.limit, bar.noise),
        }
        for bar, case, value in values
    ]
