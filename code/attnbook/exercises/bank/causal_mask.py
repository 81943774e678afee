"""Exercise causal-mask: nobody looks ahead."""

from __future__ import annotations

import torch

from ..legacy import Exercise, Mistake, slip
from .mask_answers import additive, as_numbers, mask_kind, must_be_bool, to_be_added


def solution(num_queries, num_keys):
    """True where a query may attend: to itself and to everything before it."""
    query = torch.arange(num_keys - num_queries, num_keys)[
        :, None
    ]  # (T, 1): the last T positions
    key = torch.arange(num_keys)  # (S,)
    return key <= query  # (T, S)


def pipeline(
    num_queries,
    num_keys,
    shift=lambda t, s: s - t,
    compare=lambda q, k: k <= q,
    write=lambda mask: mask,
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    query = torch.arange(num_queries)[:, None] + shift(num_queries, num_keys)
    return write(compare(query, torch.arange(num_keys)))


def _always(q, k):
    return torch.ones_like(k <= q)


def example() -> tuple:
    return 2, 5


def one_more_key() -> tuple:
    return 3, 4


def square() -> tuple:
    return 3, 3


def probes() -> list[tuple]:
    return [(3, 7), (5, 11), (2, 3), (7, 13)]


def edges() -> list[tuple]:
    return [(1, 1), (5, 5), (1, 7)]


def steps(num_queries, num_keys) -> list[tuple[str, object]]:
    return [
        (
            "the positions of the queries",
            torch.arange(num_keys - num_queries, num_keys),
        ),
        ("the positions of the keys", torch.arange(num_keys)),
        ("who may attend", solution(num_queries, num_keys).double()),
    ]


WRONG = (
    Mistake(
        "inverted",
        slip(pipeline, write=lambda mask: ~mask),
        "the wrong side of the mask",
        "{seen}Here 1 stands for True. Your True marks the future, what is to be *hidden*. That is how "
        "`nn.MultiheadAttention` wants its `attn_mask`; in this book and in `F.scaled_dot_product_attention` "
        "True means *may attend*. Your last query may attend to nothing.",
        "True and False have changed places",
        "The last query stands at the end. Which keys lie before it, and what should they be?",
        example=square,
    ),
    Mistake(
        "upper-triangle",
        slip(pipeline, compare=lambda q, k: k >= q),
        "looking ahead",
        "{seen}Read by rows: your first query sees itself and everything *after* it, your last one only "
        "itself. This is the upper triangle, where the keys are no earlier than the query.",
        "the upper triangle is kept instead of the lower one",
        "A row is a query. In the first row, which keys are already there when the first word is read?",
        example=square,
    ),
    Mistake(
        "self-excluded",
        slip(pipeline, compare=lambda q, k: k < q),
        "not even itself",
        "{seen}In each of your rows the last True is missing: the query itself. In a square mask like this "
        "the first query may then attend to nothing at all, and its softmax would be 0/0.",
        "the diagonal lies one too low (`<` instead of `<=`), so that no query sees itself",
        "When position i is read, is word i known?",
        example=square,
    ),
    Mistake(
        "one-ahead",
        slip(pipeline, compare=lambda q, k: k <= q + 1),
        "one word ahead",
        "{seen}Each query of yours sees one key too many: the next word, which is the very one that a model "
        "is to predict. It would learn to copy it.",
        "the diagonal lies one too high",
        "In a square mask, how many keys may the first query see?",
        example=square,
    ),
    Mistake(
        "queries-first",
        slip(pipeline, shift=lambda t, s: 0),
        "more keys than queries",
        "{seen}Your two queries are taken to be the *first* two positions of five. They are the last two: "
        "three keys were there before. (The mask is right if there are as many keys as queries.)",
        "the triangle starts in the upper left corner whatever the number of keys is",
        "The first query stands at which of the positions 0, 1, 2, 3, 4? And by what must the diagonal move?",
    ),
    Mistake(
        "shifted-the-other-way",
        slip(pipeline, shift=lambda t, s: t - s),
        "the shift, the other way",
        "{seen}Your diagonal is moved by T − S = −3, down and to the left, so that hardly anyone sees "
        "anything.",
        "the diagonal is moved to the wrong side",
        "Should more keys than queries let a query see more, or less?",
    ),
    Mistake(
        "all-allowed",
        slip(pipeline, compare=_always),
        "nothing hidden",
        "{seen}Every query sees every key, the later ones too. `torch.ones` is only the beginning.",
        "nothing is hidden (or the diagonal is moved so far that nothing lies beyond it)",
        "Which part of the table should become False? (Did a method return a triangle that nobody kept?)",
        example=one_more_key,
    ),
    Mistake(
        "only-itself",
        slip(pipeline, compare=lambda q, k: k == q),
        "no memory",
        "{seen}Each query of yours sees itself alone. The words before it may be seen too.",
        "only the diagonal is kept",
        "Which word of yours asks for equality, and what should it ask for?",
        example=one_more_key,
    ),
    Mistake(
        "from-the-right",
        lambda num_queries, num_keys: solution(num_queries, num_keys).flip(1),
        "the other end",
        "{seen}Your rows grow, as they should, but from the wrong end: your first query sees the *last* "
        "keys.",
        "the keys are counted from the right",
        "Which key is the earliest, the one in the first column or in the last?",
        example=one_more_key,
    ),
    Mistake(
        "upside-down",
        lambda num_queries, num_keys: solution(num_queries, num_keys).flip(0),
        "rows upside down",
        "{seen}Your first query sees the most, your last one the least.",
        "the queries are counted from below",
        "Which query has more behind it, the first or the last?",
        example=one_more_key,
    ),
    Mistake(
        "all-keys-as-queries",
        lambda num_queries, num_keys: solution(num_keys, num_keys),
        "too many queries",
        "{seen}Yours has a row for each of the 5 keys; there are 2 queries.",
        "the whole square of the keys is returned",
        "Which of these rows belong to the queries, if they are the last positions?",
    ),
    Mistake(
        "keys-forgotten",
        lambda num_queries, num_keys: solution(num_queries, num_queries),
        "too few keys",
        "{seen}Yours has a column for each of the 2 queries; there are 5 keys. Three keys came before the "
        "first query and are not in your table.",
        "`num_keys` does not enter, and the mask is square",
        "How many columns must the mask have to meet scores of shape (T, S)?",
    ),
    Mistake(
        "keys-in-rows",
        lambda num_queries, num_keys: solution(num_queries, num_keys).T,
        "rows and columns",
        "{seen}Yours has 5 rows and 2 columns: the keys run down and the queries across.",
        "the table is laid out as (S, T)",
        "Scores have the shape (T, S). Which of the two runs down the rows?",
    ),
    Mistake(
        "keys-in-rows-cut",
        lambda num_queries, num_keys: torch.ones(num_keys, num_queries).tril() == 1,
        "rows and columns",
        "{seen}Yours has 5 rows and 2 columns, as if there were 5 queries and 2 keys. Moreover the triangle "
        "starts in the upper left corner, as if the queries were the first positions.",
        "`num_queries` and `num_keys` have changed places",
        "Scores have the shape (T, S). Which of the two runs down the rows?",
    ),
    Mistake(
        "additive",
        slip(pipeline, write=additive),
        "a mask to be added",
        "With {given} your mask is {got}: numbers to be added to the scores, 0 where a query may look and −∞ "
        "where not. Some functions take that, too; asked for is a bool mask, with True where it may look.",
        "an additive mask (0 and −∞) is made instead of a bool one",
        "Which part of your code comes *before* the −∞, and says who may attend?",
    ),
    Mistake(
        "averaging",
        slip(pipeline, write=lambda mask: mask / mask.double().sum(-1, keepdim=True)),
        "weights, not a mask",
        "With {given} your mask is {got}: each row sums to 1. These would be the weights if all scores were "
        "equal. A mask only says yes or no; the softmax comes later.",
        "the rows of the mask are divided by their sums",
        "Is a share asked for, or a permission?",
    ),
    Mistake(
        "shifted-by-queries",
        lambda num_queries, num_keys: (
            torch.ones(num_queries, num_keys).tril(num_queries) == 1
        ),
        "the shift",
        "{seen}Your diagonal is moved by T = 2. But the queries begin at position 3 of five, because S − T "
        "= 3 keys come before them.",
        "the diagonal is moved by the number of queries",
        "With as many keys as queries, by how much should the diagonal be moved?",
    ),
    Mistake(
        "earlier-keys-hidden",
        lambda num_queries, num_keys: (
            solution(num_queries, num_keys)
            & (torch.arange(num_keys) >= num_keys - num_queries)
        ),
        "the keys from before",
        "{seen}Your last columns are right. The three keys that were there before are hidden from everyone: "
        "a cache that nobody may look into.",
        "the keys before the first query are hidden",
        "Are the keys at the positions 0, 1 and 2 earlier or later than the first query?",
    ),
    Mistake(
        "earlier-keys-behind",
        lambda num_queries, num_keys: solution(num_queries, num_keys).roll(
            num_queries - num_keys, 1
        ),
        "the keys from before",
        "{seen}Your triangle comes first, and the three keys from before stand behind it. Columns count "
        "positions: what came earlier stands further left.",
        "the keys from before are put behind the triangle",
        "At which of the positions 0, 1, 2, 3, 4 are the two queries?",
    ),
    Mistake(
        "nothing-allowed",
        lambda num_queries, num_keys: torch.zeros(num_queries, num_keys) == 1,
        "everything hidden",
        "{seen}No query may look anywhere. `torch.zeros` is only the beginning.",
        "everything is hidden",
        "Which part of the table should become True?",
    ),
    Mistake(
        "additive-finite",
        lambda num_queries, num_keys: (
            -1e9 * (~solution(num_queries, num_keys)).double()
        ),
    ),
    Mistake(
        "not-bool",
        lambda num_queries, num_keys: solution(num_queries, num_keys).double(),
    ),
    Mistake(
        "not-bool", lambda num_queries, num_keys: solution(num_queries, num_keys).long()
    ),
    Mistake(
        "extra-axis",
        lambda num_queries, num_keys: solution(num_queries, num_keys)[None, None],
    ),
)

CAUSAL_MASK = Exercise(
    name="causal-mask",
    title="The triangle",
    chapter=6,
    function="my_causal_mask",
    statement="""\
Write the causal mask: a bool tensor (T, S), `True` where query $i$ may attend to key $j$. A query may
attend to itself and to everything before it. If there are more keys than queries, the queries are the
*last* positions, as they are when earlier keys come out of a cache: with 2 queries and 5 keys the first
query sees four keys and the second all five. There are never fewer keys than queries.""",
    stub='''\
def my_causal_mask(num_queries, num_keys):
    """Let each query attend to itself and to everything before it.

    num_queries: T, num_keys: S ≥ T; the queries are the last positions
    → bool (T, S), True = may attend
    """
    ...
''',
    hints=(
        "Draw the table for 2 queries and 5 keys. Write beside each row at which of the positions 0 to 4 its "
        "query stands, and above each column the position of its key. Which entries are True?",
        "A query at position p sees the keys at the positions 0 … p. The first query stands at the position "
        "S − T. Either compare positions, (T, 1) with (S,), or cut a triangle out of ones and move its "
        "diagonal.",
        "`torch.ones(T, S, dtype=torch.bool).tril(diagonal=...)` keeps what lies on or below a diagonal; "
        "`diagonal=0` begins in the upper left corner, 1 is one column to the right.",
    ),
    solution=solution,
    why="As long as there are as many keys as queries, a triangle without any shift is right, and so are all "
    "tests with a square. The shift shows only where earlier keys come out of a cache: then each new word "
    "would see the first word of the text and nothing else, and the output would still look like numbers. "
    "True and False are as easily exchanged, since `nn.MultiheadAttention` reads its masks the other way "
    "round; the rows tell, for nobody should look at the future only.",
    shapes={"num_queries": "a number", "num_keys": "a number"},
    returns="T S",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    detectors=(to_be_added,),
    demands=(must_be_bool,),
    read=as_numbers,
    kind=mask_kind,
)
