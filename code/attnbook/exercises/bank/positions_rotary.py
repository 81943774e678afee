"""Exercise rotary: turn pairs of features by an angle that grows with the position."""

from __future__ import annotations

import math

import torch

from ..legacy import Exercise, Mistake, draw, exact, slip


def solution(x, positions):
    """Turn the pairs (x0, x1), (x2, x3), … of each row by its position times the pair's frequency."""
    even = torch.arange(0, x.shape[1], 2, dtype=x.dtype, device=x.device)
    angle = positions.to(x.dtype)[:, None] * 10000.0 ** (-even / x.shape[1])  # (T, D/2)
    cos, sin = angle.cos(), angle.sin()
    first, second = x[:, 0::2], x[:, 1::2]  # (T, D/2) each
    turned = [first * cos - second * sin, first * sin + second * cos]
    return torch.stack(turned, dim=-1).flatten(
        1
    )  # (T, D): each pair side by side again


def pipeline(
    x,
    positions,
    omega=lambda even, d: 10000.0 ** (-even / d),
    angle=lambda p, w: p[:, None] * w,
    part=lambda x: (x[:, 0::2], x[:, 1::2]),
    turn=lambda a, b, cos, sin: (a * cos - b * sin, a * sin + b * cos),
    join=lambda a, b: torch.stack([a, b], dim=-1).flatten(1),
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    even = torch.arange(0, x.shape[1], 2, dtype=x.dtype)
    by = angle(positions.to(x.dtype), omega(even, x.shape[1]))
    return join(*turn(*part(x), by.cos(), by.sin()))


def example() -> tuple:
    return exact([1, 0, 1, 0], [0, 2, 3, 4], [5, 6, 7, 8]), torch.tensor([2, 1, 0])


def probes() -> list[tuple]:
    return [
        (draw(5, 6, seed=841), torch.tensor([3, 0, 7, 1, 2])),
        (draw(7, 4, seed=842), torch.tensor([0, 1, 2, 3, 4, 5, 6])),
        (draw(3, 10, seed=843), torch.tensor([5, 2, 9])),
    ]


def edges() -> list[tuple]:
    return [
        (draw(1, 4, seed=844), torch.tensor([3])),
        (draw(5, 2, seed=845), torch.tensor([4, 1, 0, 2, 3])),
    ]


def steps(x, positions) -> list[tuple[str, object]]:
    even = torch.arange(0, x.shape[1], 2, dtype=torch.float64)
    omega = 10000.0 ** (-even / x.shape[1])
    return [
        ("the frequencies", omega),
        ("the angles", positions[:, None] * omega),
        ("the turned rows", solution(x, positions)),
    ]


def _halves(x):
    return x.chunk(2, dim=1)


def _overwritten(a, b, cos, sin):
    a = a * cos - b * sin
    return a, a * sin + b * cos


def _added(x, positions):
    even = torch.arange(0, x.shape[1], 2, dtype=x.dtype)
    angle = positions.to(x.dtype)[:, None] * 10000.0 ** (-even / x.shape[1])
    return x + torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


def _mixed_pairs(x, positions):
    even = torch.arange(0, x.shape[1], 2, dtype=x.dtype).repeat_interleave(2)
    angle = positions.to(x.dtype)[:, None] * 10000.0 ** (-even / x.shape[1])
    first, second = x.chunk(2, dim=1)
    return x * angle.cos() + torch.cat([-second, first], dim=1) * angle.sin()


def _own_frequencies(x, positions):
    column = torch.arange(x.shape[1], dtype=x.dtype)
    angle = positions.to(x.dtype)[:, None] * 10000.0 ** (-column / x.shape[1])
    partner = torch.stack([-x[:, 1::2], x[:, 0::2]], dim=-1).flatten(1)
    return x * angle.cos() + partner * angle.sin()


def _multiplied(x, positions):
    even = torch.arange(0, x.shape[1], 2, dtype=x.dtype)
    angle = positions.to(x.dtype)[:, None] * 10000.0 ** (-even / x.shape[1])
    return x * torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


def _in_place(x, positions):
    x.copy_(solution(x, positions))
    return x


WRONG = (
    Mistake(
        "halves",
        slip(pipeline, part=_halves, join=lambda a, b: torch.cat([a, b], dim=1)),
        "other pairs",
        "{seen}You turn feature 0 with feature 2 and 1 with 3: first half against second half. Many "
        "libraries do it so, and it "
        "is as good; but weights trained with one kind of pairs are of no use with the other, and the "
        "task has (0, 1), (2, 3).",
        "the pairs are made of the first and the second half of the features",
        "Which feature is the partner of feature 0?",
    ),
    Mistake(
        "mixed-pairs",
        _mixed_pairs,
        "two kinds of pairs",
        "{seen}Your angles are those of the pairs (0, 1), (2, 3), but the partners are those of the two halves: "
        "feature 0 takes from feature 2, which turns by another angle. That is no rotation, and lengths change.",
        "angles for neighbouring pairs meet partners from the other half",
        "Which feature is the partner of feature 0, and do both turn by one angle?",
    ),
    Mistake(
        "clockwise",
        slip(
            pipeline, turn=lambda a, b, cos, sin: (a * cos + b * sin, b * cos - a * sin)
        ),
        "the other way round",
        "{seen}The point (1, 0), turned by the angle 2, should be (cos 2, sin 2) = (−0.416, 0.909); "
        "yours is its mirror "
        "image.",
        "the pairs are turned clockwise",
        "Where does (1, 0) go when it is turned by a small angle: up or down?",
    ),
    Mistake(
        "row-numbers",
        lambda x, positions: pipeline(x, torch.arange(x.shape[0])),
        "whose positions?",
        "{seen}Row 0 is turned by 0, row 1 by 1, row 2 by 2; but the positions are 2, 1, 0. A row out of a cache, "
        "say, does not stand at position 0.",
        "the rows are numbered 0, 1, 2, … instead of looking at `positions`",
        "Where do the given positions enter your code?",
    ),
    Mistake(
        "no-minus",
        slip(
            pipeline, turn=lambda a, b, cos, sin: (a * cos + b * sin, a * sin + b * cos)
        ),
        "a sign",
        "{seen}The second row begins with (0, 2), to be turned by 1 to (−1.683, 1.081). Yours goes to "
        "(1.683, 1.081). For that pair it looks like a rotation the other way; but (1, 0) of the first "
        "row goes the right way.",
        "both sines are added, so that nothing is turned but something stretched",
        "In a rotation matrix, how many of the four entries carry a minus?",
    ),
    Mistake(
        "first-overwritten",
        slip(pipeline, turn=_overwritten),
        "old and new",
        "{seen}The first number of each pair is right. For the second you use the *new* first one, where "
        "the old one "
        "is needed.",
        "the first half of each pair is overwritten before the second is computed",
        "Which of the two old numbers do both new ones need?",
    ),
    Mistake(
        "sine-for-cosine",
        slip(
            pipeline, turn=lambda a, b, cos, sin: (a * sin - b * cos, a * cos + b * sin)
        ),
        "sine and cosine",
        "{seen}The last row stands at position 0 and should stay as it is: cos 0 = 1. Yours is turned by "
        "a right angle.",
        "sine and cosine have changed places",
        "What should happen to a row at position 0?",
    ),
    Mistake(
        "cosine-only",
        slip(pipeline, turn=lambda a, b, cos, sin: (a * cos, b * cos)),
        "half a rotation",
        "{seen}Each feature is multiplied by a cosine, and nothing of its partner comes in. The row gets shorter, "
        "where a rotation would keep its length.",
        "the sine terms are missing",
        "What does the partner contribute to each feature?",
    ),
    Mistake(
        "not-woven",
        slip(pipeline, join=lambda a, b: torch.cat([a, b], dim=1)),
        "put together in another order",
        "{seen}The pairs are turned rightly, and then all their first numbers are put before all their "
        "second ones. The last "
        "row, at position 0, should be 5, 6, 7, 8.",
        "the turned halves are put behind each other instead of alternating",
        "At which places do the numbers of the first pair stand in x, and at which in your result?",
    ),
    Mistake(
        "pairs-swapped",
        slip(pipeline, join=lambda a, b: torch.stack([b, a], dim=-1).flatten(1)),
        "the order within a pair",
        "{seen}In each pair of your result the two numbers have changed places: the last row, at "
        "position 0, should be "
        "5, 6, 7, 8.",
        "the two numbers of each pair are exchanged",
        "Which of the two comes first when the pairs are put together again?",
    ),
    Mistake(
        "one-frequency",
        slip(pipeline, omega=lambda even, d: torch.ones_like(even)),
        "one frequency for all",
        "{seen}The first pair of each row is right. The others are turned as fast as the first; the "
        "second pair's frequency "
        "is 0.01 here.",
        "all pairs are turned by the same angle",
        "Where does the number of the pair enter your angle?",
    ),
    Mistake(
        "first-pair-only",
        lambda x, positions: torch.cat(
            [pipeline(x[:, :2], positions), x[:, 2:]], dim=1
        ),
        "the other pairs",
        "{seen}The first pair of each row is right; the others are as they were. The first row's second pair, (1, 0), "
        "should be turned by 2 · 0.01 to (1, 0.02).",
        "only the first pair is turned",
        "How many pairs has a row of D features, and by which angle does each turn?",
    ),
    Mistake(
        "every-feature-its-own",
        _own_frequencies,
        "two features, one angle",
        "{seen}Feature 1 turns with a frequency of its own, 0.1, and not with that of its partner, feature 0, which is "
        "1. Two numbers that turn by different angles are no point on a circle, and lengths change.",
        "every feature has its own frequency, where a pair should share one",
        "How many frequencies are there for D = 4 features?",
    ),
    Mistake(
        "exponent-halved",
        slip(pipeline, omega=lambda even, d: 10000.0 ** (-even / 2 / d)),
        "the exponent",
        "{seen}Your second pair turns with the frequency 0.1; right is 10000 to the power of −2/4, which is 0.01.",
        "the exponent is i/D instead of 2i/D",
        "Which numbers does 2i run through while i runs through 0, 1, 2?",
    ),
    Mistake(
        "exponent-doubled",
        slip(pipeline, omega=lambda even, d: 10000.0 ** (-2 * even / d)),
        "the exponent",
        "{seen}Your second pair turns a hundred times too slowly; its frequency should be 10000 to the "
        "power of −2/4, which is 0.01. "
        "(A range that goes by twos is 2i already; and dividing by D/2 doubles it, too.)",
        "the exponent is 4i/D instead of 2i/D",
        "For the second pair, what is i, and what is 2i?",
    ),
    Mistake(
        "frequencies-grow",
        slip(pipeline, omega=lambda even, d: 10000.0 ** (even / d)),
        "faster instead of slower",
        "{seen}Your second pair turns with the frequency 100; right is 0.01.",
        "the sign of the exponent is turned round",
        "Should the last pairs turn faster or slower than the first?",
    ),
    Mistake(
        "another-base",
        slip(pipeline, omega=lambda even, d: 1000.0 ** (-even / d)),
        "the base",
        "{seen}Your second pair turns with the frequency 0.032; right is 0.01.",
        "the base is 1000, one nought short",
        "How many noughts has the number in the formula?",
    ),
    Mistake(
        "counts-from-one",
        slip(pipeline, angle=lambda p, w: (p[:, None] + 1) * w),
        "one place too far",
        "{seen}The last row stands at position 0 and should stay as it is; yours is turned by 1.",
        "1 is added to every position",
        "What should happen to a row at position 0?",
    ),
    Mistake(
        "degrees",
        slip(pipeline, angle=lambda p, w: p[:, None] * w * math.pi / 180),
        "degrees",
        "{seen}The first row is turned by 2 *degrees*; cos 2 is −0.416.",
        "the angles are taken for degrees",
        "In which unit does torch measure angles?",
    ),
    Mistake(
        "sinusoids-added",
        _added,
        "added, not turned",
        "{seen}You add sines and cosines to x, as in the first half of the chapter. The row 5, 6, 7, 8 "
        "at position 0 should "
        "stay as it is.",
        "sinusoidal positions are added",
        "Does a rotation add something, or does it multiply?",
    ),
    Mistake(
        "sinusoids-multiplied",
        _multiplied,
        "turned, not scaled",
        "{seen}You multiply the features by sines and cosines in turn. The row 5, 6, 7, 8 at position 0 should stay as "
        "it is; yours is 0, 6, 0, 8. Each feature of a turned pair needs *both* old features.",
        "x is multiplied by the sinusoidal positions",
        "What does the partner contribute to each feature?",
    ),
    Mistake(
        "no-column",
        lambda x, positions: (
            x[:, 0::2] * (positions * torch.arange(0, x.shape[1], 2)).cos()
        ),
        "positions and frequencies",
        "With {given} {line} raises {error}. There are 3 positions and 2 frequencies; wanted is every "
        "position times "
        "every frequency, a table of 3 rows and 2 columns.",
        "positions and frequencies are multiplied entry by entry",
        "How does one make a column out of the positions?",
        line=r"\*",
    ),
    Mistake("writes-into-argument", _in_place),
    Mistake("transposed", lambda x, positions: solution(x, positions).T),
)

ROTARY = Exercise(
    name="rotary",
    title="Turn the pairs",
    chapter=8,
    function="my_rotary",
    statement="""\
Turn each pair of features $(x_0, x_1), (x_2, x_3), \\dots$ of each row by the angle $\\omega_i$ times the row's
position, with $\\omega_i = 10000^{-2i/D}$ for pair number $i$; positive angles turn $(1, 0)$ towards $(0, 1)$. The
positions need not be 0, 1, 2, ….

At position 2, the row (1, 0, 1, 0) becomes (−0.416, 0.909, 1, 0.02).""",
    stub='''\
def my_rotary(x, positions):
    """Turn the pairs (x0, x1), (x2, x3), … of each row by its position times the pair's frequency.

    x: (T, D), D even, positions: (T,) whole numbers → (T, D)
    """
    ...
''',
    hints=(
        "Turning the point (a, b) by an angle φ gives (a cos φ − b sin φ, a sin φ + b cos φ). What are "
        "a, b and φ for "
        "the second pair of a row at position 3?",
        "`x[:, 0::2]` holds the first numbers of all pairs, `x[:, 1::2]` the second ones, (T, D/2) each. "
        "The angles are "
        "(T, D/2) too: `positions[:, None]` times the frequencies.",
        "Compute both new halves from the old ones, put them side by side with `torch.stack(..., dim=-1)`, "
        "(T, D/2, 2), and run the last two axes together with `flatten`: the pairs then stand in their old places.",
    ),
    solution=solution,
    why="Whatever pairs one chooses and whichever way one turns them, lengths are kept and scores depend "
    "on the distance "
    "only; so a model trained from scratch works as well, and all tests of these properties pass. It "
    "shows when weights "
    "come from elsewhere: with other pairs the row 5, 6, 7, 8 at position 1 becomes something else, and "
    "a model that was "
    "trained with the one talks nonsense with the other. A wrong exponent is quieter still: here it would "
    "make the second frequency 0.1 instead of 0.01.",
    shapes={"x": "T D", "positions": "T"},
    returns="T D",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    differentiable=("x",),
)
