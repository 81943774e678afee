"""Exercise window-mask: the last few positions, and the first ones."""

import torch

from ..answers import Mask
from ..exercise import Exercise, Mistake


def my_window_mask(length, window, sinks):
    """Let each position attend to the last few, its own included, and to the first ones.

    length: T, window: how many positions each sees, counted back from its own; at least 1,
    sinks: how many of the first positions all later ones see as well → bool (T, T), True = may attend
    """
    query = torch.arange(length)[:, None]  # (T, 1)
    key = torch.arange(length)  # (T,)
    ago = query - key  # (T, T): how many steps back
    past = ago >= 0
    near = ago < window
    first = key < sinks
    return past & (near | first)


def example() -> tuple:
    return 5, 2, 1


def wide() -> tuple:
    return 5, 3, 2


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    return pick.of(1, 2, 3, 5, 7), pick.of(1, 2, 3, 5, 9), pick.of(0, 1, 2, 5, 9)


# edits that are used several times
NEAR, PAST, FIRST, RESULT = "ago < window", "ago >= 0", "key < sinks", "past & (near | first)"
AGO = "query - key"
SELF = "With a window of 1, which keys besides the first ones should a position see?"
FUTURE = "In your first row, is there a key that has not been read yet?"

# fmt: off
MISTAKES = (
    Mistake("window-widened", (RESULT, "past & (ago < window + sinks)"),
        "the window is made longer by the number of sinks. The sinks are the first positions, however far away.",
        "In row 100, which key is a sink?"),
    Mistake("one-too-many", (NEAR, "ago <= window"),
        "the window is one position too long. It counts the position itself.", SELF),
    Mistake("one-too-few", (NEAR, "ago < window - 1"),
        "the window is one position too short", SELF),
    Mistake("negative-beginning",
        (NEAR, "key >= (query - window + 1 + length * (query < window - 1)).clamp(min=0)"),
        "a slice of the first rows begins at a negative number. Python counts that from the end.",
        "What is `t - window + 1` in row 1, and where may a slice begin at the earliest?", lambda: (5, 3, 1)),
    Mistake("sinks-use-up-the-window", (NEAR, "ago < window - sinks"),
        "the positions at the beginning are taken out of the window's number. They come on top of it.",
        "With a window of 2 and one position at the beginning, how many keys does the last row see?"),
    Mistake("self-excluded", (PAST, "ago > 0"),
        "a position does not see itself. The first one then has nothing to attend to.",
        "Does the query at position t have a key of its own?"),
    Mistake("no-sinks", (RESULT, "past & near"),
        "the first positions are not kept in view. Once the window has moved on, they are gone.",
        "Which column should be True from its own row downwards to the bottom?"),
    Mistake("no-window", (RESULT, "past"),
        "the window has no effect: this is the causal mask", "Which entries of the last row should be False?"),
    Mistake("not-causal", (RESULT, "near | first"),
        "the future is visible. Positions to come are a negative number of steps back, which is less than the window.",
        FUTURE),
    Mistake("two-sided", (RESULT, "(ago.abs() < window) | (past & first)"),
        "the window looks in both directions. Each position also sees the next ones.", FUTURE),
    Mistake("sinks-of-the-future", (RESULT, "(past & near) | first"),
        "the first positions are visible before they are read", FUTURE, wide),
    Mistake("both-at-once", (RESULT, "past & near & first"),
        "a key must be near *and* among the first. Being one of the two is enough.",
        "Which operator means that either of two reasons will do?"),
    Mistake("one-sink-too-many", (FIRST, "key <= sinks"),
        "one position too many is kept in view at the beginning. Positions count from 0.",
        "With one of them, which positions are smaller than 1?"),
    Mistake("inverted", (RESULT, "~(past & (near | first))"),
        "True and False are the wrong way round. In this book True means *may attend*.",
        "Should the diagonal be True or False?"),
    Mistake("transposed", (AGO, "key - query"),
        "rows and columns have changed places: your positions look ahead instead of back",
        "Scores are (T, S). Does a row belong to a query or to a key?"),
    Mistake("last-sinks", (FIRST, "key >= length - sinks"),
        "the *last* positions are kept in view instead of the first ones",
        "Which positions were read before all others?"),
    Mistake("sinks-as-queries", (FIRST, "query < sinks"),
        "the first *rows* get the longer view. It is the first columns that all rows should see.",
        "Is it the query or the key that is among the first?"),
    Mistake("only-the-window's-end", (NEAR, "ago == window - 1"),
        "only the far end of the window is kept", "How many of the last positions should a row show?", wide),
    Mistake("blocks", (NEAR, "query // window == key // window"),
        "the positions are cut into blocks of the window's length. The window should move along with the query.",
        "How many keys does the first position of your second block see, and how many should it?", wide),
    Mistake("not-bool", (RESULT, "(past & (near | first)).double()")),
    Mistake("additive-finite", (RESULT, "-1e9 * (~(past & (near | first))).double()")),
    Mistake("extra-axis", (RESULT, "(past & (near | first))[None]")),
)

EXERCISE = Exercise(
    name="window-mask", title="A window, and the beginning", chapter=15, solution=my_window_mask,
    shapes={"length": "a number", "window": "a number", "sinks": "a number"}, returns="T T", answer=Mask(),
    example=example, probes=lambda: [(7, 3, 1), (11, 4, 2), (13, 2, 3)], mistakes=MISTAKES,
    edges=lambda: [wide(), (5, 3, 1), (5, 1, 0), (3, 7, 1), (1, 1, 1), (4, 2, 9), (6, 2, 0), (37, 3, 2)],
    steps={"past": "what is not later", "near": "what is in the window", "first": "what is among the first"},
    space=space,
    hints=(
        "Draw the table for five positions, a window of two, and one position at the beginning. In the last row, which "
        "three keys are True?",
        "How many steps back is key j from query t? Three questions about that number and about j decide: not later, "
        "near enough, among the first.",
        "`torch.arange` as a column minus `torch.arange` as a row is the table of steps. Comparisons of it join with "
        "`&` and `|`, in brackets, since both bind more tightly than `<`.",
    ),
    why="A window that forgets to be causal looks right below the diagonal. Steps into the future are negative, and so "
        "always smaller than the window. And whether a window of two means two keys or two earlier ones is "
        "a matter of convention, in which libraries differ by one: count the True entries of a row.",
)
