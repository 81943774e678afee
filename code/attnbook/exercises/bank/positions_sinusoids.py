"""Exercise odd-size: sines and cosines for any number of features."""

from __future__ import annotations

import math

import torch

from ..legacy import Exercise, Mistake, slip


def solution(num_positions, d_model):
    """Sine and cosine of each frequency in turn; an odd last column is a sine."""
    position = torch.arange(num_positions, dtype=torch.float64)  # (T,)
    omega = 10000.0 ** (
        -torch.arange(0, d_model, 2, dtype=torch.float64) / d_model
    )  # (⌈D/2⌉,)
    angle = position[:, None] * omega  # (T, ⌈D/2⌉)
    pairs = torch.stack([angle.sin(), angle.cos()], dim=-1)  # (T, ⌈D/2⌉, 2)
    return pairs.flatten(1)[:, :d_model]  # without the cosine too many


def pipeline(
    num_positions,
    d_model,
    position=lambda n: torch.arange(n, dtype=torch.float64),
    omega=lambda d: 10000.0 ** (-_even(d) / d),
    weave=lambda sin, cos: torch.stack([sin, cos], dim=-1).flatten(1),
    cut=lambda table, d: table[:, :d],
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    angle = position(num_positions)[:, None] * omega(d_model)
    return cut(weave(angle.sin(), angle.cos()), d_model)


def _even(d):
    return torch.arange(0, d, 2, dtype=torch.float64)


def example() -> tuple:
    return 2, 5


def three_columns() -> tuple:
    return 3, 3


def probes() -> list[tuple]:
    return [(7, 5), (5, 8), (11, 3), (3, 7)]


def edges() -> list[tuple]:
    return [(1, 5), (5, 1), (3, 2)]


def steps(num_positions, d_model) -> list[tuple[str, object]]:
    omega = 10000.0 ** (-_even(d_model) / d_model)
    return [
        ("the frequencies", omega),
        (
            "the angles",
            torch.arange(num_positions, dtype=torch.float64)[:, None] * omega,
        ),
        ("the table", solution(num_positions, d_model)),
    ]


def _fill_by_columns(num_positions, d_model):
    angle = torch.arange(num_positions, dtype=torch.float64)[:, None] * 10000.0 ** (
        -_even(d_model) / d_model
    )
    table = torch.zeros(num_positions, d_model, dtype=torch.float64)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle.cos()
    return table


def _last_column(table, d, last):
    """Another last column where D is odd."""
    table = table[:, :d].clone()
    if d % 2:
        table[:, -1] = last(table[:, -1])
    return table


def _rounded_down(num_positions, d_model):
    even = d_model - d_model % 2
    table = torch.zeros(num_positions, d_model, dtype=torch.float64)
    table[:, :even] = pipeline(num_positions, max(even, 1))[:, :even]
    return table


def _own_frequencies(num_positions, d_model):
    column = torch.arange(d_model, dtype=torch.float64)
    angle = torch.arange(num_positions, dtype=torch.float64)[:, None] * 10000.0 ** (
        -column / d_model
    )
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


def _doubled_columns(num_positions, d_model):
    column = torch.arange(d_model, dtype=torch.float64)
    position = torch.arange(num_positions, dtype=torch.float64)[:, None]
    angle = position * 10000.0 ** (-2 * column / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


def _angles_only(num_positions, d_model):
    column = torch.arange(d_model, dtype=torch.float64)
    position = torch.arange(num_positions, dtype=torch.float64)[:, None]
    return position * 10000.0 ** (-(column - column % 2) / d_model)


WRONG = (
    Mistake(
        "odd-raises",
        _fill_by_columns,
        "odd D",
        "With {given} {line} raises {error}. Of 5 columns three are even (0, 2, 4) and only two odd (1, "
        "3); there are "
        "three frequencies, and so three cosines for two places.",
        "the cosines of all frequencies are written to the odd columns",
        "Which of the cosines has no column to stand in?",
        line=r"1::2|cos",
    ),
    Mistake(
        "cosine-first",
        slip(
            pipeline, weave=lambda sin, cos: torch.stack([cos, sin], dim=-1).flatten(1)
        ),
        "sine and cosine",
        "{seen}Row 0 should begin with sin 0 = 0; yours begins with cos 0 = 1.",
        "the cosine comes first",
        "Which of the two stands in the even columns 0, 2, 4?",
    ),
    Mistake(
        "halves",
        slip(pipeline, weave=lambda sin, cos: torch.cat([sin, cos], dim=-1)),
        "side by side",
        "{seen}Your row holds all sines first and then the cosines. Some libraries do it so; the task "
        "wants sin, cos, "
        "sin, cos, ….",
        "sines and cosines are put behind each other instead of alternating",
        "How can two tables of the same shape be woven column by column?",
    ),
    Mistake(
        "sines-only",
        slip(
            pipeline, weave=lambda sin, cos: torch.stack([sin, sin], dim=-1).flatten(1)
        ),
        "no cosine",
        "{seen}Both columns of each pair are sines. With position 0 all your numbers are 0.",
        "sines stand in all columns",
        "Which columns should be cosines?",
    ),
    Mistake(
        "counts-from-one",
        slip(pipeline, position=lambda n: torch.arange(1, n + 1, dtype=torch.float64)),
        "where counting begins",
        "{seen}Your first row is that of position 1, with sin 1 = 0.841 in front; the first row should be that of "
        "position 0.",
        "the positions begin at 1",
        "What is sin 0, and where should it stand?",
    ),
    Mistake(
        "share-of-the-length",
        slip(pipeline, position=lambda n: torch.arange(n, dtype=torch.float64) / n),
        "a share of the length",
        "{seen}You divide the positions by their number. The same place would then look different in a "
        "longer sentence.",
        "the positions are divided by T",
        "Should row 1 of the table depend on how many rows follow?",
    ),
    Mistake(
        "exponent-halved",
        slip(pipeline, omega=lambda d: 10000.0 ** (-_even(d) / 2 / d)),
        "the exponent",
        "{seen}Your second frequency is 0.158; right is 10000 to the power of −2/5, which is 0.025. The "
        "exponent is "
        "2i/D: columns 2 and 3 belong to i = 1.",
        "the exponent is i/D instead of 2i/D",
        "Which numbers does 2i run through while i runs through 0, 1, 2?",
    ),
    Mistake(
        "exponent-doubled",
        slip(pipeline, omega=lambda d: 10000.0 ** (-2 * _even(d) / d)),
        "the exponent",
        "{seen}Your second frequency is 0.001; right is 10000 to the power of −2/5, which is 0.025. Your range "
        "goes by twos already, and is then doubled once more.",
        "the exponent is 4i/D instead of 2i/D",
        "For the columns 2 and 3, what is i, and what is 2i?",
    ),
    Mistake(
        "frequencies-grow",
        slip(pipeline, omega=lambda d: 10000.0 ** (_even(d) / d)),
        "faster instead of slower",
        "{seen}Your frequencies are 1 and more; right are 1 and less. So fast a wave turns many times "
        "between two neighbours.",
        "the sign of the exponent is turned round (or a division has become a multiplication)",
        "Should the last columns change faster or slower than the first?",
    ),
    Mistake(
        "another-base",
        slip(pipeline, omega=lambda d: 1000.0 ** (-_even(d) / d)),
        "the base",
        "{seen}Your second frequency is 0.063; right is 0.025.",
        "the base is 1000, one nought short",
        "How many noughts has the number in the formula?",
    ),
    Mistake(
        "natural-base",
        slip(pipeline, omega=lambda d: torch.exp(-_even(d) / d)),
        "the base",
        "{seen}Your second frequency is 0.67, e to the power of −2/5: the factor ln 10000 is missing.",
        "the base of the exponential is e instead of 10000",
        "How does one write a power of 10000 with `exp`?",
    ),
    Mistake(
        "one-frequency",
        slip(pipeline, omega=lambda d: torch.ones_like(_even(d))),
        "one frequency for all",
        "{seen}All your pairs turn equally fast; after 44 steps (7 · 2π is nearly 44) all places repeat.",
        "all pairs have the frequency 1",
        "Where does i enter your formula?",
    ),
    Mistake(
        "harmonic",
        slip(pipeline, omega=lambda d: 1 / (1 + _even(d) / 2)),
        "which row of frequencies?",
        "{seen}Your frequencies are 1, 1/2, 1/3; the task's fall by the same *factor* from pair to pair.",
        "the frequencies are 1/(i + 1)",
        "By what is each frequency of the formula multiplied to give the next?",
    ),
    Mistake(
        "every-column-its-own",
        _own_frequencies,
        "two columns, one frequency",
        "{seen}Your column 1 has a frequency of its own, 0.158, instead of that of column 0. A sine and "
        "a cosine of "
        "different frequencies are no point on a circle, and no rotation leads from place to place.",
        "the exponent is the column's number over D, for odd columns too",
        "Which i belongs to column 0, and which to column 1?",
    ),
    Mistake(
        "doubled-columns",
        _doubled_columns,
        "i is not the column",
        "{seen}Your column 1 has the frequency 0.025, which belongs to columns 2 and 3. You "
        "take the number of the *column* for i, but i numbers the pairs: columns 0 and 1 are both i = 0.",
        "the exponent is twice the column's number over D, where i should count the pairs",
        "Which i belongs to column 1, and which to column 2?",
    ),
    Mistake(
        "angles-only",
        _angles_only,
        "the angles themselves",
        "{seen}Your row 1 begins with 1, 1, 0.025: these are the angles. Their sine is wanted in column 0, 0.841, and "
        "their cosine in column 1, 0.54. Angles grow with the position without end; waves stay between −1 and 1.",
        "neither sine nor cosine is taken",
        "What should happen to the angles in the even columns, and what in the odd ones?",
    ),
    Mistake(
        "rounded-up-exponent",
        slip(pipeline, omega=lambda d: 10000.0 ** (-_even(d) / (d + d % 2))),
        "another D",
        "{seen}For even D all is well. For D = 5 your frequencies are those of D = 6, the last column cut off.",
        "D is rounded up to an even number before the exponent is computed",
        "Which D stands below the 2i in the formula?",
    ),
    Mistake(
        "rounded-down",
        _rounded_down,
        "one feature less",
        "{seen}For even D all is well. For D = 5 you fill four columns with the table for D = 4, whose "
        "second frequency is 0.01, "
        "and leave the last one empty.",
        "D is rounded down to an even number",
        "How many frequencies are there for D = 5, and which D stands in their exponents?",
    ),
    Mistake(
        "last-left-empty",
        slip(pipeline, cut=lambda table, d: _last_column(table, d, torch.zeros_like)),
        "the last column",
        "{seen}For even D all is well. For odd D your last column is 0 in every row; it should be the "
        "sine of the last "
        "frequency.",
        "the last column stays empty when D is odd",
        "How many frequencies are there for D = 5: two or three?",
        example=three_columns,
    ),
    Mistake(
        "last-is-cosine",
        slip(
            pipeline,
            cut=lambda table, d: _last_column(
                table, d, lambda c: torch.sqrt(1 - c * c)
            ),
        ),
        "the last column",
        "{seen}For even D all is well. For odd D your last column is a cosine; column 4 is even, and "
        "even columns hold "
        "sines.",
        "the last column is a cosine when D is odd",
        "Is the number of the last column odd or even?",
    ),
    Mistake(
        "one-column-too-many",
        slip(pipeline, cut=lambda table, d: table),
        "a column too many",
        "With {given} your table has 6 columns: three frequencies make three pairs. The numbers in the first 5 are "
        "right.",
        "the cosine of the last frequency is not left out",
        "Which column has to go when D is odd?",
    ),
    Mistake(
        "degrees",
        slip(
            pipeline,
            position=lambda n: torch.arange(n, dtype=torch.float64) * math.pi / 180,
        ),
        "degrees",
        "{seen}Your number for sin 1 is 0.017, the sine of one *degree*.",
        "the angles are taken for degrees",
        "In which unit does torch measure angles?",
    ),
    Mistake(
        "transposed", lambda num_positions, d_model: solution(num_positions, d_model).T
    ),
)

ODD_SIZE = Exercise(
    name="odd-size",
    title="Sinusoids of any width",
    chapter=8,
    function="my_sinusoids",
    statement="""\
Make the table of sinusoidal positions, (T, D), for any $D$, odd ones included:

$$\\mathrm{PE}(p)_{2i} = \\sin(\\omega_i p), \\qquad \\mathrm{PE}(p)_{2i+1} = \\cos(\\omega_i p), \\qquad
\\omega_i = 10000^{-2i/D}.$$

If $D$ is odd, the last frequency has its sine only. For $D = 5$, position 1 is
(0.841, 0.54, 0.025, 1, 0.001).""",
    stub='''\
def my_sinusoids(num_positions, d_model):
    """Sine and cosine of each frequency in turn; an odd last column is a sine.

    num_positions: T, d_model: D, odd or even → (T, D)
    """
    ...
''',
    hints=(
        "How many frequencies are there for D = 4, 5, 6? Write down which columns each of them fills.",
        "`torch.arange(0, d_model, 2)` is 0, 2, 4, …: the numbers 2i, of which there are ⌈D/2⌉. The "
        "angles are a column "
        "of positions times a row of frequencies.",
        "Either fill the columns `0::2` and `1::2`, with one cosine less than sines if D is odd; or "
        "stack sines and "
        "cosines along a new last axis, flatten, and cut the table to D columns.",
    ),
    solution=solution,
    why="Widths are even in nearly every model, and so the two lines that fill the even and the odd columns "
    "never meet a case in which there is one column less. Rounding D up and cutting the last column off "
    "seems to repair it, "
    "but changes all frequencies: the second one for D = 5 becomes 0.046 instead of 0.025, and no test "
    "of shapes sees it.",
    shapes={"num_positions": "a number", "d_model": "a number"},
    returns="T D",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
)
