"""Exercise leaks: does a layer keep its promise?"""

from functools import partial

import torch

from ..answers import Mask, Tensors
from ..arguments import Described, draw, exact
from ..exercise import Exercise, Mistake
from ..forms import wrong_shape
from ..recognise import tell
from ..verdict import found


def my_leaks(attend, x, mask):
    """Find the positions whose output depends on inputs that they must not see.

    attend: a function (T, D) → (T, any size), x: (T, D) numbers to try it on
    mask: bool (T, T), True = output i may depend on input j
    → bool (T,), True where output i depends on something that it may not see
    """
    before = attend(x)
    other = torch.randn_like(x)  # (T, D)
    found = torch.zeros(len(x), dtype=torch.bool, device=x.device)
    for i in range(len(x)):
        hidden = ~mask[i]  # (T,)
        changed = torch.where(hidden[:, None], other, x)  # (T, D)
        after = attend(changed)
        moved = after[i] != before[i]
        found[i] = moved.any()
    return found


def average(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """An honest layer: a softmax of moderate scores over what the mask allows."""
    scores, mask = draw(*mask.shape, seed=len(mask)).to(x), mask.to(x.device)
    return scores.masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num() @ x


# fmt: off
def past(size: int) -> torch.Tensor:
    return torch.ones(size, size, dtype=torch.bool).tril()


def try_on(words: str, peek=lambda x: 0, mask: torch.Tensor | None = None, features: int = 2) -> tuple:
    """An honest layer for a mask, plus what it should not have seen: `peek` of the sequence."""
    mask = past(3) if mask is None else mask
    x = exact([1, 0], [0, 1], [2, 1]) if len(mask) == 3 else draw(len(mask), features, seed=700)
    return Described(words, lambda x: average(x, mask) + peek(x), lambda: Described("x", lambda x: x)), x, mask


def example() -> tuple:
    return Described("x − x.mean(0)", lambda x: x - x.mean(0)), exact([1, 0], [0, 1], [1, 1]), past(3)


TWO_WORDS = torch.tensor([True, True, False]).expand(3, 3)


def ahead(steps: int):
    return lambda x: torch.cat([x[steps:], 0 * x[:steps]])


def zeros_at_the_end() -> tuple:
    return Described("x.mean(0) for all", lambda x: x.mean(0) + 0 * x), exact([1, 0], [0, 1], [0, 0]), TWO_WORDS


def first_is_the_mean() -> tuple:
    return example()[0], exact([2, 1], [1, 0], [3, 2]), past(3)


honest = partial(try_on, "a causal average")
one_ahead = partial(try_on, "a causal average + the next row", ahead(1))
two_ahead = partial(try_on, "a causal average + the row after the next", ahead(2))
padding = partial(try_on, "an average of two words + the last row", lambda x: x[2], TWO_WORDS)
later = partial(try_on, "an average of later words", mask=past(3).T.contiguous())
sees_size = partial(try_on, "a causal average + 9 times the length of the last row", lambda x: 9 * x[-1].norm())
sees_direction = partial(try_on, "a causal average + x[-1] of length 1", lambda x: x[-1] / x[-1].norm().clamp(1e-9))
sees_spread = partial(try_on, "a causal average + 9 times the spread of the last row", lambda x: 9 * x[-1].std())
one_feature = partial(try_on, "a causal average + 9·x.sum() in feature 1", lambda x: x.sum() * exact(9, 0).to(x))
last_feature = partial(try_on, "a causal average + 9·x.sum() in feature 2", lambda x: x.sum() * exact(0, 9).to(x))
opposed = partial(try_on, "a causal average ± x.sum()", lambda x: x.sum() * exact(1, -1).to(x))
lowered = partial(try_on, "a causal average − the distance of x[-1] from (2, 1)",
    lambda x: -(x[-1] - exact(2, 1).to(x)).norm())
in_steps = partial(try_on, "an average + 10·x[-1] without its decimals", lambda x: (10 * x[-1]).round())
a_little = partial(try_on, "a causal average + x.mean() / 1000", lambda x: x.mean() / 1000)


def hears_the_middle() -> tuple:
    """A layer that hears numbers near 0 only, and numbers far below; so many that some of any others lie there."""
    hears = Described("a causal average + the sum of relu(5 − |x[-1]|)",
        lambda x: average(x, past(3)) + torch.relu(5 - x[-1].abs()).sum())
    return hears, -6 - draw(3, 30, seed=702).abs(), past(3)


def no_slope() -> tuple:
    """A leak in steps: no gradient tells of it."""
    steps = "an average + 10⁶·x[-1] without its decimals"
    return try_on(steps, PEEKS[steps])


def probes() -> list[tuple]:
    left = past(5) & (torch.arange(5) > 1)
    return [
        honest(), one_ahead(), two_ahead(), padding(), later(), try_on("a causal average", mask=past(7)),
        try_on("an average from position 2 on", mask=left, features=3), try_on("an average + row 2", ahead(2), past(5)),
        (Described("the next row", ahead(1)), draw(5, 3, seed=701), past(5)),
    ]


def edges() -> list[tuple]:
    more = zeros_at_the_end, first_is_the_mean, sees_size, sees_direction, sees_spread, one_feature, a_little
    more += last_feature, opposed, lowered, no_slope, in_steps, hears_the_middle
    return [*(make() for make in more), try_on("a causal average", mask=past(1))]


PEEKS = {  # what a layer adds to a causal average, some of it without a slope
    "an average": lambda x: 0 * x,
    "an average + the last row": lambda x: x[-1] + 0 * x,
    "an average + 10⁶·x[-1] without its decimals": lambda x: (1e6 * x[-1]).round() + 0 * x,
    "an average + the first row": lambda x: x[0] + 0 * x,
}


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    T, D = pick.sizes(1, 2)
    x, mask, peek = pick.numbers(T, D), pick.mask(T, T), pick.of(*PEEKS)
    return Described(peek, lambda x: average(x, mask) + PEEKS[peek](x)), x, mask


def by_gradient(attend, x, mask):
    slopes = torch.autograd.functional.jacobian(attend, x).abs().sum((1, 3))  # (T, T)
    return ((slopes != 0) & ~mask).any(1)


# edits that are used several times
OTHER, HIDDEN, MOVED, FOUND = "torch.randn_like(x)", "~mask[i]", "after[i] != before[i]", "= moved.any()"
PLACED = "torch.where(hidden[:, None], other, x)"
BLIND = "What could a layer do with a row so that it does not notice this change?"

MISTAKES = (
    Mistake("all-hidden-at-once", (HIDDEN, "~mask.all(0)"),
        "whatever is hidden from anyone is replaced for everyone. Then a position may miss what it is allowed to see, "
        "and honest outputs move.", "Which row of the mask belongs to position i?"),
    Mistake("first-hidden-only", (HIDDEN, "~mask[i] & ((~mask[i]).cumsum(0) == 1)"),
        "only the first of the hidden inputs is replaced. A layer may look at another.",
        "How many inputs does row i of the mask hide?", two_ahead),
    Mistake("zeros", (OTHER, "torch.zeros_like(x)"),
        "the hidden inputs are replaced by zeros. Where they are zero already, as padding often is, nothing changes.",
        "What could take their place so that a change is certain?", zeros_at_the_end),
    Mistake("averaged", (OTHER, "x.mean(0).expand_as(x)"),
        "the hidden inputs are replaced by the mean of all. A layer that takes the mean may not notice.",
        BLIND, first_is_the_mean),
    Mistake("scaled", (OTHER, "2 * x"),
        "the hidden inputs are multiplied by a number. They keep their direction.", BLIND, sees_direction),
    Mistake("negated", (OTHER, "-x"),
        "the hidden inputs change their sign. They keep their length.", BLIND, sees_size),
    Mistake("shifted", (OTHER, "x + 1"),
        "the same number is added to all hidden features. They keep their spread.", BLIND, sees_spread,
        also=((OTHER, "x + 10"),)),
    Mistake("shuffled", (PLACED, "x.clone()\n        changed[hidden] = x[hidden].flip(0)"),
        "the hidden inputs change places with each other. Their mean stays, and a single one stays itself.", BLIND),
    Mistake("not-a-number", (OTHER, "torch.full_like(x, torch.nan)"),
        "the hidden inputs become NaN or infinite. A weight of zero times NaN is NaN: honest layers are accused.",
        "Which numbers would a weight of zero really make disappear?", honest),
    Mistake("inverted", (HIDDEN, "mask[i]"),
        "what may be seen is replaced, and what must not be seen is kept", "What does True mean in the mask?"),
    Mistake("columns", (HIDDEN, "~mask[:, i]"),
        "the columns of the mask are read as its rows. Row i belongs to output i, column j to input j.",
        "Which axis of the mask should be indexed with the position of the output?"),
    Mistake("mask-ignored", (HIDDEN, "torch.arange(len(x)) > i"),
        "the mask is taken to be causal whatever it says", "What does `mask` say about this position?", padding),
    Mistake("next-only", (HIDDEN, "~mask[i] & (torch.arange(len(x)) == i + 1)"),
        "only the next input is replaced", "Which inputs does row i of the mask hide?", two_ahead),
    Mistake("last-only", (HIDDEN, "~mask[i] & (torch.arange(len(x)) == len(x) - 1)"),
        "only the last input is replaced", "Which inputs does the mask hide from position i?", one_ahead),
    Mistake("gradient-only", by_gradient,
        "only gradients are asked. A layer that rounds or compares has a slope of 0, and its output changes all the "
        "same.", "What does the promise speak of: slopes, or outputs?", no_slope),
    Mistake("everything-replaced", (PLACED, "other"),
        "all inputs are replaced, those that may be seen too. Then honest outputs move as well.",
        "Which inputs must stay as they are while position i is tested?", honest),
    Mistake("compares-all", (MOVED, "after != before"),
        "all outputs are compared. Others may see what position i may not, so they are allowed to move.",
        "Which output must not move when the inputs hidden from position i do?", honest),
    Mistake("compares-the-past", (MOVED, "after[: i + 1] != before[: i + 1]"),
        "all outputs up to position i are compared", "Which one output is under test?", later),
    Mistake("all-features", (FOUND, "= moved.all()"),
        "*all* features of an output have to move", "Which of `any` and `all` fits “depends on”?", one_feature),
    Mistake("one-feature", (MOVED, "after[i, :1] != before[i, :1]"),
        "only the first feature of each output is compared. A leak may be in any of them.",
        "Which numbers of output i may not move?", last_feature),
    Mistake("features-added", (MOVED, "(after[i].sum() - before[i].sum()).abs()[None] > 1e-9"),
        "the features of an output are added up before they are compared. One may rise as much as another falls.",
        "What is the sum of the changes (1, −1)?", opposed),
    Mistake("rises-only", ((OTHER, "x + 3 + draw(*x.shape, seed=9).to(x)"), (MOVED, "after[i] > before[i]")),
        "only outputs that rise count. A leak may lower them as well.",
        "Which sign has a change that makes a number smaller?", lowered),
    Mistake("nudged", (OTHER, "x + 1e-3 * torch.randn_like(x)"),
        "the hidden inputs are changed by very little. A layer that rounds or compares may not notice.", BLIND,
        in_steps),
    Mistake("out-of-hearing", (OTHER, "torch.full_like(x, 1e9)"),
        "the hidden inputs all become huge, or move a little in one direction. Of such numbers a layer may hear "
        "nothing; this one hears those near 0.", BLIND, hears_the_middle, also=((OTHER, "x + torch.rand_like(x)"),)),
    Mistake("large-only", (MOVED, "(after[i] - before[i]).abs() > 0.01"),
        "only large changes count. A small leak is a leak: training can make it larger.",
        "By how much does the output of an honest layer move?", a_little),
    Mistake("answer-inverted", (FOUND, "= ~moved.any()"),
        "True stands for positions that keep the promise", "Which positions should be True?"),
    Mistake("one-answer", ("return found", "return found.any()"),
        "one answer is given for the whole layer", "Which of the positions leak?"),
    Mistake("not-bool", ("dtype=torch.bool, device", "device")),
)


def rises_only(exercise, fn, cases):
    """Tell by two layers, one of which any change raises and the other lowers, whatever takes an input's place."""
    def distance(x):
        return (x[-1] - exact(2, 1).to(x)).norm()

    found = [fn(*try_on("", peek)) for peek in (distance, lambda x: -distance(x))]
    missed = found[0].tolist() == [True, True, False] and not found[1].any()
    return tell(exercise, next(m for m in exercise.mistakes if m.name == "rises-only"), fn, cases) if missed else None


class Verdicts(Mask):
    """One True or False per position."""

    looks = (wrong_shape,)
    detect = Tensors.detect

    def amiss(self, exercise, fn, case):
        if not isinstance(case.call.result, bool):
            return super().amiss(exercise, fn, case)
        return found("returns-a-bool", "one yes or no", "Your function returns `{result}` for the whole layer; it "
            "should be a bool tensor of shape (T,), one answer per position.",
            "Which positions leak, and which keep the promise?", result=case.call.result)

    def demand(self, exercise, fn, cases):
        dtype = cases[0].call.result.dtype
        return None if dtype == torch.bool else found("not-bool", "{dtype} instead of bool",
            "Your ones and zeros are in the right places, but their dtype is {dtype}; `~` would not negate them.",
            "Which dtype knows only True and False?", dtype=dtype)


EXERCISE = Exercise(
    name="leaks", title="Catch the leak", chapter=6, solution=my_leaks, answer=Verdicts(),
    shapes={"attend": "a function", "x": "T D", "mask": "T T"}, returns="T", example=example, probes=probes,
    edges=edges, mistakes=MISTAKES, steps={"before": "the outputs for x itself"},
    space=space, detectors=(rises_only,),
    hints=(
        "Take the example, x − x.mean(0), and position 0. Which rows of x must it not see? Change them by hand: does "
        "the first output move?",
        "One position at a time: keep the inputs that row i of the mask allows, replace all others, call `attend` "
        "again and look at output i alone. An honest output does not move at all.",
        "`torch.where` puts a replacement where a condition (T, 1) holds. As for the replacement: zeros, −x, 2·x and "
        "x + 1 each have a layer that does not notice them. Which replacement has nothing in common with x?",
    ),
    why="Replacing the future by zeros finds every leak of the chapter, so it looks like a proof. But a test speaks "
        "only of the change that was made: padding is often zero already, a layer norm does not feel a constant. "
        "Random numbers have no such symmetry. The other way to fail is to cry wolf: compare outputs that were allowed "
        "to see the change, and every causal layer leaks.",
)
