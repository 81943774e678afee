"""Exercise cache-bytes: how much a text costs while it is being written."""

from ..answers import Number
from ..exercise import Exercise, Mistake


def my_cache_bytes(positions, layers, every, window, kv_heads, head_dim, size):
    """Bytes of the key–value cache of one sequence, in a model in which most layers have a window.

    positions: how many have been read, layers: N; the layers with the numbers every, 2 every, …, counted
    from 1, keep all positions, the others the last `window`,
    kv_heads and head_dim: of each layer, size: bytes per number → int
    """
    whole = layers // every  # layers that keep everything
    short = layers - whole
    in_window = min(positions, window)
    kept = whole * positions + short * in_window  # positions, over all layers
    numbers = 2 * kv_heads * head_dim  # a key and a value
    return kept * numbers * size


def example() -> tuple:
    return 10, 6, 3, 4, 3, 8, 4


def brief() -> tuple:
    return 3, 6, 3, 4, 3, 8, 4


def uneven() -> tuple:
    return 10, 5, 3, 4, 3, 8, 4


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    layers, every, window = pick.of(1, 2, 5, 6, 12), pick.of(1, 2, 3, 5, 7), pick.of(1, 4, 10)
    return pick.of(1, 3, 4, 5, 30), layers, every, window, pick.of(1, 2, 3), pick.of(1, 8, 5), pick.of(1, 2, 4)


# edits that are used several times
WHOLE, SHORT, WINDOW = "layers // every", "layers - whole", "min(positions, window)"
KEPT, NUMBERS = "whole * positions + short * in_window", "2 * kv_heads * head_dim"
RESULT = "return kept * numbers * size"
WHICH = "Of six layers with `every` = 3, which numbers have those that keep everything?"

# fmt: off
MISTAKES = (
    Mistake("keys-only", (NUMBERS, "kv_heads * head_dim"),
        "keys or values are counted, not both", "Which two vectors does each head keep of a position?"),
    Mistake("one-head", (NUMBERS, "2 * head_dim"),
        "a single head is counted per layer", "Where does `kv_heads` enter your code?"),
    Mistake("queries-kept", (NUMBERS, "3 * kv_heads * head_dim"),
        "three vectors are kept per head and position. An old query is never asked again.",
        "Which of query, key and value of an old position does a new one need?"),
    Mistake("bits", (RESULT, "return kept * numbers * size * 8"),
        "bits are counted. `size` is in bytes, and so should the answer be.", "How many bits are there in a byte?"),
    Mistake("numbers-not-bytes", (RESULT, "return kept * numbers"),
        "numbers are counted, not bytes", "Where does `size` enter your code?"),
    Mistake("no-window", (KEPT, "layers * positions"),
        "all layers keep all positions", "What does a layer with a window need of a position that has left it?"),
    Mistake("all-windows", (KEPT, "layers * in_window"),
        "all layers have a window", WHICH),
    Mistake("always-full", (WINDOW, "window"),
        "a window is counted in full even if the text is shorter than it",
        "After three positions, how many can a window of four hold?", brief),
    Mistake("exchanged", (KEPT, "short * positions + whole * in_window"),
        "the two kinds of layers are exchanged", WHICH),
    Mistake("whole-as-given", (WHOLE, "every"),
        "`every` is taken for the number of layers that keep everything", WHICH),
    Mistake("rounded-up", (WHOLE, "-(-layers // every)"),
        "one layer too many keeps everything (rounded up, or counted from 0). Of five layers only the third does.",
        WHICH, uneven),
    Mistake("not-rounded", (WHOLE, "layers / every"),
        "layers are counted in fractions", WHICH, uneven),
    Mistake("layers-counted-twice", (SHORT, "layers"),
        "all layers are given a window, and some of them the whole text as well", "How many layers are there in all?"),
    Mistake("window-forgotten-in-rest", (KEPT, "whole * positions"),
        "the layers with a window keep nothing", "Does a window of four positions cost no memory?"),
    Mistake("one-layer", (KEPT, "positions"),
        "one layer is counted, and it keeps everything", "Where does `layers` enter your code?"),
    Mistake("a-float", (RESULT, "return float(kept * numbers * size)")),
)

EXERCISE = Exercise(
    name="cache-bytes", title="What a text costs", chapter=15, solution=my_cache_bytes,
    shapes=dict.fromkeys(("positions", "layers", "every", "window", "kv_heads", "head_dim", "size"), "a number"),
    answer=Number("one whole number", whole=True), example=example,
    probes=lambda: [(1000, 26, 3, 512, 4, 256, 2), (77, 13, 5, 32, 3, 11, 4), (4096, 34, 6, 1024, 8, 128, 1)],
    edges=lambda: [brief(), uneven(), (50, 7, 1, 5, 1, 3, 2), (50, 4, 9, 5, 1, 3, 2), (1, 1, 1, 1, 1, 1, 1)],
    mistakes=MISTAKES,
    steps={"whole": "the layers that keep everything", "in_window": "the positions in a window",
        "kept": "the positions, over all layers", "numbers": "the numbers per position and layer"},
    space=space,
    hints=(
        "Of the example's six layers, which two keep all ten positions? How many does each of the others keep?",
        "Count positions first, over all layers, then the numbers that a layer keeps of one position, then bytes.",
        "The example's layers keep 2 · 10 + 4 · 4 = 36 positions in all. How many numbers are a key and a value in "
        "three heads of eight?",
    ),
    why="With short texts a window saves nothing, and a count that forgets it is right; with long texts a count that "
        "always fills it is right. The factor 2 is easily lost: the keys come to mind first, and the "
        "values are kept, too.",
)
