"""Exercise biaffine-score: every start scored with every end, once for each type."""

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_biaffine(start, end, U, w_start, w_end, b):
    """Score each start with each end for each type: s·U e + w_start·s + w_end·e + b.

    start: (B, T, Ds), end: (B, S, De), U: (C, Ds, De), w_start: (C, Ds), w_end: (C, De),
    b: (C,) → (B, C, T, S)
    """
    translated = start[:, None] @ U  # (B, C, T, De)
    product = translated @ end[:, None].mT  # (B, C, T, S)
    from_start = (start @ w_start.T).mT[..., None]  # (B, C, T, 1)
    from_end = (end @ w_end.T).mT[:, :, None]  # (B, C, 1, S)
    bias = b[:, None, None]  # (C, 1, 1)
    return product + from_start + from_end + bias


def example() -> tuple:
    start, end = exact([[1, 0], [1, 2]]), exact([[1], [0], [2]])
    return start, end, exact([[1], [3]]), exact([1, -1]), exact([2]), exact(0.5)


def two_sentences() -> tuple:
    """Two sentences and three types: axes that cannot meet by mistake."""
    return _drawn(2, 1, 5, 2, 4, 3, 1690)


def _drawn(b: int, t: int, s: int, ds: int, de: int, c: int, seed: int) -> tuple:
    shapes = (b, t, ds), (b, s, de), (c, ds, de), (c, ds), (c, de), (c,)
    return tuple(draw(*shape, seed=seed + n) for n, shape in enumerate(shapes))


def probes() -> list[tuple]:
    return [_drawn(2, 5, 7, 3, 11, 13, 1700), _drawn(3, 2, 5, 7, 13, 11, 1710), _drawn(5, 7, 2, 3, 1, 4, 1720)]


def edges() -> list[tuple]:
    return [two_sentences(), _drawn(1, 1, 3, 2, 5, 1, 1730), _drawn(2, 3, 3, 5, 5, 3, 1740)]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    B, T, S, Ds, De, C = pick.sizes(1, 1, 1, 1, 1, 1)
    shapes = (B, T, Ds), (B, S, De), (C, Ds, De), (C, Ds), (C, De), (C,)
    return tuple(pick.numbers(*shape) for shape in shapes)


# edits that are used several times
LEFT, PRODUCT, SUM = ("start[:, None] @ U", "translated @ end[:, None].mT", "product + from_start + from_end + bias")
OF_START, OF_END = "(start @ w_start.T).mT[..., None]", "(end @ w_end.T).mT[:, :, None]"
TERMS = "The formula is a sum of four terms. Which of them do you add?"
AXES = "In (B, C, T, S), which axis counts the starts, and which the ends?"

# fmt: off
MISTAKES = (
    Mistake("first-bias-for-all", ("b[:, None, None]", "b[0]"),
        "the bias of the first type is added for all types. Each type has one of its own.",
        "How many numbers does b hold, and which axis of the scores do they belong to?", lambda: probes()[0],
        also=(("b[:, None, None]", "b.mean()"),)),
    Mistake("bilinear-only", (SUM, "product"),
        "only the product of start and end is there. That is the bilinear score; the biaffine one lets each of the two "
        "tokens say something by itself as well.", TERMS),
    Mistake("no-product", (SUM, "from_start + from_end + bias"),
        "the term with U is missing. A number per row plus a number per column: every start then prefers "
        "the same end.", TERMS),
    Mistake("no-start-term", (SUM, "product + from_end + bias"), "the term w_start·s is missing", TERMS),
    Mistake("no-end-term", (SUM, "product + from_start + bias"), "the term w_end·e is missing", TERMS),
    Mistake("no-bias", (SUM, "product + from_start + from_end"), "b is missing", TERMS),
    Mistake("start-term-doubled", (SUM, "product + 2 * from_start + from_end + bias"),
        "w_start·s is added twice", TERMS),
    Mistake("bias-twice", (SUM, "product + from_start + from_end + 2 * bias"),
        "b is added twice, with w_start·s and with w_end·e", TERMS),
    Mistake("scaled", (SUM, "product / U.shape[-1] ** 0.5 + from_start + from_end + bias"),
        "the product is divided by the root of the number of features. This score has no scale: U can learn it.",
        "Which score has a root in it? Does this one?", two_sentences),
    Mistake("scaled-by-start", (SUM, "product / U.shape[1] ** 0.5 + from_start + from_end + bias"),
        "the product is divided by the root of the number of the start's features. This score has no scale: U can "
        "learn it.", "Which score has a root in it? Does this one?"),
    Mistake("sigmoid", (SUM, "(product + from_start + from_end + bias).sigmoid()"),
        "a sigmoid is applied as well. All your numbers are between 0 and 1; a score may be negative.",
        "Are scores asked for, or probabilities?"),
    Mistake("softmax", (SUM, "(product + from_start + from_end + bias).softmax(-1)"),
        "a softmax is applied as well. Your rows sum to 1; a start may have no end at all, or two.",
        "Are scores asked for, or weights?"),
    Mistake("first-type-only", (LEFT, "start[:, None] @ U[:1].expand_as(U)"),
        "the first type's U serves all types", "Which axis of U counts the types?", two_sentences),
    Mistake("types-averaged", (LEFT, "start[:, None] @ U.mean(0, keepdim=True).expand_as(U)"),
        "U is averaged over the types", "Which axis of U counts the types? Should it be left in the result?",
        two_sentences),
    Mistake("ends-weigh-starts", (OF_START, "(start @ w_start.T).mean(1)[:, :, None, None]"),
        "w_start·s is averaged over the starts. It should differ from row to row.",
        "Which axis of (B, C, T, 1) counts the starts?"),
    Mistake("first-end-only", (OF_END, "(end @ w_end.T).mT[:, :, None, :1]"),
        "the first end's w_end·e is in every column", AXES),
    Mistake("types-last", (SUM, "(product + from_start + from_end + bias).permute(0, 2, 3, 1)"),
        "the types are the last axis. Your numbers are right; the result should be (B, C, T, S).", AXES, two_sentences),
    Mistake("ends-first", (SUM, "(product + from_start + from_end + bias).mT"),
        "rows are ends and columns are starts. The numbers are right, the table is transposed.", AXES),
    Mistake("terms-not-lifted", (SUM, "product + (start @ w_start.T) + (end @ w_end.T) + bias"),
        "w_start·s and w_end·e are added as they come, (B, T, C) and (B, S, C). Aligned from the right, their types "
        "would meet the ends of the table.",
        "Which shape must (B, T, C) become, so that its T is the rows of (B, C, T, S)?", two_sentences,
        line="\\+|return"),
    Mistake("bias-not-lifted", (SUM, "product + from_start + from_end + b"),
        "b is added as it is, (C,). Aligned from the right, its types would meet the ends.",
        "Which shape must b become, so that it meets the second axis of four?", two_sentences, line="\\+|return"),
    Mistake("no-type-axis", (LEFT, "start @ U"),
        "start meets U without an axis for the types. (B, T, Ds) and (C, Ds, De) are aligned from the right: sentences "
        "would meet types.", "Where does start need an axis of size 1?", two_sentences, line="@|matmul|bmm"),
    Mistake("changes-dtype", (SUM, "(product + from_start + from_end + bias).float()")),
)

EXERCISE = Exercise(
    name="biaffine-score", title="The biaffine score", chapter=17, solution=my_biaffine,
    shapes={"start": "B T Ds", "end": "B S De", "U": "C Ds De", "w_start": "C Ds", "w_end": "C De", "b": "C"},
    returns="B C T S", example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    steps={"product": "the products s·U e", "from_start": "w_start·s", "from_end": "w_end·e"},
    differentiable=("start", "end", "U", "w_start", "w_end", "b"),
    space=space,
    hints=(
        "Four terms. Which of them depends on the start, which on the end, and which on both?",
        "Give each term the four axes (B, C, T, S), with size 1 where it does not depend on something, and let "
        "broadcasting add them. The term with U is two matrix products.",
        "`start[:, None]` is (B, 1, T, Ds), and a matrix product with (C, Ds, De) then makes (B, C, T, De). The two "
        "linear terms come as (B, T, C) and (B, S, C): `.mT` swaps the last two axes; one of size 1 is still missing.",
    ),
    why="With the product alone the score looks complete: it knows start and end, and it trains. But a token can be a "
        "likely start wherever its span may end, and that is what the linear terms say. Leaving out the product "
        "instead is worse than it seems: every start would then prefer the same end.",
)
