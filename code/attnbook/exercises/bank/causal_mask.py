"""Exercise causal-mask: no query looks ahead."""

import torch

from ..answers import Mask
from ..exercise import Exercise, Mistake


def my_causal_mask(num_queries, num_keys):
    """Let each query attend to itself and to everything before it.

    num_queries: T, num_keys: S ≥ T; the queries are the last positions
    → bool (T, S), True = may attend
    """
    first = num_keys - num_queries  # position of the first query
    query = first + torch.arange(num_queries)[:, None]  # (T, 1)
    key = torch.arange(num_keys)  # (S,)
    return key <= query  # (T, S)


def example() -> tuple:
    return 2, 5


def one_more_key() -> tuple:
    return 3, 4


def square() -> tuple:
    return 3, 3


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    T = pick.of(1, 2, 3, 5, 7)
    return T, T + pick.of(0, 1, 2, 5)


# edits that are used several times
FIRST = "first = num_keys - num_queries"
SEES = "key <= query"
ADDITIVE = "torch.zeros(num_queries, num_keys).masked_fill(key > query, -torch.inf)"

# fmt: off
MISTAKES = (
    Mistake("inverted", (SEES, "~(key <= query)"),
        "True and False are the wrong way round. Your True marks the future, what is to be *hidden*, as "
        "`nn.MultiheadAttention` wants its `attn_mask`; in this book and in `F.scaled_dot_product_attention` True "
        "means *may attend*.", "The last query is at the end. Which keys come before it, and what should they be?",
        square),
    Mistake("upper-triangle", (SEES, "key >= query"),
        "the upper triangle is kept instead of the lower one. The first query (row) sees itself and all *after* it.",
        "A row is a query. In the first row, which keys are already there when the first word is read?", square),
    Mistake("self-excluded", (SEES, "key < query"),
        "the diagonal is one too low (`<` instead of `<=`), so that no query sees itself. The first query of a "
        "square mask may then attend to nothing at all, and its softmax would be 0/0.",
        "When position i is read, is word i known?", square),
    Mistake("one-ahead", (SEES, "key <= query + 1"),
        "the diagonal is one too high. Each query sees the next word, the very one that a model is to predict: it "
        "would learn to copy it.", "In a square mask, how many keys may the first query see?", square),
    Mistake("queries-first", (FIRST, "first = 0"),
        "the triangle starts in the upper left corner whatever the number of keys is. Your queries are taken to be "
        "the *first* positions; they are the last. (With as many keys as queries the mask is right.)",
        "At which of the positions of the keys is the first query? And by what must the diagonal move?"),
    Mistake("shifted-the-other-way", (FIRST, "first = num_queries - num_keys"),
        "the diagonal is moved to the wrong side, by T − S: down and to the left",
        "Should more keys than queries let a query see more, or less?"),
    Mistake("all-allowed", (SEES, "key <= query + num_keys"),
        "nothing is hidden (or the diagonal is moved so far that nothing is beyond it)",
        "Which part of the table should become False? (Did a method return a triangle that was not assigned?)",
        one_more_key),
    Mistake("only-itself", (SEES, "key == query"),
        "only the diagonal is kept, and each query sees itself alone",
        "What in your code asks for equality, and what should it ask for?", one_more_key),
    Mistake("from-the-right", (SEES, "(key <= query).flip(1)"),
        "the keys are counted from the right: your first query sees the *last* keys",
        "Which key is the earliest, the one in the first column or in the last?", one_more_key),
    Mistake("upside-down", (SEES, "(key <= query).flip(0)"),
        "the queries are counted from the bottom: your first query sees the most, your last one the least",
        "Which query has more before it, the first or the last?", one_more_key),
    Mistake("all-keys-as-queries", (SEES, "key <= key[:, None]"),
        "the whole square of the keys is returned, with one row per key",
        "Which of these rows belong to the queries, if they are the last positions?"),
    Mistake("keys-forgotten", (SEES, "torch.ones(num_queries, num_queries).tril() == 1"),
        "`num_keys` is ignored, and the mask is square. The keys that came before the first query are missing.",
        "How many columns must the mask have to match scores of shape (T, S)?"),
    Mistake("keys-in-rows", (SEES, "(key <= query).T"),
        "the table is laid out as (S, T): the keys run down and the queries across",
        "Scores have the shape (T, S). Which of the two runs down the rows?"),
    Mistake("keys-in-rows-cut", (SEES, "torch.ones(num_keys, num_queries).tril() == 1"),
        "`num_queries` and `num_keys` have changed places. Moreover the triangle starts in the upper left corner, as "
        "if the queries were the first positions.",
        "Scores have the shape (T, S). Which of the two runs down the rows?"),
    Mistake("additive", (SEES, ADDITIVE),
        "an additive mask (0 and −∞) is made instead of a bool one. Some functions take that, too; here it should "
        "be a bool mask, True where a query may attend.",
        "Which part of your code comes *before* the −∞, and says who may attend?"),
    Mistake("averaging", (SEES, "(key <= query) / (key <= query).double().sum(-1, keepdim=True)"),
        "the rows of the mask are divided by their sums. These would be the weights if all scores were equal; a mask "
        "only says yes or no, and the softmax comes later.", "Is a weight asked for, or a permission?"),
    Mistake("shifted-by-queries", (FIRST, "first = num_queries"),
        "the diagonal is moved by the number of queries, T. S − T keys come before the queries.",
        "With as many keys as queries, by how much should the diagonal be moved?"),
    Mistake("earlier-keys-hidden", (SEES, "(key <= query) & (key >= first)"),
        "the keys before the first query are hidden: a cache that no query may use",
        "Are the keys at the positions 0, 1 and 2 earlier or later than the first query?"),
    Mistake("earlier-keys-behind", (SEES, "(key <= query).roll(-first, 1)"),
        "the earlier keys are put after the triangle. Columns count positions: what came earlier is further left.",
        "At which of the positions 0, 1, 2, 3, 4 are the two queries?"),
    Mistake("nothing-allowed", (SEES, "key + num_keys <= query"),
        "everything is hidden (`torch.zeros` is only a start)", "Which part of the table should become True?"),
    Mistake("additive-finite", (SEES, "-1e9 * (key > query).double()")),
    Mistake("not-bool", (SEES, "(key <= query).double()")),
    Mistake("not-bool", (SEES, "(key <= query).long()")),
    Mistake("extra-axis", (SEES, "(key <= query)[None, None]")),
)

EXERCISE = Exercise(
    name="causal-mask", title="The triangle", chapter=6, solution=my_causal_mask,
    shapes={"num_queries": "a number", "num_keys": "a number"}, returns="T S", answer=Mask(), example=example,
    mistakes=MISTAKES,
    probes=lambda: [(3, 7), (5, 11), (2, 3), (7, 13)], edges=lambda: [(1, 1), (5, 5), (1, 7), (3, 67)],
    steps={"query": "the positions of the queries", "key": "the positions of the keys"},
    space=space,
    hints=(
        "Draw the table for 2 queries and 5 keys. Write beside each row at which of the positions 0 to 4 its query is, "
        "and above each column the position of its key. Which entries are True?",
        "A query at position p sees the keys at the positions 0 … p. The first query is at position S − T. Either "
        "compare positions, (T, 1) with (S,), or cut a triangle out of ones and move its diagonal.",
        "`tril` keeps what is on or below a diagonal. Its argument `diagonal` is 0 for the one that begins in the "
        "upper left corner, and 1 for the next on the right. With 2 queries and 5 keys, which one is it?",
    ),
    why="As long as there are as many keys as queries, a triangle without any shift is right, and so is every test "
        "with a square. The shift shows only where earlier keys come out of a cache: then each new word would see the "
        "first word of the text and nothing else, and the output would still look like numbers. True and False are "
        "just as easily exchanged, since `nn.MultiheadAttention` reads its masks the other way round. Look at a row: "
        "no query should see only the future.",
)
