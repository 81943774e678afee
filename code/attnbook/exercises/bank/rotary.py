"""Exercise rotary: turn pairs of features, one from each half, by an angle that grows with the position."""

import torch

from ..arguments import draw, exact
from ..case import near
from ..exercise import Exercise, Mistake
from ..verdict import found
from ..wording import number


def my_rotary(x, positions):
    """Rotate the pairs (x0, x_h), (x1, x_{h+1}), … of each row by its position times the pair's frequency.

    x: (T, D), D even, h = D/2, positions: (T,) whole numbers → (T, D)
    """
    even = torch.arange(0, x.shape[1], 2, dtype=x.dtype, device=x.device)  # 2i
    omega = 10000 ** (-even / x.shape[1])  # (D/2,), one frequency per pair
    angle = positions.to(x.dtype)[:, None] * omega  # (T, D/2)
    cos, sin = angle.cos(), angle.sin()
    first, second = x.chunk(2, dim=1)  # (T, D/2) each: the two halves
    new_first = first * cos - second * sin
    new_second = first * sin + second * cos
    return torch.cat([new_first, new_second], dim=1)  # (T, D): halves again


def example() -> tuple:
    return exact([1, 1, 0, 0], [0, 3, 2, 4], [5, 7, 6, 8]), torch.tensor([2, 1, 0])


def probes() -> list[tuple]:
    return [
        (draw(5, 6, seed=841), torch.tensor([3, 0, 7, 1, 2])),
        (draw(7, 4, seed=842), torch.tensor([0, 1, 2, 3, 4, 5, 6])),
        (draw(3, 10, seed=843), torch.tensor([5, 2, 9])),
    ]


def edges() -> list[tuple]:
    far = draw(4, 2, seed=846), torch.tensor([33, 600, 5000, 70])  # in one pair the frequency is exactly 1
    return [(draw(1, 4, seed=844), torch.tensor([3])), (draw(5, 2, seed=845), torch.tensor([4, 1, 0, 2, 3])), far]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    T, D = pick.of(1, 3, 5, 7), pick.of(2, 4, 6)
    return pick.numbers(T, D), pick.ids(T, among=pick.of(range(4), range(30)))


# edits that are used several times
EVEN = "torch.arange(0, x.shape[1], 2, dtype=x.dtype, device=x.device)"
OMEGA = "10000 ** (-even / x.shape[1])"
POSITION, SINES, PARTS = "positions.to(x.dtype)", "angle.cos(), angle.sin()", "x.chunk(2, dim=1)"  # fmt: skip
A, B = "first * cos - second * sin", "first * sin + second * cos"
RESULT = "torch.cat([new_first, new_second], dim=1)"
NEIGHBOURS = (PARTS, "x[:, 0::2], x[:, 1::2]")
WOVEN = (RESULT, "torch.stack([new_first, new_second], dim=-1).flatten(1)")
PARTNERS = (A, "x * cos"), (RESULT, "new_first + new_second")
ZERO = "What should happen to a row at position 0?"
PARTNER = "What does the partner contribute to each feature?"
PER_FEATURE = (EVEN, "torch.arange(x.shape[1], dtype=x.dtype)")
OTHER_HALF = (B, "torch.cat([-second, first], dim=1) * sin")
STAYS = "The last row is at position 0 and should stay as it is."
WHERE = "Which feature is the partner of feature 0{}?"

# fmt: off
MISTAKES = (
    Mistake("pairs-from-one", (EVEN, "torch.arange(2, x.shape[1] + 1, 2, dtype=x.dtype, device=x.device)"),
        "the pairs are counted from 1. The first pair turns by the whole position: its frequency is 1.",
        "What is 10000 to the power 0, and which pair has it?"),
    Mistake("counted-from-the-first", (POSITION, "(positions - positions[:1]).to(x.dtype)"),
        "the positions are counted from the first row's. Distances are right, and so are the scores; the task asks for "
        "the positions as they are.", "What should happen to a row at position 2 that comes first?"),
    Mistake("neighbours", (NEIGHBOURS, WOVEN),
        "the pairs are neighbours, as in the chapter's `rotate`. That is just as good for a new model; but weights "
        "trained with one kind of pairs are of no use with the other, and the task pairs the two halves.",
        WHERE.format("")),
    Mistake("mixed-pairs", ((EVEN, f"{EVEN}.repeat_interleave(2)"), OTHER_HALF, *PARTNERS),
        "angles for neighbouring pairs meet partners from the other half. Feature 0 then takes from a feature that "
        "turns by another angle. That is not a rotation, and lengths change.",
        WHERE.format(", and do both turn by the same angle")),
    Mistake("clockwise", ((A, "first * cos + second * sin"), (B, "second * cos - first * sin")),
        "the pairs are turned clockwise. Each is the mirror image of what it should be.",
        "Where does (1, 0) go when it is turned by a small angle: up or down?"),
    Mistake("row-numbers", (POSITION, "torch.arange(len(x), dtype=x.dtype)"),
        "the rows are numbered 0, 1, 2, …, whatever `positions` says. A row that comes from a cache, for instance, "
        "is not at position 0.", "Where do the given positions enter your code?"),
    Mistake("no-minus", (A, "first * cos + second * sin"),
        "both sines are added, so that nothing is turned but something stretched",
        "In a rotation matrix, how many of the four entries have a minus?"),
    Mistake("first-overwritten", (B, "new_first * sin + second * cos"),
        "the first number of each pair is overwritten before the second is computed. The first numbers are right; "
        "for the second ones you use the *new* first one, where the old one is needed.",
        "Which of the two old numbers do both new ones need?"),
    Mistake("sine-for-cosine", (SINES, "angle.sin(), angle.cos()"),
        f"sine and cosine have changed places. {STAYS} Yours is turned by a right angle.", ZERO),
    Mistake("cosine-only", ((A, "first * cos"), (B, "second * cos")),
        "the sine terms are missing. Each feature is multiplied by a cosine, and nothing of its partner comes in. "
        "The row gets shorter, where a rotation would keep its length.", PARTNER),
    Mistake("woven", WOVEN,
        "the two numbers of each pair are put side by side. The pairs themselves are turned correctly.",
        "At which columns of x are the numbers of the first pair, and at which of your result?"),
    Mistake("not-woven-back", NEIGHBOURS,
        "neighbours are turned as pairs, and then all the first numbers are put before all the second ones. Two "
        "layouts are mixed.", WHERE.format("")),
    Mistake("pairs-swapped", (RESULT, "torch.cat([new_second, new_first], dim=1)"),
        "the two numbers of each pair have changed places",
        "Which of the two comes first when the pairs are put together again?"),
    Mistake("one-frequency", (OMEGA, "even ** 0"),
        "all pairs are turned by the same angle. The first pair of each row is right.",
        "Where does the number of the pair enter your angle?"),
    Mistake("first-pair-only", (OMEGA, "(even == 0).to(x.dtype)"),
        "only the first pair is turned. The other pairs are unchanged.",
        "How many pairs does a row of D features have, and by which angle does each turn?"),
    Mistake("every-feature-its-own", (PER_FEATURE, OTHER_HALF, *PARTNERS),
        "every feature has a frequency of its own, where a pair should share one. Two numbers that turn by different "
        "angles are not a point on a circle, and lengths change.",
        "How many frequencies are there for D = 4 features?"),
    Mistake("exponent-halved", (OMEGA, "10000 ** (-even / 2 / x.shape[1])"),
        "the exponent is i/D instead of 2i/D. For the second of two pairs the exponent should be −2/4.",
        "Which numbers does 2i run through while i runs through 0, 1, 2?"),
    Mistake("exponent-doubled", (OMEGA, "10000 ** (-2 * even / x.shape[1])"),
        "the exponent is 4i/D instead of 2i/D. For the second of two pairs the exponent should be −2/4. (A range in "
        "steps of two is 2i already; and dividing by D/2 doubles it, too.)",
        "For the second pair, what is i, and what is 2i?"),
    Mistake("frequencies-grow", (OMEGA, "10000 ** (even / x.shape[1])"),
        "the exponent has the wrong sign. Your second pair has the frequency 100; right is 0.01.",
        "Should the last pairs turn faster or more slowly than the first?"),
    Mistake("another-base", (OMEGA, "1000 ** (-even / x.shape[1])"),
        "the base is 1000: a zero is missing", "How many zeros are there in the formula's number?"),
    Mistake("counts-from-one", (POSITION, "(positions.to(x.dtype) + 1)"),
        f"1 is added to every position. {STAYS} Yours is turned by 1.", ZERO),
    Mistake("degrees", ("* omega", "* omega * torch.pi / 180"),
        "the angles are taken for degrees", "In which unit does torch measure angles?"),
    Mistake("sinusoids-added", ((A, "first + sin"), (B, "second + cos")),
        f"sines and cosines are added to x, as in the first half of the chapter. {STAYS}",
        "Does a rotation add something, or does it multiply?"),
    Mistake("sinusoids-multiplied", ((A, "first * sin"), (B, "second * cos")),
        f"x is multiplied by the sinusoidal positions. {STAYS} Each feature of a pair needs *both* old features.",
        PARTNER),
    Mistake("no-column", ("[:, None] * omega", " * omega"),
        "positions and frequencies are multiplied entry by entry. Wanted is every position times every frequency, a "
        "table of shape (T, D/2).", "How do you make a column of the positions?", line="\\*"),
    Mistake("writes-into-argument", (RESULT, "x.copy_(torch.cat([new_first, new_second], dim=1))")),
    Mistake("transposed", (RESULT, "torch.cat([new_first, new_second], dim=1).T")),
)

def rounded_angles(exercise, fn):
    """The angles are made in float32, whatever x is in: seven digits, of which a far position takes five."""
    x, positions = draw(3, 6, seed=847), torch.tensor([7000, 30000, 12345])
    got, right = fn(x, positions), my_rotary(x, positions)
    if near(got, right):
        return None
    return found("rounded-angles", "far positions",
        "At position 30000 your first number is {got}; in float64 it should be {right}. Your angles are made in "
        "float32, as `torch.arange(h) / D` is.", "",
        got=number(got[1, 1].item(), 6), right=number(right[1, 1].item(), 6))


EXERCISE = Exercise(
    name="rotary", title="Rotate the halves", chapter=8, solution=my_rotary, shapes={"x": "T D", "positions": "T"},
    returns="T D", example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    steps={"omega": "the frequencies", "angle": "the angles"}, differentiable=("x",), remarks=(rounded_angles,),
    space=space,
    hints=(
        "Turning the point (a, b) by an angle φ gives (a cos φ − b sin φ, a sin φ + b cos φ). With D = 4, which two "
        "columns are a and b of the second pair, and what is φ for a row at position 3?",
        "`x.chunk(2, dim=1)` gives the two halves, (T, D/2) each: the first numbers of all pairs, and the second ones. "
        "The angles are (T, D/2), too: `positions[:, None]` times the frequencies.",
        "Compute both new halves from the old ones, and put one behind the other. Check your first row: column 2 "
        "should be sin 2 = 0.909.",
    ),
    why="Whichever pairs you choose and whichever way you turn them, lengths are kept and scores depend on the "
        "distance only; so a model trained from scratch works as well, and all tests of these properties pass. It "
        "shows when the weights come from elsewhere: a model that was trained with one kind of pairs talks nonsense "
        "with the other. A wrong exponent is quieter still: for D = 4 it makes the second frequency 0.1 instead of "
        "0.01.",
)
