"""Exercise pair-loss: every right pair above zero, every other one below."""

import torch

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake
from ..recognise import tell


def my_pair_loss(scores, target):
    """log(1 + Σ exp(−s) over right pairs) + log(1 + Σ exp(s) over all others).

    scores: (T, S), target: bool (T, S), True = a right pair → a tensor with one number
    """
    threshold = torch.zeros_like(scores.flatten()[:1])  # (1,), e⁰ = 1
    right = -scores[target]
    wrong = scores[~target]
    too_low = torch.cat([threshold, right]).logsumexp(dim=0)
    too_high = torch.cat([threshold, wrong]).logsumexp(dim=0)
    return too_low + too_high


def example() -> tuple:
    """Two right pairs: 1 + 1/4 + 1; four wrong ones: 1 + 1/2 + 1/4 + 1/4 + 1."""
    scores = exact([4, 1 / 2, 1], [1 / 4, 1, 1 / 4]).log()
    return scores, torch.tensor([[True, False, False], [False, True, False]])


def large() -> tuple:
    return exact([900, -800, 30], [-900, 850, 0]), torch.tensor([[True, False, False], [True, False, True]])


def far_below() -> tuple:
    """All is well: the right pair is far above 0, the others far below."""
    return exact([900, -900, -950]), torch.tensor([[True, False, False]])


def nothing_right() -> tuple:
    return exact([4, 1 / 2, 1], [1 / 4, 1, 1 / 4]).log(), torch.zeros(2, 3, dtype=torch.bool)


def _drawn(t: int, s: int, seed: int) -> tuple:
    return 2 * draw(t, s, seed=seed), draw(t, s, seed=seed + 1) > 0.5


def probes() -> list[tuple]:
    return [_drawn(3, 5, 1750), _drawn(7, 2, 1752), _drawn(5, 11, 1754)]


def edges() -> list[tuple]:
    scores, target = _drawn(3, 2, 1756)
    return [large(), far_below(), nothing_right(), (scores, target | True), (exact([0.5]), torch.tensor([[True]]))]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    T, S = pick.sizes(1, 1)
    return pick.numbers(T, S, far=900), pick.mask(T, S)


# edits that are used several times
RIGHT, WRONG = "-scores[target]", "= scores[~target]"
LOW, HIGH = "torch.cat([threshold, right]).logsumexp(dim=0)", "torch.cat([threshold, wrong]).logsumexp(dim=0)"
SUM, SHIFT = "too_low + too_high", "(lambda x, m: m + ((-m).exp() + (x - m).exp().sum()).log())"
TOP = "scores.abs().max()"
ROWS = (  # a threshold and two logarithms for each row
    ("scores.flatten()[:1])", "scores[:, :1])"),
    (RIGHT, "(-scores).masked_fill(~target, -torch.inf)"),
    (WRONG, "= scores.masked_fill(target, -torch.inf)"),
    (LOW, "torch.cat([threshold, right], dim=1).logsumexp(dim=1)"),
    (HIGH, "torch.cat([threshold, wrong], dim=1).logsumexp(dim=1)"),
)
FORMULA = "What is inside each of the two logarithms?"
ONE = "Which score has exp(score) = 1, and where is it in the formula?"

# fmt: off
MISTAKES = (
    Mistake("no-threshold", ((LOW, "right.logsumexp(dim=0)"), (HIGH, "wrong.logsumexp(dim=0)")),
        "the 1 is missing in both logarithms. Then right pairs need only be above wrong ones, wherever both are: no "
        "threshold separates them.", ONE),
    Mistake("no-threshold-low", (LOW, "right.logsumexp(dim=0)"), "the 1 is missing with the right pairs", ONE),
    Mistake("no-threshold-high", (HIGH, "wrong.logsumexp(dim=0)"), "the 1 is missing with the wrong pairs", ONE),
    Mistake("signs-swapped", ((RIGHT, "scores[target]"), (WRONG, "= -scores[~target]")),
        "right and wrong pairs are swapped, or both signs are (which comes to the same). This loss "
        "falls when right pairs sink and wrong ones rise.",
        "A right pair with a score of −10: should its term be large or small?"),
    Mistake("right-sign", (RIGHT, "scores[target]"),
        "the right pairs have no minus sign. This loss falls when they sink.",
        "A right pair with a score of −10: should its term be large or small?"),
    Mistake("wrong-sign", (WRONG, "= -scores[~target]"),
        "the wrong pairs have a minus sign. This loss falls when they rise.",
        "A wrong pair with a score of 10: should its term be large or small?"),
    Mistake("all-pairs-wrong", (WRONG, "= scores.flatten()"),
        "all pairs are in the second sum, the right ones too. They would be pushed up and down at once.",
        "Over which pairs does the second sum run?"),
    Mistake("right-only", (SUM, "too_low"), "only the right pairs count. A table that says yes everywhere is perfect.",
        "Which pairs must be pushed down?"),
    Mistake("wrong-only", (SUM, "too_high"), "only the wrong pairs count. A table that says no everywhere is perfect.",
        "Which pairs must be pushed up?"),
    Mistake("one-by-one", ((LOW, "torch.log1p(right.exp()).sum()"), (HIGH, "torch.log1p(wrong.exp()).sum()")),
        "the logarithm is taken of each pair, and then the sum. That is the binary cross-entropy, summed: every "
        "pair by itself, and hundreds of wrong ones against a few right ones.",
        "Which comes first in the formula: the sum or the logarithm?"),
    Mistake("one-logarithm", (SUM, "torch.cat([threshold, right, wrong]).logsumexp(dim=0)"),
        "there is a single logarithm, of 1 and both sums. The terms that compare right pairs with wrong ones are then "
        "missing.", FORMULA),
    Mistake("zeros-in-the-sums", ((RIGHT, "-(scores * target).flatten()"), (WRONG, "= (scores * ~target).flatten()")),
        "pairs of the other kind are multiplied by zero and stay in the sum. Each of them adds e⁰ = 1.",
        "Which score has an exponential of 0?"),
    Mistake("row-by-row", (*ROWS, (SUM, "(too_low + too_high).mean()")),
        "each row has its own loss, and the mean of them is taken. Both sums run over the whole table.", FORMULA),
    Mistake("rows-added", (*ROWS, (SUM, "(too_low + too_high).sum()")),
        "each row has its own loss, and they are added. Both sums run over the whole table.", FORMULA),
    Mistake("binary-mean", (SUM, "torch.log1p(torch.where(target, -scores, scores).exp()).mean()"),
        "the mean binary cross-entropy is taken. It asks about every pair by itself.",
        "How many logarithms does the formula have?"),
    Mistake("multiplied", (SUM, "too_low * too_high"), "the two logarithms are multiplied", FORMULA),
    Mistake("averaged", (SUM, "(too_low + too_high) / 2"), "the two logarithms are averaged", FORMULA),
    Mistake("no-logarithm", (SUM, "too_low.exp() + too_high.exp()"), "the logarithms are missing", FORMULA),
    Mistake("mean-inside", ((LOW, "torch.log1p(right.exp().sum() / max(len(right), 1))"),
        (HIGH, "torch.log1p(wrong.exp().sum() / max(len(wrong), 1))")),
        "the exponentials are averaged, not summed", "Is there a mean in the formula?"),
    Mistake("one-maximum", ((LOW, f"{SHIFT}(right, {TOP})"), (HIGH, f"{SHIFT}(wrong, {TOP})")),
        "one maximum is subtracted in both logarithms, that of the whole table. Where all scores of a group lie far "
        "below it, each exponential is 0, the 1's as well, and log 0 is −∞. For moderate scores you are right.",
        "Which is the largest number in each of the two sums, the 1's exponent included?", far_below),
    Mistake("overflows", ((LOW, "torch.log(1 + right.exp().sum())"), (HIGH, "torch.log(1 + wrong.exp().sum())")),
        "the exponentials themselves are computed. e^900 is infinite in any dtype, and so is your loss; for ordinary "
        "scores your answer is right.",
        "Which function takes the logarithm of a sum of exponentials without forming them?", large),
    Mistake("writes-into-argument", (RIGHT, "-scores[target]\n    scores[target] = 0")),
    Mistake("returns-a-number", (SUM, "(too_low + too_high).item()")),
)


def overflows(exercise, fn, cases):
    """Recognise an answer that is right except where an exponential is infinite."""
    wrong = [case for case in cases if not case.right()]
    if not wrong or not all(c.arguments[0].abs().max() > 700 and (c.got.isnan() or c.got == torch.inf) for c in wrong):
        return None
    named = {mistake.name: mistake for mistake in exercise.mistakes}
    return tell(exercise, named["overflows"], fn, cases)


EXERCISE = Exercise(
    name="pair-loss", title="A loss for tables of pairs", chapter=17, solution=my_pair_loss,
    shapes={"scores": "T S", "target": "T S"}, returns="", example=example, probes=probes, edges=edges,
    mistakes=MISTAKES, steps={"too_low": "the first logarithm", "too_high": "the second one"},
    detectors=(overflows,), differentiable=("scores",),
    space=space,
    hints=(
        "Two groups of scores, and a 1 in each logarithm. Which score has 1 as its exponential?",
        "Pick the two groups with the mask and its opposite, put the threshold's score in front of each, and take the "
        "logarithm of the sum of exponentials.",
        "`torch.cat` puts a zero in front; `logsumexp` never forms e^900. What happens to the sign of the right pairs?",
    ),
    why="The sum of binary cross-entropies pushes every score in the same direction as this loss. But it asks "
        "about each pair by itself: at the start, hundreds of wrong pairs push down for each right one that pushes up. "
        "Here each group has one logarithm, so its whole push is less than 1, however large the group is.",
)
