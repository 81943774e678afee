"""Exercise noam-rate: the paper's learning rate, for steps that are counted from 0."""

from ..answers import Number
from ..exercise import Exercise, Mistake


def my_noam_rate(step, d_model, warmup):
    """The learning rate of the Transformer paper.

    step: 0 for the first update, d_model: D, warmup: steps until the peak → a number
    """
    s = step + 1  # the paper counts from 1
    rising = s * warmup**-1.5
    falling = s**-0.5
    return d_model**-0.5 * min(rising, falling)


def example() -> tuple:
    return 0, 16, 4


def second_update() -> tuple:
    return 1, 16, 4


def at_the_peak() -> tuple:
    return 3, 16, 4


def far_behind_the_peak() -> tuple:
    return 15, 16, 4


def probes() -> list[tuple]:
    settings = (
        (2, 16, 4),
        (5, 64, 7),
        (40, 32, 11),
        (99, 512, 400),
        (2, 512, 400),
        (7, 100, 3),
        (12, 48, 13),
        (700, 20, 90),
    )
    return [example(), second_update(), at_the_peak(), far_behind_the_peak(), *settings]


def edges() -> list[tuple]:
    return [(0, 1, 1), (0, 512, 1), (4000, 512, 4000), (100_000, 512, 4000)]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    return pick.of(0, 1, 2, 3, 6, 99, 4000), pick.of(1, 16, 30, 512), pick.of(1, 4, 7, 100, 4000)


# edits that are used several times
S, RISING, FALLING, LEAST = "step + 1", "s * warmup**-1.5", "s**-0.5", "min(rising, falling)"

# fmt: off
MISTAKES = (
    Mistake("counts-from-0", ((S, "step"), (FALLING, "max(s, 1e-9) ** -0.5")),
        "your s is the step itself. The first update then has the rate 0, and every later one the rate of the step "
        "before it.", "The paper's first step is 1. What is yours?"),
    Mistake("guards-the-first-step", (S, "max(step, 1)"),
        "the first two updates get the same rate, because a step of 0 is raised to 1. All later ones are a step late.",
        "The paper's first step is 1, your scheduler's 0. And its second?", second_update),
    Mistake("zero-to-a-negative-power", (S, "step"),
        "your s is the step itself. At the first update that is 0, and 0 to the power −1/2 does not exist.",
        "The paper's first step is 1. What is yours?"),
    Mistake("maximum", (LEAST, "max(rising, falling)"),
        "the larger of the two terms is taken. The rate then falls first, and from s = warmup on grows without end.",
        "At the first step one term is 1. Should a warm-up start there?"),
    Mistake("no-rise", (LEAST, "falling"),
        "there is no rise: the first update has the largest rate of all",
        "Which of the two terms is the smaller one before the peak?", example),
    Mistake("no-fall", (LEAST, "rising"),
        "the rate rises for ever", "Which of the two terms is the smaller one behind the peak?", far_behind_the_peak),
    Mistake("flat-behind-the-peak", (LEAST, "min(rising, warmup**-0.5)"),
        "the rate stays at its peak instead of falling", "What should the rate be after four times as many steps?",
        far_behind_the_peak),
    Mistake("falls-like-one-over-s", (FALLING, "warmup**0.5 / s"),
        "the rate falls like 1/s instead of 1/√s", "By what should four times as many steps divide the rate?",
        far_behind_the_peak),
    Mistake("power-of-warmup", (RISING, "s * warmup**-0.5"),
        "warmup has the power −1/2 instead of −3/2. The two terms then do not meet at s = warmup.",
        "Which power of warmup makes both terms equal at s = warmup?"),
    Mistake("warmup-plus-one", (RISING, "s * (warmup + 1)**-1.5"),
        "warmup is raised by 1 like the step. The step is counted from 0; `warmup` is a number of steps.",
        "At which s should the two terms meet?"),
    Mistake("relative-rise-by-cases", ((RISING, "s / warmup"), (LEAST, "(rising if s < warmup else falling)")),
        "the rise is s/warmup, and s decides which term counts. At s = warmup the rate falls off a cliff, from 1 to "
        "1/√warmup of the width's factor.", "What is the falling term at s = warmup, and which rise would meet it?",
        also=(((RISING, "s / warmup"), (LEAST, "(rising if s <= warmup else falling)")),)),
    Mistake("relative-rise", (RISING, "s / warmup"),
        "the rise is s/warmup, which reaches 1. The other term is far smaller there.",
        "What is the falling term at s = warmup, and which rise would meet it?"),
    Mistake("no-width", ("d_model**-0.5 * ", ""),
        "the width of the model is not used", "Which of the three arguments is missing?"),
    Mistake("times-the-root-of-the-width", ("d_model**-0.5", "d_model**0.5"),
        "the rate is multiplied by √D instead of divided by it", "Should a wider model take larger or smaller steps?"),
    Mistake("divided-by-the-width", ("d_model**-0.5", "d_model**-1"),
        "the rate is divided by D instead of √D", "Which power does D have in the formula?"),
    Mistake("width-inside-the-minimum", (f"d_model**-0.5 * {LEAST}", "min(rising, d_model**-0.5 * falling)"),
        "only one of the two terms is divided by √D", "Where is the bracket of the minimum in the formula?"),
)

EXERCISE = Exercise(
    name="noam-rate", title="The Noam schedule", chapter=9, solution=my_noam_rate,
    shapes={"step": "a number", "d_model": "a number", "warmup": "a number"},
    answer=Number("one number above 0"), example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    steps={"s": "the paper's step", "rising": "the rising term", "falling": "the falling term"},
    space=space,
    hints=(
        "Compute the two terms for s = 1 and for s = warmup. Which one is smaller, and where are they equal?",
        "PyTorch's schedulers count updates from 0, the paper from 1. What does its formula say about s = 0?",
        "Three short lines: the paper's step, the two terms, and 1/√D times the smaller one. Python's power is `**`.",
    ),
    why="Passing the scheduler's step straight to the formula looks right, because at step 1000 it hardly matters. At "
        "the first step it does: 0 to a negative power is an error. Guard against that with `max(step, 1)`, and the "
        "first two updates get the same rate while all others come a step late.",
)
