"""Exercise odd-size: sines and cosines for any number of features."""

import torch

from ..calls import observe
from ..exercise import Exercise, Mistake
from ..verdict import found
from ..wording import short


def my_sinusoids(num_positions, d_model):
    """Sine and cosine of each frequency in turn; an odd last column is a sine.

    num_positions: T, d_model: D, odd or even → (T, D)
    """
    position = torch.arange(num_positions, dtype=torch.float64)  # (T,)
    even = torch.arange(0, d_model, 2, dtype=torch.float64)  # 0, 2, 4, …: 2i
    omega = 10000 ** (-even / d_model)  # (⌈D/2⌉,), one frequency per pair
    angle = position[:, None] * omega  # (T, ⌈D/2⌉)
    sin, cos = angle.sin(), angle.cos()
    pairs = torch.stack([sin, cos], dim=-1)  # (T, ⌈D/2⌉, 2)
    table = pairs.flatten(1)
    return table[:, :d_model]  # if D is odd, without the last cosine


def example() -> tuple:
    return 2, 5


def three_columns() -> tuple:
    return 3, 3


def probes() -> list[tuple]:
    return [(7, 5), (5, 8), (11, 3), (3, 7)]


def edges() -> list[tuple]:
    return [(1, 5), (5, 1), (3, 2), (67, 5)]


def fill_by_columns(num_positions, d_model):
    position = torch.arange(num_positions, dtype=torch.float64)
    even = torch.arange(0, d_model, 2, dtype=torch.float64)
    angle = position[:, None] * 10000 ** (-even / d_model)
    table = torch.zeros(num_positions, d_model, dtype=torch.float64)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle.cos()
    return table


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    return pick.of(1, 2, 3, 7, 67), pick.of(1, 2, 3, 5, 6, 8, 11)


# edits that are used several times
POSITION = "torch.arange(num_positions, dtype=torch.float64)"
OMEGA, PAIRS, CUT = "10000 ** (-even / d_model)", "torch.stack([sin, cos], dim=-1)", "table[:, :d_model]"  # fmt: skip
EVEN = "torch.arange(0, d_model, 2, dtype=torch.float64)"
ALL = (EVEN, "torch.arange(d_model, dtype=torch.float64)")  # one angle per column
IN_TURN = (PAIRS, "torch.where(even % 2 == 0, sin, cos)")
LAST = "(torch.arange(d_model) == d_model - 1 + (d_model % 2 == 0))"  # nothing if D is even
EMPTY = CUT, f"table[:, :d_model].masked_fill({LAST}, 0)"
I = "For columns 2 and 3, what is i, and what is 2i?"  # noqa: E741

# fmt: off
MISTAKES = (
    Mistake("odd-raises", fill_by_columns,
        "the cosines of all frequencies are written to the odd columns. If D is odd, there is one odd column fewer "
        "than there are frequencies.", "Which of the cosines has no column?", line="1::2|cos"),
    Mistake("cosine-first", (PAIRS, "torch.stack([cos, sin], dim=-1)"),
        "the cosine comes first. Row 0 should begin with sin 0.", "Which of the two belongs in the even columns?"),
    Mistake("halves", (PAIRS, "torch.cat([sin, cos], dim=-1)"),
        "the cosines come after all the sines instead of alternating with them. Some libraries do it that way; the "
        "task wants sin, cos, sin, cos, ….", "How can you interleave two tables of the same shape column by column?"),
    Mistake("sines-only", (PAIRS, "torch.stack([sin, sin], dim=-1)"),
        "all columns hold sines. Position 0 then has nothing but zeros.", "Which columns should be cosines?"),
    Mistake("counts-from-one", (POSITION, "torch.arange(1, num_positions + 1, dtype=torch.float64)"),
        "the positions begin at 1. Your first row is that of position 1; it should be that of position 0.",
        "What is sin 0, and where should it be in the table?"),
    Mistake("share-of-the-length", (POSITION, f"{POSITION} / num_positions"),
        "the positions are divided by T. The same position would then look different in a longer sentence.",
        "Should row 1 of the table depend on how many rows follow?"),
    Mistake("exponent-halved", (OMEGA, "10000 ** (-even / 2 / d_model)"),
        "the exponent is i/D instead of 2i/D. Columns 2 and 3 belong to i = 1.",
        "Which numbers does 2i run through while i runs through 0, 1, 2?"),
    Mistake("exponent-doubled", (OMEGA, "10000 ** (-2 * even / d_model)"),
        "the exponent is 4i/D instead of 2i/D. A range in steps of two is 2i already; yours is doubled once more.", I),
    Mistake("frequencies-grow", (OMEGA, "10000 ** (even / d_model)"),
        "the exponent has the wrong sign (or a division has become a multiplication). Your frequencies are 1 and "
        "more; they should be 1 and less.", "Should the last columns change faster or more slowly than the first?"),
    Mistake("another-base", (OMEGA, "1000 ** (-even / d_model)"),
        "the base is 1000: a zero is missing", "How many zeros are there in the formula's number?"),
    Mistake("natural-base", (OMEGA, "torch.exp(-even / d_model)"),
        "the base of the exponential is e instead of 10000. The factor ln 10000 is missing in the exponent.",
        "How do you write a power of 10000 with `exp`?"),
    Mistake("one-frequency", (OMEGA, "even ** 0"),
        "all pairs have the frequency 1. After 44 positions (7 · 2π is nearly 44) everything repeats.",
        "Where does i enter your formula?"),
    Mistake("harmonic", (OMEGA, "1 / (1 + even / 2)"),
        "the frequencies are 1/(i + 1), that is 1, 1/2, 1/3. Those of the task fall by the same *factor* from pair "
        "to pair.", "By what do you multiply each frequency of the formula to get the next?"),
    Mistake("every-column-its-own", (ALL, IN_TURN),
        "the exponent is the column's number over D, in odd columns, too. A sine and a cosine of different "
        "frequencies are not a point on a circle, and no rotation leads from one position to the next.",
        "Which i belongs to column 0, and which to column 1?"),
    Mistake("doubled-columns", (ALL, IN_TURN, (OMEGA, "10000 ** (-2 * even / d_model)")),
        "the exponent is twice the column's number over D, where i should count the pairs. Columns 0 and 1 are both "
        "i = 0.", "Which i belongs to column 1, and which to column 2?"),
    Mistake("angles-only", (PAIRS, "torch.stack([angle, angle], dim=-1)"),
        "neither sine nor cosine is taken. These are the angles, which grow with the position without end.",
        "What should happen to the angles in the even columns, and what in the odd ones?"),
    Mistake("rounded-up-exponent", (OMEGA, "10000 ** (-even / (d_model + d_model % 2))"),
        "D is rounded up to an even number in the exponent. For even D you are right; for D = 5 your frequencies are "
        "those of D = 6, without the last column.", "Which D is below 2i in the formula?"),
    Mistake("rounded-down-exponent", (OMEGA, "10000 ** (-even / max(d_model - d_model % 2, 1))"),
        "D is rounded down to an even number in the exponent. For even D you are right; for D = 5 your first "
        "frequencies are those of D = 4.", "Which D is below 2i in the formula?"),
    Mistake("rounded-down", ((OMEGA, "10000 ** (-even / max(d_model - d_model % 2, 1))"), EMPTY),
        "D is rounded down to an even number. For even D you are right; for D = 5 you fill four columns with the "
        "table for D = 4, and leave the last one empty.",
        "How many frequencies are there for D = 5, and which D is in their exponents?"),
    Mistake("last-left-empty", EMPTY,
        "the last column stays empty when D is odd. For even D you are right; for odd D the last column should be "
        "the sine of the last frequency.", "How many frequencies are there for D = 5: two or three?", three_columns),
    Mistake("last-is-cosine", (CUT, f"torch.where({LAST}, cos[:, -1:], table[:, :d_model])"),
        "the last column is a cosine when D is odd. For even D you are right; columns count from 0, so the last one "
        "of an odd number is even, and even columns hold sines.", "Is the number of the last column odd or even?"),
    Mistake("one-column-too-many", (CUT, "table"),
        "the cosine of the last frequency is not left out. Three frequencies make three pairs, one column more than "
        "there is room for. The other numbers are right.", "Which column has to go when D is odd?"),
    Mistake("degrees", (POSITION, f"{POSITION} * torch.pi / 180"),
        "the angles are taken for degrees", "In which unit does torch measure angles?"),
    Mistake("transposed", (CUT, "table[:, :d_model].T")),
)


def precise(exercise, fn):
    """Demand a dtype of at least float32."""
    dtype = observe(fn, exercise.example()).result.dtype
    return None if dtype in (torch.float32, torch.float64) else found("half-precision", "{dtype}",
        "The numbers are right to a few digits, but their dtype is {dtype}; the task wants float32 or float64. "
        "At position 1000 such an angle may be off by half a turn.",
        "Which line of yours chooses the dtype?", dtype=short(dtype))


EXERCISE = Exercise(
    name="odd-size", title="Sinusoids of any width", chapter=8, solution=my_sinusoids,
    shapes={"num_positions": "a number", "d_model": "a number"}, returns="T D", example=example, probes=probes,
    edges=edges, mistakes=MISTAKES, demands=(precise,), steps={"omega": "the frequencies", "angle": "the angles"},
    space=space,
    hints=(
        "How many frequencies are there for D = 4, 5, 6? Write down which columns each of them fills.",
        "`torch.arange(0, d_model, 2)` is 0, 2, 4, …: the numbers 2i, of which there are ⌈D/2⌉. The angles are a "
        "column of positions times a row of frequencies.",
        "Either fill the columns `0::2` and `1::2`, with one cosine fewer than sines if D is odd; or stack sines and "
        "cosines along a new last axis, flatten, and cut the table to D columns.",
    ),
    why="Nearly every model has an even width, so the two lines that fill the even and the odd columns never meet "
        "a table with one odd column fewer. Rounding D up and cutting the last column off seems to repair it, but it "
        "changes all frequencies but the first, and no test of shapes notices.",
)
